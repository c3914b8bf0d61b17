"""`python -m rtgen`: the command line."""

import sys

from rtgen.cli import main

if __name__ == "__main__":
    sys.exit(main())
