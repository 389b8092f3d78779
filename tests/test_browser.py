"""Every page of the site in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cubspec.choices import context_choices, measures
from cubspec.tangle import blocks
from tests.test_built_pages import every_page

ROOT = Path(__file__).parent.parent
LAPTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
OPEN = (*context_choices().values(), *(choice for each in measures() for choice in each.choices))
DEFINING = sorted({each.page for each in (*measures(), *OPEN)})
"""The pages that define a measure or a choice."""
SMALL_PHONE = {"width": 360, "height": 640}

UNFOLD = "document.querySelectorAll('details').forEach((each) => (each.open = true))"

TOO_WIDE = """() => [...document.querySelectorAll("body *")].filter((element) =>
  document.documentElement.scrollWidth > innerWidth
  && element.getBoundingClientRect().right > innerWidth + 1
  && getComputedStyle(element).position !== "fixed"
).map((element) => element.outerHTML.slice(0, 80))"""
"""What sticks out of a page that scrolls sideways."""

HIDDEN_FORMULAS = """() => [...document.querySelectorAll("math")].filter((formula) => {
  const box = formula.getBoundingClientRect();
  return !(box.width > 0 && box.height > 0);
}).length"""

WIDE_FORMULAS = """() => [...document.querySelectorAll(".math-display")].filter((formula) =>
  formula.getBoundingClientRect().right > innerWidth || formula.scrollWidth > formula.clientWidth
).length"""


class Watched:
    """A tab that remembers what it asked other hosts for, and what went wrong.

    Attributes
    ----------
    tab : the tab
    external : addresses of requests to other hosts
    errors : messages of the console and of scripts
    """

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.tab = context.new_page()
        self.external: list[str] = []
        self.errors: list[str] = []
        self._address = address
        self.tab.on("request", lambda request: self._note_request(request.url))
        self.tab.on("console", lambda said: self._note_message(said.type, said.text))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, page: str) -> Page:
        """Go to a page and forget what was before."""
        self.external.clear()
        self.errors.clear()
        self.tab.goto(self._address + page)
        # Another tab may have the focus.
        self.tab.bring_to_front()
        return self.tab

    def _note_request(self, url: str) -> None:
        if not url.startswith((self._address, "data:")):
            self.external.append(url)

    def _note_message(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.errors.append(text)


def watched(browser: Browser, address: str, size: Any, scheme: Any) -> Iterator[Watched]:
    """A tab of that size and scheme."""
    context = browser.new_context(viewport=size, color_scheme=scheme)
    yield Watched(context, address)
    context.close()


@pytest.fixture(scope="module")
def laptop(browser: Browser, address: str) -> Iterator[Watched]:
    """A laptop in the light scheme."""
    yield from watched(browser, address, LAPTOP, "light")


@pytest.fixture(scope="module")
def phone(browser: Browser, address: str) -> Iterator[Watched]:
    """A phone in the dark scheme."""
    yield from watched(browser, address, PHONE, "dark")


@pytest.fixture(scope="module")
def scriptless(browser: Browser, address: str) -> Iterator[Watched]:
    """A phone that runs no script."""
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    yield Watched(context, address)
    context.close()


def violations(tab: Page) -> list[str]:
    """What axe finds on a page."""
    found = Axe().run(tab, None, {"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['id']}: {node['html']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


def scheme_shown(tab: Page) -> str:
    """The scheme that a page shows."""
    return str(tab.evaluate("document.body.dataset.mdColorScheme"))


@every_page
def test_page_on_a_laptop(laptop: Watched, page: str) -> None:
    tab = laptop.open(page)
    tab.evaluate(UNFOLD)
    assert scheme_shown(tab) == "default"
    assert tab.evaluate(TOO_WIDE) == []
    assert tab.evaluate(HIDDEN_FORMULAS) == 0
    assert violations(tab) == []
    tab.emulate_media(color_scheme="dark")
    tab.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    assert tab.evaluate(TOO_WIDE) == []
    tab.emulate_media(color_scheme="light")
    assert laptop.external == []
    assert laptop.errors == []


@every_page
def test_page_on_a_phone(phone: Watched, page: str) -> None:
    tab = phone.open(page)
    tab.evaluate(UNFOLD)
    assert scheme_shown(tab) == "slate"
    assert tab.evaluate(TOO_WIDE) == []
    assert tab.evaluate(HIDDEN_FORMULAS) == 0
    assert violations(tab) == []
    tab.set_viewport_size(SMALL_PHONE)
    assert tab.evaluate(TOO_WIDE) == []
    assert tab.evaluate(WIDE_FORMULAS) == 0
    tab.set_viewport_size(PHONE)
    assert phone.external == []
    assert phone.errors == []


@pytest.mark.parametrize("page", ["no/such/page/", "measures/pcp/no-such.html"])
def test_the_page_for_what_is_not_found_works_at_any_depth(laptop: Watched, page: str) -> None:
    tab = laptop.open(page)
    assert violations(tab) == []
    # The browser reports the status of the page itself.
    assert [error for error in laptop.errors if "404" not in error] == []
    tab.get_by_text("search", exact=True).click()
    expect(tab.locator(".md-search__input")).to_be_focused()
    expect(tab.locator(".md-search-result__meta")).to_have_text("Type to start searching")
    tab.keyboard.press("Escape")
    expect(tab.locator("#__search")).not_to_be_checked()
    tab.get_by_role("article").get_by_role("link", name="Measures").click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("Measures")


def shown_code(page: str, language: str) -> list[str]:
    """The code of a page's blocks in a language."""
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    return [each.code.strip("\n") for each in blocks(text, page) if each.language == language]


