"""What an author pastes into a paper says what is computed, and compiles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from cubspec.choices import Choice, Signature, context_choices, measures, short_signatures
from cubspec.citing import (
    DEFINITION,
    NUMBER,
    TITLE,
    cite,
    cite_bibtex,
    cite_json,
    cite_latex,
    cite_markdown,
    cite_text,
    definition,
    footnote,
    latex_sentence,
    paper_references,
    sentence,
    site_address,
    source_key,
)
from cubspec.cli import CITE_FORMATS, main
from cubspec.data import InputError
from cubspec.digests import with_digest
from cubspec.lock import installed_lock
from cubspec.published import published
from cubspec.tangle import site_address as address_of_the_checkout

ROOT = Path(__file__).parent.parent
SHORT = "PCP|sigma:sd-mean|ref:median"
CONTEXT = {
    "data": "CUB-200-2011",
    "clicks": "9d01b7c2",
    "truth": "given",
    "pool": "all",
    "split": "test",
    "n": "5794",
    "v": "1.0.0",
}
SITE = "https://cubspec.example.org/"


def full(short: str, **context: str) -> str:
    """A full signature with the right digest."""
    return str(with_digest(Signature.parse(short).full({**CONTEXT, **context})))


FULL = full(SHORT)
CONTEXTS: list[dict[str, str]] = [
    {},
    {"truth": "clicks", "pool": "train", "split": "train", "n": "1", "data": "0a1b2c3d"},
    {"workers": "mean", "pool": "scored", "split": "all", "parts": "1-7,9-11", "v": "1.0.0.dev0"},
    {"workers": "pooled"},
    {"missing": "invisible"},
]


def written_out(form: Signature) -> list[str]:
    """A short form and its full form in several contexts."""
    return [form.short, *(full(form.short, **context) for context in CONTEXTS)]


def every_choice() -> list[Choice]:
    own = {id(choice): choice for each in measures() for choice in each.choices}
    return [*own.values(), *context_choices().values()]


# What is computed.


def test_everything_that_a_signature_names_has_its_sentences() -> None:
    values = [value.definition for choice in every_choice() for value in choice.values]
    assert len(values) == len([name for choice in every_choice() for name in choice.names])
    for text in [*values, *(each.definition for each in measures())]:
        assert re.fullmatch(r"[A-Za-zσ].*[^ ]\.", text), text
        assert "  " not in text
    for choice in every_choice():
        own = [value.definition for value in choice.values]
        assert len(set(own)) == len(own)


def test_a_definition_in_full() -> None:
    assert definition(Signature.parse("AE|sigma:dist-median|avg:parts")) == (
        "AE is the mean, over pairs of image and part, of the distance of the predicted location "
        "from the ground truth in units of σ, at most 5 for each pair. The pairs that count are "
        "those visible in both prediction and ground truth. A distance in units of σ is the "
        "Euclidean distance in pixels, each axis divided by the part's σ, which is measured on the "
        "annotators' clicks on pairs that are visible in the ground truth. σ is the mean distance "
        "of the clicks from the ground truth. The mean is over each part's pairs that count, then "
        "over the parts that have any."
    )


def test_a_number_in_full() -> None:
    signature = Signature.parse(full("FVR|of:all|avg:micro", missing="invisible", parts="1-3,5"))
    assert definition(signature) == (
        "FVR is the mean percentage of pairs of image and part that are predicted visible and are "
        "not visible in the ground truth. Every pair counts. The mean is over all pairs that "
        "count, at once. Visibility and location in the ground truth are those of the dataset's "
        "own file. Scored are the 5,794 images of the test split of CUB-200-2011. Of the parts, "
        "only those with the ids 1-3,5 are scored. A pair that the file of predictions lacks is "
        "taken as predicted not visible."
    )


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({}, "Scored are the 5,794 images of the test split of CUB-200-2011; its annotators' "),
        ({}, "answers have the content digest 9d01b7c2."),
        ({"split": "train", "n": "5994"}, "the 5,994 images of the training split of CUB-200-2011"),
        ({"split": "test", "n": "1"}, "Scored is the 1 image of the test split of CUB-200-2011"),
        ({"split": "all", "n": "11788"}, "Scored are all 11,788 images of CUB-200-2011"),
        (
            {"data": "0a1b2c3d"},
            "split of a dataset whose ground truth has the content digest 0a1b2c3d;",
        ),
    ],
)
def test_the_scope(context: dict[str, str], said: str) -> None:
    assert said in definition(Signature.parse(full(SHORT, **context)))


def test_the_scope_of_the_birds() -> None:
    context = "data:birds-2000-3|truth:clicks|split:all|n:2000|v:1.0.0|h:00000000"
    signature = Signature.parse(f"FVR|of:all|avg:micro|{context}")
    assert definition(signature).endswith(
        "Scored are all 2,000 images of cubspec's 2,000 synthetic birds of seed 3."
    )


@pytest.mark.parametrize("form", short_signatures(), ids=str)
def test_a_paragraph_holds_the_words_of_every_value_and_no_others(form: Signature) -> None:
    for signature in map(Signature.parse, written_out(form)):
        named = {**signature.values, **signature.context}
        choices = {choice.key: choice for choice in form.measure.choices} | context_choices()
        paragraph = definition(signature)
        assert paragraph.startswith(form.measure.definition)
        for key, choice in choices.items():
            for value in choice.values:
                assert (value.definition in paragraph) == (named.get(key) == value.name), value


# Where it is defined.


def test_the_address_is_that_of_the_site() -> None:
    assert site_address() == address_of_the_checkout(ROOT) == SITE


def test_addresses_name_version_page_and_anchor() -> None:
    assert cite(FULL).addresses == {
        "PCP": f"{SITE}1.0.0/measures/pcp/#pcp",
        "sigma:sd-mean": f"{SITE}1.0.0/truth/sigma/#sigma-sd-mean",
        "ref:median": f"{SITE}1.0.0/measures/pcp/#pcp-ref-median",
        "pool:all": f"{SITE}1.0.0/truth/sigma/#pool-all",
        "truth:given": f"{SITE}1.0.0/truth/consensus/#truth-given",
    }
    own = version("cubspec")
    assert cite(SHORT).addresses["PCP"] == f"{SITE}{own}/measures/pcp/#pcp"


@pytest.mark.parametrize("form", short_signatures(), ids=str)
def test_every_address_has_its_anchor(form: Signature) -> None:
    for text in written_out(form):
        for address in cite(text).addresses.values():
            page, _, anchor = address.removeprefix(SITE).partition("/")[2].partition("/#")
            assert f"{{#{anchor}}}" in (ROOT / "docs" / f"{page}.md").read_text("utf-8")


# BibTeX.


def test_papers_of_the_measures() -> None:
    assert {each.id: source_key(each) for each in measures()} == {
        "report-error": "wah2011",
        "AE": "liu2013",
        "PCP": "liu2013",
        "FVR": "liu2013",
        "FIR": "liu2013",
        "capped": None,
    }
    assert paper_references().keys() == {"wah2011", "liu2013"}
    assert paper_references().keys() <= {source.key for source in published()}


def fields(entry: str) -> tuple[str, str, dict[str, str]]:
    """Type, key and fields of a BibTeX entry, which holds nothing else."""
    head = re.match(r"@(\w+)\{([^,\s]+),\n", entry)
    assert head
    pattern = r"  (\w+) = \{(.*)\}(,?)\n"
    found = re.findall(pattern, entry)
    assert entry == head[0] + re.sub(pattern, "", entry[head.end() :]).join(
        ["".join(f"  {n} = {{{value}}}{end}\n" for n, value, end in found), ""]
    )
    assert [end for _, _, end in found] == [","] * (len(found) - 1) + [""]
    assert all(value.count("{") == value.count("}") for _, value, _ in found)
    return head[1], head[2], {name: value for name, value, _ in found}


def test_the_papers_entries() -> None:
    kind, key, wah = fields(paper_references()["wah2011"])
    assert (kind, key) == ("techreport", "wah2011")
    assert wah["number"] == "CNS-TR-2011-001"
    assert (wah["year"], wah["author"].count(" and ")) == ("2011", 4)
    kind, key, liu = fields(paper_references()["liu2013"])
    assert (kind, key) == ("inproceedings", "liu2013")
    assert (liu["pages"], liu["year"]) == ("2520--2527", "2013")
    assert liu["doi"] == "10.1109/ICCV.2013.313"
    assert liu["author"] == "Liu, J. and Belhumeur, P. N."


def test_the_entry_of_cubspec() -> None:
    kind, key, entry = fields(cite(SHORT).references[f"cubspec-{version('cubspec')}"])
    assert (kind, key) == ("misc", f"cubspec-{version('cubspec')}")
    years = {line.date[:4] for line in installed_lock() if line.version == version("cubspec")}
    assert entry == {
        "author": "{The cubspec authors}",
        "title": TITLE,
        "howpublished": r"\texttt{https://\allowbreak{}cubspec.example.org/\allowbreak{}"
        + version("cubspec")
        + "/}",
        "note": f"Version {version('cubspec')}",
        **({"year": max(years)} if years else {}),
    }


def test_the_entry_of_a_version_that_this_one_does_not_know() -> None:
    _, key, entry = fields(cite(full(SHORT, v="77.1")).references["cubspec-77.1"])
    assert key == "cubspec-77.1"
    assert entry["note"] == "Version 77.1"
    assert "year" not in entry


def test_the_title_is_that_of_the_citation_file() -> None:
    title = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["title"]
    assert re.sub("[{}]", "", TITLE) == title


# Words for a paper.


def test_a_sentence() -> None:
    assert sentence(cite(FULL)) == (
        "We report PCP (Liu & Belhumeur 2013) with sigma:sd-mean (pooled per-axis sample SD about "
        "the pair's mean click), ref:median (within 1.5 σ of the ground truth), pool:all and "
        "truth:given on the 5,794 images of the test split of CUB-200-2011, computed with cubspec "
        f"1.0.0 ({FULL})."
    )
    own = version("cubspec")
    assert sentence(cite("capped|sigma:rms-median")) == (
        "We report capped with sigma:rms-median (root mean square distance from the ground truth), "
        f"computed with cubspec {own} (capped|sigma:rms-median)."
    )
    human = sentence(cite(full("FVR|of:all|avg:micro", workers="mean")))
    assert human.startswith("We report the annotators' own FVR (Liu & Belhumeur 2013) with of:all ")
    assert " truth:given and workers:mean on the " in human


def test_a_footnote() -> None:
    fields = FULL.replace("|", r"|\allowbreak{}")
    page = r"1.0.0/\allowbreak{}measures/\allowbreak{}pcp/\allowbreak{}\#pcp"
    assert footnote(cite(FULL)) == (
        rf"\footnote{{\texttt{{{fields}}}, defined at "
        rf"\texttt{{https://\allowbreak{{}}cubspec.example.org/\allowbreak{{}}{page}}}.}}"
    )


def test_a_sentence_in_latex() -> None:
    assert latex_sentence(cite(FULL)) == (
        r"We report PCP~\cite{liu2013} with \texttt{sigma:sd-mean} (pooled per-axis sample SD "
        r"about the pair's mean click), \texttt{ref:median} (within 1.5 $\sigma$ of the ground "
        r"truth), \texttt{pool:all} and \texttt{truth:given} on the 5,794 images of the test split "
        r"of CUB-200-2011, computed with cubspec 1.0.0~\cite{cubspec-1.0.0}."
    ) + footnote(cite(FULL))


COMMANDS = {r"\cite", r"\footnote", r"\texttt", r"\allowbreak", r"\sigma", r"\#", r"\_"}
"""What LaTeX has without a package."""


@pytest.mark.parametrize("form", short_signatures(), ids=str)
def test_latex_needs_nothing_and_cites_what_bibtex_has(form: Signature) -> None:
    for citation in map(cite, written_out(form)):
        latex = re.sub("^%.*$", "", cite_latex(citation), flags=re.MULTILINE)
        assert latex.isascii()
        assert latex.count("{") == latex.count("}")
        assert set(re.findall(r"\\[A-Za-z]+|\\.", latex)) <= COMMANDS
        # Nothing else has a meaning in LaTeX.
        assert not re.search(r"[&#^_%$\\]", re.sub(r"\$\\sigma\$|\\[A-Za-z]+|\\[#_]", "", latex))
        assert set(re.findall(r"\\cite\{(.*?)\}", latex)) == citation.references.keys()
        keys = re.findall(r"^@\w+\{(.*),$", cite_bibtex(citation), re.MULTILINE)
        assert keys == list(citation.references)


# Formats.


def test_text_and_markdown_hold_the_same() -> None:
    for text, kind in ((SHORT, DEFINITION), (FULL, NUMBER)):
        citation = cite(text)
        said = [text, kind, citation.paragraph, *citation.addresses.values(), sentence(citation)]
        for write in (cite_text, cite_markdown):
            assert [each for each in said if each not in write(citation)] == []
        assert f"```bibtex\n{cite_bibtex(citation)}```\n" in cite_markdown(citation)


def test_a_short_form_says_that_it_is_no_number() -> None:
    assert "names a definition, not a number" in cite_text(cite(SHORT))
    assert "names a definition" not in cite_text(cite(FULL))


def test_clicks_that_were_not_filled_in() -> None:
    filled = re.sub(r"clicks:[0-9a-f]{8}", "clicks:00000000", FULL)
    assert filled != FULL
    assert "clicks:00000000 stands for the digest of a copy's answers" in cite_text(cite(filled))
    assert NUMBER not in cite_text(cite(filled))


def test_json() -> None:
    for text, names in ((SHORT, "definition"), (FULL, "number")):
        citation = cite(text)
        assert json.loads(cite_json(citation)) == {
            "cubspec": version("cubspec"),
            "version": citation.version,
            "signature": text,
            "short": SHORT,
            "names": names,
            "paragraph": citation.paragraph,
            "address": citation.addresses["PCP"],
            "addresses": dict(citation.addresses),
            "sentence": sentence(citation),
            "latex": {"sentence": latex_sentence(citation), "footnote": footnote(citation)},
            "bibtex": dict(citation.references),
        }


def test_another_digest_is_not_cited() -> None:
    changed = FULL[:-1] + ("0" if FULL[-1] != "0" else "1")
    with pytest.raises(InputError) as caught:
        cite(changed)
    digest = FULL.rpartition("h:")[2]
    assert f"expected h:{digest}, the digest that cubspec " in str(caught.value)
    assert f"found h:{changed.rpartition('h:')[2]}; cubspec verify says more" in str(caught.value)


# The command.

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("text", [SHORT, FULL])
@pytest.mark.parametrize(("form", "write"), CITE_FORMATS.items())
def test_the_command(
    text: str, form: str, write: Callable[..., str], capsys: Capture, tmp_path: Path
) -> None:
    assert main(["cite", text, "--format", form]) == 0
    assert capsys.readouterr() == (write(cite(text)), "")
    assert main(["cite", text, "--format", form, "--out", str(tmp_path / "x")]) == 0
    assert (tmp_path / "x").read_text("utf-8") == write(cite(text))


def test_the_command_prints_text_unless_told(capsys: Capture) -> None:
    assert main(["cite", "PCP|ref:median|sigma:sd-mean"]) == 0
    assert capsys.readouterr().out == cite_text(cite(SHORT))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PCP|ref:medain", "found 'medain'; did you mean median?"),
        ("PCK|sigma:sd-mean", "found 'PCK'; did you mean PCP?"),
        ("PCP|reff:median", "found 'reff'; did you mean ref?"),
        ("PCP|ref:median", "expected the key sigma (sd-mean, "),
        (f"{SHORT}|data:CUB-200-2011", "expected the keys clicks (8 hex digits), truth ("),
    ],
)
def test_errors_name_what_is_nearest(text: str, said: str, capsys: Capture) -> None:
    assert main(["cite", text]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"cubspec: error: [^\n]+\n", err)
    assert said in err
