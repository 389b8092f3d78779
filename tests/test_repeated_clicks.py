"""Repeated clicks on anything, from a CSV file to its spread, and the command that prints it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubspec.data import InputError
from cubspec.repeated_clicks import RELATIVE_TO, read_repeated_clicks, repeated_spread
from cubspec.scoring import Spread, spread
from cubspec.tables import (
    as_latex,
    as_markdown,
    as_text,
    spread_csv,
    spread_document,
    spread_json,
)
from cubspec.truth.sigma import SIGMA
from tests.naive import consensus, part_sigmas
from tests.running import Outcome, Run, running
from tests.writing import Style, random_dataset, write_cub, write_text

ROOT = Path(__file__).parent.parent
LOBSTER = ROOT / "docs" / "evidence" / "lobster.csv"
HEADER = "object_id,part,annotator,x,y,visible"
SIZED = f"{HEADER},area,box_width,box_height"


@dataclass(frozen=True)
class Answer:
    """One line of a file; no point where not visible."""

    thing: str
    part: str
    annotator: str
    point: tuple[float, float] | None
    area: float
    width: float
    height: float


THINGS = {
    "bear": ["left ear", "right ear", "nose"],
    "lobster": ["left claw", "right claw", "tail fan", "eye, left"],
    "hand": [f"指 {finger}" for finger in range(21)],
}


def random_answers(seed: int) -> list[Answer]:
    """Ragged answers about some objects of one kind, in a random order."""
    draw = np.random.default_rng(seed)
    kind = list(THINGS)[seed % len(THINGS)]
    answers = []
    for number in range(int(draw.integers(1, 7))):
        width, height = draw.uniform(20, 300, 2).tolist()
        area = width * height * draw.uniform(0.3, 1)
        for part in THINGS[kind]:
            middle = draw.uniform(0, 500, 2)
            for who in range(int(draw.integers(0, 6))):
                click = middle + draw.normal(0, 0.03 * math.sqrt(area), 2)
                point = (float(click[0]), float(click[1])) if draw.random() < 0.8 else None
                answers.append(
                    Answer(f"{kind} {number}", part, f"who {who}", point, area, width, height)
                )
    order = draw.permutation(len(answers)).tolist()
    return [answers[at] for at in order]


def write_answers(file: Path, answers: Iterable[Answer], columns: str = SIZED) -> Path:
    """Write answers as CSV, with these columns in this order, and return the file."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns.split(","))
        for each in answers:
            x, y = ("", "") if each.point is None else each.point
            values = {
                "object_id": each.thing,
                "part": each.part,
                "annotator": each.annotator,
                "x": x,
                "y": y,
                "visible": int(each.point is not None),
                "area": each.area,
                "box_width": each.width,
                "box_height": each.height,
            }
            writer.writerow([values.get(name, "?") for name in columns.split(",")])
    return file


LENGTHS: dict[str, Callable[[Answer], float]] = {
    "none": lambda _: 1.0,
    "area": lambda answer: math.sqrt(answer.area),
    "box": lambda answer: math.sqrt(answer.width * answer.height),
}


def expected(
    answers: Sequence[Answer], relative_to: str
) -> dict[str, tuple[dict[str, tuple[float, ...]], int, int]]:
    """Of each part the seven sigmas, the clicks and the pairs, by loops that divide offsets."""
    found = {}
    for part in dict.fromkeys(answer.part for answer in answers):
        pairs = []
        for thing in dict.fromkeys(answer.thing for answer in answers):
            own = [each for each in answers if (each.part, each.thing) == (part, thing)]
            marks = [(False, None, None) if a.point is None else (True, *a.point) for a in own]
            visible, u, v = consensus(marks)
            if visible and u is not None and v is not None:
                length = LENGTHS[relative_to](own[0])
                clicks = [((x - u) / length, (y - v) / length) for ok, x, y in marks if ok]
                pairs.append((clicks, (0.0, 0.0)))
        found[part] = (part_sigmas(pairs), sum(len(clicks) for clicks, _ in pairs), len(pairs))
    return found


