"""From the annotators' answers to a ground truth and a unit.

Written from docs/truth/ by cubspec.tangle: edit the pages, not this file.
"""

__all__ = [
    "consensus",
    "sigma",
]