def statements(example: str) -> str:
    """What one types to run an example."""
    lines = [line for line in example.splitlines() if line.startswith((">>>", "..."))]
    return "\n".join(line[4:] for line in lines)


def test_copy_buttons_copy_what_one_runs(browser: Browser, address: str) -> None:
    wanted = {
        "python": shown_code("measures/pcp", "python"),
        "pycon": [statements(each) for each in shown_code("measures/pcp", "pycon")],
    }
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.goto(f"{address}measures/pcp/")
    for language, codes in wanted.items():
        buttons = tab.locator(f".listing:has(.language-{language}) button")
        assert buttons.count() == len(codes)
        for button, code in zip(buttons.all(), codes, strict=True):
            button.click()
            expect(button).to_have_text("Copied")
            assert tab.evaluate("navigator.clipboard.readText()") == code
    context.close()


def test_no_button_lies_over_code(laptop: Watched) -> None:
    tab = laptop.open("measures/pcp/")
    for listing in tab.locator(".listing").all():
        button = listing.get_by_role("button").bounding_box()
        code = listing.locator("pre").bounding_box()
        assert button["y"] + button["height"] <= code["y"]


SEARCHES = {
    "ref:any": ("measures/pcp/", "ref:any"),
    "dist-median": ("truth/sigma/", "sigma:dist-median"),
    "false visibility": ("measures/visibility/", "False visibility"),
    "within_clicks": ("measures/pcp/", "within_clicks"),
    "σ": ("truth/sigma/", "σ"),
    "sigma": ("truth/sigma/", "sigma"),
    "FVR": ("measures/visibility/", "FVR"),
    "avg:micro": ("measures/averages/", "avg:micro"),
    "PCP|sigma:sd-median|ref:any": ("measures/pcp/", "PCP"),
    "cite": ("guide/cite/", "Cite and verify"),
    "how do I cite": ("guide/cite/", "Cite and verify"),
    '"ref:any"': ("measures/pcp/", "ref:any"),
    "--profile": ("guide/cite/", "profile"),
    "camera": ("birds/camera/", "camera"),
}
"""What is searched for, and the page that comes first, with what its result shows."""


@pytest.mark.parametrize("words", SEARCHES)
def test_search_shows_the_defining_page_first(laptop: Watched, address: str, words: str) -> None:
    page, shown = SEARCHES[words]
    tab = laptop.open("")
    field = tab.locator(".md-search__input")
    field.focus()
    expect(tab.locator(".md-search-result__meta")).to_have_text("Type to start searching")
    field.fill(words)
    # The theme listens to keys.
    field.press("End")
    first = tab.locator(".md-search-result__item").first
    expect(first.get_by_text(shown).first).to_be_visible()
    found = first.get_by_role("link").first.get_attribute("href")
    assert found.partition("?")[0].partition("#")[0] == address + page
    assert laptop.errors == []


def test_without_a_script_everything_that_is_read_is_there(scriptless: Watched) -> None:
    tab = scriptless.open("measures/pcp/")
    expect(tab.get_by_text("call a part correct if its visibility is right")).to_be_visible()
    expect(tab.locator("math").first).to_be_visible()
    assert all(each.bounding_box()["height"] > 10 for each in tab.locator(".math-display").all())
    expect(tab.get_by_role("table").first).to_contain_text("Liu & Belhumeur")
    assert tab.get_by_role("table").count() >= 3
    for listing in tab.locator(".listing").all():
        expect(listing).to_be_visible()
    expect(tab.locator(".md-search")).to_be_hidden()
    expect(tab.get_by_role("button")).to_have_count(0)


def test_without_a_script_a_phone_can_navigate(scriptless: Watched) -> None:
    tab = scriptless.open("measures/pcp/")
    tab.locator(".md-header label[for=__drawer]").click()
    sections = tab.locator(".md-nav--primary")
    sections.locator("label.md-nav__title", has_text="Measures").click()
    sections.locator(".md-nav__container", has_text="Dataset").locator("label").click()
    sections.get_by_role("link", name="Annotations").click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("Annotations")


