"""What a paper pastes, on every measure page: pick the choices, copy signature, sentence, BibTeX.

Everything is written at build for the preselected values, and readable without a script. With one,
the form fills the same words in for other values; the words of every value come from here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib.metadata import version
from itertools import product

from cubspec.choices import Choice, Measure, Signature, context_choices
from cubspec.choices import measure as measure_of
from cubspec.citing import NO_CLICKS, Citation, cite, footnote, scope, sentence
from cubspec.cub import COMPLETE_NAME, SPLIT_SIZES
from cubspec.digests import full_digest
from cubspec.latex import latex_code

CLICKS_NOTE = (
    f"Before you print it: `{NO_CLICKS}` stands for the digest of your copy's answers. "
    "`cubspec score` prints yours.\n{{ .cite-note{} }}\n\n"
)

UNRELEASED = "cubspec {} is not released yet: cite it with the commit that was used.\n\n"

BLOCKS = {"signature": "text", "sentence": "text", "footnote": "latex", "bibtex": "bibtex"}
LABELS = {
    "signature": "Signature",
    "sentence": "Sentence",
    "footnote": "Footnote, LaTeX",
    "bibtex": "BibTeX",
}


def cite_block(page: str, measure_id: str) -> str:
    """The form and the four texts of a measure.

    Parameters
    ----------
    page : path of the page that holds it, relative to the folder of the pages
    measure_id : the measure
    """
    measure = measure_of(measure_id)
    citation = cite(str(signature_of(measure, preselected(measure))))
    texts = {
        "signature": str(citation.signature),
        "sentence": sentence(citation),
        "footnote": footnote(citation),
        "bibtex": "\n\n".join(citation.references.values()),
    }
    fences = "\n\n".join(
        f'<div class="cite-text" data-cite="{name}" markdown>\n\n'
        f"**{LABELS[name]}**\n\n```{language}\n{texts[name]}\n```\n\n</div>"
        for name, language in BLOCKS.items()
    )
    # Where the preselected truth needs no clicks, the script shows it for the other.
    hidden = "" if "clicks" in citation.signature.context else ' hidden="hidden"'
    note = CLICKS_NOTE.format(hidden)
    if "dev" in version("cubspec"):
        note += UNRELEASED.format(version("cubspec"))
    return f'<div class="cite" markdown>\n\n{_form(measure, citation)}\n\n{note}{fences}\n\n</div>'


def picked(measure: Measure) -> dict[str, Choice]:
    """The choices of a measure and of its context that the form offers, by key."""
    context = context_choices()
    chosen = {choice.key: choice for choice in measure.choices}
    chosen["truth"] = context["truth"]
    if "sigma" in chosen:
        chosen["pool"] = context["pool"]
    return chosen


def preselected(measure: Measure) -> dict[str, str]:
    """The preselected value of everything that the form offers, by key."""
    values = {key: choice.preselected for key, choice in picked(measure).items()}
    return {**values, "split": "test"}


def signature_of(measure: Measure, values: Mapping[str, str]) -> Signature:
    """The full signature of a number on the complete dataset.

    Parameters
    ----------
    measure : Measure
    values : by key, as `preselected` gives
    """
    short = Signature(measure, {key: values[key] for key in measure.keys})
    context = {key: values[key] for key in ("truth", "pool") if key in values}
    context |= {"data": COMPLETE_NAME, "clicks": NO_CLICKS, "split": values["split"]}
    context |= {"n": str(SPLIT_SIZES[values["split"]]), "v": version("cubspec")}
    full = short.full(context)
    return short.full({**context, "h": full_digest(full)})


def form_data(measure: Measure, citation: Citation) -> dict[str, object]:
    """What the script of the form needs: templates, the words of every value, digests."""
    choices = picked(measure)
    chosen = preselected(measure)
    words = {key: _words(measure, choice) for key, choice in choices.items()}
    splits = {split: _scope(measure, split) for split in SPLIT_SIZES}
    digests = {}
    for values in product(*(choices[key].names for key in (*measure.keys, "truth"))):
        combined = {**chosen, **dict(zip((*measure.keys, "truth"), values, strict=True))}
        digests[",".join(values)] = signature_of(measure, combined).context["h"]
    signature = str(citation.signature)
    template = sentence(citation).replace(signature, "{{signature}}")
    for key, value in chosen.items():
        word = splits[value] if key == "split" else words[key][value]
        if template.count(word) != 1:
            raise ValueError(f"{measure.id}: {word!r} stands {template.count(word)} times")
        template = template.replace(word, f"{{{{{key}}}}}")
    return {
        "measure": measure.id,
        "keys": list(measure.keys),
        "v": version("cubspec"),
        "data": COMPLETE_NAME,
        "n": SPLIT_SIZES,
        "sentence": template,
        "footnote": footnote(citation).replace(latex_code(signature), "{{signature}}"),
        "words": {**words, "split": splits},
        "h": digests,
    }


def _words(measure: Measure, choice: Choice) -> dict[str, str]:
    """How a sentence names each value of a choice."""
    own = choice.key in measure.keys
    return {
        value.name: f"{choice.key}:{value.name}" + (f" ({value.meaning})" if own else "")
        for value in choice.values
    }


def _scope(measure: Measure, split: str) -> str:
    return scope(signature_of(measure, {**preselected(measure), "split": split}).context)


def _form(measure: Measure, citation: Citation) -> str:
    fields = [
        _field(key, choice.names, choice.preselected) for key, choice in picked(measure).items()
    ]
    fields.append(_field("split", tuple(SPLIT_SIZES), "test"))
    # A form on one line, as a blank line would end the block of HTML.
    data = json.dumps(form_data(measure, citation), ensure_ascii=False)
    data = data.replace("<", "\\u003c").replace("&", "\\u0026")
    clicks = (
        '<label class="cite-clicks">clicks <input name="clicks" size="8" '
        f'value="{NO_CLICKS}" autocomplete="off" autocapitalize="off" spellcheck="false"> '
        "the digest of your copy’s answers, which cubspec score prints <output></output></label>"
    )
    return (
        f'<form class="cite-form" hidden aria-label="Choices of {escape(measure.id)}">'
        f"{''.join(fields)}{clicks}"
        f'<script type="application/json">{data}</script></form>'
    )


def _field(key: str, names: tuple[str, ...], chosen: str) -> str:
    options = "".join(
        f'<option value="{name}"{" selected" if name == chosen else ""}>{name}</option>'
        for name in names
    )
    return f'<label>{key} <select name="{key}">{options}</select></label>'
