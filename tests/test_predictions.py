"""Reading prediction files, and picking from them what is scored."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubspec.data import PARTS, Floats, InputError, Integers, Prediction
from cubspec.predictions import PredictionFile, align, read_predictions
from tests.writing import (
    PLAIN,
    Style,
    coco_results,
    random_dataset,
    random_prediction,
    write_coco,
    write_csv,
    write_json,
    write_npz,
    write_part_locs,
    write_text,
)

DATASET = random_dataset(20, images=4, gaps=True)
IDS = DATASET.image_id
PREDICTION = random_prediction(21, DATASET)
ALL_PARTS = np.ones(15, dtype=bool)
OTHER_NAMES = tuple(f"part {letter}" for letter in "abcdefghijklmno")

Writer = Callable[[Path, Integers, Prediction], Path]

WRITERS: dict[str, Writer] = {
    "csv": write_csv,
    "part_locs": write_part_locs,
    "npz": write_npz,
    "coco": write_coco,
}


def assert_holds(found: PredictionFile, prediction: Prediction) -> None:
    """Fail unless a file holds these predictions of every part of every image of IDS."""
    np.testing.assert_array_equal(found.image_id, IDS)
    assert found.present.all()
    assert found.present.shape == prediction.visible.shape
    assert found.visible.dtype == found.present.dtype == np.bool_
    assert found.location.dtype == np.float64
    np.testing.assert_array_equal(found.visible, prediction.visible)
    np.testing.assert_array_equal(found.location, prediction.location)


def read_error(file: Path, **options: Any) -> InputError:
    """The error that reading raises."""
    with pytest.raises(InputError) as caught:
        read_predictions(file, **options)
    check_form(caught.value, file)
    return caught.value


def check_form(error: InputError, file: Path) -> None:
    """Fail unless an error has the form of all of them and names the file."""
    assert error.file == str(file)
    assert "\n" not in str(error)
    assert "expected " in error.message
    assert ", found " in error.message


def check_words(error: InputError, words: Sequence[str]) -> None:
    for word in words:
        assert word in error.message


# Every format.


@pytest.mark.parametrize("name", ["predictions", "a.csv", "a.npz", "a.json", "part_locs.txt"])
@pytest.mark.parametrize("kind", WRITERS)
def test_the_format_is_told_from_the_content(tmp_path: Path, kind: str, name: str) -> None:
    file = WRITERS[kind](tmp_path / name, IDS, PREDICTION)
    found = read_predictions(str(file))
    assert found.format == kind
    assert found.path == str(file)
    assert found.parts == PARTS
    assert found.notes == ()
    assert found.visible_above == (0.0 if kind == "coco" else None)
    assert_holds(found, PREDICTION)


@pytest.mark.parametrize("kind", WRITERS)
def test_images_may_come_in_any_order(tmp_path: Path, kind: str) -> None:
    turned = Prediction(PREDICTION.visible[::-1], PREDICTION.location[::-1])
    assert_holds(read_predictions(WRITERS[kind](tmp_path / "file", IDS[::-1], turned)), PREDICTION)


@pytest.mark.parametrize("kind", WRITERS)
def test_locations_of_invisible_parts_are_ignored(tmp_path: Path, kind: str) -> None:
    somewhere = Prediction(PREDICTION.visible, np.nan_to_num(PREDICTION.location, nan=99.0))
    assert_holds(read_predictions(WRITERS[kind](tmp_path / "file", IDS, somewhere)), PREDICTION)


@pytest.mark.parametrize("kind", WRITERS)
def test_locations_that_look_normalized_are_noted(tmp_path: Path, kind: str) -> None:
    small = np.clip(PREDICTION.location / 400, 0, 1.5)
    found = read_predictions(
        WRITERS[kind](tmp_path / "file", IDS, Prediction(PREDICTION.visible, small))
    )
    (note,) = found.notes
    assert "pixels are expected" in note


@pytest.mark.parametrize("odd", [1.51, -0.01])
def test_one_location_outside_is_enough_for_pixels(tmp_path: Path, odd: float) -> None:
    location = np.full((4, 15, 2), 0.5)
    image, part = np.argwhere(PREDICTION.visible)[-1]
    location[image, part, 1] = odd
    prediction = Prediction(PREDICTION.visible, location)
    assert read_predictions(write_npz(tmp_path / "file", IDS, prediction)).notes == ()


def test_nothing_visible_does_not_look_normalized(tmp_path: Path) -> None:
    nothing = Prediction(np.zeros((4, 15), bool), np.full((4, 15, 2), np.nan))
    assert read_predictions(write_npz(tmp_path / "file", IDS, nothing)).notes == ()


@pytest.mark.parametrize("kind", ["csv", "part_locs", "npz"])
def test_a_threshold_without_effect_is_noted(tmp_path: Path, kind: str) -> None:
    found = read_predictions(WRITERS[kind](tmp_path / "file", IDS, PREDICTION), visible_above=0.5)
    assert found.visible_above is None
    (note,) = found.notes
    assert "--visible-above has no effect" in note


@pytest.mark.parametrize("threshold", [np.nan, np.inf])
def test_a_threshold_that_is_no_number(tmp_path: Path, threshold: float) -> None:
    file = write_coco(tmp_path / "file", IDS, PREDICTION)
    with pytest.raises(InputError, match="visible-above to be a finite number, found"):
        read_predictions(file, visible_above=threshold)


STYLES = [
    Style(line_end="\r\n"),
    Style(byte_order_mark=True),
    Style(line_end="\r\n", byte_order_mark=True, last_lines="\r\n\r\n"),
]


@pytest.mark.parametrize("style", [*STYLES, Style(separator=" \t")], ids=repr)
def test_every_layout_of_part_locs(tmp_path: Path, style: Style) -> None:
    file = write_part_locs(tmp_path / "file", IDS, PREDICTION, style=style)
    assert_holds(read_predictions(file), PREDICTION)


@pytest.mark.parametrize("style", [PLAIN, *STYLES], ids=repr)
@pytest.mark.parametrize("by_name", [True, False])
def test_every_layout_of_csv(tmp_path: Path, style: Style, by_name: bool) -> None:
    file = write_csv(
        tmp_path / "file", IDS, PREDICTION, style=style, by_name=by_name, parts=OTHER_NAMES
    )
    found = read_predictions(file, OTHER_NAMES)
    assert found.parts == OTHER_NAMES
    assert_holds(found, PREDICTION)


CONTENTS_THAT_ARE_NONE = [
    (b"", None, ["at least one line", "empty file"]),
    (b"\xef\xbb\xbf \r\n", None, ["at least one line", "empty file"]),
    (b"beak back\n", 1, ["CSV header", "part_locs.txt", "JSON", "npz", "'beak back'"]),
    (b"\n1 1 2 3 1\n", 1, ["CSV header", "blank line"]),
    (b"image_id part x y visible\n1 1 2 3 1\n", 1, ["CSV header", "'image_id part x y visible'"]),
    (b"\xff\xfe1\x00", 1, ["UTF-8", "0xff"]),
    (b"\x93NUMPY", 1, ["UTF-8", "0x93"]),
    (b"1 1 2 3 1\n1 2 2 3\x00 1\n", 2, ["UTF-8", "0x00"]),
    (b'"text"', 1, ["CSV header", "text"]),
]


@pytest.mark.parametrize(("content", "line", "words"), CONTENTS_THAT_ARE_NONE)
def test_a_file_of_no_format(
    tmp_path: Path, content: bytes, line: int | None, words: list[str]
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    error = read_error(file)
    assert error.line == line
    check_words(error, words)


def test_no_such_file(tmp_path: Path) -> None:
    check_words(read_error(tmp_path / "nothing"), ["No such file"])


def test_a_path_that_no_file_can_have(tmp_path: Path) -> None:
    check_words(read_error(tmp_path / "a\0b"), ["null"])


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    assert read_error(tmp_path).message == "expected a file, found a folder"


# CSV.

HEADER = "image_id,part,x,y,visible"


def test_a_csv_file_worked_by_hand(tmp_path: Path) -> None:
    file = write_text(
        tmp_path / "file",
        [
            ' y , "visible",score, image_id ,x, part,score',
            '2.5,TRUE,.9,7,"1e2", left eye ,.8',
            ",False,.9,7,,8,.8",
            '3,1,"a, b",3,-4,beak,.8',
            '0,0,"two\nlines",7,nan,tail,.8',
            " , 0 ,.9,3, , 1 ,.8",
        ],
    )
    found = read_predictions(file)
    assert found.image_id.tolist() == [3, 7]
    assert [tuple(pair) for pair in np.argwhere(found.present).tolist()] == [
        (0, 0),
        (0, 1),
        (1, 6),
        (1, 7),
        (1, 13),
    ]
    assert [tuple(pair) for pair in np.argwhere(found.visible).tolist()] == [(0, 1), (1, 6)]
    assert found.location[0, 1].tolist() == [-4, 3]
    assert found.location[1, 6].tolist() == [100, 2.5]
    assert np.isnan(found.location).sum() == 2 * (2 * 15 - 2)


BAD_CSV = [
    (["image_id,part,x,y", "1,1,2,3"], 1, ["image_id, part, x, y, visible", "no visible"]),
    (["image_id,part,x,y,Visible", "1,1,2,3,1"], 1, ["no visible"]),
    ([f"{HEADER}, x", "1,1,2,3,1,2"], 1, ["each once", "x 2 times"]),
    (["1,1,2,3,1"], 1, ["no image_id"]),
    ([HEADER], None, ["at least one prediction", "only a header"]),
    ([HEADER, "", ""], None, ["at least one prediction", "only a header"]),
    ([HEADER, "1,1,2,3,1", "", "1,2,2,3,1"], 3, ["expected 5 fields", "blank line"]),
    ([HEADER, "1,1,2,3,1", "1,2,2,3"], 3, ["expected 5 fields", "found 4 fields"]),
    ([HEADER, "1,1,2,3,1", "1,2,2,3,1,"], 3, ["expected 5 fields", "found 6 fields"]),
    ([HEADER, "1.0,1,2,3,1"], 2, ["whole number as image_id", "'1.0'"]),
    ([HEADER, "bird.jpg,1,2,3,1"], 2, ["whole number as image_id", "'bird.jpg'"]),
    ([HEADER, "0,1,2,3,1"], 2, ["image id of at least 1", "found 0"]),
    ([HEADER, f"{2**63},1,2,3,1"], 2, ["image_id", "at most", f"'{2**63}'"]),
    ([HEADER, "1,Beak,2,3,1"], 2, ["part by id or name", "'Beak'", "did you mean beak?"]),
    ([HEADER, "1,16,2,3,1"], 2, ["part id from 1 to 15", "found 16"]),
    ([HEADER, "1,-1,2,3,1"], 2, ["part id from 1 to 15", "found -1"]),
    ([HEADER, "1,1.0,2,3,1"], 2, ["part by id or name", "'1.0'"]),
    ([HEADER, "1,,2,3,1"], 2, ["part by id or name", "''"]),
    ([HEADER, "1,1,2,3,2"], 2, ["visible to be 0, 1, true or false", "'2'"]),
    ([HEADER, "1,1,2,3,yes"], 2, ["visible to be 0, 1, true or false", "'yes'"]),
    ([HEADER, "1,1,2,3,"], 2, ["visible to be 0, 1, true or false", "''"]),
    ([HEADER, "1,1,2,3,1.0"], 2, ["visible to be 0, 1, true or false", "'1.0'"]),
    ([HEADER, "1,1,,3,1"], 2, ["number as x", "''"]),
    ([HEADER, "1,1,2,,true"], 2, ["number as y", "''"]),
    ([HEADER, "1,1,2,1_0,1"], 2, ["number as y", "'1_0'"]),
    ([HEADER, "1,1,none,3,0"], 2, ["number as x", "'none'"]),
    ([HEADER, "1,2,2,3,1", "1,1,nan,3,1"], 3, ["finite x and y", "nan 3.0"]),
    ([HEADER, "1,2,2,3,1", "1,1,2,-inf,1"], 3, ["finite x and y", "2.0 -inf"]),
    ([HEADER, "1,2,2,3,1", "1,1,1,1,1", "1,beak,,,0"], 4, ["image 1, part 2 (beak)", "line 2"]),
    ([f"{HEADER},n", '1,1,2,3,1,"a\nb"', "1,2,2,3,3,c"], 4, ["visible", "'3'"]),
    ([HEADER, '1,"1,2,3,1', "1,2,2,3,1"], 2, ["record of CSV", "unexpected end of data"]),
    ([HEADER, "1,1,2,3,1", '1,"2"2,2,3,1'], 3, ["record of CSV"]),
    ([HEADER, "1,1,2,3,1", "1,2\r,2,3,1"], 3, ["record of CSV"]),
    ([HEADER, f"1,1,2,3,1{' ' * 200000}", "1,2,2,3,1"], 2, ["record of CSV", "limit"]),
]


@pytest.mark.parametrize("style", [PLAIN, Style(line_end="\r\n", byte_order_mark=True)], ids=repr)
@pytest.mark.parametrize(("lines", "line", "words"), BAD_CSV)
def test_a_bad_line_of_csv(
    tmp_path: Path, lines: list[str], line: int | None, words: list[str], style: Style
) -> None:
    error = read_error(write_text(tmp_path / "file", lines, style))
    assert error.line == line
    check_words(error, words)


def test_names_of_parts_are_those_given(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "file", IDS, PREDICTION)
    error = read_error(file, parts=OTHER_NAMES)
    assert error.line == 2
    check_words(error, ["part a, part b", "'back'"])


# The layout of part_locs.txt; what cub.py and this format share is tested with the former.

BAD_LOCATIONS = [
    (["1 1 2 3 1", "1 2 2 3"], 2, ["expected 5 fields", "found 4"]),
    (["1 1 2 3 1", "", "1 2 2 3 1"], 2, ["expected 5 fields", "blank line"]),
    (["1 1 2 3 1", "1 beak 2 3 1"], 2, ["whole number as part_id", "'beak'"]),
    (["1 1 2 3 1", "1 2 2 inf 1"], 2, ["finite x and y", "2.0 inf"]),
    (["1 1 2 3 1", "1 2 2 3 0.7"], 2, ["whole number as visible", "'0.7'"]),
    (["1 1 2 3 1", "1 2 2 3 2"], 2, ["visible to be 0 or 1", "found 2"]),
    (["1 1 2 3 1", "1 0 2 3 1"], 2, ["part id from 1 to 15", "found 0"]),
    (["1 1 2 3 1", "0 1 2 3 1"], 2, ["image id of at least 1", "found 0"]),
    (["4 2 2 3 1", "1 1 2 3 1", "4 2 0 0 0"], 3, ["image 4, part 2 (beak)", "once", "line 1"]),
    (["0.5 1 2 3 1"], 1, ["whole number as image_id", "'0.5'"]),
]


@pytest.mark.parametrize(("lines", "line", "words"), BAD_LOCATIONS)
def test_a_bad_line_of_part_locs(
    tmp_path: Path, lines: list[str], line: int, words: list[str]
) -> None:
    error = read_error(write_text(tmp_path / "file", lines))
    assert error.line == line
    check_words(error, words)


def test_part_locs_may_lack_pairs(tmp_path: Path) -> None:
    found = read_predictions(write_text(tmp_path / "file", ["9 2 3 4 1", "4 15 0 0 0"]))
    assert found.image_id.tolist() == [4, 9]
    assert np.argwhere(found.present).tolist() == [[0, 14], [1, 1]]


# NumPy archives.

GOOD: dict[str, Any] = {
    "image_id": IDS,
    "xy": np.nan_to_num(PREDICTION.location),
    "visible": PREDICTION.visible,
}


def write_arrays(file: Path, **arrays: Any) -> Path:
    with file.open("wb") as stream:
        np.savez(stream, **arrays)
    return file


@pytest.mark.parametrize(
    "changed",
    [
        {"image_id": IDS.astype(np.uint8)},
        {"image_id": IDS.astype(">i4")},
        {"image_id": IDS.astype(np.uint64)},
        {"visible": PREDICTION.visible.astype(np.int8)},
        {"visible": PREDICTION.visible.astype(np.float32)},
        {"xy": np.asfortranarray(PREDICTION.location)},
        {"xy": PREDICTION.location.astype(np.longdouble)},
        {"score": np.array([None])},
    ],
    ids=repr,
)
def test_every_type_of_array_that_serves(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert_holds(read_predictions(write_arrays(tmp_path / "file", **GOOD | changed)), PREDICTION)


def test_locations_of_lower_precision_and_a_compressed_archive(tmp_path: Path) -> None:
    location = np.round(PREDICTION.location)
    for kind in (np.float16, np.float32, np.int16):
        with (tmp_path / "file").open("wb") as stream:
            np.savez_compressed(stream, **GOOD | {"xy": np.nan_to_num(location).astype(kind)})
        found = read_predictions(tmp_path / "file")
        assert_holds(found, Prediction(PREDICTION.visible, location))


def changed(name: str, index: tuple[int, ...], value: Any, kind: Any = None) -> dict[str, Any]:
    """An array of GOOD with one item changed."""
    array = np.array(GOOD[name], dtype=kind)
    array[index] = value
    return {name: array}


SEEN = tuple(np.argwhere(PREDICTION.visible)[3].tolist())

BAD_ARRAYS: list[tuple[dict[str, Any], list[str]]] = [
    ({"image_id": IDS.astype(float)}, ["array image_id", "whole numbers", "float64"]),
    ({"image_id": IDS.astype(str)}, ["array image_id", "whole numbers", "<U"]),
    ({"image_id": IDS > 0}, ["array image_id", "whole numbers", "bool"]),
    ({"image_id": IDS.astype(object)}, ["array image_id", "Object arrays", "allow_pickle"]),
    ({"image_id": IDS[:, None]}, ["array image_id", "shape (4,)", "(4, 1)"]),
    ({"image_id": np.int64(3)}, ["array image_id", "shape (1,)", "()"]),
    ({"image_id": IDS[:3]}, ["array xy", "shape (3, 15, 2)", "(4, 15, 2)"]),
    (changed("image_id", (2,), 0), ["array image_id", "found 0 at [2]"]),
    (changed("image_id", (1,), -7), ["array image_id", "found -7 at [1]"]),
    (changed("image_id", (3,), 2**63, np.uint64), ["array image_id", f"found {2**63} at [3]"]),
    (changed("image_id", (2,), IDS[0]), ["once", "image_id", f"found {IDS[0]} at [0] and [2]"]),
    ({"xy": GOOD["xy"][..., 0]}, ["array xy", "shape (4, 15, 2)", "(4, 15)"]),
    ({"xy": GOOD["xy"][:, :13]}, ["array xy", "shape (4, 15, 2)", "(4, 13, 2)"]),
    ({"xy": np.zeros((4, 15, 3))}, ["array xy", "shape (4, 15, 2)", "(4, 15, 3)"]),
    ({"xy": GOOD["xy"].astype(complex)}, ["array xy", "numbers", "complex128"]),
    ({"xy": GOOD["xy"].astype(bool)}, ["array xy", "numbers", "bool"]),
    ({"xy": GOOD["xy"].astype("S8")}, ["array xy", "numbers", "S8"]),
    ({"xy": GOOD["xy"].astype(object)}, ["array xy", "Object arrays"]),
    ({"xy": GOOD["xy"].astype([("x", float)])}, ["array xy", "numbers"]),
    (
        changed("xy", (*SEEN, 1), np.nan),
        ["array xy", "finite", f"nan at [{SEEN[0]}, {SEEN[1]}, 1]"],
    ),
    (changed("xy", (*SEEN, 0), -np.inf), ["array xy", "finite", "-inf at"]),
    (changed("xy", (*SEEN, 0), np.longdouble("1e400"), np.longdouble), ["xy", "finite", "1e+400"]),
    ({"visible": PREDICTION.visible[:, :14]}, ["array visible", "shape (4, 15)", "(4, 14)"]),
    ({"visible": PREDICTION.visible.astype("U1")}, ["array visible", "booleans", "<U1"]),
    ({"visible": PREDICTION.visible.astype(object)}, ["array visible", "Object arrays"]),
    (changed("visible", (1, 2), 2, int), ["0 or 1", "array visible", "found 2 at [1, 2]"]),
    (changed("visible", (1, 2), 0.7, float), ["0 or 1", "array visible", "found 0.7 at [1, 2]"]),
    (changed("visible", (1, 2), np.nan, float), ["0 or 1", "array visible", "found nan"]),
]


@pytest.mark.parametrize(("change", "words"), BAD_ARRAYS)
def test_a_bad_array(tmp_path: Path, change: dict[str, Any], words: list[str]) -> None:
    error = read_error(write_arrays(tmp_path / "file", **GOOD | change))
    assert error.line is None
    check_words(error, words)


@pytest.mark.parametrize("name", GOOD)
def test_an_archive_without_an_array(tmp_path: Path, name: str) -> None:
    others = {other: array for other, array in GOOD.items() if other != name}
    error = read_error(write_arrays(tmp_path / "file", **others, Name=IDS))
    check_words(error, [f"found no {name}", *others, "Name"])


def test_an_archive_without_images(tmp_path: Path) -> None:
    nothing = {name: array[:0] for name, array in GOOD.items()}
    check_words(
        read_error(write_arrays(tmp_path / "file", **nothing)), ["at least one prediction", "empty"]
    )


def test_an_empty_archive(tmp_path: Path) -> None:
    check_words(read_error(write_arrays(tmp_path / "file")), ["no image_id", "holds nothing"])


def test_another_kind_of_archive(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("document.xml", "<text/>")
    check_words(read_error(file), ["no image_id", "document.xml"])
    with zipfile.ZipFile(file, "w") as archive:
        for name in GOOD:
            archive.writestr(name, "1 2 3")
    check_words(read_error(file), ["image_id to be a NumPy array", "other data"])


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path(tmp_path / "sprung").touch, ())

    trap = np.empty(4, dtype=object)
    trap[:] = [Trap() for _ in range(4)]
    read_error(write_arrays(tmp_path / "file", **GOOD | {"image_id": trap}))
    assert not (tmp_path / "sprung").exists()


def test_an_archive_cut_short(tmp_path: Path) -> None:
    file = write_npz(tmp_path / "file", IDS, PREDICTION)
    content = file.read_bytes()
    for length in range(4, len(content), 37):
        file.write_bytes(content[:length])
        check_words(read_error(file), ["NumPy .npz archive", "an error"])


def test_an_archive_with_a_damaged_array(tmp_path: Path) -> None:
    file = write_npz(tmp_path / "file", IDS, PREDICTION)
    content = bytearray(file.read_bytes())
    content[content.index(b"xy.npy") + 600] ^= 0xFF
    file.write_bytes(content)
    check_words(read_error(file), ["the array xy", "CRC"])


# COCO keypoint results.


def results(*changes: Callable[[Any], Any]) -> list[Any]:
    """Good results after some changes, each of which may return another value or change it."""
    found: Any = coco_results(IDS, PREDICTION)
    for change in changes:
        found = change(found) or found
    return found  # type: ignore[no-any-return]


def setting(entry: int, key: str, value: Any) -> Callable[[Any], Any]:
    """Set a key of an entry."""
    return lambda found: found[entry].__setitem__(key, value)


def keypoint(entry: int, at: int, value: Any) -> Callable[[Any], Any]:
    """Set one of the 45 numbers of an entry."""
    return lambda found: found[entry]["keypoints"].__setitem__(at, value)


def test_keys_that_play_no_part(tmp_path: Path) -> None:
    file = write_json(
        tmp_path / "file",
        results(
            setting(0, "bbox", [1, 2, 3, 4]),
            setting(1, "score", "high"),
            lambda found: found[2].pop("score") and None,
        ),
    )
    assert_holds(read_predictions(file), PREDICTION)


def test_layout_of_json_plays_no_part(tmp_path: Path) -> None:
    text = json.dumps(results(), indent=1).replace("\n", "\r\n")
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbf\r\n\t" + text.encode() + b"\r\n\r\n")
    assert_holds(read_predictions(tmp_path / "file"), PREDICTION)


def test_coco_visibility_is_taken_as_it_stands(tmp_path: Path) -> None:
    value = np.where(PREDICTION.visible, 1 + np.arange(15) % 2, 0)
    assert_holds(
        read_predictions(write_coco(tmp_path / "file", IDS, PREDICTION, value)), PREDICTION
    )


@pytest.mark.parametrize("threshold", [-1, 0, 0.25, 0.5, 1, None])
def test_confidences_are_compared_with_the_threshold(
    tmp_path: Path, threshold: float | None
) -> None:
    value: Floats = np.linspace(0, 1, 60).reshape(4, 15)
    value[0, 1], value[2, 2] = 0.25, 0.5
    location = np.arange(120.0).reshape(4, 15, 2)
    everywhere = Prediction(np.ones((4, 15), bool), location)
    file = write_coco(tmp_path / "file", IDS, everywhere, value)
    found = read_predictions(file, visible_above=threshold)
    visible = value > (threshold or 0)
    assert_holds(found, Prediction(visible, np.where(visible[..., None], location, np.nan)))
    assert found.visible_above == (threshold or 0)
    if threshold is None:
        (note,) = found.notes
        assert "confidences" in note
        assert "--visible-above" in note
    else:
        assert found.notes == ()


def test_of_several_entries_the_highest_score_counts(tmp_path: Path) -> None:
    others = Prediction(~PREDICTION.visible, np.full((4, 15, 2), 50.0))
    better, worse = results(), coco_results(IDS, others)
    for one, other, high, low in zip(
        better, worse, (0.5, 3, -1.5, 7), (0.25, -3, -2, 7), strict=True
    ):
        one["score"], other["score"] = high, low
    file = write_json(tmp_path / "file", [*worse[:3], *better, *worse[3:], worse[0]])
    found = read_predictions(file)
    assert_holds(found, PREDICTION)
    (note,) = found.notes
    assert "Of 4 images" in note
    assert "5 others ignored" in note
    (note,) = read_predictions(write_json(file, [*better, worse[2]])).notes
    assert "Of 1 image the" in note
    assert "1 other ignored" in note


BAD_RESULTS: list[tuple[Any, list[str]]] = [
    ({"annotations": results()}, ["list of COCO keypoint results", "data set (annotations)"]),
    ({"image_id": 1}, ["list of COCO keypoint results", "an object"]),
    ([], ["at least one prediction", "empty list"]),
    (results(lambda found: [*found[:2], [1]]), ["entry 2: expected an object", "[1]"]),
    (results(lambda found: found[3].pop("image_id") and None), ["entry 3: expected image_id"]),
    (results(lambda found: found[3].pop("keypoints") and None), ["entry 3: expected keypoints"]),
    (results(setting(1, "image_id", "7")), ["entry 1", "image_id", "whole number", "'7'"]),
    (results(setting(1, "image_id", 7.0)), ["entry 1", "image_id", "whole number", "7.0"]),
    (results(setting(1, "image_id", True)), ["entry 1", "image_id", "whole number", "True"]),
    (results(setting(1, "image_id", None)), ["entry 1", "image_id", "whole number", "None"]),
    (results(setting(1, "image_id", 0)), ["entry 1", "image_id", "from 1", "found 0"]),
    (results(setting(1, "image_id", 2**63)), ["entry 1", "image_id", f"found {2**63}"]),
    (results(setting(1, "keypoints", {})), ["entry 1", "45 numbers", "found {}"]),
    (results(setting(1, "keypoints", [0] * 51)), ["entry 1", "45 numbers", "found 51"]),
    (results(setting(1, "keypoints", [])), ["entry 1", "45 numbers", "found 0"]),
    (results(setting(1, "keypoints", [[1, 2, 2]] * 15)), ["45 numbers", "[1, 2, 2] at [0]"]),
    (results(keypoint(2, 4, "5")), ["entry 2", "45 numbers", "found '5' at [4]"]),
    (results(keypoint(2, 4, None)), ["entry 2", "45 numbers", "found None at [4]"]),
    (results(keypoint(2, 5, True)), ["entry 2", "45 numbers", "found True at [5]"]),
    (results(keypoint(2, 5, np.nan)), ["entry 2", "finite", "found nan at [5]"]),
    (results(keypoint(2, 5, np.inf)), ["entry 2", "finite", "found inf at [5]"]),
    (results(keypoint(2, 5, 1), keypoint(2, 3, np.nan)), ["entry 2", "finite", "nan at [3]"]),
    (results(keypoint(2, 5, 1), keypoint(2, 4, -np.inf)), ["entry 2", "finite", "-inf at [4]"]),
    (results(keypoint(2, 4, 10**400)), ["entry 2", "45 numbers", "1000000", "at [4]"]),
    (
        results(setting(2, "image_id", 1), setting(1, "image_id", 1), setting(1, "score", None)),
        ["entry 1", "finite number as score", "image 1 has 2 entries", "found none"],
    ),
    (
        results(setting(2, "image_id", 1), setting(1, "image_id", 1), setting(2, "score", "0.5")),
        ["entry 2", "finite number as score", "found '0.5'"],
    ),
    (
        results(setting(2, "image_id", 1), setting(1, "image_id", 1), setting(2, "score", np.nan)),
        ["entry 2", "finite number as score", "found nan"],
    ),
    (
        results(setting(2, "image_id", 1), setting(1, "image_id", 1), setting(2, "score", True)),
        ["entry 2", "finite number as score", "found True"],
    ),
]


@pytest.mark.parametrize(("content", "words"), BAD_RESULTS)
def test_bad_results(tmp_path: Path, content: Any, words: list[str]) -> None:
    error = read_error(write_json(tmp_path / "file", content))
    assert error.line is None
    check_words(error, words)


def test_what_is_not_finite_but_plays_no_part(tmp_path: Path) -> None:
    image, part = np.argwhere(~PREDICTION.visible)[0].tolist()
    content = results(
        keypoint(image, 3 * part, np.nan),
        keypoint(image, 3 * part + 1, np.inf),
        setting(0, "score", np.nan),
    )
    assert_holds(read_predictions(write_json(tmp_path / "file", content)), PREDICTION)


def test_the_threshold_decides_which_locations_play_a_part(tmp_path: Path) -> None:
    value = np.where(PREDICTION.visible, 0.6, 0.4)
    results = coco_results(IDS, PREDICTION, value)
    image, part = np.argwhere(~PREDICTION.visible)[0].tolist()
    results[image]["keypoints"][3 * part] = np.nan
    file = write_json(tmp_path / "file", results)
    assert_holds(read_predictions(file, visible_above=0.5), PREDICTION)
    check_words(read_error(file), [f"entry {image}", "finite", f"nan at [{3 * part}]"])


BAD_JSON = [
    ('[\n{"image_id": 1,\n"keypoints" [1]}]', 3, ["expected JSON", "Expecting ':' delimiter"]),
    ('[\n{"image_id": 1,\n', 2, ["expected JSON"]),
    ("[1] 2", 1, ["expected JSON", "Extra data"]),
    ("[" * 100_000, None, ["expected JSON", "too deep nesting"]),
    (
        '[{"image_id": 1, "image_id": 2, "keypoints": []}]',
        None,
        ["expected each entry once", "'image_id' 2 times"],
    ),
    (f'[{{"image_id": {"9" * 5000}}}]', None, ["expected JSON", "digits"]),
]


@pytest.mark.parametrize(("text", "line", "words"), BAD_JSON)
def test_what_is_not_json(tmp_path: Path, text: str, line: int | None, words: list[str]) -> None:
    error = read_error(write_text(tmp_path / "file", [text]))
    assert error.line == line
    check_words(error, words)


# Picking what is scored.


def test_a_file_with_all_that_is_wanted(tmp_path: Path) -> None:
    for write in WRITERS.values():
        found, notes = align(
            read_predictions(write(tmp_path / "file", IDS, PREDICTION)), IDS, ALL_PARTS
        )
        np.testing.assert_array_equal(found.visible, PREDICTION.visible)
        np.testing.assert_array_equal(found.location, PREDICTION.location)
        assert notes == ()


def test_images_and_parts_are_picked_in_their_order(tmp_path: Path) -> None:
    file = read_predictions(write_npz(tmp_path / "file", IDS, PREDICTION))
    parts = np.isin(np.arange(15), [2, 3, 14])
    found, notes = align(file, IDS[[3, 1]], parts)
    np.testing.assert_array_equal(found.visible, PREDICTION.visible[[3, 1]][:, [2, 3, 14]])
    np.testing.assert_array_equal(found.location, PREDICTION.location[[3, 1]][:, [2, 3, 14]])
    (note,) = notes
    assert "30 predictions for 2 images not scored" in note


@pytest.fixture
def partial(tmp_path: Path) -> PredictionFile:
    """Predictions of some parts of images 2, 5 and 8."""
    lines = ["2 1 10 11 1", "2 3 12 13 1", "5 1 14 15 1", "5 3 0 0 0", "8 1 16 17 1"]
    return read_predictions(write_text(tmp_path / "file", lines))


WANTED = np.array([2, 5, 6, 9])
SCORED = np.isin(np.arange(15), [0, 2])


def test_missing_pairs_are_an_error_that_counts_them(partial: PredictionFile) -> None:
    with pytest.raises(InputError) as caught:
        align(partial, WANTED, SCORED)
    check_form(caught.value, Path(partial.path))
    assert caught.value.line is None
    check_words(caught.value, ["8 pairs", "none for 4 of them", "first image 6, part 1 (back)"])


def test_the_first_missing_pair_is_one_of_the_parts_scored(partial: PredictionFile) -> None:
    with pytest.raises(InputError, match=r"none for 1 of them, first image 8, part 3 \(belly\)"):
        align(partial, np.array([2, 8]), SCORED)


def test_missing_pairs_of_parts_that_are_not_scored_do_not_matter(partial: PredictionFile) -> None:
    found, _ = align(partial, WANTED[:2], SCORED)
    assert found.visible.tolist() == [[True, True], [True, False]]
    np.testing.assert_array_equal(
        found.location, [[[10, 11], [12, 13]], [[14, 15], [np.nan, np.nan]]]
    )


def test_missing_pairs_as_invisible(partial: PredictionFile) -> None:
    found, notes = align(partial, WANTED, SCORED, missing="invisible")
    assert found.visible.tolist() == [[True, True], [True, False], [False] * 2, [False] * 2]
    assert np.isnan(found.location[~found.visible]).all()
    assert found.location[1, 0].tolist() == [14, 15]
    missing, ignored = notes
    assert "4 of 8 pairs" in missing
    assert "1 prediction for 1 image not scored" in ignored


def test_nothing_missing_leaves_no_note(partial: PredictionFile) -> None:
    _, notes = align(partial, np.array([2, 5]), SCORED, missing="invisible")
    assert not any("pairs" in note for note in notes)


@pytest.mark.parametrize("missing", ["ignore", "Error", ""])
def test_another_way_to_treat_what_is_missing(partial: PredictionFile, missing: str) -> None:
    with pytest.raises(InputError, match=rf"missing \(error, invisible\), found '{missing}'"):
        align(partial, WANTED, SCORED, missing=missing)


# Damaged files.


def good_contents() -> list[bytes]:
    """A good file of every format."""
    small = Prediction(PREDICTION.visible[:2], PREDICTION.location[:2])
    packed = io.BytesIO()
    np.savez_compressed(packed, image_id=IDS[:2], xy=small.location, visible=small.visible)
    plain = io.BytesIO()
    np.savez(plain, image_id=IDS[:2], xy=small.location, visible=small.visible)
    return [
        b"image_id,part,x,y,visible\r\n1,beak,2.5,3,1\r\n1,2,,,false\r\n",
        b"1 1 2.5 3.0 1\n1 2 0.0 0.0 0\n2 1 nan nan 0\n",
        json.dumps(coco_results(IDS[:2], small)).encode(),
        packed.getvalue(),
        plain.getvalue(),
    ]


@given(
    content=st.sampled_from(good_contents()),
    damage=st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 3),
            st.binary(max_size=3)
            | st.sampled_from(
                [b"\n", b",", b'"', b"nan", b"-", b"0", b"9999", b"1e999", b"[", b"{"]
            ),
        ),
        min_size=1,
        max_size=3,
    ),
)
@settings(max_examples=1000, deadline=None)
def test_a_damaged_file_is_read_or_refused(
    content: bytes,
    damage: list[tuple[float, int, bytes]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    for where, removed, added in damage:
        at = int(where * len(content))
        content = content[:at] + added + content[at + removed :]
    file = tmp_path_factory.mktemp("damaged") / "file"
    file.write_bytes(content)
    try:
        found = read_predictions(file)
    except InputError as error:
        check_form(error, file)
    else:
        assert found.present.shape == (len(found.image_id), 15)
        assert (np.diff(found.image_id) > 0).all()
        assert np.isfinite(found.location[found.visible]).all()
        assert np.isnan(found.location[~found.visible]).all()