def test_the_keyboard_gets_past_the_navigation(laptop: Watched) -> None:
    tab = laptop.open("measures/pcp/")
    tab.keyboard.press("Tab")
    skip = tab.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile("#pcp$"))


def test_what_has_the_focus_is_seen(laptop: Watched) -> None:
    tab = laptop.open("measures/pcp/")
    tab.locator(".table").first.focus()
    tab.keyboard.press("Tab")
    tab.keyboard.press("Shift+Tab")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert tab.evaluate("document.activeElement.matches('.table')")
    assert tab.evaluate(outline) == "solid"


# The width of a laptop's screen at 400 %, which WCAG 1.4.10 asks for.
NARROW = {"width": 320, "height": 256}

LARGE_TEXT = "document.documentElement.style.fontSize = '200%'"

CUT_BUTTONS = """() => [...document.querySelectorAll(".copy")].filter((button) => {
  const bar = button.closest(".listing").getBoundingClientRect();
  return button.getBoundingClientRect().right > bar.right + 1;
}).length"""


@every_page
def test_page_at_the_narrowest(phone: Watched, page: str) -> None:
    tab = phone.open(page)
    tab.set_viewport_size(NARROW)
    assert tab.evaluate(TOO_WIDE) == []
    tab.set_viewport_size(SMALL_PHONE)
    tab.evaluate(LARGE_TEXT)
    assert tab.evaluate(CUT_BUTTONS) == 0
    tab.set_viewport_size(PHONE)


def test_the_keyboard_opens_the_list_of_pages(phone: Watched) -> None:
    tab = phone.open("measures/pcp/")
    button = tab.get_by_role("button", name="Pages")
    stops = []
    for _ in range(10):
        tab.keyboard.press("Tab")
        stops.append(tab.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
        assert tab.evaluate("document.activeElement.closest('.md-sidebar')") is None
        assert tab.evaluate("document.activeElement.getBoundingClientRect().right > 0")
    assert any("pages" in each for each in stops)
    button.focus()
    tab.keyboard.press("Space")
    expect(tab.locator(".md-nav--primary").get_by_text("Glossary")).to_be_visible()


def test_paper_is_light(phone: Watched) -> None:
    tab = phone.open("measures/pcp/")
    tab.emulate_media(media="print")
    both = "[document.documentElement, document.body]"
    schemes = tab.evaluate(f"{both}.map((each) => getComputedStyle(each).colorScheme)")
    tab.emulate_media(media="null")
    assert schemes == ["light", "light"]


@pytest.mark.parametrize(
    ("page", "sheets"), [("glossary/", 1), ("signatures/", 4), ("guide/cite/", 6)]
)
def test_no_sheet_is_almost_empty(phone: Watched, page: str, sheets: int) -> None:
    printed = phone.open(page).pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= sheets


# FVR and FIR share a page, and σ has seven definitions.
SHEETS = {"measures/visibility": 4, "truth/sigma": 4}


@pytest.mark.parametrize(
    ("page", "sheets"),
    [(f"{page}/", SHEETS.get(page, 3)) for page in DEFINING],
)
def test_a_measure_prints_on_few_sheets(phone: Watched, page: str, sheets: int) -> None:
    tab = phone.open(page)
    printed = tab.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= sheets


def test_paper_holds_what_defines_and_not_what_declares(phone: Watched) -> None:
    tab = phone.open("measures/averages/")
    tab.emulate_media(media="print")
    expect(tab.locator(".declaration")).to_be_hidden()
    expect(tab.locator("#avg-code")).to_be_hidden()
    expect(tab.locator(".reference").first).to_be_visible()
    docstrings = tab.locator(".reference .sd").all_inner_texts()
    tab.emulate_media(media="null")
    assert docstrings[0] == '"""Average the counted values over some axes."""'
    assert not any("\n" in each for each in docstrings)
    assert any("\n" in each for each in tab.locator(".reference .sd").all_inner_texts())
    expect(tab.locator(".declaration")).to_be_visible()


def test_paper_holds_the_article_alone(phone: Watched) -> None:
    tab = phone.open("measures/pcp/")
    tab.emulate_media(media="print")
    for left_out in (".md-header", ".md-sidebar--primary", ".md-footer", ".copy", ".headerlink"):
        expect(tab.locator(left_out).first).to_be_hidden()
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    ink = tab.evaluate("getComputedStyle(document.querySelector('article p')).color")
    tab.emulate_media(media="null")
    assert background in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert ink.startswith("rgba(0, 0, 0")
