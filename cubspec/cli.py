"""The commands.

Results go to stdout or a file, messages to stderr, one line each. Bad input ends with exit status 2
and one line that says where, what was expected and what was found.
"""

from __future__ import annotations

import io
import itertools
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

import click

from cubspec.choices import Choice, Signature
from cubspec.cub import CLICKS, IMAGES, LOCATIONS, NAMES, SPLIT, read_cub
from cubspec.data import Dataset, InputError
from cubspec.example import EXAMPLE_STEPS, PUBLISHED, make_example
from cubspec.example_files import check_new_folder, write_example
from cubspec.example_tables import example_document, example_json
from cubspec.predictions import MISSING, PredictionFile, read_predictions
from cubspec.scoring import SPLITS, check_row_names, click_file, score, spread
from cubspec.tables import (
    Document,
    as_latex,
    as_markdown,
    as_text,
    default_document,
    default_forms,
    full_document,
    one_line,
    print_document,
    score_csv,
    score_json,
    spread_csv,
    spread_document,
    spread_json,
)
from cubspec.truth.consensus import TRUTH
from cubspec.truth.sigma import POOL

BAD_INPUT = 2
INTERRUPTED = 130

DOCUMENT_FORMATS = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
FORMATS = (*DOCUMENT_FORMATS, "csv", "json")
DATASET_FILES = (LOCATIONS, CLICKS, NAMES, IMAGES, SPLIT)

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : what follows the command's name; those of the process unless given
    """
    try:
        status = commands.main(arguments, prog_name="cubspec", standalone_mode=False)
    except InputError as error:
        return _fail(str(error))
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "cubspec"
        return _fail(f"{error.format_message()} See {path} --help.")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        # Whatever is read, or written to a file, raises InputError; so this is stdout.
        _discard_stdout()
        return _fail(f"stdout: expected to be able to write, found: {error.strerror or error}")
    return status or 0


def _fail(message: str) -> int:
    _say(f"error: {message}")
    return BAD_INPUT


def _say(message: str) -> None:
    # Results matter more than messages that cannot be shown.
    with suppress(OSError):
        click.echo(f"cubspec: {one_line(message)}", err=True)


def _discard_stdout() -> None:
    # What is left in the buffer would fail again when Python exits.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _choice(choice: Choice) -> Decorator:
    return click.option(
        f"--{choice.key}",
        type=click.Choice(choice.names),
        default=choice.preselected,
        show_default=True,
        help=choice.question,
    )


def _split(what: str) -> Decorator:
    return click.option(
        "--split", type=click.Choice(SPLITS), default="test", show_default=True, help=what
    )


def _output(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that prints a result."""
    form = click.option(
        "--format", type=click.Choice(FORMATS), default="text", show_default=True,
        help="How the result is written.",
    )  # fmt: skip
    out = click.option("--out", metavar="FILE", help="Write the result to a file.")
    return form(out(command))


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(version("cubspec"), message="%(prog)s %(version)s")
def commands() -> None:
    """Score part localization on CUB-200-2011, every open detail a named choice."""


