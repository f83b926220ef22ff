"""`python -m polywire` runs `polywire`."""

from polywire.cli import main

main()
