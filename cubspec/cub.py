"""The dataset's annotation files, read into arrays.

The files are those of CUB-200-2011 (Wah et al. 2011; the dataset's README). Only part_locs.txt is
indispensable; whatever else is there must fit it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cubspec.data import PARTS, Booleans, Clicks, Dataset, Floats, InputError, Integers, Truth
from cubspec.lines import (
    CLICK_LINE,
    LOCATION_LINE,
    Check,
    PairLines,
    check_ids,
    counted,
    fail_at_first,
    pair_lines,
    pair_name,
    read_named,
    read_rows,
    shown,
    tabulate,
    unreadable,
)

COMPLETE_NAME = "CUB-200-2011"

COMPLETE_DIGEST = "7d7503221b6572653ce04976e5811267f251b1ed6d36c6039d59b159e1223c2a"
"""The digest of the complete dataset's part_locs.txt, all 11,788 images (see `truth_digest`)."""

SPLIT_SIZES = {"test": 5794, "train": 5994, "all": 11788}
"""Images of the complete dataset (Wah et al. 2011; the split that comes with it)."""

LOCATIONS = "part_locs.txt"
CLICKS = "part_click_locs.txt"
NAMES = "parts.txt"
IMAGES = "images.txt"
SPLIT = "train_test_split.txt"

MOST_ANSWERS = 1000
"""Answers of a pair that are taken; arrays have room for as many in every pair."""

SPLIT_LINE = np.dtype([("image_id", np.int64), ("is_training_image", np.int64)])


def read_cub(folder: str | Path) -> Dataset:
    """Read the annotation files of a folder.

    Parameters
    ----------
    folder : path
        The dataset's folder, the folder that holds it, or one in which all the files lie together.

    Returns
    -------
    dataset : Dataset
        Of the n images that part_locs.txt holds. `clicks` has as many worker slots as the pair
        with the most answers has answers, and at least one.

    Raises
    ------
    InputError
        Where a file cannot be read or used, or the files contradict each other; names the file
        and, where there is one, the line.

    Notes
    -----
    The files are described in the dataset's README and in Wah et al. (2011), section 2.
    """
    root = dataset_folder(Path(folder))
    parts = _part_names(find_file(root, NAMES))
    image_id, truth = _ground_truth(find_file(root, LOCATIONS) or root / LOCATIONS, parts)
    listed, training = _listed_images(root, image_id)
    answers, notes = _answers(find_file(root, CLICKS), parts, image_id, listed)
    clicks = None if answers is None else clicks_of(answers, image_id)
    digest = truth_digest(image_id, truth)
    return Dataset(
        image_id=image_id,
        parts=parts,
        given=truth,
        clicks=clicks,
        training=training,
        name=COMPLETE_NAME if digest == COMPLETE_DIGEST else digest[:8],
        clicks_name=None if clicks is None else clicks_digest(image_id, clicks)[:8],
        source=str(root),
        notes=notes,
    )


def dataset_folder(folder: Path, *, or_images: bool = False) -> Path:
    """The folder itself if it holds part_locs.txt, else the one folder in it that does.

    Parameters
    ----------
    folder : where to look
    or_images : where no folder holds part_locs.txt, take the one that holds images.txt

    Raises
    ------
    InputError
        Where there is no such folder, or more than one in this one.
    """
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        raise InputError("expected a folder, found nothing of that name", folder) from None
    except NotADirectoryError:
        raise InputError("expected a folder, found a file", folder) from None
    except (OSError, ValueError) as error:
        raise unreadable(folder, error) from None
    inside = [folder / name for name in names]
    found = _holding(folder, inside, LOCATIONS)
    if or_images and not found:
        found = _holding(folder, inside, IMAGES, within="")
    if len(found) != 1:
        wanted = f"parts/{LOCATIONS}, {LOCATIONS}" if or_images else f"parts/{LOCATIONS}"
        places = ", ".join(str(each) for each in found) or "none"
        raise InputError(
            f"expected this folder, or one folder in it, to hold {wanted} or "
            f"{IMAGES if or_images else LOCATIONS}, found {places}",
            folder,
        )
    return found[0]


def _holding(folder: Path, inside: list[Path], name: str, within: str = "parts") -> list[Path]:
    if _places(folder, name, within):
        return [folder]
    return [each for each in inside if _places(each, name, within)]


