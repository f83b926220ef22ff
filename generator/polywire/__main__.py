"""`python -m polywire` runs `polywire`."""

import os
import sys

# Python looks for modules in the working folder first, where a stranger's `click.py` may be.
if sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 (pathlib is another import)
    del sys.path[0]

from polywire.commands.cli import main

main()
