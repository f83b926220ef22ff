"""Declarations → the resolved, frozen model that every check and target shares."""
