"""Facts of the dataset, and copies that agree or disagree with them."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubspec import facts, facts_figures, facts_files
from cubspec.cli import main
from cubspec.cub import COMPLETE_DIGEST, truth_digest
from cubspec.data import PARTS, Dataset, InputError, Truth
from cubspec.facts import Fact, Report, check_facts, known_facts
from cubspec.facts_figures import LARGEST_ID, Figure, Value, figures
from cubspec.facts_files import find_files, read_files
from cubspec.facts_tables import facts_csv, facts_document, facts_json
from cubspec.lines import count_lines, good_rows, parse_rows
from cubspec.tables import as_latex, as_markdown, as_text
from tests.writing import PLAIN, Style, random_dataset, write_cub, write_lines, write_text

SMALL = 40
CLASSES = 4
LOCATIONS = "parts/part_locs.txt"
CLICKS = "parts/part_click_locs.txt"
LABELS = "image_class_labels.txt"
BOXES = "bounding_boxes.txt"
SPLIT = "train_test_split.txt"
ATTRIBUTE_LABELS = "attributes/image_attribute_labels.txt"
CLASS_ATTRIBUTES = "attributes/class_attribute_labels_continuous.txt"


def write_copy(
    folder: Path, dataset: Dataset, *, style: Style = PLAIN, unsorted: int | None = None
) -> Path:
    """A copy of a dataset with all twelve files; the attributes' lines are few."""
    write_cub(folder, dataset, style=style, unsorted=unsorted)
    ids = dataset.image_id.tolist()
    (folder / "attributes").mkdir(exist_ok=True)
    certainties = enumerate(("not visible", "guessing", "probably", "definitely"), start=1)
    files: dict[str, Iterable[tuple[object, ...]]] = {
        "classes.txt": [(each, f"{each:03}.Bird") for each in range(1, CLASSES + 1)],
        LABELS: [(each, each % CLASSES + 1) for each in ids],
        BOXES: [(each, 1.0, 2.0, 480.0, 490.5) for each in ids],
        "attributes/attributes.txt": [(1, "has_bill_shape::curved"), (2, "has_tail::long")],
        "attributes/certainties.txt": certainties,
        ATTRIBUTE_LABELS: [(each, one, 0, 3, 1.5) for each in ids for one in (1, 2)],
        CLASS_ATTRIBUTES: [tuple(0.25 * i for i in range(312))] * CLASSES,
    }
    for name, lines in files.items():
        write_lines(folder / name, lines, style)
    return folder


def figures_of(folder: Path) -> dict[str, Figure]:
    return figures(read_files(find_files(folder)))


def values_of(folder: Path) -> dict[str, Value]:
    return {each: figure.value for each, figure in figures_of(folder).items()}


# The facts themselves.


def test_every_fact_has_its_figure_and_every_figure_its_fact(tmp_path: Path) -> None:
    folder = write_copy(tmp_path, random_dataset(1, SMALL))
    known = {fact.id for fact in known_facts()}
    found = set(figures_of(folder))
    # Two figures of files of which nothing of the kind is claimed.
    assert found - known <= {"lines-part_click_locs"}
    assert known <= found


def test_the_facts_have_the_form_that_the_file_describes() -> None:
    for fact in known_facts():
        assert set(fact.judged) <= {"2011", "2010", "subset"}
        assert bool(fact.judged) == (fact.expected is not None)
        assert isinstance(fact.expected, int | float | str | None)
        assert isinstance(fact.expected, float) <= (fact.decimals > 0)
        assert fact.file in facts_files.READERS
        assert set(fact.needs) <= set(facts_files.READERS)
        assert fact.source.short
        assert fact.source.full
    for key in ("2011", "2010", "subset"):
        ids = [fact.id for fact in known_facts() if key in fact.judged]
        assert len(set(ids)) == len(ids)


def test_the_figures_expected_agree_with_each_other() -> None:
    expected = {fact.id: fact.expected for fact in known_facts() if "2011" in fact.judged}
    images, visible = expected["images"], expected["visible"]
    by_number = [expected[f"visible-parts-{each}"] for each in range(16)]
    by_part = [expected[f"visible-{part.replace(' ', '-')}"] for part in PARTS]
    assert sum(by_part) == visible  # type: ignore[arg-type]
    assert sum(by_number) == images  # type: ignore[arg-type]
    assert sum(each * count for each, count in enumerate(by_number)) == visible  # type: ignore
    assert expected["pairs"] == 15 * images == expected["lines-part_locs"]  # type: ignore
    assert expected["split-train"] + expected["split-test"] == images  # type: ignore
    assert expected["visible-share"] == round(100 * visible / expected["pairs"], 2)  # type: ignore
    assert expected["visible-parts-mean"] == round(visible / images, 3)  # type: ignore
    assert expected["lines-image_attribute_labels"] == 312 * images  # type: ignore
    assert expected["digest"] == COMPLETE_DIGEST
    for part in ("eye", "wing", "leg"):
        sides = expected[f"visible-left-{part}"] + expected[f"visible-right-{part}"]  # type: ignore
        assert sides == images + expected[f"{part}s-both"] - expected[f"{part}s-neither"]  # type: ignore


# The figures, counted again in plain Python.


def rows_of(folder: Path, name: str) -> list[list[str]]:
    return [line.split() for line in (folder / name).read_text("utf-8").split("\n") if line.strip()]


