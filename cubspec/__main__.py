"""Runs the command line: `python -m cubspec`."""

import sys

from cubspec.cli import main

sys.exit(main())