def measured(file: Path, relative_to: str = "none") -> Spread:
    return repeated_spread(read_repeated_clicks(file), relative_to=relative_to)


def by_part(result: Spread) -> dict[str, tuple[dict[str, tuple[float, ...]], int, int]]:
    return {
        part: (
            {name: tuple(values[at].tolist()) for name, values in result.sigma.items()},
            int(result.clicks[at]),
            int(result.pairs[at]),
        )
        for at, part in enumerate(result.parts)
    }


# The numbers.


@pytest.mark.parametrize("relative_to", RELATIVE_TO)
@pytest.mark.parametrize("seed", range(24))
def test_the_spread_is_that_of_plain_loops(tmp_path: Path, seed: int, relative_to: str) -> None:
    answers = random_answers(seed)
    found = by_part(measured(write_answers(tmp_path / "clicks.csv", answers), relative_to))
    wanted = expected(answers, relative_to)
    assert list(found) == list(wanted)
    for part, (sigmas, clicks, pairs) in wanted.items():
        assert found[part][1:] == (clicks, pairs)
        assert list(found[part][0]) == list(SIGMA.names)
        for name, value in sigmas.items():
            assert found[part][0][name] == pytest.approx(value, rel=1e-9, nan_ok=True)


def test_the_random_files_hold_what_matters() -> None:
    every = [part for seed in range(24) for part in expected(random_answers(seed), "none").values()]
    assert {pairs for *_, pairs in every} >= {0, 1, 2, 3}
    assert any(math.isnan(sigmas["rms-median"][0]) for sigmas, *_ in every)
    assert any(clicks > 2 * pairs for _, clicks, pairs in every)


def test_what_can_be_checked_by_hand(tmp_path: Path) -> None:
    lines = [
        f"{HEADER},area",
        "a,nose,Ada,0,0,1,100",
        "a,nose,Ben,4,0,1,100",
        "b,nose,Ada,50,50,1,400",
        "b,nose,Ben,50,54,1,400",
    ]
    file = write_text(tmp_path / "clicks.csv", lines)
    pixels, relative = measured(file), measured(file, "area")
    assert pixels.sigma["rms-median"].tolist() == [[2.0]]
    assert relative.sigma["rms-median"][0, 0] == pytest.approx(math.sqrt(0.025), rel=1e-12)
    # Each axis holds one object's offsets, ±0.2 and ±0.1, over one degree of freedom an object.
    assert relative.sigma["axes-mean"][0] == pytest.approx([0.2, 0.1])
    assert relative.clicks.tolist() == [4]
    assert relative.pairs.tolist() == [2]


def test_a_larger_picture_of_the_same_has_the_same_relative_spread(tmp_path: Path) -> None:
    answers = random_answers(4)
    larger = [
        replace(
            each,
            point=each.point and (7 * each.point[0] - 900, 7 * each.point[1] + 40),
            area=49 * each.area,
            width=7 * each.width,
            height=7 * each.height,
        )
        for each in answers
    ]
    small = write_answers(tmp_path / "small.csv", answers)
    large = write_answers(tmp_path / "large.csv", larger)
    for relative_to in ("area", "box"):
        before, after = measured(small, relative_to), measured(large, relative_to)
        for name in SIGMA.names:
            np.testing.assert_allclose(after.sigma[name], before.sigma[name], rtol=1e-9)
    ratio = measured(large).sigma["rms-median"] / measured(small).sigma["rms-median"]
    np.testing.assert_allclose(ratio[~np.isnan(ratio)], 7)


