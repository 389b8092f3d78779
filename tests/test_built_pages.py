"""Every page of the built site, as HTML: headings, links, text for pictures, and metadata."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from cubspec import __version__
from cubspec.choices import context_choices, measures
from cubspec.tangle import site_address

ROOT = Path(__file__).parent.parent
ADDRESS = site_address(ROOT)
HTML_ALONE = {"404.html"}
"""Pages that no Markdown is made into."""


def page_addresses() -> list[str]:
    """The address of every page, relative to the site's, from the pages' sources."""
    found = []
    for source in sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]):
        path = PurePosixPath(source.relative_to(ROOT / "docs").as_posix())
        parts = path.parts[:-1] if path.stem == "index" else (*path.parts[:-1], path.stem)
        found.append("".join(f"{part}/" for part in parts))
    return found


PAGES = page_addresses()
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page or "front")


@cache
def read(file: Path) -> BeautifulSoup:
    """A built page."""
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


def built(site: Path, page: str) -> BeautifulSoup:
    """The built page of an address."""
    return read(site / page / "index.html" if not page.endswith(".html") else site / page)


def content(soup: BeautifulSoup, name: str) -> list[str]:
    """What the page's metadata says under a name."""
    return [
        meta["content"] for meta in soup("meta") if name in (meta.get("name"), meta.get("property"))
    ]


def test_these_are_all_pages(site: Path) -> None:
    found = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert found == {f"{page}index.html" for page in PAGES} | HTML_ALONE


@pytest.mark.parametrize("page", [*PAGES, *HTML_ALONE], ids=lambda page: page or "front")
def test_headings_are_in_order(site: Path, page: str) -> None:
    levels = [int(each.name[1]) for each in built(site, page)(re.compile("^h[1-6]$"))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


@every_page
def test_pictures_have_a_text(site: Path, page: str) -> None:
    soup = built(site, page)
    for image in soup("img"):
        assert image["alt"].strip()
        assert image["width"]
        assert image["height"]
    for drawing in soup.article("svg"):
        assert drawing["role"] == "img"
        assert drawing["aria-label"].strip()


def test_a_picture_without_a_text_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "index.html").write_text('<article><img src="a" alt=""></article>')
    with pytest.raises(AssertionError):
        test_pictures_have_a_text(tmp_path, "x/")


def addresses(soup: BeautifulSoup) -> Iterator[str]:
    """Whatever a page refers to."""
    for attribute in ("href", "src"):
        yield from (element[attribute] for element in soup(attrs={attribute: True}))


@pytest.mark.parametrize("page", [*PAGES, *HTML_ALONE], ids=lambda page: page or "front")
def test_links_within_the_site_resolve(site: Path, page: str) -> None:
    for link in addresses(built(site, page)):
        found = urlsplit(urljoin(ADDRESS + page, link))
        # The latest version stands beside this one, once there is a release.
        if f"{found.scheme}://{found.netloc}/" != ADDRESS or found.path == "/latest/":
            continue
        target = site / unquote(found.path).lstrip("/")
        target = target / "index.html" if target.is_dir() else target
        assert target.is_file(), link
        if found.fragment and target.suffix == ".html":
            assert read(target).find(id=unquote(found.fragment)), link


@every_page
def test_what_is_loaded_is_of_the_site(site: Path, page: str) -> None:
    soup = built(site, page)
    loaded = [
        *(element["src"] for element in soup(src=True)),
        *(link["href"] for link in soup("link", rel=["stylesheet", "icon", "preload"])),
    ]
    assert loaded
    assert not [address for address in loaded if urlsplit(address).netloc]