def naive_figures(folder: Path) -> dict[str, Value]:
    """Every figure of a copy in which no line is malformed and no pair is lacking."""
    found: dict[str, Value] = {}
    for name in facts_files.READERS:
        stem = Path(name).stem
        found[f"lines-{stem}"] = len(rows_of(folder, name))
        found[f"malformed-{stem}"] = 0
    found["attribute-fields"] = found.pop("malformed-image_attribute_labels")
    pairs = {
        (int(i), int(p)): (float(x), float(y), v) for i, p, x, y, v in rows_of(folder, LOCATIONS)
    }
    seen = {pair for pair, (_, _, flag) in pairs.items() if flag == "1"}
    ids = sorted({image for image, _ in pairs})
    patterns = {i: tuple((i, part) in seen for part in range(1, 16)) for i in ids}
    found |= {"images": len(ids), "pairs": len(pairs), "lacking-pairs": 15 * len(ids) - len(pairs)}
    found["ids-beyond"] = sum(each > LARGEST_ID for each in ids)
    found |= {"visible": len(seen), "visible-share": 100 * len(seen) / len(pairs)}
    for part, name in enumerate(PARTS, start=1):
        found[f"visible-{name.replace(' ', '-')}"] = sum((i, part) in seen for i in ids)
    for number in range(16):
        found[f"visible-parts-{number}"] = sum(sum(each) == number for each in patterns.values())
    found["visible-parts-mean"] = len(seen) / len(ids)
    counts = [count for _, count in Counter(patterns.values()).most_common()]
    found |= {
        "patterns": len(counts),
        "patterns-commonest": counts[0],
        "patterns-second": counts[1],
    }
    for side, hidden in (("left", {7, 9}), ("right", {11, 13})):
        wanted = tuple(part not in hidden for part in range(1, 16))
        found[f"patterns-{side}-hidden"] = sum(each == wanted for each in patterns.values())
    for name, (left, right) in {"eyes": (7, 11), "wings": (9, 13), "legs": (8, 12)}.items():
        both = [((i, left) in seen) + ((i, right) in seen) for i in ids]
        found |= {f"{name}-both": both.count(2), f"{name}-neither": both.count(0)}
    return (
        found
        | naive_places(folder, pairs)
        | naive_lists(folder, ids)
        | naive_answers(folder, pairs)
    )


def naive_places(
    folder: Path, pairs: dict[tuple[int, int], tuple[float, float, str]]
) -> dict[str, Value]:
    boxes = {int(i): tuple(map(float, box)) for i, *box in rows_of(folder, BOXES)}
    fractional = outside = origin = elsewhere = 0
    for (image, _), (x, y, flag) in pairs.items():
        if flag == "1":
            left, top, width, height = boxes[image]
            fractional += x != int(x) or y != int(y)
            outside += not (left <= x <= left + width and top <= y <= top + height)
            origin += x == y == 0
        else:
            elsewhere += x != 0 or y != 0
    return {
        "locations-fractional": fractional,
        "locations-outside-box": outside,
        "locations-at-origin": origin,
        "locations-of-invisible": elsewhere,
    }


def naive_lists(folder: Path, ids: list[int]) -> dict[str, Value]:
    found: dict[str, Value] = {"names-parts": 0, "names-certainties": 0, "classes-unlisted": 0}
    for name in ("images.txt", SPLIT, LABELS, BOXES):
        listed = {int(row[0]) for row in rows_of(folder, name)}
        found[f"lacking-{Path(name).stem}"] = sum(each not in listed for each in ids)
    flags = [flag for i, flag in rows_of(folder, SPLIT) if int(i) in ids]
    found |= {"split-train": flags.count("1"), "split-test": flags.count("0")}
    sizes = Counter(label for i, label in rows_of(folder, LABELS) if int(i) in ids).values()
    found |= {"classes": len(sizes), "classes-of-60": list(sizes).count(60)}
    return found | {"class-smallest": min(sizes), "class-largest": max(sizes)}


def naive_answers(
    folder: Path, pairs: dict[tuple[int, int], tuple[float, float, str]]
) -> dict[str, Value]:
    answers: dict[tuple[int, int], list[tuple[float, float, str]]] = {pair: [] for pair in pairs}
    for i, p, x, y, flag, _ in rows_of(folder, CLICKS):
        answers[int(i), int(p)].append((float(x), float(y), flag))
    number = [len(said) for said in answers.values()]
    agreed = clicked = same = 0
    for pair, said in answers.items():
        x, y, flag = pairs[pair]
        clicks = [each for each in said if each[2] == "1"]
        agreed += (2 * len(clicks) > len(said)) == (flag == "1")
        if flag == "1" and clicks:
            clicked += 1
            same += (x, y) == (median(c[0] for c in clicks), median(c[1] for c in clicks))
    return {
        "answers": sum(number),
        "answers-min": min(number),
        "answers-median": float(median(number)),
        "answers-max": max(number),
        "majority-is-flag": 100 * agreed / len(pairs),
        "median-is-location": 100 * same / clicked,
    }


@pytest.mark.parametrize(
    "style",
    [PLAIN, Style(line_end="\r\n", last_lines="\r\n"), Style(byte_order_mark=True)],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(3))
def test_the_figures_are_those_of_plain_loops(tmp_path: Path, seed: int, style: Style) -> None:
    whole = seed > 0
    dataset = random_dataset(seed, SMALL, ragged=True, gaps=True, workers=6, whole=whole)
    write_copy(tmp_path, dataset, style=style, unsorted=seed)
    found = values_of(tmp_path)
    assert found.pop("digest") == truth_digest(dataset.image_id, dataset.given)
    expected = naive_figures(write_copy(tmp_path, dataset, unsorted=seed))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12), name
    assert expected["median-is-location"] < 50  # type: ignore[operator]


def test_a_median_that_is_the_location_is_seen(tmp_path: Path) -> None:
    dataset = random_dataset(1, SMALL, workers=1)
    assert dataset.clicks is not None
    truth = Truth(dataset.clicks.visible[:, 0], dataset.clicks.location[:, 0])
    found = values_of(write_copy(tmp_path, replace(dataset, given=truth)))
    assert found["median-is-location"] == found["majority-is-flag"] == 100
    assert found["answers-min"] == found["answers-median"] == found["answers-max"] == 1


# Copies that differ from what is expected of them.


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release of few images of which exactly the figures of one copy are claimed."""
    monkeypatch.setattr(facts, "IMAGES_2011", SMALL)
    monkeypatch.setattr(facts_figures, "FULL_CLASS", SMALL // CLASSES)


@pytest.fixture
def copy(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that agrees with every fact."""
    folder = write_copy(tmp_path / "copy", random_dataset(5, SMALL))
    claim(figures_of(folder), monkeypatch)
    return folder


