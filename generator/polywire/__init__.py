"""polywire: one YAML spec of a wire protocol in, every language's bindings of it out."""

__version__ = "0.1.0"
