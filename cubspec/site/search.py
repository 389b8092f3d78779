"""MkDocs hook: the search finds the page that defines a name before the pages that mention it."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

from cubspec import choices

DEFINING = ("measures/", "truth/")
"""Folders of the pages that define."""

BOOST = 4


# The plugin writes its index when its turn comes.
@event_priority(100)
def on_post_build(*, config: MkDocsConfig) -> None:
    """Weigh what the search has read; a tag weighs more than a heading."""
    names = defined_names()
    for entry in config.plugins["material/search"].search_index.entries:  # type: ignore[attr-defined]
        page, _, anchor = entry["location"].partition("#")
        if page.startswith(DEFINING) and page not in DEFINING:
            entry["boost"] = BOOST
        if page in names and not anchor:
            entry["tags"] = names[page]


def defined_names() -> dict[str, list[str]]:
    """The measures and keys of choices that each page defines, by the page's address."""
    found: dict[str, list[str]] = {}
    declared = [choice for measure in choices.measures() for choice in measure.choices]
    for page, name in [
        *((measure.page, measure.id) for measure in choices.measures()),
        *((choice.page, choice.key) for choice in declared),
        *((choice.page, choice.key) for choice in choices.context_choices().values()),
    ]:
        names = found.setdefault(f"{page}/", [])
        if name not in names:
            names.append(name)
    return found