def claim(found: dict[str, Figure], monkeypatch: pytest.MonkeyPatch) -> None:
    def claimed(fact: Fact) -> Fact:
        value = found[fact.id].value if fact.expected is not None else None
        rounded = round(value, fact.decimals) if isinstance(value, float) else value
        return replace(fact, expected=rounded)

    every = tuple(map(claimed, known_facts()))
    monkeypatch.setattr(facts, "known_facts", lambda: every)


def failures(report: Report) -> dict[str, tuple[Value, Value]]:
    return {check.fact.id: (check.fact.expected, check.found) for check in report.failed}


def first_of(report: Report, name: str) -> str | None:
    return next(check.first for check in report.checks if check.fact.id == name)


def edit(file: Path, line: int, change: Callable[[list[str]], list[str] | str | None]) -> None:
    """Change the fields of a line, counted from 1; None deletes it, a text replaces it."""
    lines = file.read_text("utf-8").splitlines()
    changed = change(lines[line - 1].split())
    new = [] if changed is None else [changed if isinstance(changed, str) else " ".join(changed)]
    write_text(file, [*lines[: line - 1], *new, *lines[line:]])


def line_of(folder: Path, *, visible: bool, start: int = 1) -> int:
    """The first line of part_locs.txt, from a line on, that is visible or not."""
    for number, row in enumerate(rows_of(folder, LOCATIONS), start=1):
        if number >= start and row[4] == str(int(visible)):
            return number
    raise AssertionError


def test_a_copy_that_agrees(copy: Path) -> None:
    report = check_facts(copy)
    assert report.release.name == "CUB-200-2011"
    assert report.failed == ()
    assert report.skipped == ()
    claimed = [fact.id for fact in facts.known_facts() if "2011" in fact.judged]
    assert [check.fact.id for check in report.checks] == claimed
    measured = [each.fact.id for each in report.measurements]
    assert measured == [fact.id for fact in known_facts() if fact.expected is None]


def test_line_ends_and_the_order_of_lines_make_no_difference(copy: Path) -> None:
    before = check_facts(copy)
    style = Style(line_end="\r\n", last_lines="\r\n \r\n")
    write_copy(copy, random_dataset(5, SMALL), style=style, unsorted=1)
    assert check_facts(copy) == before


def test_a_changed_coordinate(copy: Path) -> None:
    line = line_of(copy, visible=True)
    edit(copy / LOCATIONS, line, lambda f: [*f[:2], str(float(f[2]) + 1), *f[3:]])
    report = check_facts(copy)
    assert set(failures(report)) == {"digest"}
    expected, found = failures(report)["digest"]
    assert found == figures_of(copy)["digest"].value != expected


def test_a_flipped_flag(copy: Path) -> None:
    line = line_of(copy, visible=True)
    image, part, x, y, _ = rows_of(copy, LOCATIONS)[line - 1]
    number = sum(row[4] == "1" for row in rows_of(copy, LOCATIONS) if row[0] == image)
    before = values_of(copy)
    edit(copy / LOCATIONS, line, lambda f: [*f[:4], "0"])
    report = check_facts(copy)
    failed = failures(report)
    assert failed["visible"] == (before["visible"], before["visible"] - 1)  # type: ignore
    assert failed["locations-of-invisible"] == (0, 1)
    named = PARTS[int(part) - 1].replace(" ", "-")
    assert failed[f"visible-{named}"][1] == before[f"visible-{named}"] - 1  # type: ignore
    for each, more in ((number, -1), (number - 1, 1)):
        name = f"visible-parts-{each}"
        assert failed[name] == (before[name], before[name] + more)  # type: ignore
    assert {"digest", "visible-share", "visible-parts-mean"} <= set(failed)
    first = first_of(report, "locations-of-invisible")
    assert first == f"{copy / LOCATIONS}:{line}: expected 0 0 for an invisible part, found {x} {y}"


@pytest.mark.parametrize("visible", [True, False])
def test_a_deleted_line(copy: Path, visible: bool) -> None:
    line = line_of(copy, visible=visible, start=100)
    image, part = rows_of(copy, LOCATIONS)[line - 1][:2]
    edit(copy / LOCATIONS, line, lambda f: None)
    report = check_facts(copy)
    failed = failures(report)
    assert failed["lines-part_locs"] == (15 * SMALL, 15 * SMALL - 1)
    assert failed["pairs"] == (15 * SMALL, 15 * SMALL - 1)
    assert failed["lacking-pairs"] == (0, 1)
    assert "digest" in failed
    assert ("visible" in failed) == visible
    first = first_of(report, "lacking-pairs")
    name = PARTS[int(part) - 1]
    expected = f"expected a line for image {image}, part {part} ({name}), found none"
    assert first == f"{copy / LOCATIONS}: {expected}"


def test_a_malformed_line_is_read_past(copy: Path) -> None:
    edit(copy / LOCATIONS, 17, lambda f: f[:3])
    edit(copy / LOCATIONS, 20, lambda f: "")
    edit(copy / LOCATIONS, 40, lambda f: [*f[:4], "2"])
    report = check_facts(copy)
    failed = failures(report)
    assert failed["malformed-part_locs"] == (0, 3)
    assert failed["pairs"] == (15 * SMALL, 15 * SMALL - 3)
    assert "lines-part_locs" not in failed
    fields = "5 fields (image_id part_id x y visible)"
    expected = f"{copy / LOCATIONS}:17: expected {fields}, found 3 fields"
    assert first_of(report, "malformed-part_locs") == expected


def test_a_repeated_pair_is_malformed_and_its_first_line_counts(copy: Path) -> None:
    lines = (copy / LOCATIONS).read_text().splitlines()
    write_text(copy / LOCATIONS, [*lines, "2 1 3.0 4.0 1"])
    report = check_facts(copy)
    assert set(failures(report)) == {"malformed-part_locs", "lines-part_locs"}
    expected = "expected image 2, part 1 (back) once, found it here and in line 16"
    where = f"{copy / LOCATIONS}:{15 * SMALL + 1}"
    assert first_of(report, "malformed-part_locs") == f"{where}: {expected}"


