"""The library part of generated Python packages; see `runtimes/README.md`."""
