"""Digests of definitions: which code and constants a signature's number rests on.

A digest is a SHA-256 over the syntax trees of the functions and constants that a definition reaches
in the modules written from the pages. It is the same whatever the page's prose, the layout of its
code, or the name of the file; the page guide/cite states the rule.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from cubspec.choices import Signature, context_choices, short_signatures
from cubspec.data import InputError

PACKAGES = ("cubspec.truth", "cubspec.measures")

CONTEXT_KEYS = ("truth", "workers")
"""The context keys whose values have digests of their own."""

DROPPED_FIELDS = frozenset({"annotation", "returns", "type_comment", "type_params", "kind", "ctx"})
DECLARATIONS = frozenset({"Choice", "Measure"})
MICRO = ("cubspec.measures.averages", "micro")
HUMAN_PAIRS = ("cubspec.measures.human", "human_pairs")

Place = tuple[str, str]
"""A module and a name at its top level."""


@dataclass(frozen=True)
class Definition:
    """A function or a constant at the top level of a module.

    Attributes
    ----------
    text : its syntax tree, as `written` writes it
    names : by each global name that it uses, the place of its definition, or what it is called
        where it comes from
    """

    text: str
    names: Mapping[str, Place | str]


Definitions = Mapping[Place, Definition]


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


def every_digest(definitions: Definitions | None = None) -> dict[str, str]:
    """Every digest by short form, or by KEY:VALUE of the context, in the order of every table.

    Parameters
    ----------
    definitions : as `definitions_of` gives; those of this installation where not given
    """
    found = {form.short: short_digest(form, definitions) for form in short_signatures()}
    for key in CONTEXT_KEYS:
        for value in context_choices()[key].names:
            found[f"{key}:{value}"] = context_digest(key, value, definitions)
    return found


@cache
def installed_digests() -> Mapping[str, str]:
    """Every digest of this installation, as `every_digest` gives them."""
    return every_digest()


def digest_names(signature: Signature) -> list[str]:
    """What the digest of a full signature is made of: its short form and values of its context."""
    context = signature.context
    return [signature.short, *(f"{key}:{context[key]}" for key in CONTEXT_KEYS if key in context)]


def combined(digests: Iterable[str]) -> str:
    """The 8 hex digits that a full signature carries as `h`, from the digests it is made of."""
    return sha256("".join(digests).encode()).hexdigest()[:8]


def full_digest(signature: Signature) -> str:
    """The 8 hex digits that this installation gives a full signature as `h`.

    Parameters
    ----------
    signature : Signature with a context
    """
    return combined(installed_digests()[name] for name in digest_names(signature))


def with_digest(signature: Signature) -> Signature:
    """A full signature with this installation's `h`."""
    return replace(signature, context={**signature.context, "h": full_digest(signature)})


def definitions_of(sources: Mapping[str, str]) -> Definitions:
    """Every function and constant at the top level of some modules.

    Declarations of choices and measures are left out: they say what is on offer, not what was
    chosen.

    Parameters
    ----------
    sources : text by module name

    Raises
    ------
    InputError
        On a statement whose part in a definition cannot be told.
    """
    trees = {module: _parsed(module, text) for module, text in sources.items()}
    nodes = {
        (module, name): node
        for module, tree in trees.items()
        for node in tree.body
        for name in _defined(node)
    }
    imports = {module: _imports(tree, module, sources) for module, tree in trees.items()}
    found: dict[Place, Definition] = {}
    for (module, name), node in nodes.items():
        if not _is_declaration(node):
            uses = {each: imports[module].get(each, (module, each)) for each in global_names(node)}
            names = {each: _named(place, nodes, sources) for each, place in uses.items()}
            kept = {each: target for each, target in names.items() if target is not None}
            found[module, name] = Definition(written(node), kept)
    return found


@cache
def installed_definitions() -> Definitions:
    """The functions and constants of this installation."""
    return definitions_of(installed_sources())


def installed_sources() -> dict[str, str]:
    """The text of every module written from the pages, by its name."""
    return {
        f"{package}.{file.name.removesuffix('.py')}": file.read_text("utf-8")
        for package in PACKAGES
        for file in sorted(files(package).iterdir(), key=lambda each: each.name)
        if file.name.endswith(".py") and file.name != "__init__.py"
    }


def written(node: Any) -> str:
    """A syntax tree as text, without docstrings, annotations, positions and empty fields.

    What `ast.dump` prints differs between versions of Python; this does not.
    """
    if isinstance(node, list):
        return f"[{', '.join(map(written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return written(ast.Assign(targets=[node.target], value=node.value))
    inside = ", ".join(f"{name}={written(value)}" for name, value in _fields(node))
    return f"{type(node).__name__}({inside})"