def test_a_fractional_location(copy: Path) -> None:
    line = line_of(copy, visible=True)
    edit(copy / LOCATIONS, line, lambda f: [*f[:2], "30.5", *f[3:]])
    report = check_facts(copy)
    assert set(failures(report)) == {"digest", "locations-fractional"}
    assert failures(report)["locations-fractional"] == (0, 1)
    first = first_of(report, "locations-fractional") or ""
    assert first.startswith(f"{copy / LOCATIONS}:{line}: expected whole numbers as x and y, found")


def test_a_visible_part_in_the_corner(copy: Path) -> None:
    line = line_of(copy, visible=True)
    edit(copy / LOCATIONS, line, lambda f: [*f[:2], "0", "-0.0", "1"])
    report = check_facts(copy)
    outside = {"locations-at-origin", "locations-outside-box", "digest"}
    assert set(failures(report)) == outside
    assert failures(report)["locations-at-origin"] == (0, 1)


def test_a_box_too_small(copy: Path) -> None:
    visible = line_of(copy, visible=True, start=16)
    image, _, x, y, _ = rows_of(copy, LOCATIONS)[visible - 1]
    edit(copy / BOXES, int(image), lambda f: [f[0], x, y, "0.0", "0"])
    report = check_facts(copy)
    inside = sum(row[0] == image and row[4] == "1" for row in rows_of(copy, LOCATIONS))
    # The part that the box has shrunk to lies on its border.
    assert failures(report) == {"locations-outside-box": (0, inside - 1)}
    first = first_of(report, "locations-outside-box") or ""
    assert f"expected x and y from {x} {y} to {x} {y}, the bounding box of image {image}" in first


def test_an_image_id_beyond_the_last(copy: Path) -> None:
    for line in range(1, 16):
        edit(copy / LOCATIONS, line, lambda f: ["11789", *f[1:]])
    report = check_facts(copy)
    failed = failures(report)
    assert failed["ids-beyond"] == (0, 1)
    assert failed["lacking-bounding_boxes"] == failed["lacking-images"] == (0, 1)
    lacking = f"{copy / BOXES}: expected a line for image 11789, found none"
    assert first_of(report, "lacking-bounding_boxes") == lacking
    first = f"{copy / LOCATIONS}: expected image ids up to 11788, found 11789"
    assert first_of(report, "ids-beyond") == first


Change = Callable[[list[str]], list[str] | str | None]

CHANGES: list[tuple[str, int, Change, dict[str, tuple[Value, Value]]]] = [
    (SPLIT, 1, lambda f: [f[0], "0"], {"split-train": (19, 18), "split-test": (21, 22)}),
    (SPLIT, 1, lambda f: [f[0], "2"], {"malformed-train_test_split": (0, 1)}),
    (
        SPLIT,
        4,
        lambda f: None,
        {"lines-train_test_split": (40, 39), "lacking-train_test_split": (0, 1)},
    ),
    (LABELS, 1, lambda f: [f[0], "4"], {"class-smallest": (10, 9), "class-largest": (10, 11)}),
    (LABELS, 1, lambda f: [f[0], "9"], {"classes": (4, 5), "classes-unlisted": (0, 1)}),
    (LABELS, 1, lambda f: [f[0], "0"], {"malformed-image_class_labels": (0, 1)}),
    (LABELS, 2, lambda f: None, {"lines-image_class_labels": (40, 39)}),
    (LABELS, 3, lambda f: ["2", f[1]], {"malformed-image_class_labels": (0, 1)}),
    (LABELS, 3, lambda f: ["2", f[1]], {"lacking-image_class_labels": (0, 1)}),
    ("classes.txt", 4, lambda f: None, {"lines-classes": (4, 3), "classes-unlisted": (0, 10)}),
    ("classes.txt", 4, lambda f: f[:1], {"malformed-classes": (0, 1), "classes-unlisted": (0, 10)}),
    (BOXES, 3, lambda f: [*f[:4], "nan"], {"malformed-bounding_boxes": (0, 1)}),
    (
        BOXES,
        3,
        lambda f: None,
        {"lines-bounding_boxes": (40, 39), "lacking-bounding_boxes": (0, 1)},
    ),
    ("images.txt", 3, lambda f: None, {"lines-images": (40, 39), "lacking-images": (0, 1)}),
    ("images.txt", 3, lambda f: f"{f[0]} \x07", {"malformed-images": (0, 1)}),
    ("parts/parts.txt", 2, lambda f: ["2", "bill"], {"names-parts": (0, 1)}),
    ("parts/parts.txt", 2, lambda f: ["16", "beak"], {"names-parts": (0, 1)}),
    ("parts/parts.txt", 2, lambda f: None, {"lines-parts": (15, 14)}),
    ("parts/parts.txt", 2, lambda f: ["x", "beak"], {"malformed-parts": (0, 1)}),
    (CLICKS, 2, lambda f: f[:5], {"malformed-part_click_locs": (0, 1)}),
    ("attributes/attributes.txt", 1, lambda f: None, {"lines-attributes": (2, 1)}),
    ("attributes/attributes.txt", 2, lambda f: ["1", f[1]], {"malformed-attributes": (0, 1)}),
    ("attributes/certainties.txt", 1, lambda f: ["1", "invisible"], {"names-certainties": (0, 1)}),
    ("attributes/certainties.txt", 1, lambda f: None, {"lines-certainties": (4, 3)}),
    ("attributes/certainties.txt", 1, lambda f: "", {"malformed-certainties": (0, 1)}),
    (ATTRIBUTE_LABELS, 7, lambda f: None, {"lines-image_attribute_labels": (80, 79)}),
    (CLASS_ATTRIBUTES, 1, lambda f: None, {"lines-class_attribute_labels_continuous": (4, 3)}),
    (
        CLASS_ATTRIBUTES,
        2,
        lambda f: f[:311],
        {"malformed-class_attribute_labels_continuous": (0, 1)},
    ),
    (
        CLASS_ATTRIBUTES,
        2,
        lambda f: ["x", *f[1:]],
        {"malformed-class_attribute_labels_continuous": (0, 1)},
    ),
    (
        CLASS_ATTRIBUTES,
        2,
        lambda f: ["100.5", *f[1:]],
        {"malformed-class_attribute_labels_continuous": (0, 1)},
    ),
]


