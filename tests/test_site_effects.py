"""The tables of what a choice does, cubspec/site/effects.py, and what pages say about them."""

from __future__ import annotations

import json
import math
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from mkdocs.exceptions import PluginError

from cubspec.choices import Choice, Measure, Signature, context_choices, measure, measures
from cubspec.example import LOCALIZERS, make_example
from cubspec.scoring import Result, score
from cubspec.site.effects import ROWS, Effect, effect, finding, published_birds
from cubspec.site.tables import TABLES, with_tables
from cubspec.truth.consensus import from_clicks
from cubspec.truth.sigma import POOL, SIGMA

ROOT = Path(__file__).parent.parent
FIGURES = json.loads((ROOT / "tests" / "figures" / "seed0.json").read_text("utf-8"))
PAGE = "measures/report_error.md"
EVERY = [(each, choice) for each in measures() for choice in each.choices]
NAMES = [f"{each.id}-{choice.key}" for each, choice in EVERY]


@pytest.fixture(scope="module")
def result() -> Result:
    return make_example().result


def cells(made: str) -> dict[str, list[str]]:
    """The cells of each row by its label, links and marks taken off; the header's under ""."""
    lines = [line for line in made.split("\n") if line.startswith("|")]
    bare = [re.sub(r"\[`?(.*?)`?\]\(.*?\)|\\\*|\{.*?\}", r"\1", line) for line in lines]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in bare]
    return {"": rows[0][1:]} | {label: numbers for label, *numbers in rows[2:]}


def text(value: float, unit: str) -> str:
    return "–" if math.isnan(value) else f"{value:.{ {'%': 2, 'σ': 3}[unit] }f}"


def short(of: Measure, /, **chosen: str) -> str:
    preselected = {choice.key: choice.preselected for choice in of.choices}
    return Signature(of, preselected | chosen).short


@pytest.mark.parametrize(("of", "choice"), EVERY, ids=NAMES)
def test_every_cell_is_the_number_that_its_signature_names(
    of: Measure, choice: Choice, result: Result
) -> None:
    made = effect(PAGE, of.id, choice.key)
    pattern = re.match("`(.*?)`", made)
    assert pattern
    found = cells(made)
    assert list(found) == ["", "Human", "A", "B", "C"]
    assert found.pop("") == list(choice.names)
    for label, numbers in found.items():
        row = result.rows[ROWS[label]]
        forms = [Signature.parse(pattern[1].replace("…", name)).short for name in choice.names]
        assert forms == [short(of, **{choice.key: name}) for name in choice.names]
        assert numbers == [text(row[form], of.unit) for form in forms]


@pytest.mark.parametrize("sigma", ["sd-mean", "dist-median"])
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("report-error", "report-error|none:zero"),
        ("AE", "AE"),
        ("PCP", "PCP|ref:median"),
        ("capped", "capped"),
    ],
)
def test_the_columns_of_two_sigmas_are_the_published_ones(
    name: str, published: str, sigma: str
) -> None:
    found = cells(effect(PAGE, name, "sigma"))
    column = found[""].index(sigma)
    for label in ROWS:
        assert float(found[label][column]) == FIGURES["scores"][sigma][label][published]


@pytest.mark.parametrize(
    ("name", "key", "values"),
    [("report-error", "none", ("zero", "skip")), ("PCP", "ref", ("median", "one", "any"))],
)
def test_the_columns_of_other_choices_are_the_published_ones(
    name: str, key: str, values: tuple[str, ...]
) -> None:
    found = cells(effect(PAGE, name, key))
    for label in ROWS:
        for value in values:
            published = FIGURES["scores"]["sd-mean"][label][f"{name}|{key}:{value}"]
            assert float(found[label][found[""].index(value)]) == published


@pytest.mark.parametrize("name", ["FVR", "FIR"])
def test_rates_are_the_published_ones(name: str) -> None:
    found = cells(effect(PAGE, name, "of"))
    for label in ROWS:
        published = FIGURES["visibility_percent"][label]
        numbers = dict(zip(found[""], found[label], strict=True))
        del numbers["predicted"]
        assert {f"{name}|of:{of}|avg:micro": float(n) for of, n in numbers.items()}.items() <= (
            published.items()
        )


