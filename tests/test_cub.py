"""Reading the dataset's annotation files."""

from __future__ import annotations

import errno
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubspec import cub, lines
from cubspec.cub import MOST_ANSWERS, clicks_digest, read_cub, truth_digest
from cubspec.data import PARTS, Clicks, Dataset, InputError, Truth
from tests.writing import (
    PLAIN,
    Style,
    click_lines,
    location_lines,
    random_dataset,
    write_cub,
    write_lines,
    write_text,
)

Change = Callable[[list[str]], list[str]]


def assert_same_clicks(found: Clicks | None, expected: Clicks | None) -> None:
    assert found is not None
    assert expected is not None
    np.testing.assert_array_equal(found.answered, expected.answered)
    np.testing.assert_array_equal(found.visible, expected.visible)
    np.testing.assert_array_equal(found.location, expected.location)


def assert_same(found: Dataset, expected: Dataset) -> None:
    np.testing.assert_array_equal(found.image_id, expected.image_id)
    assert found.parts == expected.parts
    np.testing.assert_array_equal(found.given.visible, expected.given.visible)
    np.testing.assert_array_equal(found.given.location, expected.given.location)
    assert_same_clicks(found.clicks, expected.clicks)
    assert found.training is not None
    np.testing.assert_array_equal(found.training, expected.training)
    assert found.name == expected.name
    assert found.clicks_name == expected.clicks_name


# Files that can be read.


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize(
    "style",
    [
        PLAIN,
        Style(line_end="\r\n"),
        Style(byte_order_mark=True),
        Style(line_end="\r\n", byte_order_mark=True, last_lines="\r\n"),
        Style(last_lines="\n \n\t\n"),
        Style(last_lines="  "),
        Style(separator="\t"),
        Style(separator=" \t  "),
    ],
    ids=repr,
)
def test_every_layout_of_a_text_file_reads_the_same(
    tmp_path: Path, flat: bool, style: Style
) -> None:
    dataset = random_dataset(1)
    assert_same(read_cub(write_cub(tmp_path, dataset, flat=flat, style=style)), dataset)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("whole", [True, False])
def test_unsorted_lines_ragged_answers_and_ids_with_gaps(
    tmp_path: Path, seed: int, whole: bool
) -> None:
    dataset = random_dataset(seed, ragged=True, gaps=True, workers=7, whole=whole)
    assert dataset.clicks is not None
    assert not dataset.clicks.answered.any(axis=1).all()
    folder = write_cub(tmp_path, dataset, unsorted=seed, other_images=[1000, 1001])
    assert_same(read_cub(folder), dataset)


def test_a_last_line_without_a_line_end(tmp_path: Path) -> None:
    dataset = random_dataset(2)
    write_cub(tmp_path, dataset)
    for file in tmp_path.rglob("*.txt"):
        file.write_bytes(file.read_bytes().removesuffix(b"\n"))
    assert_same(read_cub(tmp_path), dataset)


def test_the_arrays_are_of_the_types_that_the_dataset_promises(tmp_path: Path) -> None:
    found = read_cub(write_cub(tmp_path, random_dataset(1)))
    assert found.clicks is not None
    assert found.training is not None
    assert found.image_id.dtype == np.int64
    assert found.given.location.dtype == found.clicks.location.dtype == np.float64
    for flags in (found.given.visible, found.clicks.visible, found.clicks.answered, found.training):
        assert flags.dtype == np.bool_


def test_the_folder_that_holds_the_dataset(tmp_path: Path) -> None:
    dataset = random_dataset(3)
    inner = write_cub(tmp_path / "CUB_200_2011", dataset)
    (tmp_path / "attributes.txt").write_text("1 has_bill_shape::curved\n")
    (tmp_path / "elsewhere").mkdir()
    found = read_cub(tmp_path)
    assert_same(found, dataset)
    assert found.source == str(inner)


def test_the_folder_that_holds_a_flat_dataset(tmp_path: Path) -> None:
    dataset = random_dataset(3)
    write_cub(tmp_path / "bird", dataset, flat=True)
    assert_same(read_cub(str(tmp_path)), dataset)


