"""The pages on other measures and on sigmas: their tables, their sentences, and pycocotools."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mkdocs.exceptions import PluginError
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from cubspec.birds.camera import bounding_box
from cubspec.cli import main
from cubspec.data import Clicks, Floats, Prediction, Truth
from cubspec.example import LOCALIZERS, Example, make_example
from cubspec.repeated_clicks import COLUMNS, consensus, read_repeated_clicks, repeated_spread
from cubspec.site.comparisons import (
    NORMALIZERS,
    best_first,
    keypoint_similarity,
    near,
    oks_of_birds,
    percentages_near,
    variance_of_median,
)
from cubspec.site.effects import published_birds
from cubspec.site.tables import TABLES, with_tables
from cubspec.tables import DECIMALS
from cubspec.truth.sigma import dist_mean, dist_median, rms_median, sd_mean

ROOT = Path(__file__).parent.parent
EVIDENCE = ROOT / "docs" / "evidence"
OTHER, SIGMA_PAGE = "evidence/other_measures.md", "evidence/why_sigma.md"
NAN = math.nan


@pytest.fixture(scope="module")
def birds() -> Example:
    return published_birds()


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def cells(made: str) -> dict[str, list[str]]:
    """The cells of each row of a table by its label, links taken off; the header's under ""."""
    lines = [line for line in made.split("\n") if line.startswith("|")]
    bare = [re.sub(r"\[`?(.*?)`?\]\(.*?\)", r"\1", line) for line in lines]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in bare]
    return {"": rows[0][1:]} | {label: numbers for label, *numbers in rows[2:]}


def last_sentences(made: str) -> list[str]:
    return [each for each in made.split("\n\n") if not each.startswith(("|", "```"))]


# PCK.

NORMALIZER_BY_HAND: dict[str, Callable[[float, float], float]] = {
    "longest side of the box": max,
    "1.1 × longest side": lambda width, height: 1.1 * max(width, height),
    "diagonal of the box": lambda width, height: math.sqrt(width * width + height * height),
    "image size, 160 px": lambda width, height: 160.0,
}


def counted_by_hand(made: Example, name: str, label: str) -> tuple[float, float]:
    """PCK at 0.1 over the parts visible in the ground truth, and over those visible in both."""
    boxes = bounding_box(made.birds.poses).tolist()
    guess, truth = made.birds.predictions[name].location.tolist(), made.truth.location.tolist()
    hits = visible = both = 0
    for box, guesses, points in zip(boxes, guess, truth, strict=True):
        tolerance = 0.1 * NORMALIZER_BY_HAND[label](*box[2:])
        for there, point in zip(guesses, points, strict=True):
            apart = math.dist(there, point)
            visible += not math.isnan(point[0])
            both += not math.isnan(apart)
            hits += apart <= tolerance
    return 100 * hits / visible, 100 * hits / both


def test_pck_is_counted_one_by_one(birds: Example) -> None:
    made = TABLES["pck"](OTHER)
    found = cells(made)
    assert found.pop("") == ["px", "A", "B", "C"]
    assert list(found) == list(NORMALIZER_BY_HAND) == list(NORMALIZERS)
    for label, (_, *numbers) in found.items():
        by_hand = [counted_by_hand(birds, name, label)[0] for name in LOCALIZERS]
        assert numbers == [f"{number:.2f}" for number in by_hand]


def test_the_tolerance_is_a_tenth_of_the_normalizer(birds: Example) -> None:
    boxes = bounding_box(birds.birds.poses).tolist()
    for label, (tolerance, *_) in list(cells(TABLES["pck"](OTHER)).items())[1:]:
        by_hand = [0.1 * NORMALIZER_BY_HAND[label](*box[2:]) for box in boxes]
        assert tolerance == f"{np.median(by_hand):.1f}"