def test_the_dataset_as_csv_has_the_spread_of_its_folder(tmp_path: Path) -> None:
    dataset = random_dataset(3, images=9, ragged=True, workers=6)
    assert dataset.clicks is not None
    clicks = dataset.clicks
    answers = [
        Answer(
            str(dataset.image_id[image]),
            dataset.parts[part],
            str(slot),
            tuple(clicks.location[image, slot, part].tolist())
            if clicks.visible[image, slot, part]
            else None,
            1.0,
            1.0,
            1.0,
        )
        for image, part, slot in zip(*np.nonzero(clicks.answered.swapaxes(1, 2)), strict=True)
    ]
    found = measured(write_answers(tmp_path / "clicks.csv", answers))
    wanted = spread(dataset, truth="clicks")
    order = [found.parts.index(part) for part in wanted.parts]
    for name in SIGMA.names:
        np.testing.assert_allclose(found.sigma[name][order], wanted.sigma[name], rtol=1e-12)
    np.testing.assert_array_equal(found.clicks[order], wanted.clicks)
    np.testing.assert_array_equal(found.pairs[order], wanted.pairs)


# What a file may look like.


def test_any_order_of_lines_and_columns(tmp_path: Path) -> None:
    answers = random_answers(1)
    plain = by_part(measured(write_answers(tmp_path / "plain.csv", answers), "box"))
    columns = "note,box_height,visible,y,part,x,weather,annotator,box_width,area,object_id"
    turned = write_answers(tmp_path / "turned.csv", answers[::-1], columns)
    for part, (sigmas, *counts) in by_part(measured(turned, "box")).items():
        assert counts == list(plain[part][1:])
        for name, value in sigmas.items():
            assert value == pytest.approx(plain[part][0][name], rel=1e-9, nan_ok=True)


def test_parts_come_in_the_order_of_first_appearance(tmp_path: Path) -> None:
    lines = [HEADER, "1,tail,a,,,0", "1,back,a,1,1,1", "2,tail,a,1,1,1", "2,Äther 42,a,1,1,1"]
    found = read_repeated_clicks(write_text(tmp_path / "file", lines))
    assert found.answers.parts == ("tail", "back", "Äther 42")
    assert found.objects == ("1", "2")


@pytest.mark.parametrize(
    "style", [Style(), Style(line_end="\r\n", byte_order_mark=True, last_lines="\r\n \n")]
)
def test_fields_of_any_text(tmp_path: Path, style: Style) -> None:
    lines = [
        ' object_id , part,annotator,x,y ,visible,"my, note"',
        '"a, ""b""",  left ear ,Ada Lovelace,1.5,-2e1,TRUE,',
        '"a, ""b""",left ear,"x\ny",2.5, -20 ,1,?',
        "指,left ear,Ada Lovelace,,,False,",
        "指,0,Ada Lovelace,nan,1e999,0,",
    ]
    found = read_repeated_clicks(write_text(tmp_path / "file", lines, style))
    assert found.objects == ('a, "b"', "指")
    assert found.answers.parts == ("left ear", "0")
    assert found.answers.visible.tolist() == [True, True, False, False]
    np.testing.assert_array_equal(
        found.answers.location, [[1.5, -20], [2.5, -20], [np.nan] * 2, [np.nan] * 2]
    )
    assert found.answers.line.tolist() == [2, 3, 5, 6]
    assert found.sizes == {}


def test_a_size_may_stand_on_one_line_of_its_object(tmp_path: Path) -> None:
    lines = [
        f"{HEADER},area",
        "a,nose,Ada,0,0,1,",
        "a,nose,Ben,4,0,1,4e2",
        "a,nose,Cleo,4,0,1,nan",
        "a,tail,Ada,4,0,1,400.0",
    ]
    found = read_repeated_clicks(write_text(tmp_path / "file", lines))
    assert {name: values.tolist() for name, values in found.sizes.items()} == {"area": [400]}


