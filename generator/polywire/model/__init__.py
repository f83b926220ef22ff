"""Declarations → the resolved, frozen model that every check and target shares."""

from polywire.model.nodes import *  # noqa: F403  (the nodes are the vocabulary of this package)
