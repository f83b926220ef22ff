"""A model → pages and texts for people."""