def _places(root: Path, name: str, within: str) -> list[Path]:
    places = dict.fromkeys((root / within / name, root / name))
    # lexists rather than exists: a broken link is to fail when it is read, not to be passed over.
    return [place for place in places if os.path.lexists(place)]


def find_file(root: Path, name: str, within: str = "parts") -> Path | None:
    """Where a file lies that belongs in a folder of the dataset's: there, or flat in `root`.

    Returns
    -------
    file : path, or None if it lies in neither

    Raises
    ------
    InputError
        Where it lies in both.
    """
    found = _places(root, name, within)
    if len(found) > 1:
        raise InputError(f"expected {name} once, found it here and at {found[1]}", found[0])
    return found[0] if found else None


def _part_names(file: Path | None) -> tuple[str, ...]:
    if file is None:
        return PARTS
    ids, names = read_named(file, ("part_id", "part_name"))
    for line, (part_id, name) in enumerate(zip(ids, names, strict=True), start=1):
        if part_id > len(PARTS):
            raise InputError(
                f"expected a part id from 1 to {len(PARTS)}, found {part_id}", file, line
            )
        if not name.isprintable():
            raise InputError(f"expected a printable name, found {shown(name)}", file, line)
        if name in names[: line - 1]:
            first = names.index(name) + 1
            raise InputError(
                f"expected part_name {name} once, found it here and in line {first}", file, line
            )
    for part_id in range(1, len(PARTS) + 1):
        if part_id not in ids:
            raise InputError(
                f"expected a line for each of {len(PARTS)} parts, found none for part {part_id}",
                file,
            )
    return tuple(name for _, name in sorted(zip(ids, names, strict=True)))


def _ground_truth(file: Path, parts: Sequence[str]) -> tuple[Integers, Truth]:
    lines = pair_lines(file, read_rows(file, LOCATION_LINE), parts)
    image_id, present, visible, location = tabulate(lines)
    if not present.all():
        image, part = np.argwhere(~present)[0]
        raise InputError(
            f"expected a line for each of {len(parts)} parts of every image, "
            f"found none for {pair_name(image_id[image], part, parts)}",
            file,
        )
    return image_id, Truth(visible, location)


def _listed_images(root: Path, image_id: Integers) -> tuple[Integers, Booleans | None]:
    """The ids that images.txt and the split list, and whether each image is for training."""
    listed, training = np.array([], dtype=np.int64), None
    images, split = root / IMAGES, root / SPLIT
    if os.path.lexists(images):
        listed = np.array(read_named(images, ("image_id", "image_name"))[0], dtype=np.int64)
        _check_listed(images, listed, image_id)
    if os.path.lexists(split):
        ids, chosen = _read_split(split)
        _check_listed(split, ids, image_id)
        listed = np.union1d(listed, ids)
        training = np.isin(image_id, ids[chosen])
    return listed, training


def _read_split(file: Path) -> tuple[Integers, Booleans]:
    rows = read_rows(file, SPLIT_LINE)
    ids = rows["image_id"]
    fail_at_first(file, np.arange(1, len(rows) + 1), split_check(rows))
    check_ids(file, ids, "image_id")
    return ids, rows["is_training_image"] == 1


def split_check(rows: NDArray[np.void]) -> Check:
    """Which rows of train_test_split.txt hold no flag."""
    flag = rows["is_training_image"]
    message = "expected is_training_image to be 0 or 1, found {}"
    return (flag != 0) & (flag != 1), lambda row: message.format(flag[row])


def _check_listed(file: Path, listed: Integers, image_id: Integers) -> None:
    lacking = image_id[~np.isin(image_id, listed)]
    if lacking.size:
        raise InputError(
            f"expected a line for every image of {LOCATIONS}, found none for image {lacking[0]}",
            file,
        )