@commands.command("score")
@click.argument("data")
@click.argument("pred", nargs=-1, required=True)
@_split("The images scored.")
@_choice(TRUTH)
@_choice(POOL)
@click.option("--only", multiple=True, metavar="SHORT", help="Just this short form; repeatable.")
@click.option("--all", "everything", is_flag=True, help="Every short form and both human rows.")
@click.option("--per-part", is_flag=True, help="Every part by itself, too.")
@click.option("--parts", metavar="NAME,…", help="The parts scored; all unless given.")
@click.option(
    "--missing", type=click.Choice(MISSING), default=MISSING[0], show_default=True,
    help="What a pair that a prediction file lacks is.",
)  # fmt: skip
@click.option(
    "--visible-above", type=float, metavar="NUMBER",
    help="In COCO results: the third number of a keypoint above which it is visible.  [default: 0]",
)  # fmt: skip
@_output
def score_command(
    data: str,
    pred: tuple[str, ...],
    only: tuple[str, ...],
    everything: bool,
    parts: str | None,
    visible_above: float | None,
    format: str,
    out: str | None,
    **chosen: Any,
) -> None:
    """Score predictions, and the annotators themselves.

    DATA is the folder with the dataset's annotation files. PRED is a prediction file, or NAME=FILE
    to name its row: a CSV table (image_id,part,x,y,visible), lines as in part_locs.txt, a NumPy
    archive (.npz) or COCO keypoint results (JSON).

    Without --only and --all, text, Markdown and LaTeX hold the numbers that papers print; CSV and
    JSON hold every number.
    """
    if only and everything:
        raise click.UsageError("Expected --only or --all, found both.")
    asked = [Signature.parse(text) for text in only]
    files = named_files(pred)
    dataset = _read_dataset(data)
    check_output(out, [*files.values(), *dataset_files(dataset)])
    if dataset.clicks is None and asked and all("sigma" in form.values for form in asked):
        raise InputError(
            "expected the annotators' clicks for a short form with sigma, found no such file",
            click_file(dataset),
        )
    tabular = format in DOCUMENT_FORMATS
    if tabular and not only and not everything:
        forms: Sequence[str] | None = [form.short for form in default_forms()]
    else:
        forms = only or None
    predictions = _read_predictions(files, dataset, visible_above)
    with _progress("Scoring") as step:
        result = score(
            dataset,
            predictions,
            parts=None if parts is None else [name.strip() for name in parts.split(",")],
            only=forms,
            step=step,
            **chosen,
        )
    _note(result.notes)
    if tabular:
        shown = full_document if only or everything else default_document
        _show(shown(result), format, out)
    else:
        _write(score_csv(result) if format == "csv" else score_json(result), out)


@commands.command("sigma")
@click.argument("data")
@_choice(TRUTH)
@_choice(POOL)
@_split("The images scored, where the pool is scored.")
@_output
def sigma_command(data: str, format: str, out: str | None, **chosen: str) -> None:
    """Measure the annotators' spread of every part, in pixels.

    DATA is the folder with the dataset's annotation files, the annotators' clicks among them.
    """
    dataset = _read_dataset(data)
    check_output(out, dataset_files(dataset))
    result = spread(dataset, **chosen)
    _note(result.notes)
    if format in DOCUMENT_FORMATS:
        _show(spread_document(result), format, out)
    else:
        _write(spread_csv(result) if format == "csv" else spread_json(result), out)


@commands.command("example")
@click.option(
    "--birds", type=click.IntRange(min=1), default=PUBLISHED[0], show_default=True,
    help="How many birds are drawn.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=PUBLISHED[1], show_default=True,
    help="The seed of the random generator.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Every short form and both human rows.")
@click.option("--per-part", is_flag=True, help="Every part by itself, too.")
@click.option("--write", metavar="DIR", help="Write a folder in the dataset's own file format.")
@_output
def example_command(
    birds: int,
    seed: int,
    everything: bool,
    per_part: bool,
    write: str | None,
    format: str,
    out: str | None,
) -> None:
    """Score synthetic birds, whose truth is known exactly.

    A, B and C are three localizers with known errors. With --write, DIR holds the birds as a
    dataset and what the localizers predict, to try the other commands on: cubspec score DIR
    DIR/A.csv --split all --truth clicks.
    """
    check_output(out, [])
    if write is not None:
        check_new_folder(write)
    tabular = format in DOCUMENT_FORMATS
    narrow = tabular and not everything
    with _progress_bar(EXAMPLE_STEPS) as step:
        made = make_example(birds, seed, only=() if narrow else None, per_part=per_part, step=step)
    if write is not None:
        with _progress(f"Writing {write}"):
            write_example(made, write)
    _note(made.result.notes)
    if tabular:
        _show(example_document(made, everything=everything), format, out)
    else:
        _write(score_csv(made.result) if format == "csv" else example_json(made), out)


