"""Published and measured facts of the dataset, and how a copy compares with them.

The facts, each with its source, are in facts.toml, which says how to add more.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from cubspec.cub import IMAGES
from cubspec.data import InputError, Integers
from cubspec.facts_figures import (
    LARGEST_ID,
    Copy,
    Figure,
    Value,
    figures,
    image_ids,
    most_are_whole,
)
from cubspec.facts_files import PART_LOCATIONS, find_files, read_files

IMAGES_2011 = 11_788
IMAGES_2010 = 6_033


@dataclass(frozen=True)
class Source:
    """Where a fact is from: in few words, and in as many as it takes to find it."""

    short: str
    full: str


@dataclass(frozen=True)
class Fact:
    """One statement about a release; facts.toml says more of its fields.

    Attributes
    ----------
    id : names it in JSON and CSV
    what : what is counted
    group : title of the table that it stands in
    source : where it is from
    file : what it is about
    needs : the files that its figure is computed from
    judged : keys of the releases of which it is claimed
    expected : None where nothing is claimed
    decimals : how far a figure that is no count is rounded
    """

    id: str
    what: str
    group: str
    source: Source
    file: str
    needs: tuple[str, ...]
    judged: tuple[str, ...]
    expected: Value = None
    decimals: int = 0


@dataclass(frozen=True)
class Release:
    """What a copy is a copy of.

    Attributes
    ----------
    key : "2011", "2010", "subset" or "none"
    name : for results
    about : what it is judged by, and what that means, in sentences
    """

    key: str
    name: str
    about: str


@dataclass(frozen=True)
class Check:
    """A fact beside what was found; `first` is the first place at fault, if there is one."""

    fact: Fact
    found: Value
    passed: bool
    first: str | None


@dataclass(frozen=True)
class Measurement:
    """A figure that is not judged; `first` is the first place at fault, if there is one."""

    fact: Fact
    value: Value
    first: str | None


@dataclass(frozen=True)
class Skipped:
    """A fact that is not judged, and why."""

    fact: Fact
    why: str


@dataclass(frozen=True)
class Report:
    """How a copy compares with the facts.

    Attributes
    ----------
    release : Release
    images : their number
    checks, measurements, skipped : in the order of facts.toml
    """

    release: Release
    images: int
    checks: tuple[Check, ...]
    measurements: tuple[Measurement, ...]
    skipped: tuple[Skipped, ...]

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(each for each in self.checks if not each.passed)


@cache
def known_facts() -> tuple[Fact, ...]:
    """Every fact in facts.toml, in the order of that file."""
    content = tomllib.loads((files("cubspec") / "facts.toml").read_text("utf-8"))
    sources = {key: Source(**entry) for key, entry in content["sources"].items()}
    return tuple(_fact(each, entry, sources) for each in content["group"] for entry in each["fact"])


def _fact(group: dict[str, Any], entry: dict[str, Any], sources: dict[str, Source]) -> Fact:
    shared = {key: value for key, value in group.items() if key not in ("title", "fact")}
    keys = {"group": group["title"], "judged": ["2011"], **shared, **entry}
    needs = tuple(keys.pop("needs", [keys["file"]]))
    source = sources[keys.pop("source")]
    return Fact(source=source, needs=needs, judged=tuple(keys.pop("judged")), **keys)


def check_facts(folder: str | Path) -> Report:
    """Compare a copy of the dataset with every fact that its files allow.

    Parameters
    ----------
    folder : path
        The dataset's folder, the folder that holds it, or one in which all the files lie together.

    Raises
    ------
    InputError
        Where there is no such folder, it lacks part_locs.txt and is no copy of a release without
        it, or a file cannot be opened.
    """
    copy = read_files(find_files(folder))
    image_id, _ = image_ids(copy)
    release = release_of(copy, image_id)
    found = figures(copy)
    facts = [_of_copy(fact, found) for fact in _facts_of(release)]
    judged = [fact for fact in facts if release.key in fact.judged and fact.id in found]
    others = [fact for fact in facts if release.key not in fact.judged and fact.id in found]
    return Report(
        release,
        len(image_id),
        tuple(_check(fact, found[fact.id]) for fact in judged),
        tuple(Measurement(fact, found[fact.id].value, found[fact.id].first) for fact in others),
        tuple(_skipped(fact, copy, release) for fact in facts if _is_skipped(fact, found, release)),
    )


def release_of(copy: Copy, image_id: Integers) -> Release:
    """What a copy is a copy of.

    Parameters
    ----------
    copy : what its files hold
    image_id : (n,) int, ascending

    Raises
    ------
    InputError
        Where it lacks part_locs.txt, and images.txt has as many images as no release has.
    """
    number = f"{len(image_id):,} image{'' if len(image_id) == 1 else 's'}"
    if PART_LOCATIONS in copy:
        return _release_with_locations(copy, image_id, number)
    if len(image_id) == IMAGES_2011:
        about = f"Judged by its {number}, of which this copy has no part locations."
        return Release("2011", "CUB-200-2011", about)
    if len(image_id) == IMAGES_2010:
        return Release("2010", "CUB-200 (2010)", f"Judged by its {number}. {ABOUT_2010}")
    raise InputError(
        f"expected parts/part_locs.txt too, or the {IMAGES_2011:,} or {IMAGES_2010:,} images of a "
        f"release, found {number} without part locations",
        copy[IMAGES].file,
    )


ABOUT_2010 = (
    "The release of Welinder et al. (2010) has 200 species, a box and a rough outline of every "
    "bird, and 25 multi-valued attributes. No part locations were released with it, so no measure "
    "of part localization can be computed on it."
)


def _release_with_locations(copy: Copy, image_id: Integers, number: str) -> Release:
    if not most_are_whole(copy):
        reason = "most visible parts are not at whole pixels, where those of CUB-200-2011 all are"
    elif len(image_id) == IMAGES_2011:
        return Release("2011", "CUB-200-2011", f"Judged by its {number}.")
    elif len(image_id) > IMAGES_2011:
        reason = f"CUB-200-2011 has {IMAGES_2011:,}"
    elif image_id[-1] > LARGEST_ID:
        reason = f"ids go up to {image_id[-1]:,}, where those of CUB-200-2011 end at {LARGEST_ID:,}"
    else:
        about = (
            f"Judged by its {number}, fewer than the {IMAGES_2011:,} of CUB-200-2011, with parts "
            "at whole pixels. What is claimed of all images together is measured, not judged."
        )
        return Release("subset", "a subset of CUB-200-2011", about)
    about = f"These are {number}, and {reason}. Everything is measured, and nothing is judged."
    return Release("none", "not a release", about)


def _facts_of(release: Release) -> list[Fact]:
    """The facts to look at, each figure once: as this release has it, else as that of 2011 does."""
    own = {fact.id for fact in known_facts() if release.key in fact.judged}
    return [
        fact
        for fact in known_facts()
        if release.key in fact.judged or (fact.id not in own and fact.judged != ("2010",))
    ]


def _of_copy(fact: Fact, found: Mapping[str, Figure]) -> Fact:
    file = found[fact.id].file if fact.id in found else None
    return replace(fact, file=file) if file else fact


def _check(fact: Fact, figure: Figure) -> Check:
    value = figure.value
    if isinstance(value, float):
        passed = round(value, fact.decimals) == fact.expected
    else:
        passed = value == fact.expected
    return Check(fact, value, passed, figure.first)


def _is_skipped(fact: Fact, found: Mapping[str, Figure], release: Release) -> bool:
    claimed = fact.expected is not None and release.key not in fact.judged
    return fact.id not in found or claimed


def _skipped(fact: Fact, copy: Copy, release: Release) -> Skipped:
    missing = [name for name in fact.needs if name not in copy]
    return Skipped(fact, f"no {missing[0]}" if missing else WHY_NOT[release.key])


WHY_NOT = {
    "2010": "claimed of CUB-200-2011",
    "subset": f"claimed of all {IMAGES_2011:,} images",
    "none": "not a release",
}
