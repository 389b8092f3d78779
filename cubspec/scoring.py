"""Selects images, then calls every measure under every choice, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from cubspec.choices import Signature, part_ranges, short_signatures, unknown
from cubspec.data import (
    Booleans,
    Clicks,
    Dataset,
    Floats,
    InputError,
    Integers,
    Pairs,
    Prediction,
    Truth,
)
from cubspec.digests import with_digest
from cubspec.measures.averages import AVG, micro
from cubspec.measures.human import WORKERS, Average, human_pairs
from cubspec.predictions import PredictionFile, align
from cubspec.truth.consensus import TRUTH
from cubspec.truth.sigma import POOL, SIGMA, number_of_clicks, number_of_pairs

SPLITS = ("all", "train", "test")
HUMAN = "Human"


@dataclass(frozen=True)
class Result:
    """Every number of one run, with what names it.

    Attributes
    ----------
    context : what the numbers stand on, by key of a signature's context; `n` as an int
    parts : names of the p parts scored
    sigma : by name of the sigma, (p, 1) or (p, 2) float, pixels; empty without clicks
    rows : by row name, the value of each short form; the human rows are `Human|workers:mean` and
        `Human|workers:pooled`
    signatures : by row name, the full signature of each short form
    by_part : by row name and part name, the value of each short form; empty unless asked for
    predictions : by row name, how its file was read
    notes : remarks for the reader, one line each
    """

    context: dict[str, Any]
    parts: tuple[str, ...]
    sigma: dict[str, Floats]
    rows: dict[str, dict[str, float]]
    signatures: dict[str, dict[str, str]]
    by_part: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    predictions: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spread:
    """The annotators' spread of every part, with what it stands on.

    Attributes
    ----------
    context : what the numbers stand on, by key of a signature's context; of repeated clicks in a
        file of their own, `file`, `truth`, `relative-to` and `n`
    parts : names of the p parts
    sigma : by name of the sigma, (p, 1) or (p, 2) float, pixels, or relative to the objects' size
    clicks : (p,) int, the clicks it is measured on
    pairs : (p,) int, the pairs of image, or object, and part it is measured on
    notes : remarks for the reader, one line each
    """

    context: dict[str, Any]
    parts: tuple[str, ...]
    sigma: dict[str, Floats]
    clicks: Integers
    pairs: Integers
    notes: tuple[str, ...] = ()


# An absurdly far location is infinitely far, and a spread that overflows is no unit: no warning.
@np.errstate(over="ignore", invalid="ignore")
def score(
    dataset: Dataset,
    predictions: Mapping[str, PredictionFile | Prediction],
    *,
    split: str = "test",
    truth: str = "given",
    pool: str = "all",
    parts: Sequence[str] | None = None,
    missing: str = "error",
    only: Sequence[str] | None = None,
    per_part: bool = False,
    step: Callable[[str], None] = lambda _: None,
) -> Result:
    """Score predictions, and the annotators themselves, under every measure and choice.

    Parameters
    ----------
    dataset : Dataset, as `read_cub` gives
    predictions : by row name, what `read_predictions` gives, or a `Prediction` of the n images
        and p parts scored, in the order of the dataset
    split : the images scored: "all", "train" or "test"
    truth : value of the choice `truth`
    pool : value of the choice `pool`
    parts : names of the parts scored; all where not given
    missing : "error", or "invisible" to take pairs that a file lacks as not visible
    only : short forms to compute; all where not given
    per_part : whether to compute every part by itself too
    step : called with the name of each row before it is scored

    Returns
    -------
    Result; what cannot be computed for want of a file is absent, what is undefined is NaN

    Raises
    ------
    InputError
        On an unknown name, a file that a choice needs and the dataset lacks, or predictions that
        do not fit the images scored.
    """
    check_row_names(predictions)
    scored = split_images(dataset, split)
    kept = _part_mask(dataset, parts)
    forms = _forms(only, dataset.clicks is not None)
    everything = ground_truth(dataset, truth)
    sigma = _sigmas(dataset, everything, scored, pool, _sigma_names(forms))
    sigma = {name: each[kept] for name, each in sigma.items()}
    case = _Case(
        parts=tuple(np.array(dataset.parts)[kept].tolist()),
        truth=everything.only(scored, kept),
        clicks=None if dataset.clicks is None else dataset.clicks.only(scored, kept),
        sigma=sigma,
        per_part=per_part,
    )
    context = _context(dataset, truth, pool, split, int(scored.sum()), kept)
    result = Result(context, case.parts, sigma, {}, {})
    notes = [*dataset.notes, *_no_click_file(dataset), *_no_spread(case.parts, sigma)]
    for name, given in predictions.items():
        step(name)
        prediction, used, remarks = _aligned(given, dataset, scored, kept, missing)
        notes += [f"{name}: {remark}" for remark in remarks]
        result.rows[name], result.by_part[name] = case.score(forms, prediction)
        result.signatures[name] = _full(forms, {**context, **used})
        if isinstance(given, PredictionFile):
            result.predictions[name] = {
                "format": given.format,
                **({} if given.visible_above is None else {"visible_above": given.visible_above}),
                "missing": missing,
            }
    if case.clicks is not None:
        step(HUMAN)
    for workers, (row, of_parts) in case.score_human(forms).items():
        name = f"{HUMAN}|workers:{workers}"
        result.rows[name], result.by_part[name] = row, of_parts
        result.signatures[name] = _full(forms, {**context, "workers": workers})
    return replace(result, by_part=result.by_part if per_part else {}, notes=tuple(notes))


@np.errstate(over="ignore", invalid="ignore")
def spread(
    dataset: Dataset, *, truth: str = "given", pool: str = "all", split: str = "test"
) -> Spread:
    """Measure the annotators' spread of every part, in all seven ways.

    Parameters
    ----------
    dataset : Dataset, as `read_cub` gives
    truth : value of the choice `truth`
    pool : value of the choice `pool`
    split : the images scored, where the pool is "scored"

    Raises
    ------
    InputError
        Where the dataset has no click file, or lacks another file that a choice needs.
    """
    if dataset.clicks is None:
        raise InputError("expected the annotators' clicks, found no such file", click_file(dataset))
    everything = ground_truth(dataset, truth)
    scored = (
        split_images(dataset, split) if pool == "scored" else np.ones(len(dataset.image_id), bool)
    )
    pooled = _pool_images(dataset, scored, pool)
    if not pooled.any():
        raise InputError(f"expected at least one image in pool:{pool}, found none", dataset.source)
    every_part = np.ones(len(dataset.parts), bool)
    clicks, kept_truth = (
        dataset.clicks.only(pooled, every_part),
        everything.only(pooled, every_part),
    )
    sigma = {value.name: value.function(clicks, kept_truth) for value in SIGMA.values}
    context = _context(dataset, truth, pool, split, int(pooled.sum()), every_part)
    if pool != "scored":
        del context["split"]
    return Spread(
        context,
        dataset.parts,
        sigma,
        number_of_clicks(clicks, kept_truth),
        number_of_pairs(clicks, kept_truth),
        (*dataset.notes, *_no_spread(dataset.parts, sigma)),
    )


def split_images(dataset: Dataset, split: str) -> Booleans:
    """Select the images of a split: (n,) bool.

    Parameters
    ----------
    dataset : Dataset
    split : "all", "train" or "test"

    Raises
    ------
    InputError
        On another split, one that needs a file which the dataset lacks, or one without images.
    """
    if split not in SPLITS:
        raise InputError(unknown("split", split, SPLITS))
    if split == "all":
        return np.ones(len(dataset.image_id), dtype=bool)
    training = _training(dataset, f"--split {split}, without which only --split all works")
    images = training if split == "train" else ~training
    if not images.any():
        raise InputError(
            f"expected at least one image in the split {split}, found none", dataset.source
        )
    return images


def ground_truth(dataset: Dataset, truth: str) -> Truth:
    """The ground truth of every image under a value of the choice `truth`.

    Raises
    ------
    InputError
        On an unknown value, or where it needs the click file and the dataset has none.
    """
    make = TRUTH[truth]
    if truth == "clicks" and dataset.clicks is None:
        raise InputError(
            "expected the annotators' clicks for truth:clicks, found no such file",
            click_file(dataset),
        )
    made: Truth = make(dataset.given, dataset.clicks)
    return made


def click_file(dataset: Dataset) -> str:
    """Where the dataset's click file is or would be."""
    return str(Path(dataset.source) / "parts" / "part_click_locs.txt")