@pytest.mark.parametrize(("name", "line", "change", "expected"), CHANGES)
def test_a_change_fails_the_checks_of_what_it_changes(
    copy: Path, name: str, line: int, change: Change, expected: dict[str, tuple[Value, Value]]
) -> None:
    edit(copy / name, line, change)
    report = check_facts(copy)
    failed = failures(report)
    assert failed.items() >= expected.items()
    stem = Path(name).stem
    related = {f"{kind}-{stem}" for kind in ("lines", "malformed", "lacking", "names")}
    related |= {each for each in failed if each.startswith(("split-", "class"))}
    assert set(failed) <= related
    for each in failed:
        counts_faults = each.startswith(("malformed", "lacking", "names", "classes-unlisted"))
        assert (first_of(report, each) is not None) == counts_faults


def all_visible(rows: list[list[str]]) -> list[list[str]]:
    return [[*row[:2], "30.0", "40.0", "1"] for row in rows]


def none_visible(rows: list[list[str]]) -> list[list[str]]:
    return [[*row[:2], "0.0", "0.0", "0"] for row in rows]


def rising(rows: list[list[str]]) -> list[list[str]]:
    """Image i shows its first i - 1 parts, those from 16 on all parts."""
    flags = [int(row[1]) < int(row[0]) for row in rows]
    return [
        [*row[:2], *(("9", "9", "1") if f else ("0", "0", "0"))]
        for row, f in zip(rows, flags, strict=True)
    ]


def one_side(rows: list[list[str]], hidden: tuple[str, str] = ("7", "9")) -> list[list[str]]:
    flags = [row[1] not in hidden for row in rows]
    return [
        [*row[:2], *(("9", "9", "1") if f else ("0", "0", "0"))]
        for row, f in zip(rows, flags, strict=True)
    ]


REWRITTEN: list[tuple[Callable[[list[list[str]]], list[list[str]]], dict[str, Value]]] = [
    (
        all_visible,
        {"visible": 600, "visible-share": 100.0, "visible-parts-15": 40, "patterns": 1}
        | {"patterns-commonest": 40, "patterns-second": 0, "eyes-both": 40, "legs-neither": 0}
        | {"visible-beak": 40, "visible-parts-mean": 15.0},
    ),
    (
        none_visible,
        {"visible": 0, "visible-share": 0.0, "visible-parts-0": 40, "eyes-neither": 40}
        | {"wings-neither": 40, "legs-neither": 40, "visible-throat": 0, "visible-parts-mean": 0.0},
    ),
    (
        rising,
        {"visible": 105 + 25 * 15, "patterns": 16, "patterns-commonest": 25, "patterns-second": 1}
        | {f"visible-parts-{each}": 1 for each in range(15)}
        | {"visible-parts-15": 25, "visible-back": 39, "visible-tail": 26, "wings-both": 27},
    ),
    (one_side, {"patterns-left-hidden": 40, "patterns-right-hidden": 0, "visible-parts-13": 40}),
    (
        lambda rows: one_side(rows, ("11", "13")),
        {"patterns-right-hidden": 40, "patterns-left-hidden": 0, "visible-right-eye": 0},
    ),
]


@pytest.mark.parametrize(("rewrite", "expected"), REWRITTEN)
def test_other_visibilities_fail_the_checks_of_visibility(
    copy: Path, rewrite: Callable[[list[list[str]]], list[list[str]]], expected: dict[str, Value]
) -> None:
    before = values_of(copy)
    write_text(copy / LOCATIONS, map(" ".join, rewrite(rows_of(copy, LOCATIONS))))
    report = check_facts(copy)
    found = {check.fact.id: check.found for check in report.checks}
    assert found.items() >= expected.items()
    for name, (_, value) in failures(report).items():
        assert value == found[name] != before[name]
    for name, value in expected.items():
        assert (name in failures(report)) == (value != before[name])


def test_every_check_can_fail(copy: Path) -> None:
    failed: set[str] = set()

    def changed(name: str, change: Callable[[], None]) -> None:
        content = (copy / name).read_bytes()
        change()
        failed.update(failures(check_facts(copy)))
        (copy / name).write_bytes(content)

    for name, line, change, _ in CHANGES:
        changed(name, lambda: edit(copy / name, line, change))  # noqa: B023
    for rewrite, _ in REWRITTEN:
        lines = list(map(" ".join, rewrite(rows_of(copy, LOCATIONS))))
        changed(LOCATIONS, lambda: write_text(copy / LOCATIONS, lines))  # noqa: B023
    changed(LOCATIONS, lambda: edit(copy / LOCATIONS, 2, lambda f: None))
    changed(LOCATIONS, lambda: edit(copy / LOCATIONS, 2, lambda f: ""))
    changed(LOCATIONS, lambda: edit(copy / LOCATIONS, 2, lambda f: ["1", "2", "0.5", "0", "0"]))
    changed(LOCATIONS, lambda: edit(copy / LOCATIONS, 2, lambda f: ["1", "2", "0.5", "0", "1"]))
    changed(LOCATIONS, lambda: edit(copy / LOCATIONS, 2, lambda f: ["1", "2", "0", "0", "1"]))
    changed(LABELS, lambda: write_lines(copy / LABELS, [(i, 1) for i in range(1, 101)]))
    # These need another number of images, which the release is told by.
    cannot = {"images", "ids-beyond"}
    assert failed | cannot >= {check.fact.id for check in check_facts(copy).checks}


# Which release it is.


def with_ids(dataset: Dataset, image_id: Iterable[int]) -> Dataset:
    return replace(dataset, image_id=np.array(list(image_id)))


