"""What an author pastes into a paper: exact words, permanent addresses, LaTeX and BibTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import metadata, version
from importlib.resources import files

from cubspec.choices import Measure, Signature, context_choices
from cubspec.data import InputError
from cubspec.digests import full_digest
from cubspec.latex import latex_code, latex_text
from cubspec.lock import installed_lock
from cubspec.published import published
from cubspec.tables import json_text, listed

TITLE = "cubspec: reference definitions of the part-localization measures on {CUB-200-2011}"
"""The title of cubspec as BibTeX writes it, the same as in CITATION.cff."""

CONTEXT_CHOICES = ("pool", "truth", "workers")
"""The keys of a context whose values are defined on a page, in the order they are spoken of."""

NUMBER = "This signature names one number."
DEFINITION = (
    "This short form names a definition, not a number: a number has a full signature, which says "
    "on what it was computed, as the JSON and CSV of cubspec score print it."
)


NO_CLICKS = "00000000"
"""Stands for the digest of the answers until somebody puts in that of their own copy."""

UNFINISHED = (
    f"clicks:{NO_CLICKS} stands for the digest of a copy's answers, which is still to be put in; "
    "cubspec score prints it."
)


@dataclass(frozen=True)
class Citation:
    """A signature with everything that cites it.

    Attributes
    ----------
    signature : Signature
    version : of cubspec, whose definition it is
    paragraph : what is computed, exactly
    addresses : by measure id and KEY:VALUE, where it is defined; the measure first
    references : by key, BibTeX of cubspec and of the paper that the measure is from
    source : the key of that paper, or None where the measure is cubspec's own
    """

    signature: Signature
    version: str
    paragraph: str
    addresses: Mapping[str, str]
    references: Mapping[str, str]
    source: str | None

    @property
    def kind(self) -> str:
        """What the signature names, in a sentence."""
        if self.signature.context.get("clicks") == NO_CLICKS:
            return UNFINISHED
        return NUMBER if self.signature.context else DEFINITION


def cite(text: str) -> Citation:
    """Everything that cites a signature.

    Parameters
    ----------
    text : a short or a full signature

    Raises
    ------
    InputError
        Where it is no signature, or a full one with another digest than the definition has here.
    """
    signature = Signature.parse(text)
    _check_digest(signature)
    of = signature.context.get("v", version("cubspec"))
    source = source_key(signature.measure)
    references = {f"cubspec-{of}": cubspec_reference(of)}
    if source:
        references[source] = paper_references()[source]
    paragraph, addresses = definition(signature), definition_addresses(signature, of)
    return Citation(signature, of, paragraph, addresses, references, source)


def _check_digest(signature: Signature) -> None:
    if not signature.context:
        return
    own, found = full_digest(signature), signature.context["h"]
    if found != own:
        raise InputError(
            f"{signature}: expected h:{own}, the digest that cubspec {version('cubspec')} gives "
            f"this definition, found h:{found}; cubspec verify says more"
        )


# What is computed


def definition(signature: Signature) -> str:
    """What a signature computes, in one paragraph of the choices' own words."""
    values = dict(signature.values)
    choices = {choice.key: choice for choice in signature.measure.choices}
    for key in CONTEXT_CHOICES:
        if key in signature.context:
            choices[key], values[key] = context_choices()[key], signature.context[key]
    said = [signature.measure.definition]
    for key, choice in choices.items():
        said += [choice.definition, choice.value(values[key]).definition]
    return " ".join(filter(None, [*said, *_scope_sentences(signature.context)]))


def _scope_sentences(context: Mapping[str, str]) -> list[str]:
    if not context:
        return []
    clicks = context.get("clicks")
    answers = f"; its annotators' answers have the content digest {clicks}" if clicks else ""
    verb = "is" if context["n"] == "1" else "are"
    said = [f"Scored {verb} {scope(context)}{answers}."]
    if "parts" in context:
        said.append(f"Of the parts, only those with the ids {context['parts']} are scored.")
    if "missing" in context:
        said.append("A pair that the file of predictions lacks is taken as predicted not visible.")
    return said


def scope(context: Mapping[str, str]) -> str:
    """The images that a context says were scored, in words."""
    number, split = f"{int(context['n']):,}", context["split"]
    images = "image" if context["n"] == "1" else "images"
    if split == "all":
        return f"all {number} {images} of {_dataset(context['data'])}"
    which = "training" if split == "train" else split
    return f"the {number} {images} of the {which} split of {_dataset(context['data'])}"


def _dataset(data: str) -> str:
    if re.fullmatch("[0-9a-f]{8}", data):
        return f"a dataset whose ground truth has the content digest {data}"
    if data.startswith("birds-"):
        _, number, seed = data.split("-")
        return f"cubspec's {int(number):,} synthetic birds of seed {seed}"
    return data


# Where it is defined


def site_address() -> str:
    """The address of the site, which the installed package states; ends with a slash."""
    for entry in metadata("cubspec").get_all("Project-URL") or []:
        label, _, address = entry.partition(", ")
        if label == "Documentation":
            return str(address).rstrip("/") + "/"
    raise InputError("expected the package to state its Documentation, found no such address")


