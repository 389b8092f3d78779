"""Checks a signature against this installation, and a results file against its inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product, zip_longest

from cubspec.choices import CONTEXT, Signature, missing_context, parse_part_ranges, unknown
from cubspec.citing import NO_CLICKS, UNFINISHED
from cubspec.cub import COMPLETE_NAME, SPLIT_SIZES, read_cub
from cubspec.data import Dataset, InputError
from cubspec.digests import combined, digest_names, full_digest, installed_digests
from cubspec.lines import counted
from cubspec.lock import Line, history, installed_lock
from cubspec.predictions import read_predictions
from cubspec.results import Recorded, read_results
from cubspec.scoring import Result, score
from cubspec.tables import listed

TOLERANCE = 1e-9
"""How far, relatively, a number may be from the recorded one. Sums differ in their last bits, some
1e-16, from one processor and one release of NumPy to the next; what a paper prints is 1e-5."""

SHOWN = 20
"""How many differences are named."""


@dataclass(frozen=True)
class Verdict:
    """What came out of a check.

    Attributes
    ----------
    holds : whether what was checked is so
    said : in words, one line each
    notes : remarks for the reader, one line each
    """

    holds: bool
    said: tuple[str, ...]
    notes: tuple[str, ...] = ()


def verify_signature(text: str) -> Verdict:
    """Check that this installation has the definition that a full signature names.

    Parameters
    ----------
    text : the signature

    Raises
    ------
    InputError
        Where it is no full signature; names the keys that are missing.
    """
    signature = Signature.parse(text)
    if not signature.context:
        keys = ", ".join(missing_context(signature.values, {}))
        raise InputError(f"{text}: expected a full signature, found a short form, without {keys}")
    installed, own, named = version("cubspec"), full_digest(signature), signature.context["v"]
    if signature.context["h"] != own:
        return Verdict(False, tuple(_differs(signature, installed, own)))
    said = f"Verified: cubspec {installed} has this definition, with the digest h:{own}."
    notes = [_other_version(named, installed)] if named != installed else []
    if signature.context.get("clicks") == NO_CLICKS:
        notes.append(UNFINISHED)
    notes.extend(_other_size(signature))
    notes.append("The digest covers the definition; to check a number, verify a results file.")
    return Verdict(True, (said,), tuple(notes))


def _other_version(named: str, installed: str) -> str:
    return f"Named is version {named}, this is {installed}; the digest is the same."


def _other_size(signature: Signature) -> Iterator[str]:
    data, split, found = (signature.context[key] for key in ("data", "split", "n"))
    if data == COMPLETE_NAME and int(found) != SPLIT_SIZES[split]:
        what = f"the {split} split of {data}" if split != "all" else data
        yield f"n:{found} is not the {SPLIT_SIZES[split]:,} images of {what}."


def _differs(signature: Signature, installed: str, own: str) -> Iterator[str]:
    named, found = signature.context["v"], signature.context["h"]
    yield f"Not verified: cubspec {installed} gives this definition h:{own}, found h:{found}."
    lines = installed_lock()
    since = changes_since(signature, lines)
    changed = [name for name in digest_names(signature) if not _as_locked(name, lines)]
    if changed:
        yield f"The code of this installation is not as its lock has it: {', '.join(changed)}."
    elif since:
        yield "The signature is of an earlier definition, after which these were changed:"
        yield from (f"{line.name} in {line.version} ({line.date}): {line.note}" for line in since)
    elif named == installed:
        yield (
            f"The signature names this very version, {named}: either it is not as it was printed, "
            "or it was computed by a changed copy of cubspec."
        )
    else:
        yield (
            f"The signature names version {named}, and no definition that this installation knows "
            "has its digest: either it is not as it was printed, or that version is a later one."
        )


def _as_locked(name: str, lines: Sequence[Line]) -> bool:
    return any(line.digest == installed_digests()[name] for line in history(name, lines)[:1])


def changes_since(signature: Signature, lines: Sequence[Line]) -> list[Line]:
    """What changed after the definition that a signature's digest is of, the oldest first.

    Parameters
    ----------
    signature : Signature with a context
    lines : of the lock

    Returns
    -------
    list of Line; empty where the lock knows no definition with that digest
    """
    names = digest_names(signature)
    histories = [history(name, lines) for name in names]
    for ages in product(*(range(len(each)) for each in histories)):
        at = [each[age] for each, age in zip(histories, ages, strict=True)]
        if combined(line.digest for line in at) == signature.context["h"]:
            return [
                line for each, age in zip(histories, ages, strict=True) for line in each[:age][::-1]
            ]
    return []


# Results files


def verify_results(
    file: str,
    data: str,
    predictions: Sequence[tuple[str | None, str]],
    step: Callable[[str], None] = lambda _: None,
) -> Verdict:
    """Compute a results file again and compare every number and signature.

    Parameters
    ----------
    file : path of a results file, as `cubspec score --format json` writes it
    data : path of the folder of the dataset
    predictions : name of the row, or None for the next one in the order of the file, and path
    step : called with what is done next

    Raises
    ------
    InputError
        Where a file cannot be used, or the predictions are not those of the rows.
    """
    recorded = read_results(file)
    files = matched_rows(predictions, list(recorded.visible_above))
    step(f"reading {data}")
    result = recomputed(recorded, read_cub(data), files, step)
    return compared(recorded, result)


def matched_rows(
    predictions: Sequence[tuple[str | None, str]], rows: Sequence[str]
) -> dict[str, str]:
    """The file of each row, from a name, or None for the next row without one, and a path.

    Raises
    ------
    InputError
        On a name that is no row's or is used twice, and on more or fewer files than rows.
    """
    if len(predictions) != len(rows):
        raise InputError(
            f"expected {counted(len(rows), 'prediction file')}, for {', '.join(rows)}, "
            f"found {len(predictions)}"
        )
    named: dict[str, str] = {}
    for name, path in predictions:
        if name is not None:
            if name not in rows:
                raise InputError(unknown("row", name, rows))
            if name in named:
                raise InputError(f"expected each row name once, found {name} twice")
            named[name] = path
    others = iter([path for name, path in predictions if name is None])
    return {row: named[row] if row in named else next(others) for row in rows}


def recomputed(
    recorded: Recorded,
    dataset: Dataset,
    files: Mapping[str, str],
    step: Callable[[str], None] = lambda _: None,
) -> Result:
    """Score as a results file says that it was.

    Parameters
    ----------
    recorded : Recorded
    dataset : Dataset
    files : by row, path of the predictions
    step : called with what is done next
    """
    predictions = {}
    for row, path in files.items():
        step(f"reading {path}")
        above = recorded.visible_above[row]
        predictions[row] = read_predictions(path, dataset.parts, visible_above=above)
    return score(
        dataset,
        predictions,
        parts=None if recorded.parts is None else _part_names(recorded.parts, dataset.parts),
        only=recorded.forms,
        per_part=recorded.per_part,
        step=lambda row: step(f"scoring {row}"),
        **recorded.options,
    )


def _part_names(ranges: str, parts: Sequence[str]) -> list[str]:
    return [parts[number - 1] for number in parse_part_ranges(ranges)]


def compared(recorded: Recorded, result: Result) -> Verdict:
    """Compare every number and signature of a results file with what was computed again."""
    numbers = list(_number_differences(recorded, result))
    spreads = list(_sigma_differences(recorded, result))
    signatures = _signature_differences(recorded, result)
    said = numbers + spreads + _words(signatures)
    totals = {
        "number": (len(numbers), len(recorded.values)),
        "spread": (len(spreads), len(recorded.sigma)),
        "signature": (len(set().union(*signatures.values())), len(recorded.signatures)),
    }
    installed = version("cubspec")
    others = sorted({each.context["v"] for each in recorded.signatures.values()} - {installed})
    absent = [row for row in result.rows if not any(row == told for told, _, _ in recorded.values)]
    notes = (
        *(_other_version(each, installed) for each in others),
        *(f"The file has no row {row}; its inputs give one." for row in absent),
    )
    if not said:
        parts = [counted(total, what) for what, (_, total) in totals.items() if total]
        return Verdict(True, (f"Verified, all computed again: {listed(parts)}.",), notes)
    more = [f"… and {len(said) - SHOWN} more"] if len(said) > SHOWN else []
    counts = [f"{count} of {counted(total, what)}" for what, (count, total) in totals.items()]
    summary = f"Not verified: {listed(counts)} differ."
    return Verdict(False, (*said[:SHOWN], *more, summary), notes)


def _number_differences(recorded: Recorded, result: Result) -> Iterator[str]:
    for (row, part, short), value in recorded.values.items():
        values = result.by_part.get(row, {}).get(part, {}) if part else result.rows.get(row, {})
        if short not in values or not _same(value, values[short]):
            where = ", ".join(filter(None, [row, part, short]))
            yield f"{where}: {_shown(value)}, recomputed {_shown(values.get(short))}"
    # A row that lacks a number which another row has was not written so.
    for row in dict.fromkeys(row for row, part, _ in recorded.values if not part):
        for short, own in result.rows.get(row, {}).items():
            if (row, "", short) not in recorded.values:
                yield f"{row}, {short}: none, recomputed {_shown(own)}"


def _sigma_differences(recorded: Recorded, result: Result) -> Iterator[str]:
    for (name, part), numbers in recorded.sigma.items():
        own: list[float] = []
        if name in result.sigma and part in result.parts:
            own = result.sigma[name][result.parts.index(part)].tolist()
        pairs = zip_longest(numbers, own)
        if not all(None not in pair and _same(*pair) for pair in pairs):
            found = " ".join(map(_shown, numbers))
            yield f"σ {name}, {part}: {found}, recomputed {' '.join(map(_shown, own)) or 'none'}"
    for name, every in result.sigma.items():
        for part, own in zip(result.parts, every.tolist(), strict=True):
            if (name, part) not in recorded.sigma:
                yield f"σ {name}, {part}: none, recomputed {' '.join(map(_shown, own))}"


Differences = dict[tuple[str, str], set[tuple[str, str]]]
"""By key of the context and how it differs in words, the rows and short forms of which."""


def _signature_differences(recorded: Recorded, result: Result) -> Differences:
    """How the signatures of what was computed again differ, but for v."""
    found: Differences = {}
    for (row, short), signature in recorded.signatures.items():
        if short not in result.signatures.get(row, {}):
            continue
        context = Signature.parse(result.signatures[row][short]).context
        for key in CONTEXT:
            told, own = signature.context.get(key, "none"), context.get(key, "none")
            if told != own and key != "v":
                # Each short form has an h of its own.
                where = f"{row}, {short}: " if key == "h" else ""
                words = f"{where}{key}:{told}, recomputed {key}:{own}"
                found.setdefault((key, words), set()).add((row, short))
    return found


def _words(differences: Differences) -> list[str]:
    return [
        words if key == "h" else f"{counted(len(where), 'signature')}: {words}"
        for (key, words), where in differences.items()
    ]


def _same(told: float, own: float) -> bool:
    both_undefined = math.isnan(told) and math.isnan(own)
    return both_undefined or math.isclose(told, own, rel_tol=TOLERANCE)


def _shown(value: float | None) -> str:
    if value is None:
        return "none"
    return "null" if math.isnan(value) else repr(float(value))