def test_the_sentences_below_pck_are_what_the_table_shows(birds: Example) -> None:
    made = TABLES["pck"](OTHER)
    _, moves, missed = last_sentences(made)
    found = cells(made)
    columns = dict(zip(found.pop(""), zip(*found.values(), strict=True), strict=True))
    ends = {name: (min(column), max(column)) for name, column in columns.items()}
    assert moves == (
        f"The normalizer alone moves A from {ends['A'][0]} to {ends['A'][1]} %, "
        f"B from {ends['B'][0]} to {ends['B'][1]} % and C from {ends['C'][0]} to {ends['C'][1]} %."
    )
    assert "A from 56.04 to 87.31 %" in moves
    both = [counted_by_hand(birds, name, "longest side of the box")[1] for name in LOCALIZERS]
    assert "predicted not visible counts as missed." in missed
    assert missed.endswith(
        f"give {both[0]:.2f} % for A, {both[1]:.2f} % for B and {both[2]:.2f} % for C."
    )


def test_the_boundary_is_near() -> None:
    truth = Truth.at([[[0, 0], [0, 0], [0, 0], [NAN, NAN]]])
    prediction = Prediction.at([[[3, 4], [3, 4.001], [NAN, NAN], [0, 0]]])
    assert near(prediction, truth, np.array([5.0])).tolist() == [[True, False, False, False]]


# OKS.


def similarity_of_pycocotools(
    prediction: Prediction, truth: Truth, sigma: Floats, box: Floats
) -> list[float]:
    """OKS of each image as pycocotools has it; a part predicted not visible lies far away."""
    far = np.where(prediction.visible[..., None], prediction.location, 1e7)
    shown = np.where(truth.visible[..., None], truth.location, 0)
    flag = np.where(truth.visible, 2, 0)
    parts = truth.visible.shape[1]
    ids = range(1, len(box) + 1)
    dataset = COCO()
    dataset.dataset = {
        "images": [{"id": number} for number in ids],
        "categories": [{"id": 1, "name": "bird"}],
        "annotations": [
            {
                "id": number,
                "image_id": number,
                "category_id": 1,
                "iscrowd": 0,
                "area": width * height,
                "bbox": [left, top, width, height],
                "num_keypoints": int(flag[number - 1].sum()) // 2,
                "keypoints": np.dstack([shown, flag])[number - 1].ravel().tolist(),
            }
            for number, (left, top, width, height) in zip(ids, box.tolist(), strict=True)
        ],
    }
    dataset.createIndex()
    ones = np.ones((len(box), parts))
    results = [
        {
            "image_id": number,
            "category_id": 1,
            "score": 1.0,
            "keypoints": np.dstack([far, ones])[number - 1].ravel().tolist(),
        }
        for number in ids
    ]
    evaluation = COCOeval(dataset, dataset.loadRes(results), "keypoints")
    evaluation.params.kpt_oks_sigmas = sigma
    evaluation.evaluate()
    return [float(evaluation.ious[number, 1][0][0]) for number in ids]


@pytest.mark.parametrize("name", LOCALIZERS)
def test_oks_is_that_of_pycocotools(birds: Example, name: str) -> None:
    sigma, area = oks_of_birds(birds)
    some, every = np.arange(2000) < 400, np.ones(15, bool)
    prediction = birds.birds.predictions[name].only(some, every)
    truth, box = birds.truth.only(some, every), bounding_box(birds.birds.poses)[some]
    ours = keypoint_similarity(prediction, truth, sigma, area[some])
    theirs = similarity_of_pycocotools(prediction, truth, sigma, box)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert 0.2 < np.mean(theirs) < 0.9


def test_oks_by_hand() -> None:
    truth = Truth.at([[[0, 0], [9, 9], [5, 5], [NAN, NAN]], [[NAN, NAN]] * 4])
    prediction = Prediction.at([[[6, 8], [9, 9], [NAN, NAN], [1, 1]], [[0, 0]] * 4])
    sigma, area = np.array([0.25, 0.1, 0.1, 0.1]), np.array([400.0, 1.0])
    # 10 pixels are half the object's size, and κ is 0.5.
    found = keypoint_similarity(prediction, truth, sigma, area)
    np.testing.assert_allclose(found, [(math.exp(-0.5) + 1 + 0) / 3, NAN])


