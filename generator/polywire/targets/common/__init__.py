"""What the targets of all languages share."""
