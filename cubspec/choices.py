"""What may be chosen, and how a choice is written: `Value`, `Choice`, `Measure`, `Signature`.

The pages declare their choices and measures with these classes; declaring has no effect by itself.
`measures()` and `context_choices()` collect them from the modules by name. A signature names one
definition (short form) or one number (full form); see the page on measures.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cubspec.data import PARTS, InputError, Pairs

MEASURE_MODULES = ("report_error", "average_error", "pcp", "visibility", "capped")
"""The modules of cubspec.measures that declare measures, in the order of every table."""


@dataclass(frozen=True)
class Value:
    """One value that a choice may take.

    Attributes
    ----------
    name : how a signature writes it
    meaning : one line
    function : what computes it
    definition : sentences that say exactly what it means, for whoever cites it
    """

    name: str
    meaning: str
    function: Callable[..., Any]
    definition: str = ""


@dataclass(frozen=True)
class Choice:
    """One open detail, with every value it may take.

    Attributes
    ----------
    key : how a signature writes the choice
    question : what the choice decides, one line
    page : the page that defines it, relative to the site, without ending
    anchor : what every anchor of the choice begins with on that page
    values : every value, in the order of every table
    preselected : the value selected where one has to be
    definition : sentences that stand before any value's, for whoever cites it; may be empty
    """

    key: str
    question: str
    page: str
    anchor: str
    values: tuple[Value, ...]
    preselected: str
    definition: str = ""

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """The function of the value of that name; raises InputError on an unknown name."""
        return self.value(name).function

    def value(self, name: str) -> Value:
        """The value of that name; raises InputError on an unknown name."""
        for value in self.values:
            if value.name == name:
                return value
        raise InputError(unknown(f"value of {self.key}", name, self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the values."""
        return tuple(value.name for value in self.values)

    def meaning(self, name: str) -> str:
        """The meaning of the value of that name; raises InputError on an unknown name."""
        return self.value(name).meaning

    def address(self, name: str) -> str:
        """The page and anchor that define the value, relative to the site."""
        return f"{self.page}/#{self.anchor}-{name}"


@dataclass(frozen=True)
class Measure:
    """One measure, with the choices that it leaves open.

    Attributes
    ----------
    id : how a signature writes it
    title : its name in words
    question : what it answers, one line
    unit : "%" or "σ"
    better : "higher", "lower" or "–"
    source : the paper and section that define it
    page : the page that defines it, relative to the site, without ending
    choices : in the order of the signature's keys
    pairs : what computes the `Pairs`; takes `prediction` and `truth`, and by name what its choices
        ask for: `sigma` (an array), `clicks` and `ref`, `none`, `of`
    definition : sentences that say exactly what it is, but for its choices, for whoever cites it
    """

    id: str
    title: str
    question: str
    unit: str
    better: str
    source: str
    page: str
    choices: tuple[Choice, ...]
    pairs: Callable[..., Pairs] = field(repr=False)
    definition: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its short form, in their order."""
        return tuple(choice.key for choice in self.choices)

    @property
    def anchor(self) -> str:
        """The anchor of the measure on its page."""
        return self.id.lower()

    @property
    def address(self) -> str:
        """The page and anchor that define the measure, relative to the site."""
        return f"{self.page}/#{self.anchor}"

    def choice(self, key: str) -> Choice:
        """The choice of that key; raises InputError where the measure has none."""
        for choice in self.choices:
            if choice.key == key:
                return choice
        raise InputError(unknown(f"key of {self.id}", key, self.keys))


@cache
def measures() -> tuple[Measure, ...]:
    """Every measure, in the order of every table."""
    found: list[Measure] = []
    for name in MEASURE_MODULES:
        module = importlib.import_module(f"cubspec.measures.{name}")
        found += [each for each in vars(module).values() if isinstance(each, Measure)]
    return tuple(found)


@cache
def context_choices() -> dict[str, Choice]:
    """The choices of a signature's context: truth, pool and workers, by key."""
    found = (
        importlib.import_module("cubspec.truth.consensus").TRUTH,
        importlib.import_module("cubspec.truth.sigma").POOL,
        importlib.import_module("cubspec.measures.human").WORKERS,
    )
    return {choice.key: choice for choice in found}


