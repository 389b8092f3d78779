"""Runs the command line: `python -m cubspec`."""

import sys

try:
    # Loading takes long enough to be interrupted, and `main` is not there yet to handle that.
    from cubspec.cli import main

    status = main()
except KeyboardInterrupt:
    status = 130
sys.exit(status)
