"""Selects images, then calls every measure under every choice, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cubspec.choices import Measure, Signature
from cubspec.data import Dataset, Floats
from cubspec.predictions import PredictionFile


@dataclass(frozen=True)
class Result:
    """Every number of one run, with what names it.

    Attributes
    ----------
    context : what the numbers stand on, by key of a signature's context; `n` as an int
    parts : names of the parts scored
    sigma : by name of the sigma, (p, 1) or (p, 2) float, pixels; empty without clicks
    rows : by row name, the value of each short form; the human rows are `Human|workers:mean` and
        `Human|workers:pooled`
    by_part : by row name and part name, the value of each short form; empty unless asked for
    signatures : by row name, the full signature of each short form
    predictions : by row name, how its file was read
    """

    context: dict[str, Any]
    parts: tuple[str, ...]
    sigma: dict[str, Floats]
    rows: dict[str, dict[str, float]]
    signatures: dict[str, dict[str, str]]
    by_part: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    predictions: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def score(
    dataset: Dataset,
    predictions: Mapping[str, PredictionFile],
    *,
    split: str = "test",
    truth: str = "given",
    pool: str = "all",
    parts: Sequence[str] | None = None,
    missing: str = "error",
    only: Sequence[Signature] | None = None,
    per_part: bool = False,
) -> Result:
    raise NotImplementedError
