"""MkDocs hook: what the templates say on every page about the site as a whole."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig

from cubspec.tangle import site_address

AUTHOR = "The cubspec authors"


def on_env(env: Environment, *, config: MkDocsConfig, **_: Any) -> Environment:
    """Tell the templates who wrote which version."""
    env.globals["author"] = AUTHOR
    root = Path(config.config_file_path).parent
    env.globals["latest_address"] = f"{site_address(root)}latest/"
    env.globals["cubspec_version"] = version("cubspec")
    return env
