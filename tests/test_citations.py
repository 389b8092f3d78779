"""The Cite blocks: right without a script, and right for whatever is picked with one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page

from cubspec.choices import Measure, Signature, measures
from cubspec.citing import cite, footnote, sentence
from cubspec.cli import main
from cubspec.cub import SPLIT_SIZES
from cubspec.site.citations import NO_CLICKS, picked, preselected, signature_of

PICKS = [
    ("PCP", {"sigma": "toolbox", "ref": "any", "pool": "scored", "split": "all"}),
    ("PCP", {"truth": "clicks", "sigma": "dist-median", "split": "train", "clicks": "9d01b7c2"}),
    ("AE", {"avg": "images", "sigma": "axes-mean"}),
    ("report-error", {"none": "skip", "avg": "parts", "pool": "train"}),
    ("FVR", {"of": "all", "truth": "clicks", "clicks": "0a1b2c3d"}),
    ("FIR", {"of": "predicted", "avg": "images", "split": "all"}),
    ("capped", {"sigma": "rms-median"}),
]


def measure_named(name: str) -> Measure:
    """The measure of that id."""
    return next(each for each in measures() if each.id == name)


@pytest.mark.parametrize("each", measures(), ids=lambda each: each.id)
def test_without_a_script_the_preselected_texts_are_there(site: Path, each: Measure) -> None:
    page = BeautifulSoup((site / each.page / "index.html").read_text("utf-8"), "html.parser")
    heading = page.find(id=f"{each.anchor}-cite")
    assert heading is not None
    block = heading.find_next(class_="cite")
    form = block.find("form")
    assert form.has_attr("hidden")
    names = [field["name"] for field in form(["select", "input"])]
    assert names == [*picked(each), "split", "clicks"]
    citation = cite(str(signature_of(each, preselected(each))))
    shown = {
        text["data-cite"]: text.find("code").get_text().strip("\n")
        for text in block.select("[data-cite]")
    }
    assert shown == {
        "signature": str(citation.signature),
        "sentence": sentence(citation),
        "footnote": footnote(citation),
        "bibtex": "\n\n".join(citation.references.values()),
    }


def test_preselected_is_what_the_contract_preselects() -> None:
    text = str(signature_of(measure_named("PCP"), preselected(measure_named("PCP"))))
    assert text.startswith(
        f"PCP|sigma:sd-mean|ref:median|data:CUB-200-2011|clicks:{NO_CLICKS}|truth:given|pool:all"
        "|split:test|n:5794|v:"
    )
    assert SPLIT_SIZES["train"] + SPLIT_SIZES["test"] == SPLIT_SIZES["all"]


@pytest.mark.parametrize(("name", "pick"), PICKS)
def test_what_is_picked_is_what_cite_writes(
    browser: Browser, address: str, name: str, pick: dict[str, str]
) -> None:
    each = measure_named(name)
    tab = browser.new_page()
    tab.goto(f"{address}{each.page}/")
    block = tab.locator(f"#{each.anchor}-cite ~ .cite").first
    for key, value in pick.items():
        field = block.locator(f"[name={key}]")
        if key == "clicks":
            field.fill(value)
        else:
            field.select_option(value)
    texts = {
        kind: block.locator(f"[data-cite={kind}] code").inner_text().strip("\n")
        for kind in ("signature", "sentence", "footnote")
    }
    tab.close()
    values = {**preselected(each), **{k: v for k, v in pick.items() if k != "clicks"}}
    expected = signature_of(each, values)
    if "clicks" in pick:
        clicks = {**expected.context, "clicks": pick["clicks"]}
        expected = Signature(expected.measure, expected.values, clicks)
    citation = cite(str(expected))
    assert texts["signature"] == str(expected)
    assert texts["sentence"] == sentence(citation)
    assert texts["footnote"] == footnote(citation)
    assert main(["verify", texts["signature"]]) == 0


@pytest.fixture
def pcp(browser: Browser, address: str) -> Iterator[Page]:
    """A tab with the page of PCP."""
    tab = browser.new_page()
    tab.goto(f"{address}measures/pcp/")
    yield tab
    tab.close()


def written(tab: Page) -> str:
    """The signature that a Cite block shows."""
    return tab.locator("[data-cite=signature] code").first.inner_text().strip()


def test_what_is_picked_and_what_is_written_agree_after_going_back(pcp: Page) -> None:
    pcp.locator("[name=ref]").select_option("any")
    pcp.locator("[name=sigma]").select_option("toolbox")
    pcp.goto(pcp.url.replace("pcp", "capped"))
    pcp.go_back()
    pcp.wait_for_load_state()
    picked_now = {key: pcp.locator(f"[name={key}]").input_value() for key in ("sigma", "ref")}
    assert written(pcp).startswith(f"PCP|sigma:{picked_now['sigma']}|ref:{picked_now['ref']}|")


@pytest.mark.parametrize(
    "typed", ["ABCDEF0", "<img src", "a|b:c|h:", "\\x%#_{}~", "", "123456789", "9d01b7cg", "xyz"]
)
def test_what_is_no_digest_of_clicks_gets_into_no_text(pcp: Page, typed: str) -> None:
    before = [each.inner_text() for each in pcp.locator("[data-cite] code").all()]
    field = pcp.locator("[name=clicks]")
    field.fill(typed)
    assert [each.inner_text() for each in pcp.locator("[data-cite] code").all()] == before
    assert field.get_attribute("aria-invalid") == "true"
    assert "expected 8 hex digits" in pcp.locator(".cite-clicks").inner_text()
    assert pcp.locator(".cite-note").is_visible()


@pytest.mark.parametrize("typed", ["9d01b7c2", "  9d01b7c2\t", "9D01B7C2"])
def test_the_digest_of_clicks_is_taken_as_it_is_meant(pcp: Page, typed: str) -> None:
    pcp.locator("[name=clicks]").fill(typed)
    assert "|clicks:9d01b7c2|" in written(pcp)
    assert "expected" not in pcp.locator(".cite-clicks").inner_text()
    assert not pcp.locator(".cite-note").is_visible()


def test_the_note_on_clicks_is_there_where_they_are(browser: Browser, address: str) -> None:
    tab = browser.new_page()
    tab.goto(f"{address}measures/visibility/")
    note = tab.locator(".cite-note").first
    assert not note.is_visible()
    tab.locator("[name=truth]").first.select_option("clicks")
    assert "|clicks:00000000|" in written(tab)
    assert note.is_visible()
    tab.close()


def test_the_filter_of_all_signatures_shows_what_has_every_word(
    browser: Browser, address: str
) -> None:
    tab = browser.new_page()
    tab.goto(f"{address}signatures/")
    rows = tab.locator(".filterable tbody tr:visible")
    assert rows.count() == 123
    tab.locator(".filterable input").fill("PCP toolbox")
    assert rows.count() == 5
    tab.locator(".filterable input").fill("“PCP”, sd\N{NON-BREAKING HYPHEN}mean")
    assert rows.count() == 5
    tab.locator(".filterable input").fill("nothing like it")
    assert rows.count() == 0
    tab.close()