def named_files(arguments: Iterable[str]) -> dict[str, str]:
    """The file of each row name, from arguments that are a file each or NAME=FILE.

    Raises
    ------
    InputError
        On an argument that is neither, and on a name that is empty or used twice.
    """
    files: dict[str, str] = {}
    for argument in arguments:
        name, file = argument, argument
        if not os.path.exists(argument):
            name, equals, file = argument.partition("=")
            if not equals:
                raise InputError(
                    "expected a prediction file or NAME=FILE, found nothing of that name", argument
                )
            if not name or not file:
                raise InputError(f"expected NAME=FILE with a name and a file, found {argument}")
        if name in files:
            raise InputError(f"expected each row name once, found {name} twice")
        files[name] = file
    check_row_names(files)
    return files


def dataset_files(dataset: Dataset) -> list[str]:
    """Where the files of a dataset are or would be."""
    root = Path(dataset.source)
    return [str(folder / name) for folder in (root, root / "parts") for name in DATASET_FILES]


def _read_dataset(folder: str) -> Dataset:
    with _progress(f"Reading {folder}"):
        return read_cub(folder)


def _read_predictions(
    files: dict[str, str], dataset: Dataset, visible_above: float | None
) -> dict[str, PredictionFile]:
    predictions = {}
    for name, file in files.items():
        with _progress(f"Reading {file}"):
            predictions[name] = read_predictions(file, dataset.parts, visible_above=visible_above)
    return predictions


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[str], None]]:
    """Say on the terminal what is being done, as long as it is; yields what says more of it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(one_line(doing))) as status:
        yield lambda more: status.update(Text(one_line(f"{doing} {more}")))


@contextmanager
def _progress_bar(steps: int) -> Iterator[Callable[[str], None]]:
    """Show on the terminal how many steps are done; yields what is called before each."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=steps)
        done = itertools.count()
        yield lambda doing: progress.update(task, description=doing, completed=next(done))


def _note(notes: Iterable[str]) -> None:
    for note in notes:
        _say(f"note: {note}")


def _show(document: Document, format: str, out: str | None) -> None:
    if format == "text" and out is None and (stdout := _stdout()).isatty():
        from rich.console import Console

        print_document(document, Console(file=stdout, highlight=False))
    else:
        _write(DOCUMENT_FORMATS[format](document), out)


def _write(text: str, out: str | None) -> None:
    if out is not None:
        write_file(out, text)
        return
    stdout = _stdout()
    stdout.write(text)
    stdout.flush()


def _stdout() -> TextIO:
    """The standard output, able to write any character: as UTF-8, or escaped on a terminal."""
    stdout = sys.stdout
    if stdout is None:
        raise InputError("stdout: expected to be able to write, found it closed")
    if isinstance(stdout, io.TextIOWrapper):
        encoding = stdout.encoding if stdout.isatty() else "utf-8"
        stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    return stdout


def check_output(out: str | None, inputs: Iterable[str]) -> None:
    """Raise InputError where a result cannot go to that file, or would overwrite an input."""
    if out is None:
        return
    if os.path.isdir(out) or not os.path.basename(out):
        raise InputError("expected a file to write to, found a folder", out)
    if not os.path.isdir(os.path.dirname(out) or "."):
        raise InputError("expected a file to write to, found no such folder", out)
    if not os.path.exists(out):
        return
    if not os.path.isfile(out):
        raise InputError("expected a file to write to, found a device or a pipe", out)
    for file in inputs:
        if os.path.exists(file) and os.path.samefile(out, file):
            raise InputError(f"expected a file other than the input, found {file}", out)


def write_file(file: str, text: str) -> None:
    """Write a file as a whole or not at all.

    Raises
    ------
    InputError
        Where it cannot be written; the file is as it was before.
    """
    # The file that a link leads to is replaced, not the link.
    target = os.path.realpath(file)
    temporary = os.path.join(os.path.dirname(target), f".cubspec-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise InputError(f"expected to be able to write this, found: {reason}", file) from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)
