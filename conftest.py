"""Collects the code blocks of every page as tests."""

from sybil import Sybil

from tests.page_blocks import BlockParser

pytest_collect_file = Sybil(
    parsers=[BlockParser()], patterns=["docs/**/*.md", "docs/*.md"], path="."
).pytest()
