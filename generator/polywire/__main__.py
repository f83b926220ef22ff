"""`python -m polywire` is `polywire`."""

from polywire.cli import main

main()
