"""Spellings of JSON, right and wrong, × the places where bindings read them → the cases in `tests/fixtures/minefield`.

The cases are the data, and what people read; the tables here only spare writing each spelling once for every place.
What must come of a spelling stands beside it and is never worked out by a parser of JSON.
"""
