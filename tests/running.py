"""Running the command line in the process of a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from cubspec.cli import main


@dataclass(frozen=True)
class Outcome:
    """How a run of the command line ended."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


def running(capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs the command line with some arguments, in this process."""

    def call(*arguments: str) -> Outcome:
        status = main(arguments)
        return Outcome(status, *capsys.readouterr())

    return call
