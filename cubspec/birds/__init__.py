"""Synthetic birds, whose truth is known exactly.

Written from docs/birds/ by cubspec.tangle: edit the pages, not this file.
"""

__all__ = [
    "annotators",
    "body",
    "camera",
    "localizers",
]