def test_the_parts_folder_itself_has_no_split(tmp_path: Path) -> None:
    dataset = random_dataset(3)
    found = read_cub(write_cub(tmp_path, dataset) / "parts")
    assert found.training is None
    assert_same_clicks(found.clicks, dataset.clicks)


def test_only_part_locs_is_indispensable(tmp_path: Path) -> None:
    dataset = random_dataset(4)
    others = ("parts.txt", "part_click_locs.txt", "images.txt", "train_test_split.txt")
    found = read_cub(write_cub(tmp_path, dataset, without=others))
    assert found.clicks is None
    assert found.clicks_name is None
    assert found.training is None
    assert found.parts == PARTS
    assert found.notes == ()
    np.testing.assert_array_equal(found.given.location, dataset.given.location)


def test_names_of_parts_are_taken_from_their_file(tmp_path: Path) -> None:
    names = [f"part  {letter}" for letter in "abcdefghijklmno"]
    write_cub(tmp_path, random_dataset(1))
    numbered = [(number, name) for number, name in enumerate(names, start=1)]
    write_lines(tmp_path / "parts" / "parts.txt", reversed(numbered))
    assert read_cub(tmp_path).parts == tuple(name.replace("  ", " ") for name in names)


def test_coordinates_of_an_invisible_part_are_ignored(tmp_path: Path) -> None:
    dataset = random_dataset(5)
    write_cub(tmp_path, dataset)
    for name in ("part_locs.txt", "part_click_locs.txt"):
        file = tmp_path / "parts" / name
        for instead in ("0.0 0.0 0", "nan NaN 0", "-inf 1e999 0", "17 -4.5 0"):
            file.write_text(file.read_text().replace(" 0.0 0.0 0", f" {instead}"))
            assert_same(read_cub(tmp_path), dataset)
            file.write_text(file.read_text().replace(f" {instead}", " 0.0 0.0 0"))


def test_slots_are_positions_among_the_lines_of_a_pair(tmp_path: Path) -> None:
    folder = write_cub(tmp_path, random_dataset(1, images=2))
    write_text(
        folder / "parts" / "part_click_locs.txt",
        ["2 3 5 6 1 9", "1 1 1 2 1 9", "2 3 0 0 0 9", "1 1 3 4 1 9", "2 3 7 8 1 9"],
    )
    clicks = read_cub(folder).clicks
    assert clicks is not None
    assert clicks.answered.shape == (2, 3, 15)
    assert clicks.answered.sum() == 5
    assert clicks.answered[1, :, 2].tolist() == [True, True, True]
    assert clicks.visible[1, :, 2].tolist() == [True, False, True]
    np.testing.assert_array_equal(clicks.location[1, :, 2], [[5, 6], [np.nan, np.nan], [7, 8]])
    np.testing.assert_array_equal(clicks.location[0, :, 0], [[1, 2], [3, 4], [np.nan, np.nan]])


def test_answers_for_other_images_are_ignored_and_counted(tmp_path: Path) -> None:
    dataset = random_dataset(6)
    for without in ("images.txt", "train_test_split.txt"):
        folder = write_cub(tmp_path / without, dataset, other_images=[90, 91], without=[without])
        file = folder / "parts" / "part_click_locs.txt"
        text = file.read_text()
        file.write_text("90 1 3.0 4.0 1 9\n" + text + "91 1 3 4 1 9\n91 1 0 0 0 9\n")
        found = read_cub(folder)
        assert_same_clicks(found.clicks, dataset.clicks)
        assert found.clicks_name == dataset.clicks_name
        (note,) = found.notes
        assert "3 answers" in note
        assert "2 images" in note
        assert note.endswith(".")
        file.write_text(text + "91 1 3 4 1 9\n")
        (note,) = read_cub(folder).notes
        assert "1 answer for 1 image not" in note


def test_a_click_file_of_other_images_only_leaves_one_empty_slot(tmp_path: Path) -> None:
    folder = write_cub(tmp_path, random_dataset(6), other_images=[90])
    write_text(folder / "parts" / "part_click_locs.txt", ["90 1 3 4 1 9"])
    found = read_cub(folder)
    assert found.clicks is not None
    assert found.clicks.answered.shape == (8, 1, 15)
    assert not found.clicks.answered.any()
    assert found.clicks_name == hashlib.sha256(b"").hexdigest()[:8]


