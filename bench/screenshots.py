"""Takes pictures of every page of a built site, in two sizes and two themes.

Usage: python bench/screenshots.py SITE FOLDER. Needs a Chromium; CHROMIUM names another one.
"""

from __future__ import annotations

import functools
import http.server
import os
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

SIZES = ((1280, 900), (390, 844))
THEMES = ("light", "dark")

# A full-page picture does not scroll, so an image that loads when scrolled to would be missing.
LOAD_IMAGES = """Promise.all([...document.images].map(image => {
  image.loading = "eager";
  return image.decode();
}))"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without saying so."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main(site: Path, folder: Path) -> None:
    """Write one PNG for each page, size and theme."""
    folder.mkdir(parents=True, exist_ok=True)
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_address[1]}/"
    pages = [page.parent.relative_to(site).as_posix() for page in sorted(site.rglob("index.html"))]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        for width, height in SIZES:
            for theme in THEMES:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=theme,  # type: ignore[arg-type]
                )
                tab = context.new_page()
                for page in pages:
                    tab.goto(f"{root}{'' if page == '.' else page + '/'}")
                    tab.evaluate(LOAD_IMAGES)
                    name = "front" if page == "." else page.replace("/", "-")
                    tab.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)
                context.close()
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
