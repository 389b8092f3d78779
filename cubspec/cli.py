"""The commands.

Results go to stdout or a file, messages to stderr, one line each. Bad input ends with exit status 2
and one line that says where, what was expected and what was found.
"""

from __future__ import annotations

import errno
import io
import itertools
import os
import secrets
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from click.core import ParameterSource

from cubspec.choices import Choice, Signature
from cubspec.citing import cite, cite_bibtex, cite_json, cite_latex, cite_markdown, cite_text
from cubspec.cub import dataset_folder, read_cub
from cubspec.data import Dataset, InputError
from cubspec.example import EXAMPLE_STEPS, PUBLISHED, make_example
from cubspec.example_files import check_new_folder, write_example
from cubspec.example_tables import example_document, example_json
from cubspec.facts_files import READERS
from cubspec.lines import counted
from cubspec.predictions import MISSING, PredictionFile, read_predictions
from cubspec.profiles import Profile, profile_document, profile_entry, profile_of, profiles
from cubspec.readings import (
    FIGURES,
    INVISIBLE_SHARE,
    Interval,
    given_row,
    invisible_share,
    picked_rows,
    printed_invisible_share,
    readings,
    readings_csv,
    readings_document,
    readings_json,
)
from cubspec.repeated_clicks import RELATIVE_TO, read_repeated_clicks, repeated_spread
from cubspec.scoring import SPLITS, Result, Spread, check_row_names, click_file, score, spread
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

CHECK_FAILED = 1
if TYPE_CHECKING:
    from cubspec.verifying import Verdict

BAD_INPUT = 2
INTERRUPTED = 130

DOCUMENT_FORMATS = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
FORMATS = (*DOCUMENT_FORMATS, "csv", "json")
CITE_FORMATS = {
    "text": cite_text,
    "markdown": cite_markdown,
    "latex": cite_latex,
    "bibtex": cite_bibtex,
    "json": cite_json,
}
DATASET_FILES = tuple(dict.fromkeys(os.path.basename(name) for name in READERS))
DATASET_FOLDERS = ("", "parts", "attributes")
MOST_BIRDS = 10_000_000

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : what follows the command's name; those of the process unless given
    """
    _escape_what_cannot_be_shown()
    try:
        with _without_warnings():
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
    except MemoryError:
        return _fail("expected enough memory for this input, found too little")
    except OSError as error:
        # What a command raises is InputError; so this is click, writing help to stdout.
        return _fail(str(_stdout_failed(error)))
    return status or 0


def _escape_what_cannot_be_shown() -> None:
    """Let help and messages be written whatever the encoding of the streams is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keep what libraries say of foreign data to programmers from users who did not ask for it."""
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        yield


def _fail(message: str) -> int:
    _say(f"error: {message}")
    return BAD_INPUT


def _say(message: str) -> None:
    # Results matter more than messages that cannot be shown.
    with suppress(OSError):
        click.echo(f"cubspec: {one_line(message)}", err=True)


def _stdout_failed(error: OSError) -> InputError:
    """The error to raise where stdout cannot be written."""
    _discard_stdout()
    return InputError(f"stdout: expected to be able to write, found: {_reason(error)}")


def _discard_stdout() -> None:
    # What is left in the buffer would fail again when Python exits.
    if sys.stdout is not None:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reason(error: Exception) -> object:
    return (isinstance(error, OSError) and error.strerror) or error


class _Command(click.Command):
    """A command that blames on stdout only what `_to_stdout` met there."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OSError as error:
            # A reader that has left is click's to handle.
            if error.errno == errno.EPIPE:
                raise
            file = error.filename if isinstance(error.filename, str) else None
            raise InputError(
                f"expected to be able to read and write, found: {_reason(error)}", file
            ) from None


class _Commands(click.Group):
    command_class = _Command


def _not_empty(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """Refuse an empty path, which Python would take for the working folder."""
    if "" in (given if isinstance(given, tuple) else (given,)):
        raise click.BadParameter("expected a name, found an empty one.")
    return given


def _few_enough(context: click.Context, parameter: click.Parameter, birds: int) -> int:
    if birds > MOST_BIRDS:
        raise click.BadParameter(f"{birds} is not in the range x<={MOST_BIRDS}.")
    return birds


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


def _written_as(formats: Iterable[str]) -> Decorator:
    """The options of a command that prints a result in these formats."""
    form = click.option(
        "--format", type=click.Choice(tuple(formats)), default="text", show_default=True,
        help="How the result is written.",
    )  # fmt: skip
    out = click.option(
        "--out", metavar="FILE", callback=_not_empty, help="Write the result to a file."
    )
    return lambda command: form(out(command))


_output = _written_as(FORMATS)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False
)
@click.version_option(version("cubspec"), message="%(prog)s %(version)s")
def commands() -> None:
    """Score part localization on CUB-200-2011, every open detail a named choice."""


