"""Arrays that belong together, and the error that bad input raises.

Axes always come in this order: image, worker, part, axis. A location is (u, v) in pixels, u to the
right and v down, NaN where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

PARTS = (
    "back",
    "beak",
    "belly",
    "breast",
    "crown",
    "forehead",
    "left eye",
    "left leg",
    "left wing",
    "nape",
    "right eye",
    "right leg",
    "right wing",
    "tail",
    "throat",
)
"""The 15 parts in the order of their ids, which begin at 1 (Wah et al. 2011, section 2)."""


LONGEST_MESSAGE = 1000


def _in_one_line(message: str) -> str:
    """A message without line ends, cut where it repeats a long input."""
    line = " ".join(message.splitlines())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


class InputError(ValueError):
    """Input that cannot be used: says where, what was expected and what was found.

    Parameters
    ----------
    message : str
        What was expected and what was found, on one line.
    file : path, optional
        The file at fault.
    line : int, optional
        Its line, counted from 1.
    """

    def __init__(self, message: str, file: str | Path | None = None, line: int | None = None):
        self.message = _in_one_line(message)
        self.file = None if file is None else str(file)
        self.line = line
        place = [] if self.file is None else [self.file]
        if line is not None:
            place.append(str(line))
        super().__init__(": ".join([*([":".join(place)] if place else []), self.message]))


def check_booleans(name: str, values: object, shape: tuple[int, ...] | None = None) -> None:
    """Raise InputError where values are no array of booleans, or not of that shape.

    An array of other numbers would be counted and negated differently without a word.
    """
    if not isinstance(values, np.ndarray) or values.dtype != np.bool_:
        found = getattr(values, "dtype", type(values).__name__)
        raise InputError(f"expected {name} to be an array of booleans, found {found}")
    if shape is not None and values.shape != shape:
        raise InputError(f"expected {name} of shape {shape}, found {values.shape}")


def check_table(visible: object, location: object) -> None:
    """Raise InputError where two values are no flags (…, p) with locations (…, p, 2)."""
    if not isinstance(location, np.ndarray) or location.dtype.kind != "f":
        found = getattr(location, "dtype", type(location).__name__)
        raise InputError(f"expected location to be an array of floats, found {found}")
    if location.ndim < 1 or location.shape[-1] != 2:
        raise InputError(f"expected location of shape (…, 2), found {location.shape}")
    check_booleans("visible", visible, location.shape[:-1])


@dataclass(frozen=True)
class Truth:
    """The ground truth of every pair of image and part.

    Attributes
    ----------
    visible : (n, p) bool
    location : (n, p, 2) float, pixels; NaN where not visible
    """

    visible: Booleans
    location: Floats

    def __post_init__(self) -> None:
        check_table(self.visible, self.location)

    @classmethod
    def at(cls, location: ArrayLike) -> Truth:
        """Visible at these (n, p, 2) locations, not visible where they are NaN."""
        points = np.asarray(location, dtype=np.float64)
        visible = ~np.any(np.isnan(points), axis=-1)
        return cls(visible, points)

    def only(self, images: Booleans, parts: Booleans) -> Truth:
        """The same for some images, an (n,) mask, and some parts, a (p,) mask."""
        if images.all() and parts.all():
            return self
        return Truth(self.visible[images][:, parts], self.location[images][:, parts])


@dataclass(frozen=True)
class Clicks:
    """The annotators' answers, in the order of the file; a worker slot is a position in that order.

    Attributes
    ----------
    answered : (n, w, p) bool, whether the slot holds an answer
    visible : (n, w, p) bool, whether that answer is "visible"; False where there is no answer
    location : (n, w, p, 2) float, pixels; NaN where not visible
    """

    answered: Booleans
    visible: Booleans
    location: Floats

    def __post_init__(self) -> None:
        check_table(self.visible, self.location)
        check_booleans("answered", self.answered, self.visible.shape)

    @classmethod
    def at(cls, location: ArrayLike) -> Clicks:
        """An answer in every slot: a click at its (n, w, p, 2) location, not visible where NaN."""
        points = np.asarray(location, dtype=np.float64)
        visible = ~np.any(np.isnan(points), axis=-1)
        return cls(np.ones_like(visible), visible, points)

    def only(self, images: Booleans, parts: Booleans) -> Clicks:
        """The same for some images, an (n,) mask, and some parts, a (p,) mask."""
        if images.all() and parts.all():
            return self
        return Clicks(
            self.answered[images][:, :, parts],
            self.visible[images][:, :, parts],
            self.location[images][:, :, parts],
        )


@dataclass(frozen=True)
class Prediction:
    """What a method says of every pair of image and part.

    Attributes
    ----------
    visible : (n, p) bool
    location : (n, p, 2) float, pixels; finite wherever visible
    """

    visible: Booleans
    location: Floats

    def __post_init__(self) -> None:
        check_table(self.visible, self.location)

    @classmethod
    def at(cls, location: ArrayLike) -> Prediction:
        """Visible at these (n, p, 2) locations, not visible where they are NaN."""
        points = np.asarray(location, dtype=np.float64)
        visible = ~np.any(np.isnan(points), axis=-1)
        return cls(visible, points)

    def only(self, images: Booleans, parts: Booleans) -> Prediction:
        """The same for some images, an (n,) mask, and some parts, a (p,) mask."""
        if images.all() and parts.all():
            return self
        return Prediction(self.visible[images][:, parts], self.location[images][:, parts])


@dataclass(frozen=True)
class Pairs:
    """What a measure makes of every pair, before averaging.

    Attributes
    ----------
    value : (n, p) or (n, w, p) float, in the measure's unit; NaN where its part has no unit
    counted : bool of the same shape, whether the pair enters the average
    """

    value: Floats
    counted: Booleans


@dataclass(frozen=True)
class Dataset:
    """What the annotation files of a folder hold.

    Attributes
    ----------
    image_id : (n,) int, ascending
    parts : names of the p parts, in the order of their ids
    given : the ground truth in the dataset's own file
    clicks : the annotators' answers, or None without that file
    training : (n,) bool, the dataset's own split, or None without that file
    name : what a signature calls the ground truth (key `data`)
    clicks_name : what a signature calls the answers (key `clicks`), or None
    source : the folder read, for messages
    notes : remarks for the reader, one line each
    """

    image_id: Integers
    parts: tuple[str, ...]
    given: Truth
    clicks: Clicks | None
    training: Booleans | None
    name: str
    clicks_name: str | None = None
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        images, parts = len(self.image_id), len(self.parts)
        check_booleans("given.visible", self.given.visible, (images, parts))
        if self.training is not None:
            check_booleans("training", self.training, (images,))
        if self.clicks is not None and self.clicks.visible.shape[::2] != (images, parts):
            raise InputError(
                f"expected clicks of {images} images and {parts} parts, "
                f"found {self.clicks.visible.shape[::2]}"
            )
