"""What a release of the described program declares, compared with the spec."""
