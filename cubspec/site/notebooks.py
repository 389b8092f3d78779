"""MkDocs hook: a notebook becomes a page like any other.

mkdocs-jupyter runs a notebook and makes HTML of it, with headings, styles and scripts of its own,
some from other hosts. Only what the cells put out is kept of that. The text is rendered anew by the
site's own Markdown, so that anchors, formulas and checked links work as on every page; code is
folded, and drawings become files. A page's description stands in the notebook's metadata.
"""

from __future__ import annotations

import json
import logging
import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from cubspec.site import failure
from cubspec.site.drawing import SCHEMES, standalone

log = logging.getLogger("mkdocs.plugins.cubspec")

# What of folded code need not be coloured: names, signs, white space, marks of f-strings.
_UNCOLOURED = re.compile(r'<span class="(?:[nopw]|sa|si)">([^<]*)</span>')

# mkdocs-jupyter's template puts each cell into another one of the same class.
OUTER_CELL = ".jp-Notebook > .jp-CodeCell"
STDERR = "application/vnd.jupyter.stderr"
KEPT = ("text/html", "text/markdown", "text/plain", "application/vnd.jupyter.stdout")


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep the other hooks from taking a notebook's JSON for Markdown; read its description."""
    # As long as the page has no content, what MkDocs calls its Markdown is the file.
    if not _is_notebook(page) or page.content is not None:
        return markdown
    page.meta = {"description": _notebook(page)["metadata"]["description"]}
    return ""


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make a page of the notebook's text and of what its cells put out."""
    if not _is_notebook(page):
        return html
    made = BeautifulSoup(html, "html.parser")
    for figure in made.select("figure:has(> svg)"):
        _show_files(figure, page, config, files)
    of_code = [list(_outputs(cell, page.file.src_uri)) for cell in made.select(OUTER_CELL)]
    markdown = rebuilt(_notebook(page)["cells"], of_code)
    page.markdown = config.plugins.on_page_markdown(markdown, page=page, config=config, files=files)
    # mkdocs-jupyter has put a method of its own in the place of the page's.
    Page.render(page, config, files)
    assert page.content is not None
    return _UNCOLOURED.sub(r"\1", page.content)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Leave out the white space between tags, a tenth of a page full of tables."""
    if not _is_notebook(page):
        return output
    pieces = re.split(r"(?s)(<pre.*?</pre>)", output)
    return "".join(
        each if each.startswith("<pre") else re.sub(r">\s+<", ">\n<", each) for each in pieces
    )


def rebuilt(cells: Sequence[dict[str, Any]], of_code: Sequence[Sequence[str]]) -> str:
    """The Markdown of a page.

    Parameters
    ----------
    cells : of the notebook
    of_code : what each code cell put out, as HTML
    """
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    outputs = {id(cell): own for cell, own in zip(code, of_code, strict=True)}
    found: list[str] = []
    for cell in cells:
        text = "".join(cell["source"])
        found.append(_folded(text) if id(cell) in outputs else text)
        found += [f'<div class="output">\n{each}\n</div>' for each in outputs.get(id(cell), ())]
    return "\n\n".join(found) + "\n"


def _folded(code: str) -> str:
    return (
        '<details class="code" markdown="1">\n<summary>Code</summary>\n\n'
        f"```python\n{code}\n```\n\n</details>"
    )


def _outputs(cell: Tag, page: str) -> Iterable[str]:
    for output in cell.select("[data-mime-type]"):
        kind = str(output["data-mime-type"])
        if kind == STDERR:
            log.info("%s: a cell wrote to stderr: %s", page, output.get_text().strip())
        elif kind in KEPT:
            yield output.decode_contents().strip()
        else:
            raise failure(page, None, f"expected an output of {', '.join(KEPT)}; found {kind}")


def _show_files(figure: Tag, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Write a drawing next to the page, once for each scheme, and show the files instead."""
    svg = figure.svg
    assert svg is not None
    # nbconvert has parsed it as HTML, where names have no capital letters.
    svg["viewBox"] = svg.attrs.pop("viewbox")
    name = f"{posixpath.splitext(page.file.src_uri)[0]}/{str(figure['id']).removeprefix('figure-')}"
    for scheme in SCHEMES:
        file = File.generated(config, f"{name}-{scheme}.svg", content=standalone(str(svg), scheme))
        files.append(file)
        image = Tag(name="img", is_xml=False, can_be_empty_element=True)
        image["src"] = f"{file.url_relative_to(page.file)}#only-{scheme}"
        image["alt"] = svg["aria-label"]
        image["loading"] = "lazy"
        image["width"], image["height"] = svg["width"], svg["height"]
        svg.insert_before(image)
    svg.decompose()


def _is_notebook(page: Page) -> bool:
    return page.file.src_uri.endswith(".ipynb")


def _notebook(page: Page) -> dict[str, Any]:
    assert page.file.abs_src_path is not None
    found: dict[str, Any] = json.loads(Path(page.file.abs_src_path).read_text("utf-8"))
    return found
