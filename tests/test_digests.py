"""A digest moves exactly when something that the definition rests on does."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from time import process_time
from types import FrameType
from typing import Any

import numpy as np
import pytest

from cubspec.choices import Signature, context_choices, short_signatures
from cubspec.data import Clicks, InputError, Pairs, Prediction, Truth
from cubspec.digests import (
    Definition,
    Definitions,
    Place,
    _digest,
    combined,
    context_digest,
    definitions_of,
    digest_names,
    every_digest,
    full_digest,
    global_names,
    installed_definitions,
    installed_digests,
    installed_sources,
    short_digest,
    with_digest,
    written,
)
from cubspec.measures.averages import AVG, micro
from cubspec.measures.human import human_pairs
from cubspec.truth.sigma import SIGMA

SOURCES = installed_sources()
CONTEXT_VALUES = [(k, v) for k in ("truth", "workers") for v in context_choices()[k].names]
FUNCTIONS = [
    (module, node.name)
    for module, text in SOURCES.items()
    for node in ast.parse(text).body
    if isinstance(node, ast.FunctionDef)
]


@contextmanager
def calls() -> Iterator[set[Place]]:
    """Collects which functions of the tangled modules are called."""
    seen: set[Place] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add((frame.f_globals.get("__name__", ""), frame.f_code.co_name))

    sys.setprofile(watch)
    try:
        yield seen
    finally:
        sys.setprofile(None)


def sample() -> tuple[Prediction, Truth, Clicks]:
    """Data on which every function that a definition rests on is called."""
    rng = np.random.default_rng(0)
    clicks = Clicks.at(rng.normal(50, 3, (4, 3, 2, 2)))
    return Prediction.at(rng.normal(50, 3, (4, 2, 2))), Truth.at(clicks.location[:, 0]), clicks


def run_form(form: Signature) -> None:
    """Compute the number that a short form names, on the sample."""
    prediction, truth, clicks = sample()
    chosen: dict[str, Any] = {k: v for k, v in form.values.items() if k != "avg"}
    if "sigma" in chosen:
        chosen["sigma"] = SIGMA[chosen["sigma"]](clicks, truth)
    if "ref" in chosen:
        chosen["clicks"] = clicks
    average = AVG[form.values["avg"]] if "avg" in form.values else micro
    average(form.measure.pairs(prediction, truth, **chosen))


def run_context(key: str, value: str) -> None:
    """Compute what a value of the context decides, on the sample."""
    _, truth, clicks = sample()
    function = context_choices()[key][value]
    if key == "truth":
        function(truth, clicks)
        return

    def pairs(prediction: Prediction, truth: Truth, **_: Any) -> Pairs:
        return Pairs(np.ones(truth.visible.shape), truth.visible)

    any_measure = replace(short_signatures()[0].measure, pairs=pairs)
    function(human_pairs(any_measure, truth, clicks, ref="one"), clicks.answered, lambda _: 1.0)


def resting_on(place: Place) -> set[str]:
    """The definitions whose computation calls a function."""
    runs: dict[str, Callable[[], None]] = {}
    for form in short_signatures():
        runs[str(form)] = lambda form=form: run_form(form)  # type: ignore[misc]
    for key, value in CONTEXT_VALUES:
        runs[f"{key}:{value}"] = lambda k=key, v=value: run_context(k, v)  # type: ignore[misc]
    if not _CALLED:
        for name, run in runs.items():
            with calls() as seen:
                run()
            _CALLED[name] = seen
    return {name for name, seen in _CALLED.items() if place in seen}


_CALLED: dict[str, set[Place]] = {}


def changed(module: str, text: str) -> dict[str, str]:
    """Every digest after a module has got another text."""
    return every_digest(definitions_of({**SOURCES, module: text}))


def moved(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The definitions whose digest differs."""
    return {name for name in before if before[name] != after[name]}