def _answers(
    file: Path | None, parts: Sequence[str], image_id: Integers, listed: Integers
) -> tuple[PairLines | None, tuple[str, ...]]:
    """The answers for images of part_locs.txt, with a note on any others."""
    if file is None:
        return None, ()
    lines = pair_lines(file, read_rows(file, CLICK_LINE), parts)
    wanted = np.isin(lines.image_id, image_id)
    known = wanted | np.isin(lines.image_id, listed)
    message = f"expected an image of {LOCATIONS}, found image {{}}"
    fail_at_first(file, lines.line, (~known, lambda row: message.format(lines.image_id[row])))
    if wanted.all():
        return lines, ()
    answers = counted(int(np.count_nonzero(~wanted)), "answer")
    images = counted(len(np.unique(lines.image_id[~wanted])), "image")
    note = f"{CLICKS} holds {answers} for {images} not in {LOCATIONS}; they are ignored."
    return lines.where(wanted), (note,)


def clicks_of(answers: PairLines, image_id: Integers) -> Clicks:
    """Answers as arrays; every image id must be among `image_id`, (n,) ascending.

    Raises
    ------
    InputError
        On a pair with more than 1,000 answers.
    """
    pair = np.searchsorted(image_id, answers.image_id) * len(answers.parts) + answers.part
    # A stable sort, as an answer's slot is its position in the file.
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    slot = np.arange(len(pair)) - np.searchsorted(pair, pair)
    workers = int(slot.max(initial=0)) + 1
    if workers > MOST_ANSWERS:
        beyond = int(order[slot == MOST_ANSWERS].min())
        raise InputError(
            f"expected at most {MOST_ANSWERS} answers of a pair, found one more for "
            f"{pair_name(answers.image_id[beyond], answers.part[beyond], answers.parts)}",
            answers.file,
            int(answers.line[beyond]),
        )
    image, part = np.divmod(pair, len(answers.parts))
    shape = (len(image_id), workers, len(answers.parts))
    answered, visible = np.zeros(shape, bool), np.zeros(shape, bool)
    location = np.full((*shape, 2), np.nan)
    answered[image, slot, part] = True
    visible[image, slot, part] = answers.visible[order]
    location[image, slot, part] = answers.location[order]
    return Clicks(answered, visible, location)


def truth_digest(image_id: Integers, truth: Truth) -> str:
    """The SHA-256 of a ground truth, in hex; a signature's `data` holds its first 8 digits.

    It is taken over one line per pair, sorted by image and part: `image part x y 1` where visible
    and `image part 0` elsewhere, numbers in Python's shortest decimal form with ids as whole
    numbers and coordinates as floats (`-0.0` as `0.0`), a line feed after every line, UTF-8.

    Parameters
    ----------
    image_id : (n,) int, ascending
    truth : of the same n images and of all parts, pixels
    """
    answered = np.ones_like(truth.visible)
    return _digest(image_id, answered[:, None], truth.visible[:, None], truth.location[:, None])


def clicks_digest(image_id: Integers, clicks: Clicks) -> str:
    """The SHA-256 of the answers, in hex; a signature's `clicks` holds its first 8 digits.

    It is taken over the same lines as `truth_digest`, one per answer; the answers of a pair stand
    in the order of their slots. The time of a click is no part of it.

    Parameters
    ----------
    image_id : (n,) int, ascending
    clicks : of the same n images and of all parts, pixels
    """
    return _digest(image_id, clicks.answered, clicks.visible, clicks.location)


def _digest(image_id: Integers, answered: Booleans, visible: Booleans, location: Floats) -> str:
    # A line is three words, and the coordinates repeat: writing each distinct number once makes
    # a million lines take a fraction of a second.
    parts = answered.shape[2]
    image, part, slot = np.nonzero(answered.swapaxes(1, 2))
    seen = visible[image, slot, part]
    # Adding 0.0 turns -0.0 into 0.0.
    seen_at = location[image, slot, part][seen].ravel() + 0.0
    value, index = np.unique(seen_at, return_inverse=True)
    decimal = np.array([repr(each) for each in value.tolist()], dtype=object)
    pair = [f"{each} {one} " for each in image_id.tolist() for one in range(1, parts + 1)]
    words = np.full((len(image), 3), "", dtype=object)
    words[:, 0] = np.array(pair, dtype=object)[image * parts + part]
    words[~seen, 1] = "0\n"
    words[seen, 1] = (decimal + " ")[index[0::2]]
    words[seen, 2] = (decimal + " 1\n")[index[1::2]]
    return hashlib.sha256("".join(words.ravel().tolist()).encode()).hexdigest()
