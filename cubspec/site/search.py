"""MkDocs hook: the search finds the page that defines a name before the pages that mention it."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

from cubspec import choices

DEFINING = ("measures/", "truth/")
"""Folders of the pages that define."""

PAGE_BOOST, VALUE_BOOST = 4, 16
"""What the entries of these pages weigh, and those of the values of choices on them."""


GUIDES = {
    "guide/cite/": ["cite", "citation", "profile", "verify"],
    "guide/pick/": ["footnote", "BibTeX"],
}
"""What the guides are looked for by, other than their titles."""


# The plugin writes its index when its turn comes.
@event_priority(100)
def on_post_build(*, config: MkDocsConfig) -> None:
    """Weigh what the search has read; a tag weighs more than a heading."""
    names, values = defined_names(), defined_values()
    for entry in config.plugins["material/search"].search_index.entries:  # type: ignore[attr-defined]
        address = entry["location"]
        if address.startswith(DEFINING) and address not in DEFINING:
            entry["boost"] = PAGE_BOOST
        if address in names:
            entry["tags"] = names[address]
        if address in GUIDES:
            entry["tags"], entry["boost"] = GUIDES[address], PAGE_BOOST
        if address in values:
            entry["tags"], entry["boost"] = [values[address]], VALUE_BOOST


def defined_names() -> dict[str, list[str]]:
    """The measures and keys of choices that each page defines, by the page's address."""
    found: dict[str, list[str]] = {}
    for page, name in [
        *((measure.page, measure.id) for measure in choices.measures()),
        *((choice.page, choice.key) for choice in _declared()),
    ]:
        names = found.setdefault(f"{page}/", [])
        if name not in names:
            names.append(name)
    return found


def defined_values() -> dict[str, str]:
    """The values of choices as signatures write them, by the address that defines each."""
    return {
        choice.address(name): f"{choice.key}:{name}"
        for choice in _declared()
        for name in choice.names
    }


def _declared() -> list[choices.Choice]:
    own = [choice for measure in choices.measures() for choice in measure.choices]
    return [*own, *choices.context_choices().values()]