def test_only_objects_whose_clicks_count_need_a_size(tmp_path: Path) -> None:
    lines = [
        f"{HEADER},area",
        "a,nose,Ada,0,0,1,100",
        "a,nose,Ben,2,0,1,100",
        "tie,nose,Ada,0,0,1,0",
        "tie,nose,Ben,,,0,0",
        "unseen,nose,Ada,,,0,",
    ]
    found = measured(write_text(tmp_path / "file", lines), "area")
    assert found.sigma["rms-median"].tolist() == [[0.1]]
    assert found.context["n"] == 3


def test_the_context_names_the_file_by_its_content(tmp_path: Path) -> None:
    file = write_answers(tmp_path / "clicks.csv", random_answers(2))
    found = measured(file, "box")
    assert found.context == {
        "file": hashlib.sha256(file.read_bytes()).hexdigest()[:8],
        "truth": "clicks",
        "relative-to": "box",
        "n": len({each.thing for each in random_answers(2)}),
    }


def test_a_part_without_spread_is_noted(tmp_path: Path) -> None:
    lines = [HEADER, "a,nose,Ada,3,4,1", "a,tail,Ada,3,4,1", "a,tail,Ben,5,4,1"]
    found = measured(write_text(tmp_path / "file", lines))
    assert all(np.isnan(values[0]).all() for values in found.sigma.values())
    assert found.sigma["rms-median"][1, 0] == 1
    # All offsets of the tail lie along one axis.
    assert found.notes == (
        f"nose: the clicks have no spread under sigma {', '.join(SIGMA.names)}.",
        "tail: the clicks have no spread under sigma axes-mean, toolbox.",
    )


@pytest.mark.parametrize(("apart", "area", "defined"), [(2e-9, 1, True), (2e-9, 100, False)])
def test_the_smallest_unit_is_relative_where_offsets_are(
    tmp_path: Path, apart: float, area: float, defined: bool
) -> None:
    lines = [f"{HEADER},area", f"a,nose,Ada,0,0,1,{area}", f"a,nose,Ben,{2 * apart},0,1,{area}"]
    file = write_text(tmp_path / "file", lines)
    assert measured(file).sigma["rms-median"].tolist() == [[2e-9]]
    assert np.isfinite(measured(file, "area").sigma["rms-median"][0, 0]) == defined


def test_absurd_clicks_give_no_warning(tmp_path: Path) -> None:
    lines = [f"{HEADER},area", "a,nose,Ada,1e308,0,1,1e-300", "a,nose,Ben,-1e308,0,1,1e-300"]
    file = write_text(tmp_path / "file", lines)
    for relative_to in ("none", "area"):
        assert np.isnan(measured(file, relative_to).sigma["rms-median"][0, 0])


# What cannot be used.