@every_page
def test_a_page_says_what_it_is(site: Path, page: str) -> None:
    soup = built(site, page)
    (description,) = content(soup, "description")
    assert 50 <= len(description) <= 170
    assert content(soup, "og:description") == [description]
    assert content(soup, "citation_abstract") == [description]
    assert soup.find("link", rel="canonical")["href"] == ADDRESS + page
    assert content(soup, "og:url") == [ADDRESS + page]
    assert content(soup, "citation_public_url") == [ADDRESS + page]
    assert content(soup, "og:type") == ["article" if page else "website"]
    assert content(soup, "citation_author") == ["The cubspec authors"]
    (date,) = content(soup, "citation_publication_date")
    assert re.fullmatch(r"\d{4}/\d\d/\d\d", date)
    assert content(soup, "citation_title") == [soup.title.get_text()]
    assert f"cubspec {__version__}" in soup.footer.get_text()


@pytest.mark.parametrize("name", ["description", "title"])
def test_no_two_pages_say_the_same(site: Path, name: str) -> None:
    found = {
        page: built(site, page).title.get_text()
        if name == "title"
        else content(built(site, page), name)[0]
        for page in PAGES
    }
    assert len(set(found.values())) == len(PAGES)


def test_the_list_of_pages_for_search_engines_is_complete(site: Path) -> None:
    listed = re.findall("<loc>(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8"))
    assert set(listed) == {ADDRESS + page for page in PAGES}


def test_the_page_for_what_is_not_found_leads_on(site: Path) -> None:
    soup = built(site, "404.html")
    links = {link["href"] for link in soup.article("a")}
    assert {"/", "/measures/"} <= links
    assert content(soup, "robots") == ["noindex"]


@every_page
def test_every_table_is_in_a_region_with_a_name_of_its_own(site: Path, page: str) -> None:
    tables = built(site, page).article("table")
    regions = [table.find_parent("div", class_="table") for table in tables]
    assert all(region["tabindex"] == "0" and region["role"] == "region" for region in regions)
    assert len({region["aria-label"] for region in regions}) == len(tables)


@every_page
def test_every_block_of_code_says_what_it_is(site: Path, page: str) -> None:
    for block in built(site, page).article("div", class_="highlight"):
        figure = block.parent
        assert figure.name == "figure"
        assert "listing" in figure["class"]
        words = figure.figcaption.get_text()
        assert words
        assert ("reference" in figure["class"]) == words.startswith("Reference code")


def test_the_math_font_is_there_with_its_licence(site: Path) -> None:
    (file,) = (site / "assets").glob("math.*.woff2")
    assert file.stat().st_size < 60_000
    with TTFont(file) as font:
        assert font["MATH"].table.MathVariants
        copyright_line = font["name"].getDebugName(0)
    licence = (site / "assets" / "math-font-licence.txt").read_text("utf-8")
    assert copyright_line in licence
    assert "SIL OPEN FONT LICENSE" in licence


@every_page
def test_no_root_stands_in_a_line(site: Path, page: str) -> None:
    # After it browsers leave the room that the font's widest root sign would take more.
    for formula in built(site, page)("math"):
        assert formula.get("display") == "block" or not formula.find(["msqrt", "mroot"])


@every_page
def test_a_definition_in_words_has_a_name(site: Path, page: str) -> None:
    boxes = built(site, page)("div", class_="definition")
    assert [box.get("aria-label") for box in boxes] == ["Definition"] * len(boxes)
    assert [box.get("role") for box in boxes] == ["group"] * len(boxes)
    assert not any(box.find(class_="listing") for box in boxes)


def test_every_measure_and_value_has_a_definition_in_words(site: Path) -> None:
    for choice in (*context_choices().values(), *(c for m in measures() for c in m.choices)):
        for name in choice.names:
            page, _, anchor = choice.address(name).partition("#")
            heading = built(site, page).find(id=anchor)
            assert "definition" in heading.find_next_sibling().get("class", []), anchor
    for measure in measures():
        assert built(site, f"{measure.page}/").find("div", class_="definition")


@every_page
def test_only_pages_with_formulas_load_the_math_font(site: Path, page: str) -> None:
    soup = built(site, page)
    preloaded = soup.find("link", rel="preload", attrs={"as": "font"})
    assert (preloaded is not None) == (soup.find("math") is not None)