@commands.command("score")
@click.argument("data", callback=_not_empty)
@click.argument("pred", nargs=-1, required=True, callback=_not_empty)
@_split("The images scored.")
@_choice(TRUTH)
@_choice(POOL)
@click.option("--only", multiple=True, metavar="SHORT", help="Just this short form; repeatable.")
@click.option("--all", "everything", is_flag=True, help="Every short form and both human rows.")
@click.option(
    "--profile", type=click.Choice([each.key for each in profiles()]),
    help="A paper's measures in their likeliest reading; with --all, in every possible one.",
)  # fmt: skip
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
    profile: str | None,
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

    Without --only, --all and --profile, text, Markdown and LaTeX hold the numbers that papers
    print; CSV and JSON hold every number.
    """
    for other, given in {"all": everything, "profile": profile}.items():
        if only and given:
            raise click.UsageError(f"Expected --only or --{other}, found both.")
    paper = None if profile is None else profile_of(profile)
    asked = paper.forms(everything) if paper else [Signature.parse(text) for text in only]
    files = named_files(pred)
    dataset = _read_dataset(data)
    check_output(out, [*files.values(), *dataset_files(data)])
    _check_clicks(dataset, asked)
    if not asked and not everything and format in DOCUMENT_FORMATS:
        asked = list(default_forms())
    predictions = _read_predictions(files, dataset, visible_above)
    with _progress("Scoring") as step:
        result = score(
            dataset,
            predictions,
            parts=None if parts is None else [name.strip() for name in parts.split(",")],
            only=[str(form) for form in asked] or None,
            step=step,
            **chosen,
        )
    _note(result.notes)
    if paper:
        _show_profile(paper, result, everything, format, out)
    elif format in DOCUMENT_FORMATS:
        shown = full_document if only or everything else default_document
        _show(shown(result), format, out)
    else:
        _write(score_csv(result) if format == "csv" else score_json(result), out)


def _check_clicks(dataset: Dataset, asked: Sequence[Signature]) -> None:
    if dataset.clicks is None and asked and all("sigma" in form.values for form in asked):
        raise InputError(
            "expected the annotators' clicks for a short form with sigma, found no such file",
            click_file(dataset),
        )


def _show_profile(
    paper: Profile, result: Result, everything: bool, format: str, out: str | None
) -> None:
    if format == "json":
        _write(score_json(result, profile=profile_entry(paper, everything=everything)), out)
    elif format == "csv":
        _write(score_csv(result, profile=paper.mark(everything)), out)
    else:
        _show(profile_document(paper, result, everything=everything), format, out)


@commands.command("sigma")
@click.argument("data", callback=_not_empty)
@_choice(TRUTH)
@_choice(POOL)
@_split("The images scored, where the pool is scored.")
@click.option(
    "--relative-to", type=click.Choice(tuple(RELATIVE_TO)), default="none", show_default=True,
    help="Of a CSV file: divide an object's clicks by the square root of its area, or its box's.",
)  # fmt: skip
@_output
def sigma_command(data: str, relative_to: str, format: str, out: str | None, **chosen: str) -> None:
    """Measure the annotators' spread of every part, in pixels or relative to the objects' size.

    DATA is the folder with the dataset's annotation files, the annotators' clicks among them, or
    a CSV file of several annotators' clicks on the parts of anything
    (object_id,part,annotator,x,y,visible, and optionally area,box_width,box_height). Of a CSV
    file the ground truth is the consensus of all its clicks.
    """
    if not os.path.exists(data):
        raise InputError("expected a folder or a CSV file, found nothing of that name", data)
    if os.path.isdir(data):
        result = _spread_of_dataset(data, relative_to, out, chosen)
    else:
        result = _spread_of_file(data, relative_to, out, chosen)
    _note(result.notes)
    if format in DOCUMENT_FORMATS:
        _show(spread_document(result), format, out)
    else:
        _write(spread_csv(result) if format == "csv" else spread_json(result), out)


@commands.command("example")
@click.option(
    "--birds", type=click.IntRange(min=1), default=PUBLISHED[0], show_default=True,
    callback=_few_enough, help="How many birds are drawn.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=PUBLISHED[1], show_default=True,
    help="The seed of the random generator.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Every short form and both human rows.")
@click.option("--per-part", is_flag=True, help="Every part by itself, too.")
@click.option(
    "--write", metavar="DIR", callback=_not_empty,
    help="Write a folder in the dataset's own file format.",
)  # fmt: skip
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
        _check_apart(out, write)
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


def _check_apart(out: str | None, folder: str) -> None:
    """Raise InputError where a result would go into the folder written, or take its place."""
    if out is None:
        return
    file, target = Path(_real_path(out)), Path(_real_path(folder))
    if file.is_relative_to(target) or target.is_relative_to(file):
        raise InputError(f"expected a file outside of --write {folder}, found one in it", out)


@commands.command("facts")
@click.argument("data", callback=_not_empty)
@_output
def facts_command(data: str, format: str, out: str | None) -> None:
    """Check a copy of the dataset against what is known of it.

    DATA is the folder with the dataset's annotation files, as many of them as there are. Exits
    with 1 where a check fails.
    """
    # What one command alone needs is imported when it is given, so that the others start sooner.
    from cubspec.facts import check_facts
    from cubspec.facts_tables import facts_csv, facts_document, facts_json

    check_output(out, dataset_files(data))
    with _progress(f"Reading {data}"):
        report = check_facts(data)
    if format in DOCUMENT_FORMATS:
        _show(facts_document(report, brief=format != "markdown"), format, out)
    else:
        _write(facts_csv(report) if format == "csv" else facts_json(report), out)
    if not report.checks:
        _note(["This is no copy of a release, so nothing was checked."])
    if report.failed:
        _say(f"{len(report.failed)} of {counted(len(report.checks), 'check')} failed.")
        click.get_current_context().exit(CHECK_FAILED)


@commands.command("readings")
@click.option("--pcp", metavar="FIGURE", help="PCP as printed, such as 59.74.")
@click.option("--ae", metavar="FIGURE", help="AE as printed.")
@click.option("--fvr", metavar="FIGURE", help="FVR as printed.")
@click.option("--fir", metavar="FIGURE", help="FIR as printed.")
@click.option(
    "--row", multiple=True, metavar="NAME",
    help="A published row, such as liu2013/human, or all of a paper, liu2013; repeatable.",
)  # fmt: skip
@click.option(
    "--invisible", metavar="PERCENTAGE",
    help="The pairs that are not visible in the ground truth.  [default: 20.03, 19.76 to 20.29]",
)  # fmt: skip
@click.option(
    "--data", metavar="DATA", callback=_not_empty,
    help="Count the invisible pairs in this folder.",
)  # fmt: skip
@click.option("--split", type=click.Choice(SPLITS), help="With --data.  [default: test]")
@click.option(
    "--reproduce", "reproduced", nargs=2, metavar="NAME DATA", callback=_not_empty,
    help="Compute a published human row, such as liu2013/human, under every reading.",
)  # fmt: skip
@click.option(
    "--most", type=click.IntRange(min=1), metavar="RANKS",
    help="With --reproduce: how many ranks to print.  [default: 10]",
)  # fmt: skip
@_output
def readings_command(
    row: tuple[str, ...],
    invisible: str | None,
    data: str | None,
    split: str | None,
    reproduced: tuple[str, str] | None,
    most: int | None,
    format: str,
    out: str | None,
    **given: str | None,
) -> None:
    """Say which readings of a paper's figures are arithmetically possible.

    Figures are taken as printed: 28.48 stands for every number that rounds to it. Every
    combination of the denominators of FVR and FIR is possible or not, with the reason and with
    what it implies. CSV holds the combinations alone.

    With --reproduce, which readings of the annotators' row in the folder DATA come nearest to a
    printed one. NAME may be the paper alone.
    """
    figures = {name.upper(): text for name, text in given.items() if text is not None}
    _check_one_of({"a figure": figures, "--row": row, "--reproduce": reproduced}, needed=True)
    _check_one_of({"--invisible": invisible, "--data": data, "--reproduce": reproduced})
    if split and not data:
        raise click.UsageError("Expected --data beside --split, found none.")
    if most and not reproduced:
        raise click.UsageError("Expected --reproduce beside --most, found none.")
    if reproduced:
        _reproduce(*reproduced, most or 10, format, out)
        return
    rows = picked_rows(row) or [given_row({n: figures[n] for n in FIGURES if n in figures})]
    found = readings(rows, _invisible_share(invisible, data, split or "test", out))
    if format in DOCUMENT_FORMATS:
        _show(readings_document(found), format, out)
    else:
        _write(readings_csv(found) if format == "csv" else readings_json(found), out)


def _check_one_of(given: dict[str, object], *, needed: bool = False) -> None:
    """Raise UsageError where more than one of these options is given, or none and one is needed."""
    found = [name for name, value in given.items() if value]
    if len(found) > 1 or (needed and not found):
        names = list(given)
        wanted = f"{', '.join(names[:-1])} or {names[-1]}"
        raise click.UsageError(f"Expected {wanted}, found {' and '.join(found) or 'none'}.")


def _invisible_share(
    invisible: str | None, data: str | None, split: str, out: str | None
) -> Interval:
    if data is None:
        check_output(out, [])
        return INVISIBLE_SHARE if invisible is None else printed_invisible_share(invisible)
    dataset = _read_dataset(data)
    check_output(out, dataset_files(data))
    _note(dataset.notes)
    return invisible_share(dataset, split)


def _reproduce(name: str, data: str, most: int, format: str, out: str | None) -> None:
    from cubspec.reproducing import (
        human_row,
        reproduce,
        reproduction_csv,
        reproduction_document,
        reproduction_json,
    )

    row = human_row(name)
    dataset = _read_dataset(data)
    check_output(out, dataset_files(data))
    with _progress("Scoring the annotators,") as step:
        found = reproduce(dataset, row, most=most, step=step)
    _note(found.notes)
    if format in DOCUMENT_FORMATS:
        _show(reproduction_document(found), format, out)
    else:
        _write(reproduction_csv(found) if format == "csv" else reproduction_json(found), out)


@commands.command("cite")
@click.argument("signature")
@_written_as(CITE_FORMATS)
def cite_command(signature: str, format: str, out: str | None) -> None:
    """Say exactly what a signature computes, where it is defined, and how to cite it.

    SIGNATURE is a full signature, which names a number, or a short form, which names a definition.
    """
    check_output(out, [])
    _write(CITE_FORMATS[format](cite(signature)), out)


@commands.command("verify")
@click.argument("target", metavar="SIGNATURE|RESULTS")
@click.argument("data", required=False, callback=_not_empty)
@click.argument("pred", nargs=-1, callback=_not_empty)
def verify_command(target: str, data: str | None, pred: tuple[str, ...]) -> None:
    """Check a signature against this installation, or a results file against its inputs.

    SIGNATURE is a full signature: has this installation its definition, with the same digest?
    RESULTS is what cubspec score --format json wrote: it is computed again from DATA and PRED, with
    the options that it names, and every number and signature is compared. PRED is a prediction file
    for each row in turn, or NAME=FILE for the row of that name. Exits with 1 where anything
    differs.
    """
    from cubspec.verifying import verify_results, verify_signature

    if data is None:
        _check_signature_given(target)
        verdict = verify_signature(target)
    else:
        predictions = [_named_file(argument) for argument in pred]
        with _progress("Verifying:") as step:
            verdict = verify_results(target, data, predictions, step)
    _tell(verdict)


def _check_signature_given(target: str) -> None:
    if os.path.exists(target):
        raise click.UsageError("Expected DATA and PRED after a results file, found neither.")
    if "|" not in target and ("." in target or os.sep in target):
        raise InputError("expected a signature or a results file, found no such file", target)


def _tell(verdict: Verdict) -> None:
    _note(verdict.notes)
    _write("".join(f"{one_line(each)}\n" for each in verdict.said), None)
    if not verdict.holds:
        click.get_current_context().exit(CHECK_FAILED)


def named_files(arguments: Iterable[str]) -> dict[str, str]:
    """The file of each row name, from arguments that are a file each or NAME=FILE.

    Raises
    ------
    InputError
        On an argument that is neither, and on a name that is empty or used twice.
    """
    files: dict[str, str] = {}
    for argument in arguments:
        name, file = _named_file(argument)
        row = file if name is None else name
        if row in files:
            raise InputError(f"expected each row name once, found {row} twice")
        files[row] = file
    check_row_names(files)
    return files


def _named_file(argument: str) -> tuple[str | None, str]:
    """The name, or None, and the file that an argument states."""
    if os.path.exists(argument):
        return None, argument
    name, equals, file = argument.partition("=")
    if not equals:
        raise InputError(
            "expected a prediction file or NAME=FILE, found nothing of that name", argument
        )
    if not name or not file:
        raise InputError(f"expected NAME=FILE with a name and a file, found {argument}")
    return name, file


def dataset_files(data: str) -> list[str]:
    """Where the files of the dataset in a folder, or in one folder in it, are or would be.

    Parameters
    ----------
    data : the folder given, in which any of these would be found, too
    """
    bases = dict.fromkeys((dataset_folder(Path(data), or_images=True), Path(data)))
    folders = [base / name for base in bases for name in DATASET_FOLDERS]
    return [str(folder / name) for folder in folders for name in DATASET_FILES]


def _read_dataset(folder: str) -> Dataset:
    with _progress(f"Reading {folder}"):
        return read_cub(folder)


def _spread_of_dataset(
    folder: str, relative_to: str, out: str | None, chosen: dict[str, str]
) -> Spread:
    if relative_to != "none":
        raise InputError(
            "expected a CSV file, which can say how large its objects are, for --relative-to "
            f"{relative_to}, found a folder",
            folder,
        )
    dataset = _read_dataset(folder)
    check_output(out, dataset_files(folder))
    _note(_split_unused(chosen))
    return spread(dataset, **chosen)


def _split_unused(chosen: dict[str, str]) -> Iterator[str]:
    asked = click.get_current_context().get_parameter_source("split") is not ParameterSource.DEFAULT
    if asked and chosen["pool"] != "scored":
        yield f"--split {chosen['split']} has no effect without --pool scored."


ONLY_WITH_A_FILE = {"truth": "clicks", "pool": "all", "split": "all"}


def _spread_of_file(file: str, relative_to: str, out: str | None, chosen: dict[str, str]) -> Spread:
    context = click.get_current_context()
    for key, only in ONLY_WITH_A_FILE.items():
        asked = context.get_parameter_source(key) is not ParameterSource.DEFAULT
        if asked and chosen[key] != only:
            raise InputError(
                f"expected --{key} {only}, as a CSV file holds answers and has neither a ground "
                f"truth of its own nor a split, found --{key} {chosen[key]}",
                file,
            )
    check_output(out, [file])
    with _progress(f"Reading {file}"):
        return repeated_spread(read_repeated_clicks(file), relative_to=relative_to)


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

        with _to_stdout():
            print_document(document, Console(file=stdout, highlight=False))
    else:
        _write(DOCUMENT_FORMATS[format](document), out)


def _write(text: str, out: str | None) -> None:
    if out is not None:
        write_file(out, text)
        return
    stdout = _stdout()
    with _to_stdout():
        stdout.write(text)
        stdout.flush()


@contextmanager
def _to_stdout() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # A reader that has left is click's to handle.
        if error.errno == errno.EPIPE:
            raise
        raise _stdout_failed(error) from None


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
    """Raise InputError where a result cannot go to a file, or to stdout where that is None.

    Parameters
    ----------
    out : the file, or None
    inputs : files that are read if they exist; the result may not take the place of any
    """
    if out is None:
        _stdout()
        return
    if os.path.isdir(out) or not os.path.basename(out):
        raise InputError("expected a file to write to, found a folder", out)
    if not os.path.isdir(os.path.dirname(out) or "."):
        raise InputError("expected a file to write to, found no such folder", out)
    if os.path.exists(out) and not os.path.isfile(out):
        raise InputError("expected a file to write to, found a device or a pipe", out)
    # A link is refused for its own place as for the one that it leads to.
    places = (out, _real_path(out))
    for file in inputs:
        if any(_same_place(place, file) for place in places):
            found = file if os.path.exists(file) else f"the place of {file}"
            raise InputError(f"expected a file other than the input, found {found}", out)


def _same_place(one: str, other: str) -> bool:
    """Whether two paths lead to one file, or would if there were one."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    # Some file systems know a name in either case.
    if os.path.basename(one).casefold() != os.path.basename(other).casefold():
        return False
    folders = [os.path.dirname(each) or "." for each in (one, other)]
    return all(map(os.path.isdir, folders)) and os.path.samefile(*folders)


def _real_path(file: str) -> str:
    try:
        return os.path.realpath(file)
    except (OSError, ValueError) as error:
        # Such as a relative path where the working folder has been deleted.
        raise _unwritable(file, error) from None


def _unwritable(file: str, error: OSError | ValueError) -> InputError:
    return InputError(f"expected to be able to write this, found: {_reason(error)}", file)


def write_file(file: str, text: str) -> None:
    """Write a file as a whole or not at all.

    Raises
    ------
    InputError
        Where it cannot be written; the file is as it was before.
    """
    # The file that a link leads to is replaced, not the link.
    target = _real_path(file)
    temporary = os.path.join(os.path.dirname(target), f".cubspec-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        raise _unwritable(file, error) from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)