@dataclass(frozen=True)
class _Case:
    """The images and parts scored, with everything that predictions are measured against."""

    parts: tuple[str, ...]
    truth: Truth
    clicks: Clicks | None
    sigma: dict[str, Floats]
    per_part: bool

    def score(self, forms: Sequence[Signature], prediction: Prediction) -> _Row:
        def pairs_of(form: Signature) -> Pairs:
            chosen = self._chosen(form)
            if "ref" in chosen:
                chosen["clicks"] = self.clicks
            return form.measure.pairs(prediction, self.truth, **chosen)

        def summary(pairs: Pairs, _: slice | list[int], average: Average) -> float:
            return average(pairs)

        return self._rows(forms, pairs_of, {"": summary})[""]

    def score_human(self, forms: Sequence[Signature]) -> dict[str, _Row]:
        clicks = self.clicks
        if clicks is None:
            return {}
        answered = clicks.answered

        def pairs_of(form: Signature) -> Pairs:
            return human_pairs(form.measure, self.truth, clicks, **self._chosen(form))

        def summary_of(workers: str) -> _Summary:
            def summary(pairs: Pairs, parts: slice | list[int], average: Average) -> float:
                return float(WORKERS[workers](pairs, answered[..., parts], average))

            return summary

        return self._rows(forms, pairs_of, {name: summary_of(name) for name in WORKERS.names})

    def _chosen(self, form: Signature) -> dict[str, Any]:
        chosen: dict[str, Any] = {k: v for k, v in form.values.items() if k != "avg"}
        if "sigma" in chosen:
            chosen["sigma"] = self.sigma[chosen["sigma"]]
        return chosen

    def _rows(
        self,
        forms: Sequence[Signature],
        pairs_of: Callable[[Signature], Pairs],
        summaries: Mapping[str, _Summary],
    ) -> dict[str, _Row]:
        """Every form under every summary; the pairs of forms that differ in `avg` are made once."""
        rows: dict[str, _Row] = {
            name: ({}, {part: {} for part in self.parts}) for name in summaries
        }
        for _, group in groupby(forms, lambda form: _without_average(form).short):
            same = list(group)
            pairs = pairs_of(same[0])
            for name, summary in summaries.items():
                row, of_parts = rows[name]
                for form in same:
                    row[form.short] = summary(pairs, slice(None), _average(form))
                if not self.per_part:
                    continue
                short = _by_micro(same[0]).short
                for index, part in enumerate(self.parts):
                    own = Pairs(pairs.value[..., [index]], pairs.counted[..., [index]])
                    of_parts[part][short] = summary(own, [index], micro)
        return rows


