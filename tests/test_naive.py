"""The pages' code against a second implementation in plain loops, on random small data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cubspec.choices import short_signatures
from cubspec.data import Clicks, Dataset, Prediction, Truth
from cubspec.scoring import score, spread
from tests import naive

ANSWERS = st.sampled_from(["five", "ragged", "one", "two", "none"])
SPREAD = st.sampled_from(["all", "all", "all", "first part none", "none"])
SHARE = st.sampled_from([0.0, 0.3, 0.7, 0.7, 1.0])


@dataclass(frozen=True)
class Case:
    """One random data set, as the pages take it and as the naive implementation does."""

    dataset: Dataset
    prediction: Prediction
    answers: list[list[list[tuple[bool, float | None, float | None]]]]
    given: list[list[tuple[bool, float | None, float | None]]]
    predicted: list[list[tuple[bool, float | None, float | None]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Random data: ragged answers, ties, nobody visible, one click, image or part, no spread."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    images, parts = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    number = _number_of_answers(rng, draw(ANSWERS), (images, parts))
    workers = max(int(number.max()), 1)
    answered = np.arange(workers)[:, np.newaxis] < number[:, np.newaxis, :]
    visible = answered & (rng.random((images, workers, parts)) < draw(SHARE))
    centre = rng.normal(50, 20, (images, 1, parts, 2))
    scale = np.ones((parts, 1))
    kind = draw(SPREAD)
    if kind == "none":
        scale[:] = 0
    elif kind == "first part none":
        scale[0] = 0
    clicked = centre + scale * rng.normal(0, 2, (images, workers, parts, 2))
    if draw(st.booleans()):
        shown = visible.any(axis=1) & (rng.random((images, parts)) < 0.8)
    else:
        shown = rng.random((images, parts)) < draw(SHARE)
    predicted = rng.random((images, parts)) < draw(SHARE)
    near = centre[:, 0] + rng.normal(0, draw(st.sampled_from([0.0, 3.0, 12.0])), (images, parts, 2))
    truth = Truth(shown, np.where(shown[..., np.newaxis], centre[:, 0], np.nan))
    clicks = Clicks(answered, visible, np.where(visible[..., np.newaxis], clicked, np.nan))
    prediction = Prediction(predicted, np.where(predicted[..., np.newaxis], near, np.nan))
    dataset = Dataset(
        image_id=np.arange(1, images + 1),
        parts=tuple(f"part {p}" for p in range(parts)),
        given=truth,
        clicks=clicks,
        training=rng.random(images) < 0.5,
        name="01234567",
        clicks_name="89abcdef",
    )
    return Case(
        dataset,
        prediction,
        [
            [
                [
                    _plain(visible[i, w, p], clicked[i, w, p])
                    for w in range(workers)
                    if answered[i, w, p]
                ]
                for p in range(parts)
            ]
            for i in range(images)
        ],
        _plain_table(truth),
        _plain_table(prediction),
    )


def _number_of_answers(
    rng: np.random.Generator, kind: str, shape: tuple[int, int]
) -> np.ndarray[Any, np.dtype[np.int64]]:
    if kind == "ragged":
        return rng.integers(0, 7, shape)
    return np.full(shape, {"five": 5, "one": 1, "two": 2, "none": 0}[kind])


def _plain(visible: Any, location: Any) -> tuple[bool, float | None, float | None]:
    return (True, float(location[0]), float(location[1])) if visible else (False, None, None)


def _plain_table(table: Truth | Prediction) -> list[list[tuple[bool, float | None, float | None]]]:
    images, parts = table.visible.shape
    return [
        [_plain(table.visible[i, p], table.location[i, p]) for p in range(parts)]
        for i in range(images)
    ]


def assert_equal(found: float, expected: float, what: str) -> None:
    """Equal but for the order of summation, NaN where NaN."""
    assert math.isnan(found) == math.isnan(expected), f"{what}: {found}, naive {expected}"
    if not math.isnan(expected):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), what


def test_both_name_the_same_123_short_forms() -> None:
    assert [str(form) for form in short_signatures()] == naive.short_signatures()
    assert len(short_signatures()) == 123


@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    cases(),
    st.sampled_from(["given", "clicks"]),
    st.sampled_from(["all", "scored", "train"]),
    st.sampled_from([True, False, False, False]),
)
@pytest.mark.parametrize("split", ["all", "test"])
@pytest.mark.filterwarnings("error")
def test_every_value_of_every_row(
    split: str, case: Case, truth: str, pool: str, per_part: bool
) -> None:
    training = case.dataset.training
    assert training is not None
    images = range(len(case.given))
    scored = [i for i in images if split == "all" or not training[i]]
    if not scored:
        return
    pooled = {"all": images, "scored": scored, "train": np.flatnonzero(training).tolist()}[pool]
    seen = np.isin(case.dataset.image_id - 1, scored)
    prediction = case.prediction.only(seen, np.ones(len(case.dataset.parts), dtype=bool))
    found = score(
        case.dataset, {"mine": prediction}, split=split, truth=truth, pool=pool, per_part=per_part
    )
    arguments = (case.answers, case.given, {"mine": case.predicted}, truth, list(pooled), scored)
    expected = naive.score(*arguments)
    assert found.rows.keys() == expected.keys()
    for row, values in expected.items():
        assert found.rows[row].keys() == values.keys()
        for short, value in values.items():
            assert_equal(found.rows[row][short], value, f"{row} {short}")
    if not per_part:
        return
    by_part = naive.by_part(*arguments)
    assert found.by_part.keys() == by_part.keys()
    for row in by_part:
        for part, own in zip(found.by_part[row].values(), by_part[row], strict=True):
            assert part.keys() == own.keys()
            for short, value in own.items():
                assert_equal(part[short], value, f"{row} part {short}")


@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases(), st.sampled_from(["given", "clicks"]))
@pytest.mark.filterwarnings("error")
def test_every_sigma(case: Case, truth: str) -> None:
    found = spread(case.dataset, truth=truth)
    own_truth = naive.ground_truth(case.answers, case.given, truth)
    expected = naive.sigmas(case.answers, own_truth, list(range(len(case.given))))
    assert found.sigma.keys() == expected.keys()
    for name, values in expected.items():
        for part, value in enumerate(values):
            for axis, number in enumerate(value):
                assert_equal(float(found.sigma[name][part, axis]), number, f"{name} {part} {axis}")
