"""What a page weighs, and how long the site takes to build."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from tests.conftest import Build
from tests.test_built_pages import built, every_page

HTML_BYTES = 100_000
FIRST_LOAD_BYTES = 450_000
BUILD_SECONDS = 30

COMPRESSED = {".woff2", ".png"}
"""Files that are sent as they are."""


def needed(site: Path, page: str) -> Iterator[str]:
    """The path of whatever a browser asks for to show a page and to answer a search on it."""
    soup, base = built(site, page), f"/{page}"
    yield base
    for link in soup("link", rel=["stylesheet", "icon", "preload"]):
        path = urljoin(base, link["href"])
        yield path
        if path.endswith(".css"):
            style = (site / path[1:]).read_text("utf-8")
            yield from (
                urljoin(path, found)
                for found in re.findall(r"""url\(["']?([^"')]+)""", style)
                if not found.startswith(("data:", "#"))
            )
    yield from (urljoin(base, element["src"]) for element in soup(src=True))
    settings = json.loads(soup.find("script", id="__config").string)
    worker = urljoin(base, settings["search"])
    yield worker
    yield urljoin(worker, f"javascripts/workers/{urlsplit(worker).query}")
    yield urljoin(base, f"{settings['base']}/search/search_index.json")


def wire_bytes(site: Path, path: str) -> int:
    """What is sent for a path."""
    file = site / path[1:]
    content = (file / "index.html" if file.is_dir() else file).read_bytes()
    return len(content if file.suffix in COMPRESSED else gzip.compress(content, 6))


@every_page
def test_a_page_is_light(site: Path, page: str) -> None:
    assert (site / page / "index.html").stat().st_size <= HTML_BYTES
    paths = {urlsplit(path).path for path in needed(site, page)}
    assert len(paths) >= 9
    assert sum(wire_bytes(site, path) for path in paths) <= FIRST_LOAD_BYTES


def test_the_site_builds_quickly(build: Build) -> None:
    assert build.seconds <= BUILD_SECONDS
