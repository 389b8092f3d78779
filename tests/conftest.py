"""What tests of a process share: the built site, a server of it, and a browser."""

from __future__ import annotations

import functools
import http.server
import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@dataclass(frozen=True)
class Build:
    """A build of the site.

    Attributes
    ----------
    folder : what was built
    seconds : how long one core was busy with it, whatever else ran at the same time
    """

    folder: Path
    seconds: float


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The site, built strictly from the checkout."""
    folder = tmp_path_factory.mktemp("site")
    before = _seconds_of_children()
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Build(folder, _seconds_of_children() - before)


@pytest.fixture(scope="session")
def site(build: Build) -> Path:
    """The folder of the site."""
    return build.folder


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder as a web host does, with its page for what is not found, and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the site's own page."""
        if code != HTTPStatus.NOT_FOUND:
            super().send_error(code, message, explain)
            return
        body = Path(self.directory, "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The address at which the site is served; ends with a slash."""
    handler = functools.partial(SiteHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is; without one, what needs it is skipped, or fails if it must not be."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = f"found none of {', '.join(BROWSERS)}; the variable CHROMIUM may name another one"
        if os.environ.get("CUBSPEC_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """A Chromium that runs."""
    # Inside of a container a browser cannot make a sandbox of its own.
    flags = ["--no-sandbox", "--disable-background-networking"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield launched
        launched.close()


def _seconds_of_children() -> float:
    used: Any = resource.getrusage(resource.RUSAGE_CHILDREN)
    return float(used.ru_utime + used.ru_stime)