@pytest.mark.parametrize(
    ("dataset", "name", "said"),
    [
        (random_dataset(1, SMALL), "CUB-200-2011", "Judged by its 40 images."),
        (random_dataset(1, 39), "a subset of CUB-200-2011", "Judged by its 39 images, fewer"),
        (random_dataset(1, 41), "not a release", "41 images, and CUB-200-2011 has 40."),
        (
            with_ids(random_dataset(1, 3), [1, 2, 11_789]),
            "not a release",
            "ids go up to 11,789, where those of CUB-200-2011 end at 11,788.",
        ),
        (random_dataset(1, 39, whole=False), "not a release", "not at whole pixels"),
        (random_dataset(1, SMALL, whole=False), "not a release", "not at whole pixels"),
    ],
)
def test_the_release_is_told_from_the_images_and_their_locations(
    tmp_path: Path, small: None, dataset: Dataset, name: str, said: str
) -> None:
    report = check_facts(write_cub(tmp_path, dataset))
    assert report.release.name == name
    assert said in report.release.about
    assert report.images == len(dataset.image_id)


def test_a_subset_is_judged_by_what_holds_for_any_images(tmp_path: Path) -> None:
    folder = write_copy(tmp_path, random_dataset(1, SMALL, gaps=True))
    write_lines(folder / "attributes/attributes.txt", [(i, f"a::{i}") for i in range(1, 313)])
    report = check_facts(folder)
    assert report.failed == ()
    judged = {check.fact.id for check in report.checks}
    assert judged == {fact.id for fact in known_facts() if "subset" in fact.judged}
    why = {each.fact.id: each.why for each in report.skipped}
    claimed = {fact.id for fact in known_facts() if "2011" in fact.judged}
    assert set(why) == claimed - judged
    assert set(why.values()) == {"claimed of all 11,788 images"}
    measured = {each.fact.id: each.value for each in report.measurements}
    assert measured.keys() >= claimed - judged
    assert measured["images"] == SMALL
    (folder / BOXES).write_text(f"{random_dataset(1, SMALL, gaps=True).image_id[0]} 0 0 1 1\n")
    failed = failures(check_facts(folder))
    assert failed.keys() == {"locations-outside-box", "lacking-bounding_boxes"}
    assert failed["lacking-bounding_boxes"] == (0, SMALL - 1)


def test_what_is_no_release_is_measured_and_not_judged(tmp_path: Path) -> None:
    folder = write_copy(tmp_path, random_dataset(1, SMALL, whole=False))
    edit(folder / LOCATIONS, 3, lambda f: f[:2])
    report = check_facts(folder)
    assert report.checks == ()
    measured = {each.fact.id: each for each in report.measurements}
    assert measured.keys() == {fact.id for fact in known_facts()}
    assert measured["malformed-part_locs"].value == 1
    assert f"{folder / LOCATIONS}:3: " in (measured["malformed-part_locs"].first or "")
    assert {each.why for each in report.skipped} == {"not a release"}


def test_the_older_release_is_told_from_its_number_of_images(tmp_path: Path) -> None:
    ids = range(1, 6_034)
    write_lines(tmp_path / "images.txt", [(i, f"{i}.jpg") for i in ids])
    write_lines(tmp_path / LABELS, [(i, i % 200 + 1) for i in ids])
    write_lines(tmp_path / "classes.txt", [(i, f"{i}.Bird") for i in range(1, 200)])
    report = check_facts(tmp_path)
    assert report.release.name == "CUB-200 (2010)"
    assert "No part locations were released with it" in report.release.about
    assert failures(report) == {"lines-classes": (200, 199), "classes-unlisted": (0, 30)}
    found = {check.fact.id: (check.found, check.fact) for check in report.checks}
    assert found["images"][0] == 6_033
    assert found["images"][1].source.short == "Welinder 2010"
    assert found["images"][1].file == "images.txt"
    assert found["classes"][0] == 200
    why = {each.fact.id: each.why for each in report.skipped}
    assert why["visible-beak"] == "no parts/part_locs.txt"
    assert why["class-smallest"] == "claimed of CUB-200-2011"
    assert "images" not in why


def test_a_copy_without_part_locations_is_told_from_images(tmp_path: Path) -> None:
    write_lines(tmp_path / "images.txt", [(i, f"{i}.jpg") for i in range(1, 11_789)])
    report = check_facts(tmp_path)
    assert report.release.name == "CUB-200-2011"
    assert {check.fact.id: check.found for check in report.checks} == {
        "images": 11_788,
        "ids-beyond": 0,
        "lines-images": 11_788,
        "malformed-images": 0,
        "lacking-images": 0,
    }
    assert {check.fact.file for check in report.checks} == {"images.txt"}


def test_a_full_copy_of_random_numbers_is_judged_as_the_release(tmp_path: Path) -> None:
    dataset = replace(random_dataset(1, 11_788, workers=1), clicks=None)
    write_cub(tmp_path, dataset)
    report = check_facts(tmp_path)
    assert report.release.name == "CUB-200-2011"
    failed = failures(report)
    assert failed["visible"] == (141_407, int(dataset.given.visible.sum()))
    assert failed["digest"] == (COMPLETE_DIGEST, truth_digest(dataset.image_id, dataset.given))
    assert failed["split-train"][0] == 5_994
    patterns = len(np.unique(dataset.given.visible, axis=0))
    assert failed["patterns"] == (736, patterns)
    passed = {check.fact.id for check in report.checks if check.passed}
    assert passed >= {"images", "pairs", "lines-part_locs", "locations-fractional", "names-parts"}
    assert {each.why for each in report.skipped} >= {"no image_class_labels.txt"}


# Where the files are, and what is no copy at all.


def test_the_folder_above_and_a_flat_folder_are_the_same_copy(copy: Path, tmp_path: Path) -> None:
    before = check_facts(copy)
    assert check_facts(copy.parent) == before
    for file in list(copy.rglob("*.txt")):
        file.rename(copy / file.name)
    assert check_facts(copy) == before


