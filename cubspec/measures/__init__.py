"""The measures of part localization.

Written from docs/measures/ by cubspec.tangle: edit the pages, not this file.
"""

__all__ = [
    "average_error",
    "averages",
    "capped",
    "distance",
    "human",
    "pcp",
    "report_error",
    "visibility",
]
