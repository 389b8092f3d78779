"""The lock as a page shows it, made while the site is built."""

from __future__ import annotations

from collections.abc import Iterable

from cubspec import choices
from cubspec.lines import counted
from cubspec.lock import Line, installed_lock
from cubspec.site.cells import grid, plain

HEAD = ("definition and digest", "since", "what changed")
GROUP = 16
"""After how many digits a digest may be broken, on a screen too narrow for it."""


def lock(page: str) -> str:
    """Every line of the lock, folded: those of each measure, and those of the context.

    Parameters
    ----------
    page : path of the page that holds them; any
    """
    lines = installed_lock()
    groups = {each.id: f"{each.id}|" for each in choices.measures()}
    groups |= {key: f"{key}:" for key in choices.context_choices()}
    folded = {
        name: [line for line in lines if line.name.startswith(start)]
        for name, start in groups.items()
    }
    return "\n\n".join(_folded(name, own) for name, own in folded.items() if own)


def _folded(name: str, lines: Iterable[Line]) -> str:
    # The newest first, since a reader looks for what holds now.
    rows = [_row(line) for line in list(lines)[::-1]]
    summary = f"<summary>{name}: {counted(len(rows), 'line')}</summary>"
    return f'<details markdown="1">\n{summary}\n\n{grid(HEAD, rows)}\n\n</details>'


def _row(line: Line) -> tuple[str, str, str]:
    pieces = [line.digest[at : at + GROUP] for at in range(0, len(line.digest), GROUP)]
    digest = f"<code>{'<wbr>'.join(pieces)}</code>"
    return f"`{line.name}`<br>{digest}", f"{line.version}<br>{line.date}", plain(line.note)