def definition_addresses(signature: Signature, of: str) -> dict[str, str]:
    """The permanent address of the measure and of every value that a signature names.

    Parameters
    ----------
    signature : Signature
    of : the version of cubspec
    """
    base, measure = f"{site_address()}{of}/", signature.measure
    found = {measure.id: base + measure.address}
    for choice in measure.choices:
        value = signature.values[choice.key]
        found[f"{choice.key}:{value}"] = base + choice.address(value)
    for key in CONTEXT_CHOICES:
        if key in signature.context:
            value = signature.context[key]
            found[f"{key}:{value}"] = base + context_choices()[key].address(value)
    return found


# BibTeX


def cubspec_reference(of: str) -> str:
    """The BibTeX entry of a version of cubspec; with a year where the lock dates that version."""
    years = [line.date[:4] for line in installed_lock() if line.version == of]
    fields = {
        "author": "{The cubspec authors}",
        "title": TITLE,
        "howpublished": latex_code(f"{site_address()}{of}/", "/"),
        "note": f"Version {of}",
        **({"year": max(years)} if years else {}),
    }
    inside = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{cubspec-{of},\n{inside}\n}}"


@cache
def paper_references() -> Mapping[str, str]:
    """The BibTeX entries of the papers that measures are from, by key."""
    text = (files("cubspec") / "references.bib").read_text("utf-8")
    entries = [each.strip() for each in text.split("\n\n")]
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}


def source_key(measure: Measure) -> str | None:
    """The key of the paper that a measure is from, or None where it is cubspec's own."""
    for source in published():
        if measure.source.startswith(f"{source.paper}, "):
            return source.key
    return None


# Words for a paper

Code = Callable[[str], str]


def sentence(citation: Citation) -> str:
    """A sentence for the section on experiments, in plain text."""
    source = citation.signature.measure.source.partition(",")[0]
    paper = f" ({source})" if citation.source else ""
    start = f"{_reported(citation.signature, str, str, paper)}, computed with cubspec"
    return f"{start} {citation.version} ({citation.signature})."


def latex_sentence(citation: Citation) -> str:
    """The sentence as LaTeX, with citations and the footnote."""
    paper = rf"~\cite{{{citation.source}}}" if citation.source else ""
    start = _reported(citation.signature, latex_text, latex_code, paper)
    cubspec = rf"cubspec {latex_text(citation.version)}~\cite{{cubspec-{citation.version}}}"
    return f"{start}, computed with {cubspec}.{footnote(citation)}"


def footnote(citation: Citation) -> str:
    """The signature and its address as a footnote in LaTeX."""
    signature = latex_code(str(citation.signature))
    address = latex_code(next(iter(citation.addresses.values())), "/")
    return rf"\footnote{{{signature}, defined at {address}.}}"


def _reported(signature: Signature, prose: Code, code: Code, paper: str) -> str:
    """What is reported, without a full stop; `paper` follows the measure."""
    chosen = [
        f"{code(f'{choice.key}:{signature.values[choice.key]}')} "
        f"({prose(choice.meaning(signature.values[choice.key]))})"
        for choice in signature.measure.choices
    ]
    context = signature.context
    chosen += [code(f"{key}:{context[key]}") for key in CONTEXT_CHOICES if key in context]
    whose = "the annotators' own " if "workers" in context else ""
    where = f" on {prose(scope(context))}" if context else ""
    return f"We report {whose}{prose(signature.measure.id)}{paper} with {listed(chosen)}{where}"


# Formats


def cite_text(citation: Citation) -> str:
    """A citation as plain text."""
    width = max(map(len, citation.addresses))
    defined = [f"{name:{width}}  {address}" for name, address in citation.addresses.items()]
    blocks = [
        str(citation.signature),
        citation.kind,
        citation.paragraph,
        "\n".join(["Defined at", *defined]),
        f"For a paper\n{sentence(citation)}",
        "The same for LaTeX: --format latex and --format bibtex.",
    ]
    return "\n\n".join(blocks) + "\n"


def cite_markdown(citation: Citation) -> str:
    """A citation as Markdown."""
    defined = [f"- [`{name}`]({address})" for name, address in citation.addresses.items()]
    blocks = [
        f"`{citation.signature}`",
        citation.kind,
        f"> {citation.paragraph}",
        "\n".join(defined),
        f"> {sentence(citation)}",
        f"```bibtex\n{cite_bibtex(citation)}```",
    ]
    return "\n\n".join(blocks) + "\n"


def cite_latex(citation: Citation) -> str:
    """A citation as LaTeX that needs no package."""
    blocks = [
        f"% For the section on experiments.\n{latex_sentence(citation)}",
        f"% The footnote alone.\n{footnote(citation)}",
        f"% What is computed, exactly.\n{latex_text(citation.paragraph)}",
    ]
    return "\n\n".join(blocks) + "\n"


def cite_bibtex(citation: Citation) -> str:
    """The references of a citation as BibTeX."""
    return "\n\n".join(citation.references.values()) + "\n"


def cite_json(citation: Citation) -> str:
    """A citation as JSON."""
    signature = citation.signature
    return json_text(
        {
            "cubspec": version("cubspec"),
            "version": citation.version,
            "signature": str(signature),
            "short": signature.short,
            "names": "number" if signature.context else "definition",
            "paragraph": citation.paragraph,
            "address": citation.addresses[signature.measure.id],
            "addresses": citation.addresses,
            "sentence": sentence(citation),
            "latex": {"sentence": latex_sentence(citation), "footnote": footnote(citation)},
            "bibtex": citation.references,
        }
    )
