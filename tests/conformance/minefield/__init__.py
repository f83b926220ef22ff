"""Generates the cases in `tests/fixtures/minefield`: valid and invalid JSON spellings at different places.

The generated cases are the test data and are meant to be read; the tables here only avoid repeating each spelling for
every place. The expected outcome is written next to each spelling, and never computed with a JSON parser.
"""