def measure(name: str) -> Measure:
    """The measure of that id; raises InputError with the nearest match where there is none."""
    for each in measures():
        if each.id == name:
            return each
    raise InputError(unknown("measure", name, [each.id for each in measures()]))


def unknown(what: str, found: str, allowed: Iterable[str]) -> str:
    """A message that says what is allowed, and which allowed name is nearest to the one found."""
    names = list(allowed)
    folded = {name.lower(): name for name in names}
    near = difflib.get_close_matches(found[:60].lower(), list(folded), n=1, cutoff=0.5)
    hint = f"; did you mean {folded[near[0]]}?" if near else ""
    return f"expected a {what} ({', '.join(names)}), found {_shown(found)!r}{hint}"


def _shown(text: str, most: int = 300) -> str:
    """A text that may be of any length, as a message repeats it."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


Check = Callable[[str], bool]


def _matches(pattern: str) -> Check:
    return lambda text: re.fullmatch(pattern, text) is not None


def _is_ranges(text: str) -> bool:
    run = r"[1-9][0-9]?(-[1-9][0-9]?)?"
    if not re.fullmatch(f"{run}(,{run})*", text):
        return False
    ids = parse_part_ranges(text)
    return part_ranges(ids) == text and max(ids, default=99) <= len(PARTS) > len(ids)


def part_ranges(ids: Iterable[int]) -> str:
    """Part ids in the shortest form of ranges, such as 1-7,9-11,13-15."""
    runs: list[list[int]] = []
    for number in sorted(set(ids)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def parse_part_ranges(text: str) -> list[int]:
    """The part ids that a form such as 1-7,9 names."""
    ids: list[int] = []
    for run in text.split(","):
        first, _, last = run.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


CONTEXT: dict[str, tuple[str, Check]] = {
    "data": (
        "CUB-200-2011, birds-N-SEED or 8 hex digits",
        _matches(r"CUB-200-2011|birds-[1-9][0-9]{0,11}-(0|[1-9][0-9]{0,18})|[0-9a-f]{8}"),
    ),
    "clicks": ("8 hex digits", _matches(r"[0-9a-f]{8}")),
    "truth": ("given or clicks", lambda text: text in context_choices()["truth"].names),
    "pool": ("all, train or scored", lambda text: text in context_choices()["pool"].names),
    "split": ("all, train or test", _matches("all|train|test")),
    "n": ("a number of images", _matches(r"[1-9][0-9]{0,11}")),
    "parts": ("part ids as in 1-7,9-11,13-15, shortest form", _is_ranges),
    "missing": ("invisible", _matches("invisible")),
    "workers": ("mean or pooled", lambda text: text in context_choices()["workers"].names),
    "v": ("a version of cubspec", _matches(r"[0-9]+(\.[0-9]+)+[A-Za-z0-9.+]*")),
    "h": ("8 hex digits", _matches(r"[0-9a-f]{8}")),
}
"""The keys of a full signature's context in their order, with what each may hold."""


@dataclass(frozen=True)
class Signature:
    """One string that names one definition (short form) or one number (full form).

    Attributes
    ----------
    measure : Measure
    values : value name by key, in the order of the measure's keys
    context : value by key, in the order of CONTEXT; empty in the short form
    """

    measure: Measure
    values: Mapping[str, str]
    context: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The canonical text."""
        pairs = [*self.values.items(), *self.context.items()]
        return "|".join([self.measure.id, *(f"{key}:{value}" for key, value in pairs)])

    @property
    def short(self) -> str:
        """The short form."""
        return str(Signature(self.measure, self.values))

    def full(self, context: Mapping[str, str]) -> Signature:
        """The full form: this definition in a context, of which it keeps what bears on it.

        `pool` is kept only with a sigma, `clicks` only where the answers decide the number: with a
        sigma, with `workers`, or where the ground truth is made from them.
        """
        dropped = set()
        if "sigma" not in self.values:
            dropped.add("pool")
        if not _rests_on_clicks(self.values, context):
            dropped.add("clicks")
        kept = {key: context[key] for key in CONTEXT if key in context and key not in dropped}
        return Signature(self.measure, self.values, kept)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a short or a full signature, its keys in any order.

        Raises
        ------
        InputError
            On an unknown measure, key or value, a key used twice, a key missing, or a context with
            a key missing; says what is allowed and what is nearest.
        """
        name, *fields = text.strip().split("|")
        chosen = measure(name)
        found = _fields(text, fields)
        allowed = [*chosen.keys, *CONTEXT]
        for key in found:
            if key not in allowed:
                raise InputError(f"{_shown(text)}: {unknown(f'key of {chosen.id}', key, allowed)}")
        _check_values(text, chosen, found)
        values = {key: found[key] for key in chosen.keys}
        context = {key: found[key] for key in CONTEXT if key in found}
        _check_context(text, values, context)
        return cls(chosen, values, context)


