"""polywire: generates bindings for every language from one YAML spec of a wire protocol."""

__version__ = "0.1.0"
