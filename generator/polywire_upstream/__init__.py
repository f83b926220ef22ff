"""The declarations of a release of the described program, compared with the spec."""
