"""What repositories need that keep generated code in their tree: a file that says what to make, and a watch on it."""