def test_the_attributes_lie_beside_the_folder_in_the_archive(copy: Path) -> None:
    before = check_facts(copy)
    (copy / "attributes/attributes.txt").rename(copy.parent / "attributes.txt")
    assert check_facts(copy.parent) == before
    missing = [each.fact.id for each in check_facts(copy).skipped]
    assert missing == ["lines-attributes", "malformed-attributes"]


def test_files_that_are_not_there_are_skipped(copy: Path) -> None:
    for name in facts_files.READERS:
        if name != LOCATIONS:
            (copy / name).unlink()
    report = check_facts(copy)
    assert report.failed == ()
    why = {each.fact.id: each.why for each in report.skipped}
    assert why["locations-outside-box"] == f"no {BOXES}"
    assert why["majority-is-flag"] == f"no {CLICKS}"
    assert why["split-train"] == f"no {SPLIT}"
    assert "visible" not in why


@pytest.mark.parametrize("name", sorted(set(facts_files.READERS) - {LOCATIONS}))
def test_a_file_that_is_not_there_takes_its_facts_along(copy: Path, name: str) -> None:
    (copy / name).unlink()
    report = check_facts(copy)
    assert report.failed == ()
    assert {each.why for each in report.skipped} == {f"no {name}"}
    needing = [fact.id for fact in known_facts() if name in fact.needs and fact.judged != ("2010",)]
    assert [each.fact.id for each in report.skipped] == needing


