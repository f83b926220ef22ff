"""Conformance cases and testees → whether each binding behaves as the cases require."""
