"""What the outcome of a text must be: the reference engine, and instances whose outcomes are known."""
