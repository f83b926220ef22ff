"""Two models → what a change between them means."""
