"""The lock: which digest every definition has had, and since which version.

`python -m cubspec.lock --note "what changed"` writes the digests that have changed. Lines of a
released version are permanent; those of the unreleased one may be replaced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import date
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import click

from cubspec.data import InputError
from cubspec.digests import installed_digests

LOCK = "definitions.lock"

HEADING = """\
# Which digest every definition has had, written by `python -m cubspec.lock`.
# Lines of a released version are permanent; those of the unreleased one may be replaced.
# version, short form or value of the context, digest, date, what changed
"""

_LINE = re.compile(r"(\S+) (\S+) ([0-9a-f]{64}) ([0-9]{4}-[0-9]{2}-[0-9]{2}) (\S.*)")


@dataclass(frozen=True)
class Line:
    """One digest of a definition.

    Attributes
    ----------
    version : of cubspec, the first that has it
    name : a short form, or KEY:VALUE of the context
    digest : 64 hex digits
    date : when it was locked, YYYY-MM-DD
    note : what changed
    """

    version: str
    name: str
    digest: str
    date: str
    note: str

    @property
    def released(self) -> bool:
        """Whether its version is a released one."""
        return ".dev" not in self.version


def parse_lock(text: str, file: str | Path = LOCK) -> tuple[Line, ...]:
    """The lines of a lock, the oldest first.

    Parameters
    ----------
    text : its text
    file : its name, for messages
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            continue
        fields = _LINE.fullmatch(line)
        if not fields:
            expected = "version, definition, digest, date and what changed"
            raise InputError(f"expected {expected}, found {line!r}", file, number)
        found.append(Line(*fields.groups()))
    return tuple(found)


@cache
def installed_lock() -> tuple[Line, ...]:
    """The lock of this installation."""
    return parse_lock((files("cubspec") / LOCK).read_text("utf-8"))


def written_lock(lines: Iterable[Line]) -> str:
    """The text of a lock."""
    return HEADING + "".join(" ".join(astuple(line)) + "\n" for line in lines)


def history(name: str, lines: Iterable[Line]) -> list[Line]:
    """The lines of one definition, the newest first."""
    return [line for line in lines if line.name == name][::-1]


def outdated(lines: Sequence[Line], digests: Mapping[str, str], installed: str) -> list[str]:
    """What a lock says that is not so, one sentence each.

    Parameters
    ----------
    lines : of the lock
    digests : of every definition, by name
    installed : the version of cubspec
    """
    newest = {line.name: line for line in lines}
    said = [f"{name} has no line." for name in digests if name not in newest]
    for name, line in newest.items():
        if digests.get(name, line.digest) != line.digest:
            said.append(f"{name} has the digest {digests[name]}, its newest line {line.digest}.")
    for line in lines:
        if not line.released and (line.version != installed or line.name not in digests):
            said.append(f"{line.name} has a line of {line.version}, which is not released.")
    return said


def renewed(
    lines: Sequence[Line], digests: Mapping[str, str], installed: str, today: str, note: str | None
) -> tuple[Line, ...]:
    """The lines of a lock that holds these digests.

    Parameters
    ----------
    lines : of the lock as it is
    digests : of every definition, by name
    installed : the version of cubspec
    today : the date of new lines
    note : what has changed, or None where nothing should have

    Raises
    ------
    InputError
        Where a digest has changed, and either the version is a released one or there is no note.
    """
    kept = tuple(line for line in lines if line.released)
    released = {line.name: line.digest for line in kept}
    unreleased = {line.name: line for line in lines if not line.released}
    wanted = {name: digest for name, digest in digests.items() if released.get(name) != digest}
    same = {
        name: line if line.version == installed else replace(line, version=installed, date=today)
        for name, line in unreleased.items()
        if wanted.get(name) == line.digest
    }
    changed = [name for name in wanted if name not in same]
    note = _checked_note(changed, installed, note)
    new = {name: Line(installed, name, wanted[name], today, note) for name in changed} | same
    return kept + tuple(new[name] for name in wanted)


def _checked_note(changed: Sequence[str], installed: str, note: str | None) -> str:
    if not changed:
        return ""
    what = f"{len(changed)} changed or new digests, {changed[0]} the first"
    if ".dev" not in installed:
        raise InputError(
            f"expected a version with .dev in pyproject.toml for {what}, found {installed}; "
            "what a released version computes never changes"
        )
    if note is None or not note.strip() or "\n" in note:
        found = "none" if note is None else repr(note)
        raise InputError(f'expected --note "what changed", one line, for {what}, found {found}')
    return note.strip()


@click.command(help=(__doc__ or "").split("\n\n")[0])
@click.option("--note", help="What changed, one line.")
def main(note: str | None) -> None:
    """The command."""
    file = Path(__file__).with_name(LOCK)
    try:
        lines = parse_lock(file.read_text("utf-8"), file) if file.is_file() else ()
        digests, today = installed_digests(), date.today().isoformat()
        new = renewed(lines, digests, version("cubspec"), today, note)
    except InputError as error:
        click.echo(f"cubspec: error: {error}", err=True)
        sys.exit(2)
    text = written_lock(new)
    if new == lines:
        click.echo(f"{LOCK} is up to date")
        return
    file.write_text(text, "utf-8", newline="\n")
    click.echo(f"wrote {len(set(new) - set(lines))} lines of {LOCK}")


if __name__ == "__main__":
    main()