def mutated(text: str, function: str) -> str:
    """The text of a module in which one function does something more."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            node.body.insert(-1, ast.parse("extra = 1").body[0])
    return ast.unparse(tree)


@pytest.mark.parametrize("place", FUNCTIONS, ids=".".join)
def test_a_changed_function_moves_the_digests_of_all_that_call_it(place: Place) -> None:
    module, name = place
    after = changed(module, mutated(SOURCES[module], name))
    assert moved(every_digest(), after) == resting_on(place)


def test_nothing_is_called_that_no_digest_covers() -> None:
    resting_on(FUNCTIONS[0])
    called = {place for seen in _CALLED.values() for place in seen if place[0] in SOURCES}
    named = {place for place in called if place[1].isidentifier()}
    assert named == {place for place in FUNCTIONS if resting_on(place)}
    uncovered = {place for place in FUNCTIONS if not resting_on(place)}
    assert {name for _, name in uncovered} == {"pool_all", "pool_train", "pool_scored", "by_part"}


CONSTANTS = [
    ("cubspec.measures.distance", "CAP = 5.0", "CAP = 6.0", r"report-error|AE|capped"),
    ("cubspec.measures.distance", "RADIUS = 1.5", "RADIUS = 1.6", r"PCP"),
    ("cubspec.truth.sigma", "SMALLEST = 1e-9", "SMALLEST = 1e-8", r".*sigma:"),
    ("cubspec.measures.human", '("one", "each", "any")', '("one", "each")', r"workers:"),
]


@pytest.mark.parametrize(("module", "old", "new", "pattern"), CONSTANTS)
def test_a_changed_constant(module: str, old: str, new: str, pattern: str) -> None:
    assert SOURCES[module].count(old) == 1
    before = every_digest()
    after = changed(module, SOURCES[module].replace(old, new))
    assert moved(before, after) == {name for name in before if re.match(pattern, name)}


def test_the_same_constant_written_otherwise_moves_nothing() -> None:
    module = "cubspec.measures.distance"
    text = SOURCES[module].replace("CAP = 5.0", "CAP: float = (5.00)")
    assert text != SOURCES[module]
    assert changed(module, text) == every_digest()


@pytest.mark.parametrize("module", SOURCES)
def test_prose_layout_and_annotations_move_nothing(module: str) -> None:
    tree = ast.parse(SOURCES[module])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
            if len(node.body) > 1 and ast.get_docstring(node):
                node.body[0] = ast.parse('"Other words."').body[0]
    text = "# A remark.\n\n\n" + ast.unparse(tree)
    text = re.sub(r"Value\('([^']*)', '[^']*'", r"Value('\1', 'other words'", text)
    assert changed(module, text) == every_digest()


def test_a_renamed_file_moves_nothing() -> None:
    sources = dict(SOURCES)
    sources["cubspec.truth.spread"] = sources.pop("cubspec.truth.sigma")
    sources = {
        k: v.replace("cubspec.truth.sigma", "cubspec.truth.spread") for k, v in sources.items()
    }
    definitions = definitions_of(sources)
    assert ("cubspec.truth.spread", "sd_mean") in definitions
    # The functions themselves were imported from the file of the old name.
    assert every_digest(moved_back(definitions)) == every_digest()


def moved_back(definitions: Definitions) -> Definitions:
    """The same definitions under the name that the renamed file had."""

    def old(place: Place) -> Place:
        return place[0].replace("truth.spread", "truth.sigma"), place[1]

    def old_names(definition: Definition) -> dict[str, Place | str]:
        return {n: t if isinstance(t, str) else old(t) for n, t in definition.names.items()}

    return {old(each): Definition(d.text, old_names(d)) for each, d in definitions.items()}


def test_a_new_value_of_a_choice_moves_nothing() -> None:
    module = "cubspec.measures.pcp"
    text = SOURCES[module]
    new = 'Value("none", "never", ref_none),'
    text = text.replace('Value("any"', f'{new}\n        Value("any"')
    text += "\n\ndef ref_none(prediction, truth, clicks, sigma):\n    return 0 * within(1)\n"
    assert changed(module, text) == every_digest()


def test_a_different_function_behind_a_value_moves_its_digests() -> None:
    form = Signature.parse("PCP|sigma:sd-mean|ref:any")
    pcp = form.measure
    ref = pcp.choice("ref")
    swapped = tuple(
        replace(value, function=ref["each"]) if value.name == "any" else value
        for value in ref.values
    )
    other = replace(pcp, choices=(pcp.choices[0], replace(ref, values=swapped)))
    assert short_digest(Signature(other, form.values)) != short_digest(form)


def test_every_definition_has_a_digest_of_its_own() -> None:
    digests = every_digest()
    assert digests == installed_digests()
    assert list(digests) == [
        *(form.short for form in short_signatures()),
        *("truth:given", "truth:clicks", "workers:mean", "workers:pooled"),
    ]
    assert len(digests) == 127
    assert len(set(digests.values())) == 127
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests.values())


def test_a_full_signature_carries_its_short_form_and_its_context() -> None:
    context = "data:0a1b2c3d|clicks:9d01b7c2|truth:clicks|pool:all|split:all|n:7"
    text = f"PCP|sigma:sd-mean|ref:any|{context}|workers:pooled|v:1.0.0|h:00000000"
    form = Signature.parse(text)
    parts = [short_digest(form), context_digest("truth", "clicks")]
    parts.append(context_digest("workers", "pooled"))
    expected = sha256("".join(parts).encode()).hexdigest()[:8]
    assert full_digest(form) == expected
    assert str(with_digest(form)) == text.replace("00000000", expected)
    assert digest_names(form) == [form.short, "truth:clicks", "workers:pooled"]
    assert combined(parts) == expected


def test_many_full_signatures_take_little_time() -> None:
    context = dict(data="0a1b2c3d", truth="given", split="all", n="7", v="1.0.0")
    forms = [form.full(context) for form in short_signatures()]
    full_digest(forms[0])
    start = process_time()
    for _ in range(5):
        assert len([with_digest(form) for form in forms]) == 123
    assert process_time() - start < 0.05


def test_a_tree_is_written_in_a_form_of_our_own() -> None:
    code = 'def f(x: int = 2) -> int:\n    """Words."""\n    y: float = x + 1.0\n    return y\n'
    assert written(ast.parse(code).body[0]) == (
        "FunctionDef(name='f', args=arguments(args=[arg(arg='x')], defaults=[Constant(value=2)]), "
        "body=[Assign(targets=[Name(id='y')], value=BinOp(left=Name(id='x'), op=Add(), "
        "right=Constant(value=1.0))), Return(value=Name(id='y'))])"
    )


def test_declarations_are_not_part_of_a_definition() -> None:
    names = {name for _, name in installed_definitions()}
    assert not names & {"SIGMA", "AVG", "REF", "NONE", "FVR_OF", "PCP", "TRUTH", "WORKERS"}


DISTANCE, HUMAN = "cubspec.measures.distance", "cubspec.measures.human"


def test_an_import_of_something_else_under_the_same_name_moves_what_uses_it() -> None:
    old = "import numpy as np"
    text = SOURCES[DISTANCE].replace(old, "import something_else as np")
    places = [(DISTANCE, "distance"), (DISTANCE, "distance_from_truth")]
    expected = set.union(*(resting_on(place) for place in places))
    assert moved(every_digest(), changed(DISTANCE, text)) == expected


def test_two_names_that_change_places_move_what_uses_them() -> None:
    # The same functions are reached as before, each under the other's name.
    module = "cubspec.measures.pcp"
    old = "RADIUS, both_visible, distance, neither_visible"
    assert old in SOURCES[module]
    new = "RADIUS, both_visible as neither_visible, distance, neither_visible as both_visible"
    text = SOURCES[module].replace(old, new)
    pcp = {name for name in every_digest() if name.startswith("PCP|")}
    assert moved(every_digest(), changed(module, text)) == pcp


def test_equal_names_in_two_modules_are_told_apart() -> None:
    texts = {
        "a": "from b import g\ndef f(): return h() + g()\ndef h(): return 1\n",
        "b": "def g(): return h()\ndef h(): return 2\n",
    }
    swapped = {"a": texts["a"].replace("1", "2"), "b": texts["b"].replace("2", "1")}
    first, second = (definitions_of(each) for each in (texts, swapped))
    role = {"f": ("a", "f")}
    assert _digest(role, first) == _digest(role, definitions_of(dict(texts)))
    assert _digest(role, first) != _digest(role, second)


def test_functions_that_call_each_other_have_a_digest() -> None:
    found = definitions_of({"a": "def f(): return g()\ndef g(): return f()\n"})
    assert _digest({"x": ("a", "f")}, found) != _digest({"x": ("a", "g")}, found)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def f(x, y=A): return [B(z) + x for z in C]", ["A", "B", "C"]),
        ("def f(x): return lambda B: B + C", ["C"]),
        ("def f(x):\n    def B(): return D\n    return B", ["D"]),
        ("def f(x):\n    B = 1\n    return (lambda B: B)(x) + C", ["C"]),
        # The name is an argument of the inner function, and a global of the outer one.
        ("def f(x): return B(lambda B: B)", ["B"]),
        ("A = B + max(C)", ["B", "C", "max"]),
        ("@B\ndef f(): return f()", ["B", "f"]),
    ],
)
def test_global_names(code: str, names: list[str]) -> None:
    assert global_names(ast.parse(code).body[0]) == names


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("if 1:\n    A = 1\n", "a:1: expected a function, a constant or an import, found If"),
        ("A, B = 1, 2\n", "found Assign"),
        ("A = 1\nA += 1\n", "a:2: expected a function, a constant or an import, found AugAssign"),
        ("print(1)\n", "found Expr"),
        ("def f():\n    import numpy\n", "a:2: expected imports at the top level"),
        ("from b import *\n", "expected names imported one by one, found b.*"),
        ("from x import b\n", "expected names imported one by one, found x.b"),
        ("import x.b\n", "expected names imported one by one, found x.b"),
        ("from .b import c\n", "expected names imported one by one, found b.c"),
    ],
)
def test_what_no_digest_could_follow_is_refused(code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        definitions_of({"a": code, "x.b": ""})
    assert said in str(caught.value)


def test_annotations_of_every_kind_are_left_out() -> None:
    plain = "def f(x, *y, z=1, **w):\n    a = x\n    return a\n"
    code = "def f(x: A, *y: B, z: C = 1, **w: D) -> E:\n    a: F = x\n    return a\n"
    assert definitions_of({"m": code}) == definitions_of({"m": plain})