@pytest.mark.parametrize(("of", "choice"), EVERY, ids=NAMES)
def test_the_preselected_column_alone_is_marked(of: Measure, choice: Choice) -> None:
    made = effect(PAGE, of.id, choice.key)
    column = choice.names.index(choice.preselected) + 1
    rows = [line.strip("|").split(" | ") for line in made.split("\n") if line.startswith("|")]
    for row in [rows[0], *rows[2:]]:
        assert ["{.preselected}" in cell for cell in row].count(True) == 1
        assert "{.preselected}" in row[column]
    assert [r"\*" in cell for cell in rows[0]] == [index == column for index in range(len(rows[0]))]
    assert re.match(r"`.*`, .*; \\\* is preselected\.\n\{ \.effect \}\n\n", made)


def test_the_caption_names_birds_unit_and_direction() -> None:
    birds = "[2,000 synthetic birds, seed 0](../birds/index.md#birds)"
    assert f"`, in %, {birds}; higher is better; " in effect(PAGE, "PCP", "ref")
    assert f"`, in units of σ, {birds}; lower is better; " in effect(PAGE, "AE", "avg")
    assert f"`, in units of σ, each column's own, {birds}; " in effect(PAGE, "AE", "sigma")
    assert f"`, in %, {birds}; neither high nor low is better; " in effect(PAGE, "capped", "sigma")


def sentence(made: str) -> str:
    return made.split("\n\n")[-1]


def test_a_turned_order_is_called_out() -> None:
    said = sentence(effect(PAGE, "report-error", "none"))
    assert said == (
        "The choice moves Human by 0.495 σ, A by 0.824 and C by 1.224, and leaves B where it is; "
        "**the order changes**, with C ahead of B under `zero` but behind under `skip`."
    )


