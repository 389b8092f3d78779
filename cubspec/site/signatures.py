"""Every short signature with its meaning, as a table of a page."""

from __future__ import annotations

from cubspec.choices import Signature, short_signatures
from cubspec.site.cells import grid, link, plain


def signatures(page: str) -> str:
    """Every short form, linked to its measure, with what its values mean.

    Parameters
    ----------
    page : path of the page that holds the table, relative to the folder of the pages
    """
    rows = [
        [f"{link(page, form.measure.address, f'`{form.short}`')}<br>{plain(meaning(form))}"]
        for form in short_signatures()
    ]
    table = grid(["short signature, and what it means"], rows)
    return f'<div class="filterable" markdown>\n\n{table}\n\n</div>'


def meaning(form: Signature) -> str:
    """What a short form means, in the words of its values."""
    said = [form.measure.choice(key).meaning(value) for key, value in form.values.items()]
    return f"{form.measure.title}: {'; '.join(said)}"
