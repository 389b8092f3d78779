"""Runs the code blocks of a Markdown page: one test item per block.

`python` blocks run in the page's own namespace, then `pycon` blocks run as examples against them.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterable

from _pytest.assertion.rewrite import rewrite_asserts
from sybil import Document, Example, Region
from sybil.evaluators.doctest import DocTest, DocTestRunner
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

INFO = re.compile(r" *\{? *\.?(?P<language>python3?|py|pycon)(?![\w-])[^\n]*\n", re.IGNORECASE)
"""Any way to say "Python" after the marks of a fence, whatever else the line says."""


class BlockParser:
    """Collects every Python-like fence as one region."""

    def __init__(self) -> None:
        self.lexer = RawFencedCodeBlockLexer(INFO)

    def __call__(self, document: Document) -> Iterable[Region]:
        for region in self.lexer(document):
            region.parsed = region.lexemes["source"]
            region.evaluator = evaluate_examples if ">>>" in region.parsed else evaluate_code
            yield region


def evaluate_code(example: Example) -> None:
    """Run a block of code, its assertions rewritten so that a failure shows the values."""
    line = example.line + example.parsed.line_offset
    tree = ast.parse("\n" * line + example.parsed, example.path)
    rewrite_asserts(tree, ("\n" * line + example.parsed).encode(), example.path)
    example.namespace.setdefault("__name__", "__page__")
    exec(compile(tree, example.path, "exec", dont_inherit=True), example.namespace)


def evaluate_examples(example: Example) -> str:
    """Run the prompts of a block one after the other; returns what differs."""
    example.namespace.setdefault("__name__", "__page__")
    line = example.line + example.parsed.line_offset
    prompts = doctest.DocTestParser().get_examples(example.parsed, example.path)
    test = DocTest(prompts, example.namespace, example.path, example.path, line, None)
    output: list[str] = []
    DocTestRunner(optionflags=0).run(test, clear_globs=False, out=output.append)
    return "".join(output)