def test_it_is_the_only_order_that_a_choice_turns_on_these_birds() -> None:
    turned = [
        (of.id, choice.key)
        for of, choice in EVERY
        if "the order changes" in effect(PAGE, of.id, choice.key)
    ]
    assert turned == [("report-error", "none")]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("report-error", "sigma"), "the localizers keep their order, best first A, C, B."),
        (("report-error", "avg"), "The choice leaves every row where it is; the localizers keep"),
        (("report-error", "avg", "none:skip"), "keep their order, best first A, B, C."),
        (("AE", "sigma"), "; the localizers keep their order, best first A, B, C; A and B are "
         "level under `sd-mean`, `rms-median` and `toolbox`."),
        (("AE", "sigma"), "The choice moves Human by 0.575, A by 1.033, B by 1.034 and C by "),
        (("PCP", "ref"), "The choice moves Human by 21.30 points, A by 19.82, B by 22.10 and C by "
         "9.35; the localizers keep their order, best first A, C, B."),
        (("FVR", "of"), "best first A and C level, then B."),
        (("FIR", "of"), "and leaves B where it is; B has no number under `predicted`; the "
         "localizers otherwise keep their order, best first B, then A and C level."),
        (("capped", "sigma"), " and C by 27.53."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_is_seen(arguments: tuple[str, ...], expected: str) -> None:
    assert expected in sentence(effect(PAGE, *arguments))


@pytest.mark.parametrize(("of", "choice"), EVERY, ids=NAMES)
def test_the_sentence_agrees_with_the_numbers(of: Measure, choice: Choice, result: Result) -> None:
    said = sentence(effect(PAGE, of.id, choice.key))
    digits = {"%": 2, "σ": 3}[of.unit]
    numbers = {
        label: [
            round(result.rows[row][short(of, **{choice.key: name})], digits)
            for name in choice.names
        ]
        for label, row in ROWS.items()
    }
    for label, row in numbers.items():
        by = max(row, key=lambda n: -math.inf if math.isnan(n) else n)
        by -= min(row, key=lambda n: math.inf if math.isnan(n) else n)
        assert (f"{label} by {by:.{digits}f}" in said) == (by > 0)
    turns = any(
        any(x < y for x, y in zip(numbers[a], numbers[b], strict=True))
        and any(x > y for x, y in zip(numbers[a], numbers[b], strict=True))
        for a, b in combinations(LOCALIZERS, 2)
    )
    assert ("the order changes" in said) == (turns and of.better != "–")


def made_up(of: str, key: str, **rows: tuple[float, ...]) -> str:
    return finding(Effect(measure(of), measure(of).choice(key), rows))


def test_several_turns_and_the_better_direction() -> None:
    rows = {"A": (1.0, 3.0, 2.0), "B": (2.0, 2.0, 2.0), "C": (3.0, 1.0, 2.5)}
    assert made_up("AE", "avg", **rows) == (
        "The choice moves A by 2.000 σ and C by 2.000, and leaves B where it is; "
        "**the order changes**, with A ahead of B under `micro` but behind under `parts`, "
        "A ahead of C under `micro` and `images` but behind under `parts` and "
        "B ahead of C under `micro` and `images` but behind under `parts`."
    )
    higher = {name: (*numbers, 0.0, 0.0) for name, numbers in rows.items()}
    said = made_up("PCP", "ref", **higher)
    assert "B ahead of A under `median` but behind under `mean`" in said
    assert "C ahead of A under `median` and `one` but behind under `mean`" in said


def test_a_row_without_any_number() -> None:
    nan = math.nan
    said = made_up("FIR", "avg", A=(1.0, 2.0, 1.0), B=(nan, nan, nan), C=(1.5, 1.5, nan))
    assert said == (
        "The choice moves A by 1.00 points, and leaves C where it is; B has no number under "
        "`micro`, `parts` and `images`; C has no number under `images`; **the order changes**, "
        "with A ahead of C under `micro` but behind under `parts`."
    )


def test_a_row_without_any_number_has_no_place_in_the_order() -> None:
    said = sentence(effect("measures/visibility.md", "FIR", "avg", "of:predicted"))
    assert said.endswith(
        "; B has no number under `micro`, `parts` and `images`; "
        "the localizers otherwise keep their order, best first A and C level."
    )


def test_workers() -> None:
    made = TABLES["effect-of-workers"]("measures/human.md")
    found = cells(made)
    assert found.pop("") == ["mean", "pooled"]
    assert found["FIR of:predicted, avg:images"] == ["7.43", "8.40"]
    preselected = [label for label, (mean, pooled) in found.items() if mean == pooled]
    assert [label.split()[0] for label in preselected] == [each.id for each in measures()]
    assert sentence(made) == (
        "The choice leaves 6 of the 10 rows where they are; of the others it moves most "
        "`FIR` of:predicted, avg:images by 0.97 points and "
        "`report-error` none:skip, avg:images by 0.009 σ."
    )


def test_workers_shows_every_form_that_prints_differently(result: Result) -> None:
    shown = len(cells(TABLES["effect-of-workers"]("measures/human.md"))) - 1
    mean, pooled = (result.rows[f"Human|workers:{name}"] for name in ("mean", "pooled"))
    differ = []
    for form in map(Signature.parse, mean):
        unit = form.measure.unit
        if form.values.get("sigma", "sd-mean") == "sd-mean":
            differ.append(text(mean[form.short], unit) != text(pooled[form.short], unit))
    assert shown == sum(differ) + len(measures())


def test_averages(result: Result) -> None:
    made = TABLES["effect-of-avg"]("measures/averages.md")
    found = cells(made)
    assert found.pop("") == ["micro", "parts", "images"]
    assert len(found) == 9
    coincide = [label for label, numbers in found.items() if len(set(numbers)) == 1]
    assert coincide == ["report-error none:zero", "FVR of:all", "FIR of:all"]
    row = [result.rows["A"][f"FIR|of:predicted|avg:{avg}"] for avg in ("micro", "parts", "images")]
    assert found["FIR of:predicted"] == [text(number, "%") for number in row]
    assert sentence(made).startswith("The choice leaves 3 of the 9 rows where they are; ")


def test_pool(result: Result) -> None:
    made = TABLES["effect-of-pool"]("truth/sigma.md")
    assert made.startswith("`AE|sigma:sd-mean|avg:micro|pool:…|split:test`, ")
    found = cells(made)
    assert found.pop("") == list(POOL.names)
    birds = published_birds()
    odd = birds.dataset.image_id % 2 == 1
    every = np.ones(15, bool)
    predictions = {name: each.only(odd, every) for name, each in birds.birds.predictions.items()}
    form = "AE|sigma:sd-mean|avg:micro"
    for index, pool in enumerate(POOL.names):
        rows = score(birds.dataset, predictions, truth="clicks", pool=pool, only=[form]).rows
        assert {label: numbers[index] for label, numbers in found.items()} == {
            label: text(rows[row][form], "σ") for label, row in ROWS.items()
        }


def test_spread_of_parts(result: Result) -> None:
    made = TABLES["spread-of-parts"]("truth/sigma.md")
    found = cells(made)
    assert found.pop("") == list(SIGMA.names)
    assert list(found) == list(result.parts)
    for index, (part, row) in enumerate(found.items()):
        for name, cell in zip(SIGMA.names, row, strict=True):
            assert cell == " / ".join(f"{axis:.2f}" for axis in result.sigma[name][index])
        published = FIGURES["parts"][part]
        assert float(row[SIGMA.names.index("sd-mean")]) == published["sd_mean_px"]
        assert float(row[SIGMA.names.index("dist-median")]) == published["dist_median_px"]
    assert re.fullmatch(
        "The shortest unit of every part is that of `sd-median`, the longest that of `toolbox`, "
        r"2\.\d\d to 2\.\d\d times as long\.",
        sentence(made),
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("effect PCPP ref", r"expected a measure \(.*\), found 'PCPP'; did you mean PCP\?"),
        ("effect PCP reff", "expected a key of PCP .*did you mean ref"),
        ("effect PCP avg", "expected a key of PCP"),
        ("effect PCP", r"expected 'effect MEASURE_ID KEY HELD', found 'effect PCP'"),
        ("effect PCP ref sigma:sd", r"expected a value of sigma .*found 'sd'"),
        ("effect PCP ref avg:micro", "expected a key of PCP"),
        ("effect PCP ref ref:any", "expected KEY:VALUE of another choice, found 'ref:any'"),
        ("effect PCP ref sigma", "expected KEY:VALUE of another choice, found 'sigma'"),
        ("effect-of-pool AE", "expected 'effect-of-pool', found 'effect-of-pool AE'"),
        ("effect-of-workers x", "expected 'effect-of-workers'"),
        ("effects PCP ref", "expected a table .*did you mean effect"),
    ],
)
def test_wrong_arguments_fail_and_name_page_and_line(words: str, message: str) -> None:
    with pytest.raises(PluginError, match=rf"^measures/p\.md:3: .*{message}"):
        with_tables(f"# A\n\n<!-- table: {words} -->\n", "measures/p.md")


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize(("of", "choice"), EVERY, ids=NAMES)
def test_every_measure_page_shows_the_effect_of_every_choice(of: Measure, choice: Choice) -> None:
    assert f"\n\n<!-- table: effect {of.id} {choice.key} -->\n\n" in page(of.page)