GOOD = "a,nose,Ada,1,2,1"
BAD: dict[str, tuple[list[str], int | None, str]] = {
    "a column less": (
        ["object_id,part,x,y,visible"],
        1,
        "expected the columns object_id, part, annotator, x, y, visible, found no annotator",
    ),
    "another kind of file": (
        ["1 1 2.0 3.0 1"],
        1,
        "expected the columns object_id, part, annotator, x, y, visible, found no object_id",
    ),
    "a column twice": (
        ["object_id,part,annotator,x,y,visible,x"],
        1,
        "expected each column once, found x 2 times",
    ),
    "a size twice": ([f"{HEADER},area, area"], 1, "expected each column once, found area 2 times"),
    "a header only": ([HEADER], None, "expected at least one answer, found only a header"),
    "a field less": ([HEADER, GOOD, "a,nose,Ben,1,2"], 3, "expected 6 fields, found 5 fields"),
    "a blank line": ([HEADER, GOOD, "", GOOD], 3, "expected 6 fields, found a blank line"),
    "no object": ([HEADER, " ,nose,Ada,1,2,1"], 2, "expected some text as object_id, found none"),
    "no part": ([HEADER, "a,,Ada,1,2,1"], 2, "expected some text as part, found none"),
    "no annotator": ([HEADER, "a,nose,,1,2,1"], 2, "expected some text as annotator, found none"),
    "no flag": (
        [HEADER, "a,nose,Ada,1,2,yes"],
        2,
        "expected visible to be 0, 1, true or false, found 'yes'",
    ),
    "no number": ([HEADER, "a,nose,Ada,left,2,1"], 2, "expected a number as x, found 'left'"),
    "no y": ([HEADER, "a,nose,Ada,1,,1"], 2, "expected a number as y, found ''"),
    "not finite": (
        [HEADER, GOOD, "a,nose,Ben,1,inf,1"],
        3,
        "expected finite x and y of a visible part, found 1.0 inf",
    ),
    "a word where not visible": (
        [HEADER, "a,nose,Ada,none,,0"],
        2,
        "expected a number as x, found 'none'",
    ),
    "an area that is no number": (
        [f"{HEADER},area", f"{GOOD},big"],
        2,
        "expected a number as area, found 'big'",
    ),
    "an answer twice": (
        [HEADER, "a,tail,Ada,1,2,1", GOOD, "b,nose,Ada,1,2,1", "a, nose ,Ada,,,0"],
        5,
        "expected object_id 'a', part 'nose', annotator 'Ada' once, found it here and in line 3",
    ),
    "two areas": (
        [f"{HEADER},area", f"{GOOD},", "a,nose,Ben,1,2,1,20", "a,nose,Cleo,1,2,1,20.5"],
        4,
        "expected one area of object_id 'a', found 20.5 here and 20.0 in line 3",
    ),
    "two heights": (
        [SIZED, f"{GOOD},,3,4", "a,nose,Ben,,,0,,3,-4"],
        3,
        "expected one box_height of object_id 'a', found -4.0 here and 4.0 in line 2",
    ),
    "the first of several faults": (
        [f"{HEADER},area", f"{GOOD},7", "a,nose,Ben,1,nan,1,7", f"{GOOD},8"],
        3,
        "expected finite x and y of a visible part, found 1.0 nan",
    ),
    "an open quote": ([HEADER, GOOD, '"a,nose,Ben,1,2,1'], 3, "expected a record of CSV, found"),
}


def check_form(error: InputError, file: Path) -> None:
    """Fail unless an error has the form of all of them and names the file."""
    assert error.file == str(file)
    assert "\n" not in str(error)
    assert "expected " in error.message
    assert ", found " in error.message


def refused(read: Callable[[], object], file: Path) -> InputError:
    """The error that reading a file raises."""
    with pytest.raises(InputError) as caught:
        read()
    check_form(caught.value, file)
    return caught.value


@pytest.mark.parametrize(("lines", "line", "message"), BAD.values(), ids=BAD)
def test_files_that_cannot_be_read(
    tmp_path: Path, lines: list[str], line: int | None, message: str
) -> None:
    file = write_text(tmp_path / "file", lines)
    error = refused(lambda: read_repeated_clicks(file), file)
    assert error.line == line
    assert error.message.startswith(message)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf", b"\xff\xfea\0", b"a\0b"])
