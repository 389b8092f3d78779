"""Digests of definitions: which code and constants a signature's number rests on.

A digest is a SHA-256 over the syntax trees of the functions and the values of the constants that a
definition reaches in the modules written from the pages. It is the same whatever the page's prose,
the layout of its code, or the name of the file; the page guide/cite states the rule.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from cubspec.choices import Signature, context_choices

PACKAGES = ("cubspec.truth", "cubspec.measures")

CONTEXT_KEYS = ("truth", "workers")
"""The context keys whose values have digests of their own."""

DROPPED_FIELDS = frozenset({"annotation", "returns", "type_comment", "type_params", "kind", "ctx"})
DECLARATIONS = frozenset({"Choice", "Measure"})
MICRO = ("cubspec.measures.averages", "micro")
HUMAN_PAIRS = ("cubspec.measures.human", "human_pairs")

Place = tuple[str, str]
"""A module and a name at its top level."""

Definitions = Mapping[Place, tuple[str, tuple[Place, ...]]]
"""By place, a definition written canonically, and the places of the names that it uses."""


def short_digest(form: Signature, definitions: Definitions | None = None) -> str:
    """The digest of a short form, 64 hex digits.

    Parameters
    ----------
    form : Signature, of which only measure and values count
    definitions : as `definitions_of` gives; those of this installation where not given
    """
    roles = {"pairs": _place(form.measure.pairs)}
    for choice in form.measure.choices:
        roles[choice.key] = _place(choice[form.values[choice.key]])
    # A measure without the choice is averaged over all pairs at once.
    roles.setdefault("avg", MICRO)
    return _digest(roles, definitions)


def context_digest(key: str, value: str, definitions: Definitions | None = None) -> str:
    """The digest of a value of the context, 64 hex digits.

    Parameters
    ----------
    key : "truth" or "workers"
    value : its value
    definitions : as `definitions_of` gives; those of this installation where not given
    """
    roles = {key: _place(context_choices()[key][value])}
    if key == "workers":
        roles["pairs"] = HUMAN_PAIRS
    return _digest(roles, definitions)


def full_digest(signature: Signature) -> str:
    """The 8 hex digits that a full signature carries as `h`.

    Parameters
    ----------
    signature : Signature with a context
    """
    digests = [short_digest(signature)]
    digests += [
        context_digest(key, signature.context[key])
        for key in CONTEXT_KEYS
        if key in signature.context
    ]
    return sha256("".join(digests).encode()).hexdigest()[:8]


def reached(roots: Iterable[Place], definitions: Definitions) -> set[Place]:
    """Every function and constant that some functions reach, themselves included."""
    found: set[Place] = set()
    waiting = list(roots)
    while waiting:
        place = waiting.pop()
        if place in definitions and place not in found:
            found.add(place)
            waiting += definitions[place][1]
    return found


def definitions_of(sources: Mapping[str, str]) -> Definitions:
    """Every function and constant at the top level of some modules.

    Declarations of choices and measures are left out: they say what is on offer, not what was
    chosen.

    Parameters
    ----------
    sources : text by module name
    """
    found: dict[Place, tuple[str, tuple[Place, ...]]] = {}
    for module, text in sources.items():
        tree = ast.parse(text)
        for node in tree.body:
            if _is_declaration(node):
                continue
            uses = tuple(_resolve(module, name, tree) for name in sorted(_global_names(node)))
            for name in _defined(node):
                found[module, name] = (_constant(node) or written(node), uses)
    return found


@cache
def installed_definitions() -> Definitions:
    """The functions and constants of this installation."""
    return definitions_of(installed_sources())


def written(node: Any) -> str:
    """A syntax tree as text, without docstrings, annotations, positions and empty fields."""
    if isinstance(node, list):
        return f"[{', '.join(map(written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return written(ast.Assign(targets=[node.target], value=node.value))
    fields = {
        name: _without_docstring(value) if name == "body" else value
        for name, value in ast.iter_fields(node)
        if name not in DROPPED_FIELDS and value is not None and value != []
    }
    inside = ", ".join(f"{name}={written(value)}" for name, value in fields.items())
    return f"{type(node).__name__}({inside})"


def installed_sources() -> dict[str, str]:
    """The text of every module written from the pages, by its name."""
    found = {}
    for package in PACKAGES:
        for place in import_module(package).__path__:
            for module in pkgutil.iter_modules([place]):
                file = Path(place) / f"{module.name}.py"
                found[f"{package}.{module.name}"] = file.read_text("utf-8")
    return found


def _digest(roles: Mapping[str, Place], definitions: Definitions | None) -> str:
    own = installed_definitions() if definitions is None else definitions
    lines = [f"{role} {name}" for role, (_, name) in sorted(roles.items())]
    lines += sorted(f"{place[1]} {own[place][0]}" for place in reached(roles.values(), own))
    return sha256("\n".join(lines).encode()).hexdigest()


def _place(function: Callable[..., Any]) -> Place:
    return function.__module__, function.__name__


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _resolve(module: str, name: str, tree: ast.Module) -> Place:
    """Where a name used in a module is defined, through its imports."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return node.module or "", alias.name
    return module, name


def _is_declaration(node: ast.stmt) -> bool:
    """Whether a statement declares a choice or a measure: what it offers, not what was chosen."""
    value = getattr(node, "value", None)
    called = getattr(value, "func", None)
    return isinstance(called, ast.Name) and called.id in DECLARATIONS


def _constant(node: ast.stmt) -> str | None:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return None
    try:
        return repr(ast.literal_eval(node.value))
    except ValueError:
        return None


def _global_names(node: ast.AST) -> set[str]:
    """The names that a statement uses and does not set itself, annotations apart."""
    used: set[str] = set()
    own: set[str] = set()
    for each in _walk(node):
        if isinstance(each, ast.Name):
            (used if isinstance(each.ctx, ast.Load) else own).add(each.id)
        elif isinstance(each, ast.arg):
            own.add(each.arg)
    return used - own


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in DROPPED_FIELDS:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _without_docstring(body: Any) -> Any:
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
        value = body[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return body[1:]
    return body