def _fields(text: str, fields: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in fields:
        key, colon, value = each.partition(":")
        if not colon or not key or not value:
            raise InputError(
                f"{_shown(text)}: expected KEY:VALUE between bars, found {_shown(each)!r}"
            )
        if key in found:
            raise InputError(f"{_shown(text)}: expected each key once, found {key} twice")
        found[key] = value
    return found


def _check_values(text: str, chosen: Measure, found: Mapping[str, str]) -> None:
    for choice in chosen.choices:
        if choice.key in found and found[choice.key] not in choice.names:
            message = unknown(f"value of {choice.key}", found[choice.key], choice.names)
            raise InputError(f"{_shown(text)}: {message}")
    missing = {each.key: ", ".join(each.names) for each in chosen.choices if each.key not in found}
    if missing:
        raise InputError(f"{_shown(text)}: {_no_such_key(missing)}; a signature has no defaults")


def _no_such_key(missing: Mapping[str, str]) -> str:
    """What is expected of some keys that are missing, from what each may hold."""
    listed = ", ".join(f"{key} ({allowed})" for key, allowed in missing.items())
    ending = "" if len(missing) == 1 else "s"
    return f"expected the key{ending} {listed}, found no such key{ending}"


def _check_context(text: str, values: Mapping[str, str], context: Mapping[str, str]) -> None:
    for key, value in context.items():
        allowed, check = CONTEXT[key]
        if not check(value):
            names = context_choices()[key].names if key in context_choices() else ()
            said = unknown(f"value of {key}", value, names) if names else ""
            raise InputError(
                f"{_shown(text)}: "
                + (said or f"expected {key} to be {allowed}, found {_shown(value)!r}")
            )
    if not context:
        return
    birds = context.get("data", "").startswith("birds-")
    if "pool" in context and "sigma" not in values:
        raise InputError(
            f"{_shown(text)}: expected pool only beside sigma, found pool:{context['pool']}"
        )
    if "clicks" in context and birds:
        raise InputError(f"{_shown(text)}: expected no clicks beside {context['data']}, found them")
    if "clicks" in context and not _rests_on_clicks(values, context):
        raise InputError(
            f"{_shown(text)}: expected clicks only beside sigma, workers or truth:clicks, "
            "found none"
        )
    if "missing" in context and "workers" in context:
        raise InputError(
            f"{_shown(text)}: expected missing or workers, found both; no answer is missing"
        )
    missing = {key: CONTEXT[key][0] for key in missing_context(values, context)}
    if missing:
        said = _no_such_key(missing)
        raise InputError(f"{_shown(text)}: {said}; a full signature names its whole context")


def missing_context(values: Mapping[str, str], context: Mapping[str, str]) -> list[str]:
    """The context keys that a full signature with these values needs and does not have."""
    needed = ["data", "truth", "split", "n", "v", "h"]
    if "sigma" in values:
        needed.append("pool")
    if _rests_on_clicks(values, context) and not context.get("data", "").startswith("birds-"):
        needed.append("clicks")
    return [key for key in CONTEXT if key in needed and key not in context]


def _rests_on_clicks(values: Mapping[str, str], context: Mapping[str, str]) -> bool:
    return "sigma" in values or "workers" in context or context.get("truth") == "clicks"


@cache
def short_signatures() -> tuple[Signature, ...]:
    """Every short form of every measure, in the order of every table."""
    found: list[Signature] = []
    for each in measures():
        combinations: list[dict[str, str]] = [{}]
        for choice in each.choices:
            combinations = [
                {**before, choice.key: name} for before in combinations for name in choice.names
            ]
        found += [Signature(each, values) for values in combinations]
    return tuple(found)