def test_files_that_are_no_text(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    refused(lambda: read_repeated_clicks(file), file)


SIZES_AT_FAULT: dict[str, tuple[str, str, str, int, str]] = {
    "no area": ("area", HEADER, "", 1, "expected the column area for offsets relative to area, "
                "found no area"),
    "no height": ("box", f"{HEADER},box_width", ",9", 1,
                  "the column box_height for offsets relative to box, found no box_height"),
    "none said": ("area", f"{HEADER},area", ",", 4, "of object_id 'b', whose clicks count, "
                  "found none"),
    "zero": ("area", f"{HEADER},area", ",0", 4, "expected a positive finite area of object_id 'b', "
             "whose clicks count, found 0.0"),
    "negative": ("box", f"{HEADER},box_height,box_width", ",5,-3", 4,
                 "expected a positive finite box_width of object_id 'b', whose clicks count, "
                 "found -3.0"),
    "infinite": ("box", f"{HEADER},box_width,box_height", ",5,inf", 4,
                 "expected a positive finite box_height of object_id 'b', whose clicks count, "
                 "found inf"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("relative_to", "header", "size", "line", "message"),
    SIZES_AT_FAULT.values(),
    ids=SIZES_AT_FAULT,
)
def test_sizes_that_nothing_can_be_divided_by(
    tmp_path: Path, relative_to: str, header: str, size: str, line: int, message: str
) -> None:
    columns = header.count(",") - HEADER.count(",")
    good = ",4" * columns
    lines = [header, f"a,nose,Ada,1,2,1{good}", f"unseen,nose,Ada,,,0{size}"]
    lines += [f"b,nose,Ada,1,2,1{size}", f"b,nose,Ben,1,3,1{size}"]
    file = write_text(tmp_path / "file", lines)
    error = refused(lambda: measured(file, relative_to), file)
    assert error.line == line
    assert error.message.endswith(message)
    assert measured(file).pairs.tolist() == [2]


def test_another_thing_to_be_relative_to(tmp_path: Path) -> None:
    file = write_text(tmp_path / "file", [HEADER, GOOD])
    with pytest.raises(InputError, match=r"relative_to \(none, area, box\), found 'aera'; did you"):
        measured(file, "aera")


# Any content is read or refused.

CONTENT = (
    f"{SIZED}\r\n"
    'a,nose,Ada,1.5,2,1,100,10,12\n"b,\n""c""",nose,Ada,,,0,,,\n'
    "a,nose,Ben,2.5,2,true,100,10,12\na,tail,Ben,3,4,1,,10,\n"
).encode()


def read_or_refused(file: Path) -> None:
    """Fail unless a file is read, measured and written in every way, or refused in one line."""
    try:
        found = read_repeated_clicks(file)
    except InputError as error:
        check_form(error, file)
        return
    answers = found.answers
    assert len(found.objects) == len(np.unique(answers.image_id)) == answers.image_id.max()
    assert len(answers.parts) == answers.part.max() + 1
    assert np.isfinite(answers.location[answers.visible]).all()
    assert np.isnan(answers.location[~answers.visible]).all()
    refusing: list[str] = []
    for relative_to in RELATIVE_TO:
        try:
            result = repeated_spread(found, relative_to=relative_to)
        except InputError as error:
            check_form(error, file)
            refusing.append(relative_to)
            continue
        assert len(result.parts) == len(result.clicks) == len(result.sigma["rms-median"])
        assert json.loads(spread_json(result))["context"] == result.context
        for write in (as_text, as_markdown, as_latex):
            assert "\r" not in write(spread_document(result))
    assert "none" not in refusing


@given(
    damage=st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 3),
            st.binary(max_size=3)
            | st.sampled_from([b"\n", b",", b'"', b"nan", b"-", b"0", b"9e99", b"1e999", b"a,"]),
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=600, deadline=None)
def test_a_damaged_file_is_read_or_refused(
    damage: list[tuple[float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = CONTENT
    for where, removed, added in damage:
        at = int(where * len(content))
        content = content[:at] + added + content[at + removed :]
    file = tmp_path_factory.mktemp("damaged") / "file"
    file.write_bytes(content)
    read_or_refused(file)


WORD = st.sampled_from(["a", "b", "", " ", "0", "1", "-1", "2.5", "true", "nan", "1e999", "x\ny"])


@given(
    columns=st.permutations([*SIZED.split(","), "note"]),
    rows=st.lists(st.lists(WORD, min_size=10, max_size=10), max_size=6),
)
@settings(max_examples=400, deadline=None)
def test_a_table_of_odd_words_is_read_or_refused(
    columns: list[str], rows: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("odd") / "file"
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    read_or_refused(file)


NUMBER = st.floats(-1e6, 1e6)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=4)


@given(
    answers=st.dictionaries(
        st.tuples(TEXT, TEXT, TEXT), st.none() | st.tuples(NUMBER, NUMBER), min_size=1, max_size=12
    )
)
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_read(
    answers: dict[tuple[str, str, str], tuple[float, float] | None],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lines = [Answer(*names, point, 4.0, 1.0, 9.0) for names, point in answers.items()]
    found = read_repeated_clicks(write_answers(tmp_path_factory.mktemp("x") / "file", lines))
    read = found.answers
    assert [
        (found.objects[number - 1], read.parts[part], tuple(point) if visible else None)
        for number, part, point, visible in zip(
            read.image_id.tolist(),
            read.part.tolist(),
            read.location.tolist(),
            read.visible.tolist(),
            strict=True,
        )
    ] == [(each.thing, each.part, each.point) for each in lines]
    assert set(found.sizes["box_height"].tolist()) == {9.0}


# The command.


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return running(capsys)


@pytest.mark.parametrize("relative_to", RELATIVE_TO)
def test_every_format(run: Run, tmp_path: Path, relative_to: str) -> None:
    file = write_answers(tmp_path / "clicks.csv", random_answers(5))
    result = measured(file, relative_to)
    wanted = {
        "text": as_text(spread_document(result)),
        "markdown": as_markdown(spread_document(result)),
        "latex": as_latex(spread_document(result)),
        "csv": spread_csv(result),
        "json": spread_json(result),
    }
    for form, text in wanted.items():
        done = run("sigma", "clicks.csv", "--relative-to", relative_to, "--format", form)
        assert (done.status, done.out) == (0, text)
        assert done.err == "".join(f"cubspec: note: {note}\n" for note in result.notes)
    for part in result.parts:
        assert part in wanted["text"]
    lines = list(csv.DictReader(io.StringIO(wanted["csv"])))
    assert {line["part"] for line in lines} == set(result.parts)
    assert len(lines) == 9 * len(result.parts)


@pytest.mark.parametrize("relative_to", ["area", "box"])
def test_the_last_line_of_text_can_be_pasted(run: Run, tmp_path: Path, relative_to: str) -> None:
    lines = [SIZED, "a,nose,Ada,3,4,1,50,5,9", "a,nose,Ben,4,9,1,50,5,9", "a,ear,Ben,4,9,1,50,5,9"]
    write_text(tmp_path / "clicks.csv", lines)
    done = run("sigma", "clicks.csv", "--relative-to", relative_to)
    *_, before, last = done.out.splitlines()
    assert before == (
        "rms-median in this order, for kpt_oks_sigmas of pycocotools, which doubles it:"
    )
    length = math.sqrt({"area": 50, "box": 45}[relative_to])
    pasted = eval(last, {"numpy": np})
    np.testing.assert_allclose(pasted, [math.hypot(0.5, 2.5) / length, np.nan], rtol=5e-6)
    for form in ("markdown", "latex", "csv", "json"):
        more = run("sigma", "clicks.csv", "--relative-to", relative_to, "--format", form)
        assert "numpy" not in more.out


def test_pixels_have_nothing_to_paste(run: Run, tmp_path: Path) -> None:
    write_answers(tmp_path / "clicks.csv", random_answers(5))
    done = run("sigma", "clicks.csv")
    assert "numpy" not in done.out
    assert "\nIn pixels; " in done.out
    assert "|relative-to:none|" in done.out


def test_a_part_of_any_name_stays_on_its_line(run: Run, tmp_path: Path) -> None:
    lines = [HEADER, '1,"left\n|*ear_",a,1,1,1', '1,"left\n|*ear_",b,2,3,1']
    write_text(tmp_path / "clicks.csv", lines)
    assert [
        line.split()[-1] for line in run("sigma", "clicks.csv").out.splitlines() if "ear" in line
    ] == ["2.000"]
    found = json.loads(run("sigma", "clicks.csv", "--format", "json").out)
    assert list(found["clicks"]) == ["left\n|*ear_"]


@pytest.mark.parametrize(
    "chosen", [["--truth", "clicks"], ["--pool", "all"], ["--split", "all"], ["--truth=clicks"]]
)
def test_what_a_file_has_may_be_asked_for(run: Run, tmp_path: Path, chosen: list[str]) -> None:
    write_answers(tmp_path / "clicks.csv", random_answers(0))
    assert run("sigma", "clicks.csv", *chosen) == run("sigma", "clicks.csv")


@pytest.mark.parametrize(
    ("key", "value", "only"),
    [
        ("truth", "given", "clicks"),
        ("pool", "train", "all"),
        ("pool", "scored", "all"),
        ("split", "test", "all"),
        ("split", "train", "all"),
    ],
)
def test_what_a_file_has_not_is_an_error(
    run: Run, tmp_path: Path, key: str, value: str, only: str
) -> None:
    write_answers(tmp_path / "clicks.csv", random_answers(0))
    assert run("sigma", "clicks.csv", f"--{key}", value) == Outcome(
        2,
        "",
        f"cubspec: error: clicks.csv: expected --{key} {only}, as a CSV file holds answers and has "
        f"neither a ground truth of its own nor a split, found --{key} {value}\n",
    )


def test_a_folder_is_a_dataset_and_a_file_is_not(run: Run, tmp_path: Path) -> None:
    write_cub(tmp_path / "data.csv", random_dataset(3))
    write_answers(tmp_path / "clicks", random_answers(0))
    assert run("sigma", "data.csv").out.startswith("data:")
    assert run("sigma", "clicks").out.startswith("file:")
    assert run("sigma", "nothing").err == (
        "cubspec: error: nothing: expected a folder or a CSV file, found nothing of that name\n"
    )
    assert run("sigma", "data.csv", "--relative-to", "none") == run("sigma", "data.csv")
    assert run("sigma", "data.csv", "--relative-to", "box").err == (
        "cubspec: error: data.csv: expected a CSV file, which can say how large its objects are, "
        "for --relative-to box, found a folder\n"
    )


def test_errors_name_file_and_line(run: Run, tmp_path: Path) -> None:
    write_text(tmp_path / "clicks.csv", [HEADER, GOOD, GOOD])
    assert run("sigma", "clicks.csv", "--out", "result") == Outcome(
        2,
        "",
        "cubspec: error: clicks.csv:3: expected object_id 'a', part 'nose', annotator 'Ada' once, "
        "found it here and in line 2\n",
    )
    assert os.listdir(tmp_path) == ["clicks.csv"]


def test_the_file_is_never_overwritten(run: Run, tmp_path: Path) -> None:
    write_text(tmp_path / "clicks.csv", [HEADER, GOOD])
    done = run("sigma", "clicks.csv", "--out", "./clicks.csv")
    assert done.err == (
        "cubspec: error: ./clicks.csv: expected a file other than the input, found clicks.csv\n"
    )
    assert (tmp_path / "clicks.csv").read_text() == f"{HEADER}\n{GOOD}\n"


def test_a_pipe_is_read_once(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[LOBSTER.read_bytes()])
    writer.start()
    done = run("sigma", "pipe", "--relative-to", "area")
    writer.join()
    assert done == run("sigma", str(LOBSTER), "--relative-to", "area")
    assert done.status == 0


def test_many_parts_of_few_objects_each(tmp_path: Path) -> None:
    answers = [
        Answer(f"{part}", f"part {part}", who, (float(len(who)), 0.0), 1.0, 1.0, 1.0)
        for part in range(1500)
        for who in ("a", "bcd")
    ]
    found = measured(write_answers(tmp_path / "clicks.csv", answers))
    assert found.sigma["rms-median"][:, 0].tolist() == [1.0] * 1500
