"""Every full signature that a page prints verifies, and the lock is shown line by line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cubspec.choices import measures
from cubspec.lock import installed_lock
from cubspec.site.locked import lock
from cubspec.verifying import verify_signature

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PRINTED = {
    (path.relative_to(ROOT).as_posix(), text)
    for path in PAGES
    for text in re.findall(
        r"[A-Za-z-]+(?:\|[a-z]+:[\w.,-]+)+\|h:[0-9a-f]{8}", path.read_text("utf-8")
    )
}


@pytest.mark.parametrize("page", ["README.md", "docs/measures/index.md", "docs/guide/cite.md"])
def test_pages_print_signatures(page: str) -> None:
    assert page in {name for name, _ in PRINTED}


@pytest.mark.parametrize(("page", "text"), sorted(PRINTED))
def test_every_signature_on_a_page_verifies(page: str, text: str) -> None:
    assert verify_signature(text).holds, page


def test_the_lock_on_the_page_holds_every_line() -> None:
    made = lock("guide/cite.md").replace("<wbr>", "")
    pattern = r"^\| `(.*)`<br><code>([0-9a-f]{64})</code> \| (\S+)<br>(\S+) \| (.*) \|$"
    rows = re.findall(pattern, made, re.MULTILINE)
    assert {tuple(row) for row in rows} == {
        (line.name, line.digest, line.version, line.date, line.note) for line in installed_lock()
    }
    assert len(rows) == len(installed_lock())
    summaries = re.findall("<summary>(.*): ([0-9]+) lines</summary>", made)
    names = [*(each.id for each in measures()), "truth", "workers"]
    assert [name for name, _ in summaries] == names
    assert sum(int(number) for _, number in summaries) == len(rows)