# Digests.

EXAMPLE = """\
3 1 312.0 182.5 1
3 2 0
20 1 0.0 1e+16 1
20 2 0.1 3.0 1
"""


def test_the_digest_of_the_truth_is_that_of_its_lines() -> None:
    location = np.array([[[312, 182.5], [np.nan, np.nan]], [[-0.0, 1e16], [0.1, 3]]])
    truth = Truth(~np.isnan(location[..., 0]), location)
    expected = hashlib.sha256(EXAMPLE.encode()).hexdigest()
    assert truth_digest(np.array([3, 20]), truth) == expected


def test_the_digest_of_the_answers_is_that_of_their_lines() -> None:
    answered = np.array([[[1, 0], [1, 0]], [[0, 1], [0, 0]]], dtype=bool)
    visible = np.array([[[1, 0], [0, 0]], [[0, 1], [0, 0]]], dtype=bool)
    location = np.full((2, 2, 2, 2), np.nan)
    location[0, 0, 0] = 7, 8.25
    location[1, 0, 1] = 9, -0.0
    clicks = Clicks(answered, visible, location)
    text = "3 1 7.0 8.25 1\n3 1 0\n20 2 9.0 0.0 1\n"
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert clicks_digest(np.array([3, 20]), clicks) == expected


def test_digests_follow_the_numbers_and_not_the_layout(tmp_path: Path) -> None:
    dataset = random_dataset(7, ragged=True)
    plain = read_cub(write_cub(tmp_path / "plain", dataset))
    folder = write_cub(
        tmp_path / "other", dataset, unsorted=1, style=Style(line_end="\r\n", separator="  ")
    )
    for name in ("part_locs.txt", "part_click_locs.txt"):
        file = folder / "parts" / name
        file.write_bytes(file.read_bytes().replace(b".0", b""))
    other = read_cub(folder)
    assert (other.name, other.clicks_name) == (plain.name, plain.clicks_name)


@pytest.mark.parametrize("name", ["part_locs.txt", "part_click_locs.txt"])
def test_a_digest_sees_every_coordinate_and_flag(tmp_path: Path, name: str) -> None:
    dataset = random_dataset(8, images=2)
    folder = write_cub(tmp_path, dataset)
    file = folder / "parts" / name
    lines = file.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[4] == "1")
    image, part, x, y, _, *time = lines[at].split()
    found = set()
    for line in ([x, y, "1"], [x + "1", y, "1"], [x, y + "1", "1"], [x, y, "0"]):
        write_text(file, [*lines[:at], " ".join([image, part, *line, *time]), *lines[at + 1 :]])
        read = read_cub(folder)
        found.add((read.name, read.clicks_name))
    assert len(found) == 4


def test_the_time_of_an_answer_is_not_in_its_digest(tmp_path: Path) -> None:
    dataset = random_dataset(8)
    folder = write_cub(tmp_path, dataset)
    file = folder / "parts" / "part_click_locs.txt"
    file.write_text("".join(f"{line}5\n" for line in file.read_text().splitlines()))
    assert read_cub(folder).clicks_name == dataset.clicks_name


def test_only_the_complete_dataset_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = random_dataset(9)
    folder = write_cub(tmp_path, dataset)
    digest = truth_digest(dataset.image_id, dataset.given)
    assert read_cub(folder).name == digest[:8]
    monkeypatch.setattr(cub, "COMPLETE_DIGEST", digest)
    assert read_cub(folder).name == "CUB-200-2011"


# Files that cannot be read.


def put(number: int, line: str) -> Change:
    """Put a line in the place of line `number`."""
    return lambda lines: [*lines[: number - 1], line, *lines[number:]]


def insert(number: int, line: str) -> Change:
    """Put a line in before line `number`."""
    return lambda lines: [*lines[: number - 1], line, *lines[number - 1 :]]


def drop(number: int) -> Change:
    """Take line `number` out."""
    return lambda lines: [*lines[: number - 1], *lines[number:]]