def test_sigma_of_the_birds_is_what_the_command_gives(tmp_path: Path) -> None:
    birds = make_example(150, seed=1, only=())
    clicks, box = birds.birds.clicks, bounding_box(birds.birds.poses)
    with (tmp_path / "birds.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*COLUMNS, "box_width", "box_height"])
        for bird, part, who in product(range(150), range(15), range(5)):
            x, y = clicks.location[bird, who, part].tolist()
            seen = int(clicks.visible[bird, who, part])
            writer.writerow([bird, birds.result.parts[part], who, x, y, seen, *box[bird, 2:]])
    found = repeated_spread(read_repeated_clicks(tmp_path / "birds.csv"), relative_to="box")
    sigma, area = oks_of_birds(birds)
    assert found.parts == birds.result.parts
    np.testing.assert_allclose(found.sigma["rms-median"][:, 0], sigma, rtol=1e-12)
    np.testing.assert_allclose(area, box[:, 2] * box[:, 3])


# Side by side.


def test_beside_ours(birds: Example) -> None:
    found = cells(TABLES["beside-ours"](OTHER))
    assert found.pop("") == ["A", "B", "C", "order"]
    sigma, area = oks_of_birds(birds)
    means = [
        keypoint_similarity(birds.birds.predictions[name], birds.truth, sigma, area).mean()
        for name in LOCALIZERS
    ]
    pck = percentages_near(NORMALIZERS["longest side of the box"])
    rows = birds.result.rows
    forms = {
        "PCP, ref:median, %": "PCP|sigma:sd-mean|ref:median",
        "report-error, none:zero, σ": "report-error|sigma:sd-mean|none:zero|avg:micro",
        "AE, σ": "AE|sigma:sd-mean|avg:micro",
    }
    expected = {
        "PCK at 0.1, longest side, %": [f"{number:.2f}" for number in pck],
        "mean OKS": [f"{number:.3f}" for number in means],
    } | {
        label: [f"{rows[name][form]:.{DECIMALS[label[-1]]}f}" for name in LOCALIZERS]
        for label, form in forms.items()
    }
    assert {label: numbers[:3] for label, numbers in found.items()} == expected
    assert [numbers[3] for numbers in found.values()] == [
        "B A C",
        "B A C",
        "A C B",
        "A C B",
        "A=B C",
    ]


def test_the_page_says_what_is_seen_side_by_side() -> None:
    assert "PCK and OKS put B first." in page(OTHER)
    assert "PCP and the report's error put B last" in page(OTHER)


@pytest.mark.parametrize(
    ("numbers", "better", "expected"),
    [
        ({"A": "1.0", "B": "10.0", "C": "9.5"}, "lower", "A C B"),
        ({"A": "1.0", "B": "10.0", "C": "9.5"}, "higher", "B C A"),
        ({"A": "2.0", "B": "1.0", "C": "2.0"}, "higher", "A=C B"),
        ({"A": "1.95", "B": "1.95", "C": "3.33"}, "lower", "A=B C"),
    ],
)
def test_best_first(numbers: dict[str, str], better: str, expected: str) -> None:
    assert best_first(numbers, better) == expected


# How much too small a spread about the annotators' own consensus is.


def drawn(clicks: int, pairs: int = 40_000) -> tuple[Clicks, Truth]:
    """Pairs of that many standard normal clicks, and the point that they scatter about."""
    location = np.random.default_rng(clicks).standard_normal((pairs, clicks, 1, 2))
    return Clicks.at(location), Truth.at(np.zeros((pairs, 1, 2)))


@pytest.mark.parametrize("number", [2, 3, 5, 7])
def test_the_shortfall_is_what_drawn_clicks_have(number: int) -> None:
    clicks, point = drawn(number)
    true = rms_median(clicks, point)[0, 0]
    row = cells(TABLES["shortfall"](SIGMA_PAGE))[str(number)]
    mean = Truth.at(clicks.location.mean(axis=1))
    assert float(row[0]) == pytest.approx(rms_median(clicks, mean)[0, 0] / true, abs=0.004)
    median = consensus(clicks)
    assert float(row[1]) == pytest.approx(rms_median(clicks, median)[0, 0] / true, abs=0.004)


def test_the_table_of_shortfalls_is_exact() -> None:
    found = cells(TABLES["shortfall"](SIGMA_PAGE))
    assert found.pop("") == ["about their mean", "about their median"]
    assert [row[0] for row in found.values()] == [
        f"{math.sqrt((int(number) - 1) / int(number)):.3f}" for number in found
    ]
    # Of three normal numbers the variance is known in closed form.
    three = math.sqrt(1 - 2 / 3 + 1 - math.sqrt(3) / math.pi)
    assert found["3"][1] == f"{three:.3f}"
    assert found["2"] == ["0.707", "0.707"]


@pytest.mark.parametrize(
    ("number", "variance"),
    [(1, 1), (2, 0.5), (3, 1 - math.sqrt(3) / math.pi), (5, 0.286834), (9, 0.166101)],
)
def test_the_variance_of_a_median(number: int, variance: float) -> None:
    assert variance_of_median(number) == pytest.approx(variance, abs=2e-6)


def test_the_shortfall_of_the_birds(birds: Example) -> None:
    sigma = birds.result.sigma
    factor = sigma["rms-median"][:, 0] / sigma["sd-mean"][:, 0] / math.sqrt(2)
    assert last_sentences(TABLES["shortfall"](SIGMA_PAGE)) == [
        "On the synthetic birds, with up to five clicks a pair, `rms-median` is "
        f"{min(factor):.3f} to {max(factor):.3f} times "
        "√2\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}`sd-mean`, depending on the part."
    ]
    assert 0.9 < min(factor) < max(factor) < 1


@pytest.mark.parametrize("number", [2, 3, 4, 5, 7, 12])
def test_what_the_page_says_of_normal_clicks(number: int) -> None:
    clicks, point = drawn(number)
    median = consensus(clicks)
    assert "`rms-median` is 1.1 to 1.3 times `dist-median`" in page(SIGMA_PAGE)
    assert 1.1 < rms_median(clicks, median)[0, 0] / dist_median(clicks, median)[0, 0] < 1.3
    assert "√2 times `sd-mean` is the root mean square distance" in page(SIGMA_PAGE)
    without_shortfall = math.sqrt(2) * sd_mean(clicks, point)[0, 0]
    assert rms_median(clicks, point)[0, 0] == pytest.approx(without_shortfall, abs=0.01)


def test_what_the_page_says_of_two_clicks() -> None:
    clicks, _ = drawn(2)
    median = consensus(clicks)
    np.testing.assert_allclose(median.location, clicks.location.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(dist_mean(clicks, median), dist_median(clicks, median))
    tie = Clicks.at([[[[1, 2]], [[NAN, NAN]]]])
    assert not consensus(tie).visible.any()


# What the page on sigmas shows.

SHOWN = re.compile(
    r"```sh\n(?P<command>cubspec sigma .*)\n```\n\n"
    r"<!-- table: (?P<table>spread-of-file (?P<file>\S+) (?P<relative>\S+)) -->\n"
)


@pytest.mark.parametrize("relative_to", ["area", "none"])
def test_the_page_shows_what_the_command_prints(
    relative_to: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = [
        found for found in SHOWN.finditer(page(SIGMA_PAGE)) if found["relative"] == relative_to
    ]
    monkeypatch.chdir(EVIDENCE)
    assert main(shown["command"].split()[1:]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    made = with_tables(f"<!-- table: {shown['table']} -->", SIGMA_PAGE)
    assert made == f"```text\n{printed.out}```"


def test_the_built_page_holds_it(site: Path) -> None:
    from bs4 import BeautifulSoup

    built = (site / "evidence" / "why_sigma" / "index.html").read_text("utf-8")
    listings = [
        block.get_text() for block in BeautifulSoup(built, "html.parser").select("pre > code")
    ]
    for relative_to in ("area", "none"):
        made = TABLES["spread-of-file"](SIGMA_PAGE, "lobster.csv", relative_to)
        assert made.removeprefix("```text\n").removesuffix("```") in listings
    assert (site / "evidence" / "lobster.csv").read_bytes() == (
        EVIDENCE / "lobster.csv"
    ).read_bytes()


def test_the_first_lines_are_those_of_the_file() -> None:
    lines = page("evidence/lobster.csv").splitlines()
    made = TABLES["first-lines"](SIGMA_PAGE, "lobster.csv", "10").split("\n")
    assert made == ["```text", *lines[:10], f"… {len(lines) - 10} more lines", "```"]
    assert TABLES["first-lines"](SIGMA_PAGE, "lobster.csv", str(len(lines) - 1)).endswith(
        "\n… 1 more line\n```"
    )


def test_what_the_page_says_of_the_lobsters() -> None:
    found = read_repeated_clicks(EVIDENCE / "lobster.csv")
    answers = found.answers
    assert "four lobsters, three parts, three annotators" in page(SIGMA_PAGE)
    assert len(found.objects) == 4
    assert len(answers.parts) == 3
    with (EVIDENCE / "lobster.csv").open(encoding="utf-8") as stream:
        assert len({line["annotator"] for line in csv.DictReader(stream)}) == 3
    assert "only one of three annotators clicked the right claw" in page(SIGMA_PAGE)
    claw = answers.part == answers.parts.index("right claw")
    clicks = [
        answers.visible[claw & (answers.image_id == number)].tolist() for number in range(1, 5)
    ]
    assert sorted(map(sum, clicks)) == [1, 3, 3, 3]
    assert {len(each) for each in clicks} == {3}
    result = repeated_spread(found)
    assert result.pairs[result.parts.index("right claw")] == 3
    assert "the two tables are not multiples of each other" in page(SIGMA_PAGE)
    ratio = (
        repeated_spread(found, relative_to="area").sigma["rms-median"]
        / (result.sigma["rms-median"])
    )
    assert np.ptp(ratio) > 0.001


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("first-lines lobster.csv 0", "expected a number from 1 to 35, found '0'"),
        ("first-lines lobster.csv 36", "expected a number from 1 to 35, found '36'"),
        ("first-lines lobster.csv ten", "expected a number from 1 to 35, found 'ten'"),
        ("first-lines lobsters.csv 3", "expected to be able to read this"),
        ("spread-of-file lobster.csv box", "expected the column box_width"),
        ("spread-of-file lobster.csv aera", "did you mean area"),
        ("pck A", "expected 'pck', found 'pck A'"),
    ],
)
def test_wrong_arguments_fail_and_name_page_and_line(words: str, message: str) -> None:
    with pytest.raises(PluginError, match=rf"^evidence/why_sigma\.md:3: .*{message}"):
        with_tables(f"# A\n\n<!-- table: {words} -->\n", SIGMA_PAGE)


# Threads.

THREAD = re.compile(r"\[(?:(\S+/\S+) )?#(\d+)\]\(https://github\.com/([^)]*)/issues/(\d+)\)")


@pytest.mark.parametrize(("name", "threads"), [(SIGMA_PAGE, 14), (OTHER, 5)])
def test_links_lead_to_the_threads_that_they_name(name: str, threads: int) -> None:
    found: list[Any] = THREAD.findall(page(name))
    assert len(found) == threads == page(name).count("https://github.com/")
    repository = ""
    for named, number, linked, same_number in found:
        repository = named or repository
        assert (repository, number) == (linked, same_number)
