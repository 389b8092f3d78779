"""Asks Lighthouse for the scores of three pages of a built site; fails if one is too low.

Usage: python bench/lighthouse.py SITE. Needs npm, which fetches Lighthouse, and a Chromium;
CHROMIUM names another one.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from statistics import median

PAGES = ("", "measures/pcp/", "birds/example/")
LEAST = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
VERSION = "12"
RUNS = 3
"""Of which the middle one counts, since whatever else the machine does counts as the page's."""


class Compressing(http.server.SimpleHTTPRequestHandler):
    """Serves a folder as a web host does, text compressed."""

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            self.send_error(404)
            return
        body, kind = file.read_bytes(), self.guess_type(file)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "max-age=600")
        if not kind.startswith("font/"):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def scores(url: str, folder: str) -> dict[str, int]:
    """The scores of a page, 0 to 100, by category."""
    report = Path(folder) / "report.json"
    command = [
        *("npx", "--yes", f"lighthouse@{VERSION}", url, "--quiet", "--output=json"),
        *(f"--output-path={report}", f"--only-categories={','.join(LEAST)}"),
        "--chrome-flags=--headless=new --no-sandbox --disable-background-networking",
    ]
    chrome = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    subprocess.run(command, check=True, env={**os.environ, "CHROME_PATH": chrome}, cwd=folder)
    found = json.loads(report.read_text("utf-8"))["categories"]
    return {name: round(100 * found[name]["score"]) for name in LEAST}


def main(site: Path) -> None:
    """Print the scores; exit with 1 if one is below what is asked for."""
    handler = functools.partial(Compressing, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_address[1]}/"
    low = False
    with tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            runs = [scores(root + page, folder) for _ in range(RUNS)]
            found = {name: median(run[name] for run in runs) for name in LEAST}
            low |= any(found[name] < least for name, least in LEAST.items())
            print(f"/{page}", *(f"{name} {score}" for name, score in found.items()), flush=True)
    sys.exit(low)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve())