def test_shared_choices_show_their_effect_on_their_own_pages() -> None:
    assert "<!-- table: effect report-error avg none:skip -->" in page("measures/report_error")
    for key in ("pool", "workers"):
        assert f"\n\n<!-- table: effect-of-{key} -->\n\n" in page(context_choices()[key].page)
    assert "\n\n<!-- table: effect-of-avg -->\n\n" in page("measures/averages")
    assert "\n\n<!-- table: spread-of-parts -->\n\n" in page("truth/sigma")


def test_what_the_pages_say_of_the_tables_is_so(result: Result) -> None:
    assert "puts B and C the other way round under every one of" in page("measures/average_error")
    for sigma in SIGMA.names:
        error, charged = (
            [result.rows[name][form] for name in ("B", "C")]
            for form in (
                f"AE|sigma:{sigma}|avg:micro",
                f"report-error|sigma:{sigma}|none:zero|avg:micro",
            )
        )
        assert error[0] < error[1]
        assert charged[0] > charged[1]


def test_the_birds_leave_nothing_to_choose_about_the_truth() -> None:
    assert "The choice changes nothing: the birds come without a file" in page("truth/consensus")
    dataset = published_birds().dataset
    assert dataset.clicks is not None
    made = from_clicks(dataset.given, dataset.clicks)
    np.testing.assert_array_equal(made.visible, dataset.given.visible)
    np.testing.assert_array_equal(made.location, dataset.given.location)


def test_the_birds_are_scored_once() -> None:
    assert published_birds() is published_birds()
