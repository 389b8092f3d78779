"""Files of the site, and what the command prints of them, shown in a page while it is built."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from cubspec.cub import read_cub
from cubspec.data import InputError
from cubspec.example import LOCALIZERS, make_example
from cubspec.example_files import write_example
from cubspec.lines import counted, read_text
from cubspec.predictions import read_predictions
from cubspec.repeated_clicks import read_repeated_clicks, repeated_spread
from cubspec.scoring import score
from cubspec.tables import as_text, default_document, spread_document

PAGES = Path(__file__).parents[2] / "docs"


def first_lines(page: str, file: str, number: str) -> str:
    """The first lines of a file, and how many more it has.

    Parameters
    ----------
    page : path of the page that shows them, relative to the folder of the pages
    file : path of the file, relative to the page
    number : how many lines
    """
    lines = read_text(_beside(page, file)).split("\n")
    if not number.isdecimal() or not 0 < int(number) < len(lines):
        raise InputError(f"expected a number from 1 to {len(lines) - 1}, found {number!r}")
    shown = lines[: int(number)]
    more = counted(len(lines) - len(shown), "more line")
    return _fenced("\n".join([*shown, f"… {more}"]))


def spread_of_file(page: str, file: str, relative_to: str) -> str:
    """What `cubspec sigma FILE --relative-to …` prints.

    Parameters
    ----------
    page : path of the page that shows it, relative to the folder of the pages
    file : path of the file, relative to the page
    relative_to : value of the option
    """
    repeated = read_repeated_clicks(_beside(page, file))
    return _fenced(as_text(spread_document(repeated_spread(repeated, relative_to=relative_to))))


def scores_of_birds(_: str, number: str) -> str:
    """What `cubspec score` prints of synthetic birds that were written to a folder, up to a table.

    Parameters
    ----------
    number : how many birds
    """
    with TemporaryDirectory() as folder:
        birds = Path(folder, "birds")
        write_example(make_example(int(number), only=()), birds)
        dataset = read_cub(birds)
        files = {f"birds/{name}.csv": birds / f"{name}.csv" for name in LOCALIZERS}
        predictions = {row: read_predictions(file, dataset.parts) for row, file in files.items()}
    result = score(dataset, predictions, split="all", truth="clicks")
    context, table = as_text(default_document(result)).split("\n\n")[:2]
    return _fenced(f"{context}\n\n{table}\n…")


def _beside(page: str, file: str) -> Path:
    return (PAGES / page).parent / file


def _fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