_Row = tuple[dict[str, float], dict[str, dict[str, float]]]
_Summary = Callable[[Pairs, "slice | list[int]", Average], float]


def _without_average(form: Signature) -> Signature:
    return Signature(form.measure, {k: v for k, v in form.values.items() if k != "avg"})


def _by_micro(form: Signature) -> Signature:
    return Signature(
        form.measure, {**form.values, **({"avg": "micro"} if "avg" in form.values else {})}
    )


def _average(form: Signature) -> Average:
    return AVG[form.values["avg"]] if "avg" in form.values else micro


def is_human(row: str) -> bool:
    """Whether a row of a result is about the annotators themselves."""
    return row.startswith(f"{HUMAN}|")


def check_row_names(predictions: Iterable[str]) -> None:
    """Raise InputError on a row name that is the annotators'."""
    for name in predictions:
        if name == HUMAN or is_human(name):
            raise InputError(
                f"expected a row name other than {HUMAN} and {HUMAN}|…, which are the annotators', "
                f"found {name!r}"
            )


def _forms(only: Sequence[str] | None, with_clicks: bool) -> list[Signature]:
    """The short forms to compute, in the order of every table, those of one measure together."""
    if isinstance(only, str):
        raise InputError(f"expected a list of short forms, found the string {only!r}")
    if only is None:
        forms = list(short_signatures())
    else:
        asked = [Signature.parse(text) for text in only]
        for form in asked:
            if form.context:
                raise InputError(f"expected a short form, found the full signature {form}")
        wanted = {form.short for form in asked}
        forms = [form for form in short_signatures() if form.short in wanted]
    return [form for form in forms if with_clicks or "sigma" not in form.values]


def _sigma_names(forms: Iterable[Signature]) -> list[str]:
    used = {form.values.get("sigma") for form in forms}
    return [name for name in SIGMA.names if name in used]


def _part_mask(dataset: Dataset, parts: Sequence[str] | None) -> Booleans:
    if parts is None:
        return np.ones(len(dataset.parts), dtype=bool)
    for index, name in enumerate(parts):
        if name not in dataset.parts:
            raise InputError(unknown("part", name, dataset.parts))
        if name in parts[:index]:
            raise InputError(f"expected each part once, found {name} twice")
    if not parts:
        raise InputError("expected at least one part, found none")
    return np.isin(dataset.parts, parts)


def _training(dataset: Dataset, why: str) -> Booleans:
    if dataset.training is None:
        raise InputError(
            f"expected the split for {why}; found no such file",
            Path(dataset.source) / "train_test_split.txt",
        )
    return dataset.training