def test_an_empty_file_has_no_lines(copy: Path) -> None:
    for name in (SPLIT, CLICKS, ATTRIBUTE_LABELS, CLASS_ATTRIBUTES, BOXES, LABELS):
        (copy / name).write_text("\n \r\n" if name == SPLIT else "")
    failed = failures(check_facts(copy))
    assert failed["lines-train_test_split"] == (SMALL, 0)
    assert failed["lacking-train_test_split"] == failed["lacking-bounding_boxes"] == (0, SMALL)
    assert failed["lines-image_attribute_labels"] == (2 * SMALL, 0)
    assert failed["class-smallest"] == (10, None)
    assert not any(each.startswith("malformed") for each in failed)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, ": expected this folder, or one folder in it, to hold parts/part_locs.txt"),
        ({"part_locs.txt": ""}, "/part_locs.txt: expected at least one line, found an empty file"),
        ({"part_locs.txt": "1 2\n\n"}, "/part_locs.txt:1: expected 5 fields"),
        (
            {"images.txt": "1 a.jpg\n"},
            "/images.txt: expected parts/part_locs.txt too, or the 11,788",
        ),
        ({"images.txt": "x\n"}, "/images.txt:1: expected 2 fields (image_id image_name), found 1"),
        ({"part_locs.txt": "1 1 2 3 1\n", "parts/part_locs.txt": "1 1 2 3 1\n"}, "once, found it"),
        ({"parts/part_locs.txt/x": ""}, "parts/part_locs.txt: expected a file, found a folder"),
        (
            {"part_locs.txt": "1 1 2 3 1\n", "attributes/image_attribute_labels.txt/x": ""},
            "/image_attribute_labels.txt: expected a file, found a folder",
        ),
        ({"a/part_locs.txt": "1 1 2 3 1", "b/part_locs.txt": "1 1 2 3 1"}, "/a, "),
    ],
)
def test_what_is_no_copy_is_an_error(
    tmp_path: Path,
    content: dict[str, str],
    expected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, text in content.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert main(["facts", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith(f"cubspec: error: {tmp_path}")
    assert expected in printed.err


def test_a_folder_that_is_not_there_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["facts", str(tmp_path / "none")]) == 2
    expected = "expected a folder, found nothing of that name"
    assert capsys.readouterr().err == f"cubspec: error: {tmp_path / 'none'}: {expected}\n"


NUL_AND_MORE = [b"\n", b"\r", b" ", b"nan", b"-", b"99", b"1e308", b"\x00", b"\xff", b"9" * 30]


@given(
    damage=st.lists(
        st.tuples(
            st.sampled_from(sorted(facts_files.READERS)),
            st.floats(0, 1),
            st.integers(0, 3),
            st.binary(max_size=3) | st.sampled_from(NUL_AND_MORE),
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=80, deadline=None)
def test_whatever_is_damaged_is_reported_or_refused(
    damage: list[tuple[str, float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write_copy(tmp_path_factory.mktemp("damaged"), random_dataset(10, 2, workers=2))
    for name, where, removed, added in damage:
        content = (folder / name).read_bytes()
        at = int(where * len(content))
        (folder / name).write_bytes(content[:at] + added + content[at + removed :])
    try:
        report = check_facts(folder)
    except InputError as error:
        refused = str(error)
        assert refused.startswith(str(folder))
        return
    every = len(report.checks) + len(report.measurements) + len(report.skipped)
    assert every >= len({fact.id for fact in known_facts()})
    json.loads(facts_json(report))
    as_text(facts_document(report))


# Lines read past what is malformed.


@given(
    texts=st.lists(st.text("01.5 n\t\u00a0", max_size=6) | st.just("1 2.5"), max_size=8),
    piece=st.integers(1, 9),
)
@settings(max_examples=300)
def test_good_rows_are_the_lines_that_would_be_accepted(texts: list[str], piece: int) -> None:
    fields = np.dtype([("number", np.int64), ("place", np.float64)])
    text = "\n".join(texts).rstrip(" \t\r\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cubspec.lines.PIECE", piece)
        rows, line, found = good_rows(text, Path("file"), fields)
    kept, errors = [], []
    for number, each in enumerate(text.split("\n") if text else [], start=1):
        if not each.strip(" \t"):
            errors.append((number, "expected 2 fields (number place), found a blank line"))
            continue
        try:
            kept.append((number, parse_rows(each, Path("file"), fields)[0].tolist()))
        except InputError as error:
            errors.append((number, error.message))
    assert line.tolist() == [number for number, _ in kept]
    np.testing.assert_array_equal(rows, np.array([row for _, row in kept], dtype=fields))
    assert found.count == len(errors)
    if found.first is not None:
        assert (found.first.line, found.first.message) == errors[0]


@given(
    texts=st.lists(st.text("0 \t", max_size=6), max_size=8),
    line_end=st.sampled_from(["\n", "\r\n"]),
    block=st.integers(1, 12),
)
@settings(deadline=None)
def test_lines_and_their_fields_are_counted(
    texts: list[str], line_end: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("counted") / "file"
    file.write_bytes(line_end.join(texts).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cubspec.lines.BLOCK", block)
        lines, found = count_lines(file, ("a", "b"))
    while texts and not texts[-1].strip():
        texts = texts[:-1]
    wrong = [number for number, text in enumerate(texts, start=1) if len(text.split()) != 2]
    assert lines == len(texts)
    assert found.count == len(wrong)
    assert (found.first.line if found.first else None) == (wrong[0] if wrong else None)


def test_a_file_of_other_bytes_is_all_malformed(copy: Path) -> None:
    content = (copy / BOXES).read_text()
    (copy / BOXES).write_bytes(content.encode("utf-16"))
    assert failures(check_facts(copy))["malformed-bounding_boxes"][1] >= SMALL  # type: ignore
    (copy / BOXES).write_bytes(content.replace("2 1.0", "2 1.0\xe9", 1).encode("latin-1"))
    report = check_facts(copy)
    assert failures(report)["malformed-bounding_boxes"] == (0, 1)
    first = first_of(report, "malformed-bounding_boxes") or ""
    assert first.startswith(f"{copy / BOXES}:2: expected a number as x, found '1.0")


# What is printed.


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(["facts", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_exit_status_says_whether_a_check_failed(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, copy)
    checks = len(check_facts(copy).checks)
    assert (status, err) == (0, "")
    assert out.startswith("release:CUB-200-2011|n:40|v:")
    assert "Failed checks" not in out
    edit(copy / LOCATIONS, 3, lambda f: f[:3])
    status, out, err = run(capsys, copy)
    failed = len(check_facts(copy).failed)
    assert status == 1
    assert err == f"cubspec: {failed} of {checks} checks failed.\n"
    row = next(line for line in out.splitlines() if line.startswith("malformed lines of part_locs"))
    assert row.split() == ["malformed", "lines", "of", "part_locs.txt", "0", "1", "README"]
    assert f"First of the malformed lines of part_locs.txt: {copy / LOCATIONS}:3: expected 5" in out


def test_what_is_no_release_exits_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_copy(tmp_path, random_dataset(1, SMALL, whole=False))
    status, out, err = run(capsys, folder)
    assert status == 0
    assert err == "cubspec: note: This is no copy of a release, so nothing was checked.\n"
    assert "not a release" in out
    assert "answers per pair, median" in out


def test_json_holds_every_value_and_source(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(copy / BOXES, 3, lambda f: [*f[:3], "1", "1"])
    (copy / SPLIT).unlink()
    status, out, _ = run(capsys, copy, "--format", "json")
    assert status == 1
    content = json.loads(out)
    assert list(content)[:2] == ["cubspec", "release"]
    assert content["release"] == "CUB-200-2011"
    checks = {each["id"]: each for each in content["checks"]}
    keys = ["id", "what", "expected", "found", "passed", "source", "file", "first"]
    assert all(list(each) == keys for each in content["checks"])
    box = checks["locations-outside-box"]
    assert (box["expected"], box["passed"]) == (0, False)
    assert box["found"] > 0
    assert box["source"] == "measured from part_locs.txt and bounding_boxes.txt"
    assert box["file"] == LOCATIONS
    assert checks["patterns"]["source"] == "Liu & Belhumeur 2013 (ICCV), §4"
    measured = {each["id"]: each["value"] for each in content["measurements"]}
    assert measured["answers-min"] == measured["answers-max"] == 5
    assert measured["answers-median"] == 5.0
    assert measured["attribute-fields"] == 0
    skipped = {each["id"]: each for each in content["skipped"]}
    expected = {"id": "split-train", "what": "training images", "why": f"no {SPLIT}"}
    assert skipped["split-train"] == expected


def test_csv_has_a_line_for_every_fact(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / CLICKS).unlink()
    edit(copy / "parts/parts.txt", 2, lambda f: ["2", "bill"])
    status, out, _ = run(capsys, copy, "--format", "csv")
    assert status == 1
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(out))}
    assert rows.keys() == {fact.id for fact in known_facts()}
    assert rows["names-parts"]["passed"] == "false"
    assert rows["names-parts"]["note"] == f"{copy / 'parts/parts.txt'}:2: expected beak, found bill"
    assert rows["visible"]["found"] == rows["visible"]["expected"] != ""
    assert rows["answers"]["kind"] == "skipped"
    assert rows["answers"]["note"] == f"no {CLICKS}"
    assert rows["attribute-fields"]["kind"] == "measurement"
    assert facts_csv(check_facts(copy)) == out


def test_tables_show_sources_in_few_words_and_markdown_in_full(copy: Path) -> None:
    edit(copy / BOXES, 3, lambda f: [*f[:3], "1", "1"])
    report = check_facts(copy)
    text = as_text(facts_document(report))
    assert "Liu 2013 §4: Liu & Belhumeur 2013 (ICCV), §4." in text
    markdown = as_markdown(facts_document(report, brief=False))
    assert "| Liu & Belhumeur 2013 (ICCV), §4 |".replace("&", "&amp;") in markdown
    assert markdown.count("CUB-200-2011, 40 images") == len(facts_document(report).tables)
    assert "First of the visible parts outside the bounding box: " in markdown
    latex = as_latex(facts_document(report))
    assert latex.count(r"\begin{table}") == len(facts_document(report).tables)
    assert r"Liu 2013 \S{}4" in latex


def test_the_result_goes_to_a_file_and_never_over_the_copy(
    copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "facts.md"
    assert run(capsys, copy, "--format", "markdown", "--out", out) == (0, "", "")
    assert "**Summary**" in out.read_text("utf-8")
    for name in facts_files.READERS:
        before = (copy / name).read_bytes()
        status, _, err = run(capsys, copy, "--out", copy / name)
        assert status == 2
        assert "expected a file other than the input" in err
        assert (copy / name).read_bytes() == before