def global_names(node: ast.stmt) -> list[str]:
    """The names that a statement uses and that are not its own, sorted."""
    return sorted(set(_globals(symtable.symtable(ast.unparse(node), "", "exec"))))


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module"):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals(child)


def _digest(roles: Mapping[str, Place], definitions: Definitions | None) -> str:
    own = installed_definitions() if definitions is None else definitions
    numbers = _numbered([place for _, place in sorted(roles.items())], own)
    lines = [f"{role} {numbers[place]}" for role, place in sorted(roles.items())]
    for place, number in numbers.items():
        names = [
            f"{name}={target if isinstance(target, str) else numbers[target]}"
            for name, target in own[place].names.items()
        ]
        lines.append(" ".join([str(number), own[place].text, *names]))
    return sha256("\n".join(lines).encode()).hexdigest()


def _numbered(roots: Iterable[Place], definitions: Definitions) -> dict[Place, int]:
    """Everything that some functions reach, themselves included, by when it is reached first."""
    # Numbers stand in for modules, so that a digest tells equal names in two of them apart, and
    # is the same whatever the modules are called.
    numbers: dict[Place, int] = {}
    waiting = list(roots)[::-1]
    while waiting:
        place = waiting.pop()
        if place not in numbers:
            numbers[place] = len(numbers) + 1
            names = definitions[place].names.values()
            waiting += [target for target in names if not isinstance(target, str)][::-1]
    return numbers


def _place(function: Callable[..., Any]) -> Place:
    return function.__module__, function.__name__


def _parsed(module: str, text: str) -> ast.Module:
    """A module's tree without annotations, every statement of which is understood."""
    tree = ast.parse(text)
    for node in tree.body:
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        if not (is_import or _is_text(node) or _defined(node)):
            kind = type(node).__name__
            raise _unclear(f"a function, a constant or an import, found {kind}", module, node)
    for each in ast.walk(tree):
        if isinstance(each, ast.arg):
            each.annotation = None
        elif isinstance(each, ast.FunctionDef):
            each.returns = None
        elif isinstance(each, ast.AnnAssign):
            each.annotation = ast.Constant("")
        elif isinstance(each, ast.Import | ast.ImportFrom) and each not in tree.body:
            raise _unclear("imports at the top level, found one inside", module, each)
    return tree


def _unclear(expected: str, module: str, node: ast.stmt) -> InputError:
    return InputError(f"expected {expected}", module, node.lineno)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    names = [each.id for each in targets if isinstance(each, ast.Name)]
    return names if len(names) == len(targets) else []


def _imports(tree: ast.Module, module: str, sources: Mapping[str, str]) -> dict[str, Place]:
    """What each imported name of a module stands for; the second is empty for a whole module."""
    found: dict[str, Place] = {}
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        is_relative = isinstance(node, ast.ImportFrom) and node.level > 0
        origin = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            place = (origin, alias.name) if origin else (alias.name, "")
            whole = ".".join(filter(None, place))
            if whole in sources or alias.name == "*" or is_relative:
                raise _unclear(f"names imported one by one, found {whole}", module, node)
            found[alias.asname or alias.name.partition(".")[0]] = place
    return found


def _named(
    place: Place, nodes: Mapping[Place, ast.stmt], sources: Mapping[str, str]
) -> Place | str | None:
    """The place where a digest follows it, else what it is called; None for a declaration."""
    module, name = place
    if place in nodes:
        return None if _is_declaration(nodes[place]) else place
    if module in sources or module.partition(".")[0] == "cubspec":
        return name
    return ".".join(filter(None, place))


def _is_declaration(node: ast.stmt) -> bool:
    """Whether a statement declares a choice or a measure: what it offers, not what was chosen."""
    called = getattr(getattr(node, "value", None), "func", None)
    return isinstance(called, ast.Name) and called.id in DECLARATIONS


def _fields(node: ast.AST) -> Iterator[tuple[str, Any]]:
    for name, value in ast.iter_fields(node):
        kept = _without_docstring(value) if name == "body" else value
        if name not in DROPPED_FIELDS and kept is not None and kept != []:
            yield name, kept


def _without_docstring(body: Any) -> Any:
    return body[1:] if isinstance(body, list) and body and _is_text(body[0]) else body


def _is_text(node: ast.stmt) -> bool:
    value = getattr(node, "value", None)
    return (
        isinstance(node, ast.Expr)
        and isinstance(value, ast.Constant)
        and isinstance(value.value, str)
    )