def _pool_images(dataset: Dataset, scored: Booleans, pool: str) -> Booleans:
    select = POOL[pool]
    training = _training(dataset, "pool:train") if pool == "train" else dataset.training
    images: Booleans = select(scored, training)
    return images


def _sigmas(
    dataset: Dataset, truth: Truth, scored: Booleans, pool: str, names: Sequence[str]
) -> dict[str, Floats]:
    pooled = _pool_images(dataset, scored, pool)
    if dataset.clicks is None:
        return {}
    every_part = np.ones(len(dataset.parts), dtype=bool)
    clicks, own_truth = dataset.clicks.only(pooled, every_part), truth.only(pooled, every_part)
    return {name: SIGMA[name](clicks, own_truth) for name in names}


def _context(
    dataset: Dataset, truth: str, pool: str, split: str, number: int, parts: Booleans
) -> dict[str, Any]:
    context: dict[str, Any] = {"data": dataset.name}
    if dataset.clicks_name is not None:
        context["clicks"] = dataset.clicks_name
    context["truth"] = truth
    if dataset.clicks is not None:
        context["pool"] = pool
    context |= {"split": split, "n": number}
    if not parts.all():
        context["parts"] = part_ranges((np.flatnonzero(parts) + 1).tolist())
    return context


def _full(forms: Iterable[Signature], context: Mapping[str, Any]) -> dict[str, str]:
    written = {key: str(value) for key, value in context.items()} | {"v": version("cubspec")}
    return {form.short: str(with_digest(form.full(written))) for form in forms}


def _no_click_file(dataset: Dataset) -> list[str]:
    if dataset.clicks is not None:
        return []
    return [
        f"{click_file(dataset)}: not found; without it the measures that need σ, and "
        "the human row, are left out."
    ]


def _no_spread(parts: Sequence[str], sigma: Mapping[str, Floats]) -> list[str]:
    notes = []
    for index, part in enumerate(parts):
        without = [name for name, each in sigma.items() if np.isnan(each[index]).any()]
        if without:
            notes.append(
                f"{part}: no clicks that differ, hence no sigma {', '.join(without)}; a measure "
                "that needs it is undefined."
            )
    return notes


def _aligned(
    given: PredictionFile | Prediction,
    dataset: Dataset,
    scored: Booleans,
    parts: Booleans,
    missing: str,
) -> tuple[Prediction, dict[str, str], tuple[str, ...]]:
    """A prediction of the images and parts scored, what its signature adds, and remarks."""
    if isinstance(given, Prediction):
        _check_fit(given, int(scored.sum()), int(parts.sum()))
        return given, {}, ()
    if not isinstance(given, PredictionFile):
        raise InputError(
            "expected what read_predictions gives, or a Prediction of arrays, "
            f"found {type(given).__name__}"
        )
    if tuple(given.parts) != dataset.parts:
        raise InputError(
            "expected predictions read with the names of the dataset's parts; pass dataset.parts "
            "to read_predictions",
            given.path,
        )
    image_id = dataset.image_id[scored]
    prediction, remarks = align(given, image_id, parts, missing=missing)
    used = {"missing": missing} if _lacks(given, image_id, parts) else {}
    return prediction, used, (*given.notes, *remarks, *_strangers(given, dataset))


def _lacks(file: PredictionFile, image_id: Integers, parts: Booleans) -> bool:
    """Whether a file has no prediction for some pair of these images and parts."""
    held = file.present[np.isin(file.image_id, image_id)][:, parts]
    return bool(len(held) < len(image_id) or not held.all())


def _strangers(file: PredictionFile, dataset: Dataset) -> list[str]:
    """A remark on images that the dataset does not hold, as a wrong id is easily overlooked."""
    unknown_id = file.image_id[~np.isin(file.image_id, dataset.image_id)]
    if not unknown_id.size:
        return []
    images = "one image" if unknown_id.size == 1 else f"{unknown_id.size} images"
    return [f"The dataset does not hold {images} of the file, first image {unknown_id[0]}."]


def _check_fit(prediction: Prediction, images: int, parts: int) -> None:
    """Raise InputError where arrays are not those of the images and parts scored."""
    if prediction.visible.shape != (images, parts):
        raise InputError(
            f"expected arrays of {images} images and {parts} parts, found shape "
            f"{prediction.visible.shape}"
        )
    if not np.isfinite(prediction.location[prediction.visible]).all():
        raise InputError("expected a finite location wherever visible, found NaN or infinity")
