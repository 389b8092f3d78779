"""How part localization is scored on CUB-200-2011, as pages that are the reference code."""

from importlib.metadata import version

from cubspec.cub import read_cub
from cubspec.data import InputError
from cubspec.predictions import read_predictions
from cubspec.scoring import score, spread

__version__ = version("cubspec")

__all__ = ["InputError", "read_cub", "read_predictions", "score", "spread"]