# Of two images with 15 parts and 2 answers: lines 1-30 of part_locs and 1-60 of the clicks. Line 17
# of part_locs is image 2, part 2; line 33 of the clicks is an answer for the same.
BAD_LINES = [
    ("part_locs.txt", put(17, "2 2 3.0 4.0"), 17, ["expected 5 fields", "visible", "found 4"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 1 7"), 17, ["expected 5 fields", "found 6"]),
    ("part_locs.txt", put(17, "2"), 17, ["expected 5 fields", "found 1 field"]),
    ("part_locs.txt", put(17, ""), 17, ["expected 5 fields", "blank line"]),
    ("part_locs.txt", put(17, " \t "), 17, ["expected 5 fields", "blank line"]),
    ("part_locs.txt", insert(1, ""), 1, ["expected 5 fields", "blank line"]),
    ("part_locs.txt", insert(30, "\n"), 30, ["blank line"]),
    ("part_locs.txt", put(1, "1 1 3.0 4.0 1 # beak"), 1, ["expected 5 fields", "found 7"]),
    ("part_locs.txt", put(17, "# 2 3.0 4.0 1"), 17, ["whole number", "image_id", "'#'"]),
    ("part_locs.txt", put(17, "2,2,3.0,4.0,1"), 17, ["expected 5 fields", "found 1 field"]),
    ("part_locs.txt", put(17, "2 2 left 4.0 1"), 17, ["expected a number as x", "'left'"]),
    ("part_locs.txt", put(17, "2 2 3.0 4,5 1"), 17, ["expected a number as y", "'4,5'"]),
    ("part_locs.txt", put(17, "2 2 left 4.0 0"), 17, ["expected a number as x", "'left'"]),
    ("part_locs.txt", put(17, "2 2 1_0 4.0 1"), 17, ["expected a number as x", "'1_0'"]),
    ("part_locs.txt", put(17, "2 2 \u0661 4.0 1"), 17, ["expected a number as x", "'\u0661'"]),
    ("part_locs.txt", put(17, "2 2 0x1F 4.0 1"), 17, ["expected a number as x", "'0x1F'"]),
    ("part_locs.txt", put(17, "2 2 1e 4.0 1"), 17, ["expected a number as x", "'1e'"]),
    ("part_locs.txt", put(17, "2 2 . 4.0 1"), 17, ["expected a number as x", "'.'"]),
    ("part_locs.txt", put(17, "2 2 infinit 4.0 1"), 17, ["expected a number as x", "'infinit'"]),
    ("part_locs.txt", put(17, "2\u00a02 3.0 4.0 1"), 17, ["expected 5 fields", "found 4"]),
    ("part_locs.txt", put(17, "2 2 3.0\x0b 4.0 1"), 17, ["expected a number as x", "\\x0b"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 1\r2 3 0 0 0"), 17, ["expected 5 fields", "found 9"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 1\r\r"), 17, ["visible", "'1\\r"]),
    ("part_locs.txt", put(17, "1_0 2 3.0 4.0 1"), 17, ["whole number as image_id", "'1_0'"]),
    ("part_locs.txt", put(17, "\u0662 2 3.0 4.0 1"), 17, ["whole number as image_id", "'\u0662'"]),
    ("part_locs.txt", put(17, "2.0 2 3.0 4.0 1"), 17, ["whole number as image_id", "'2.0'"]),
    ("part_locs.txt", put(17, "2 2.0 3.0 4.0 1"), 17, ["whole number as part_id", "'2.0'"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 1.0"), 17, ["whole number as visible", "'1.0'"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 True"), 17, ["whole number as visible", "'True'"]),
    ("part_locs.txt", put(17, "2 2 nan 4.0 1"), 17, ["finite x and y", "visible", "nan 4.0"]),
    ("part_locs.txt", put(17, "2 2 3.0 inf 1"), 17, ["finite x and y", "3.0 inf"]),
    ("part_locs.txt", put(17, "2 2 3.0 -Infinity 1"), 17, ["finite x and y", "3.0 -inf"]),
    ("part_locs.txt", put(17, "2 2 1e999 4.0 1"), 17, ["finite x and y", "inf 4.0"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 2"), 17, ["visible to be 0 or 1", "found 2"]),
    ("part_locs.txt", put(17, "2 2 3.0 4.0 -1"), 17, ["visible to be 0 or 1", "found -1"]),
    ("part_locs.txt", put(17, "2 16 3.0 4.0 1"), 17, ["part id from 1 to 15", "found 16"]),
    ("part_locs.txt", put(17, "2 0 3.0 4.0 1"), 17, ["part id from 1 to 15", "found 0"]),
    ("part_locs.txt", put(17, "0 2 3.0 4.0 1"), 17, ["image id of at least 1", "found 0"]),
    ("part_locs.txt", put(17, "-2 2 3.0 4.0 1"), 17, ["image id of at least 1", "found -2"]),
    (
        "part_locs.txt",
        put(17, "9223372036854775808 2 3.0 4.0 1"),
        17,
        ["image_id", "at most 9223372036854775807", "'9223372036854775808'"],
    ),
    ("part_locs.txt", put(17, f"{'9' * 5000} 2 3 4 1"), 17, ["image_id", "at most", "'999", "..."]),
    ("part_locs.txt", put(17, "2 1 3.0 4.0 1"), 17, ["image 2, part 1 (back)", "once", "line 16"]),
    ("part_locs.txt", insert(31, "1 4 0 0 0"), 31, ["image 1, part 4 (breast)", "once", "line 4"]),
    ("part_locs.txt", drop(17), None, ["each of 15 parts", "image 2, part 2 (beak)"]),
    ("part_locs.txt", insert(31, "3 1 0 0 0"), None, ["each of 15 parts", "image 3, part 2"]),
    ("part_locs.txt", lambda lines: [], None, ["at least one line", "empty file"]),
    ("part_locs.txt", lambda lines: ["", " \t", "\r"], None, ["at least one line", "empty file"]),
    ("part_click_locs.txt", put(33, "2 2 3.0 4.0 1"), 33, ["expected 6 fields", "found 5"]),
    ("part_click_locs.txt", put(33, "2 2 3.0 4.0 1 late"), 33, ["a number as time", "'late'"]),
    ("part_click_locs.txt", put(33, "2 2 3.0 nan 1 9"), 33, ["finite x and y", "3.0 nan"]),
    ("part_click_locs.txt", put(33, "2 2 3.0 4.0 3 9"), 33, ["visible to be 0 or 1", "found 3"]),
    ("part_click_locs.txt", put(33, "2 77 3.0 4.0 1 9"), 33, ["part id from 1 to 15", "77"]),
    ("part_click_locs.txt", put(33, "3 2 3.0 4.0 1 9"), 33, ["image of part_locs", "image 3"]),
    ("part_click_locs.txt", put(33, "0 2 3.0 4.0 1 9"), 33, ["image id of at least 1", "found 0"]),
    ("part_click_locs.txt", put(33, ""), 33, ["expected 6 fields", "blank line"]),
    ("part_click_locs.txt", lambda lines: [], None, ["at least one line", "empty file"]),
    ("parts.txt", put(3, "3"), 3, ["expected 2 fields", "part_name", "found 1"]),
    ("parts.txt", put(3, ""), 3, ["expected 2 fields", "blank line"]),
    ("parts.txt", put(3, "belly 3"), 3, ["whole number as part_id", "'belly'"]),
    ("parts.txt", put(3, "0 belly"), 3, ["part_id to be at least 1", "found 0"]),
    ("parts.txt", put(3, "16 belly"), 3, ["part id from 1 to 15", "found 16"]),
    ("parts.txt", put(3, "2 belly"), 3, ["part_id 2", "once", "line 2"]),
    ("parts.txt", put(3, "3 back"), 3, ["part_name back", "once", "line 1"]),
    ("parts.txt", put(3, "3 bel\x0bly"), 3, ["printable name", "\\x0b"]),
    ("parts.txt", drop(3), None, ["each of 15 parts", "part 3"]),
    ("parts.txt", lambda lines: [], None, ["at least one line", "empty file"]),
    ("images.txt", put(2, "2"), 2, ["expected 2 fields", "image_name", "found 1"]),
    ("images.txt", put(2, "two b.jpg"), 2, ["whole number as image_id", "'two'"]),
    ("images.txt", put(2, "1 b.jpg"), 2, ["image_id 1", "once", "line 1"]),
    ("images.txt", put(2, "-2 b.jpg"), 2, ["image_id to be at least 1", "found -2"]),
    ("images.txt", drop(2), None, ["every image of part_locs", "image 2"]),
    ("images.txt", lambda lines: [], None, ["at least one line", "empty file"]),
    ("train_test_split.txt", put(2, "2 2"), 2, ["is_training_image to be 0 or 1", "found 2"]),
    ("train_test_split.txt", put(2, "2 -1"), 2, ["is_training_image to be 0 or 1", "found -1"]),
    ("train_test_split.txt", put(2, "2 train"), 2, ["whole number", "'train'"]),
    ("train_test_split.txt", put(2, "2"), 2, ["expected 2 fields", "found 1"]),
    ("train_test_split.txt", put(2, "1 0"), 2, ["image_id 1", "once", "line 1"]),
    ("train_test_split.txt", put(2, "0 0"), 2, ["image_id to be at least 1", "found 0"]),
    ("train_test_split.txt", drop(2), None, ["every image of part_locs", "image 2"]),
    ("train_test_split.txt", lambda lines: [], None, ["at least one line", "empty file"]),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two images, two answers of every pair, other images listed nowhere."""
    return write_cub(tmp_path, random_dataset(10, images=2, workers=2))


def find(folder: Path, name: str) -> Path:
    (file,) = folder.rglob(name)
    return file


def check_form(error: InputError, folder: Path) -> None:
    """Fail unless an error has the form of all of them and names something in the folder."""
    assert "\n" not in str(error)
    assert error.message.startswith("expected ")
    assert ", found " in error.message
    assert error.file is not None
    assert error.file.startswith(str(folder))


def read_error(folder: Path) -> InputError:
    """The error that reading raises."""
    with pytest.raises(InputError) as caught:
        read_cub(folder)
    check_form(caught.value, folder)
    return caught.value


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "change", "line", "words"), BAD_LINES)
def test_a_bad_line_is_named(
    folder: Path, name: str, change: Change, line: int | None, words: list[str], line_end: str
) -> None:
    file = find(folder, name)
    write_text(file, change(file.read_text().splitlines()), Style(line_end=line_end))
    error = read_error(folder)
    assert error.file == str(file)
    assert error.line == line
    for word in words:
        assert word in error.message


def test_the_first_of_several_bad_lines_is_named(folder: Path) -> None:
    file = find(folder, "part_locs.txt")
    lines = file.read_text().splitlines()
    write_text(file, put(20, "2 99 0 0 0")(put(12, "1 12 0 0 7")(put(25, "-1 1 0 0 0")(lines))))
    assert read_error(folder).line == 12


def test_a_lone_carriage_return_does_not_make_up_for_a_blank_line(folder: Path) -> None:
    file = find(folder, "part_locs.txt")
    lines = file.read_text().splitlines()
    write_text(file, [*lines[:16], f"{lines[16]}\r{lines[17]}", "", *lines[18:]])
    error = read_error(folder)
    assert error.line == 18
    assert "blank line" in error.message


def test_a_repeated_pair_is_named_where_it_is_repeated_first(folder: Path) -> None:
    file = find(folder, "part_locs.txt")
    lines = file.read_text().splitlines()
    write_text(file, [*lines, "2 5 0 0 0", "1 1 0 0 0", "2 5 0 0 0"])
    error = read_error(folder)
    assert error.line == 31
    assert "line 20" in error.message


BAD_BYTES = [
    (b"\xff\xfe1\x00 \x001\x00", 1, ["UTF-8", "0xff"]),
    ("1 1 0.0 0.0 0\n".encode("utf-16-be"), 1, ["UTF-8", "0x00"]),
    (b"1 1 0.0 0.0 0\n1 2 0.0 0.0\x00 0\n", 2, ["UTF-8", "0x00"]),
    (b"1 1 0.0 0.0 0\n1 2 0.0 0.0 0\n1 3 \xe9 0.0 0\n", 3, ["UTF-8", "0xe9"]),
    (b"\xef\xbb\xbf1 1 0.0 0.0 0\n\x80", 2, ["UTF-8", "0x80"]),
    (b"", None, ["empty file"]),
    (b"\xef\xbb\xbf", None, ["empty file"]),
    (b"\xef\xbb\xbf\r\n", None, ["empty file"]),
]


@pytest.mark.parametrize(("content", "line", "words"), BAD_BYTES)
@pytest.mark.parametrize(
    "name", ["part_locs.txt", "part_click_locs.txt", "parts.txt", "images.txt"]
)
def test_a_file_that_is_not_text_is_named(
    folder: Path, name: str, content: bytes, line: int | None, words: list[str]
) -> None:
    file = find(folder, name)
    file.write_bytes(content)
    error = read_error(folder)
    assert error.file == str(file)
    assert error.line == line
    for word in words:
        assert word in error.message


FILES = ["part_locs.txt", "part_click_locs.txt", "parts.txt", "images.txt", "train_test_split.txt"]


@pytest.mark.parametrize("name", FILES)
def test_a_folder_in_place_of_a_file_is_named(folder: Path, name: str) -> None:
    file = find(folder, name)
    file.unlink()
    file.mkdir()
    error = read_error(folder)
    assert (error.file, error.line) == (str(file), None)
    assert error.message == "expected a file, found a folder"


@pytest.mark.parametrize("name", FILES)
def test_a_link_to_nothing_is_named(folder: Path, name: str) -> None:
    file = find(folder, name)
    file.unlink()
    file.symlink_to("nothing")
    error = read_error(folder)
    assert (error.file, error.line) == (str(file), None)
    assert "No such file" in error.message


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_may_not_be_read_is_named(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A superuser may read every file, so the refusal is put in by hand.
    read = Path.read_bytes

    def refuse(file: Path) -> bytes:
        if file.name == name:
            raise PermissionError(errno.EACCES, "Permission denied", str(file))
        return read(file)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    error = read_error(folder)
    assert (error.file, error.line) == (str(find(folder, name)), None)
    assert "Permission denied" in error.message


def test_a_folder_that_may_not_be_listed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(place: object) -> list[str]:
        raise PermissionError(errno.EACCES, "Permission denied", str(place))

    monkeypatch.setattr("os.listdir", refuse)
    error = read_error(folder)
    assert error.file == str(folder)
    assert "Permission denied" in error.message


def test_no_such_folder(tmp_path: Path) -> None:
    error = read_error(tmp_path / "nowhere")
    assert error.file == str(tmp_path / "nowhere")
    assert error.message == "expected a folder, found nothing of that name"


def test_a_file_in_place_of_the_folder(folder: Path) -> None:
    file = find(folder, "part_locs.txt")
    error = read_error(file)
    assert error.file == str(file)
    assert error.message == "expected a folder, found a file"


def test_a_path_that_no_folder_can_have(tmp_path: Path) -> None:
    assert "null" in read_error(tmp_path / "a\0b").message


def test_a_folder_without_the_files(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    error = read_error(tmp_path)
    assert error.file == str(tmp_path)
    assert "part_locs.txt" in error.message
    assert error.message.endswith("found none")


def test_a_folder_with_several_datasets_names_them(tmp_path: Path) -> None:
    dataset = random_dataset(1)
    for name in ("one", "two"):
        write_cub(tmp_path / name, dataset)
    error = read_error(tmp_path)
    assert error.file == str(tmp_path)
    assert error.message.endswith(f"found {tmp_path / 'one'}, {tmp_path / 'two'}")


@pytest.mark.parametrize("name", FILES[:3])
def test_a_file_in_both_of_its_places_is_an_error(folder: Path, name: str) -> None:
    (folder / name).write_bytes(find(folder, name).read_bytes())
    error = read_error(folder)
    assert error.file == str(folder / "parts" / name)
    assert str(folder / name) in error.message


# Both ways of reading numbers, and damaged files.


@pytest.mark.parametrize("seed", range(3))
def test_reading_line_by_line_gives_the_same(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = random_dataset(seed, ragged=True, whole=False)
    folder = write_cub(tmp_path, dataset)
    at_once = read_cub(folder)
    monkeypatch.setattr(lines, "_parse_at_once", lambda text, fields: None)
    assert_same(read_cub(folder), at_once)


NUMBERS = st.sampled_from(
    ["0", "1", "15", "+7", "-3", "007", "1.5", ".5", "5.", "1e3", "-1E-2", "nan", "-Inf"]
) | st.text("0123456789+-.eEinfa_ \t\r\x0b\u00a0", max_size=4)


@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4))
@settings(max_examples=500)
def test_both_ways_of_reading_accept_the_same(texts: list[str]) -> None:
    text = "\n".join(texts).rstrip(" \t\r\n")
    fields = np.dtype([("number", np.int64), ("place", np.float64)])
    fast = lines._parse_at_once(text, fields) if text else None
    if fast is not None:
        slow = lines._parse_by_line(text, Path("file"), fields)
        for name in ("number", "place"):
            np.testing.assert_array_equal(fast[name], slow[name])


def test_good_files_take_the_fast_way() -> None:
    dataset = random_dataset(1)
    assert dataset.clicks is not None
    for fields, rows in (
        (lines.LOCATION_LINE, location_lines(dataset.image_id, dataset.given)),
        (lines.CLICK_LINE, click_lines(dataset.image_id, dataset.clicks)),
    ):
        for line_end in ("\n", "\r\n"):
            text = line_end.join(" ".join(map(str, row)) for row in rows)
            assert lines._parse_at_once(text, fields) is not None


DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(FILES),
        st.floats(0, 1),
        st.integers(0, 3),
        st.binary(max_size=3)
        | st.sampled_from([b"\n", b"\r", b" ", b"nan", b"-", b"0", b"99", b"1e999", b"\x00"]),
    ),
    min_size=1,
    max_size=3,
)


@given(damage=DAMAGE)
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_read_or_refused(
    damage: list[tuple[str, float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    write_cub(folder, random_dataset(10, images=2, workers=2))
    for name, where, removed, added in damage:
        file = find(folder, name)
        content = file.read_bytes()
        at = int(where * len(content))
        file.write_bytes(content[:at] + added + content[at + removed :])
    try:
        found = read_cub(folder)
    except InputError as error:
        check_form(error, folder)
    else:
        assert found.given.visible.shape == (len(found.image_id), 15)
        assert np.isfinite(found.given.location[found.given.visible]).all()


def test_answers_of_a_pair_beyond_any_use_are_refused(tmp_path: Path) -> None:
    dataset = random_dataset(3, images=2)
    write_cub(tmp_path, dataset)
    clicks = tmp_path / "parts" / "part_click_locs.txt"
    before = clicks.read_text().splitlines()
    image = int(dataset.image_id[0])
    own = sum(line.split()[:2] == [str(image), "1"] for line in before)
    more = [f"{image} 1 5.0 6.0 1 0"] * (MOST_ANSWERS - own)
    clicks.write_text("\n".join([*before, *more]) + "\n")
    found = read_cub(tmp_path).clicks
    assert found is not None
    assert found.answered.shape[1] == MOST_ANSWERS
    clicks.write_text("\n".join([*before, *more, more[0]]) + "\n")
    with pytest.raises(InputError, match="expected at most 1000 answers of a pair") as caught:
        read_cub(tmp_path)
    assert caught.value.line == len(before) + len(more) + 1


@pytest.mark.parametrize("word", ["1" * 20_000 + "z", "0" * 20_000 + "z", "1" * 20_000 + ".z"])
def test_a_long_field_is_refused_without_trying_every_way_to_read_it(
    tmp_path: Path, word: str
) -> None:
    dataset = random_dataset(3, images=2)
    write_cub(tmp_path, dataset)
    locations = tmp_path / "parts" / "part_locs.txt"
    first, *rest = locations.read_text().splitlines()
    image, part, _, y, visible = first.split()
    locations.write_text("\n".join([f"{image} {part} {word} {y} {visible}", *rest]) + "\n")
    start = time.process_time()
    with pytest.raises(InputError, match=r"expected a number as x, found '[01]{50,60}"):
        read_cub(tmp_path)
    # Quadratic time took over ten seconds.
    assert time.process_time() - start < 3
