"""What may be chosen, and how signatures are read and written."""

from __future__ import annotations

import pytest

from cubspec.choices import (
    CONTEXT,
    Signature,
    context_choices,
    measure,
    measures,
    parse_part_ranges,
    part_ranges,
    short_signatures,
)
from cubspec.data import InputError

FULL = (
    "PCP|sigma:sd-mean|ref:median|data:CUB-200-2011|clicks:9d01b7c2|truth:given|pool:all"
    "|split:test|n:5794|v:1.0.0|h:3f2a9c1e"
)
RATE = (
    "FVR|of:invisible|avg:micro|data:birds-2000-0|truth:clicks|split:all|n:2000|v:1.0.0|h:3f2a9c1e"
)


def test_measures_and_keys_stand_in_the_order_of_every_table() -> None:
    assert [(each.id, each.keys) for each in measures()] == [
        ("report-error", ("sigma", "none", "avg")),
        ("AE", ("sigma", "avg")),
        ("PCP", ("sigma", "ref")),
        ("FVR", ("of", "avg")),
        ("FIR", ("of", "avg")),
        ("capped", ("sigma",)),
    ]


def test_units_and_directions() -> None:
    assert [(each.id, each.unit, each.better) for each in measures()] == [
        ("report-error", "σ", "lower"),
        ("AE", "σ", "lower"),
        ("PCP", "%", "higher"),
        ("FVR", "%", "lower"),
        ("FIR", "%", "lower"),
        ("capped", "%", "–"),
    ]


def test_preselected_values() -> None:
    preselected = {
        f"{each.id}.{choice.key}": choice.preselected
        for each in measures()
        for choice in each.choices
    }
    assert preselected == {
        "report-error.sigma": "sd-mean",
        "report-error.none": "zero",
        "report-error.avg": "micro",
        "AE.sigma": "sd-mean",
        "AE.avg": "micro",
        "PCP.sigma": "sd-mean",
        "PCP.ref": "median",
        "FVR.of": "invisible",
        "FVR.avg": "micro",
        "FIR.of": "visible",
        "FIR.avg": "micro",
        "capped.sigma": "sd-mean",
    }
    assert {key: choice.preselected for key, choice in context_choices().items()} == {
        "truth": "given",
        "pool": "all",
        "workers": "mean",
    }


def test_every_short_form_is_canonical() -> None:
    for form in short_signatures():
        assert str(Signature.parse(str(form))) == str(form) == form.short


@pytest.mark.parametrize("text", [FULL, RATE])
def test_every_order_of_the_keys_reads_as_the_same_signature(text: str) -> None:
    name, *fields = text.split("|")
    assert str(Signature.parse("|".join([name, *reversed(fields)]))) == text


def test_the_short_form_of_a_full_one() -> None:
    assert Signature.parse(FULL).short == "PCP|sigma:sd-mean|ref:median"


def test_the_full_form_keeps_of_a_context_what_bears_on_the_number() -> None:
    context = {
        "h": "3f2a9c1e",
        "v": "1.0.0",
        "n": "5794",
        "split": "test",
        "pool": "all",
        "truth": "given",
        "clicks": "9d01b7c2",
        "data": "CUB-200-2011",
    }
    assert str(Signature.parse("PCP|ref:median|sigma:sd-mean").full(context)) == FULL
    rate = Signature.parse("FVR|of:all|avg:micro")
    assert str(rate.full(context)) == (
        "FVR|of:all|avg:micro|data:CUB-200-2011|truth:given|split:test|n:5794|v:1.0.0|h:3f2a9c1e"
    )
    assert str(rate.full({**context, "truth": "clicks"})) == (
        "FVR|of:all|avg:micro|data:CUB-200-2011|clicks:9d01b7c2|truth:clicks|split:test|n:5794"
        "|v:1.0.0|h:3f2a9c1e"
    )
    assert str(rate.full({**context, "workers": "mean"})) == (
        "FVR|of:all|avg:micro|data:CUB-200-2011|clicks:9d01b7c2|truth:given|split:test|n:5794"
        "|workers:mean|v:1.0.0|h:3f2a9c1e"
    )


def test_every_written_full_signature_can_be_read() -> None:
    context = dict(data="0a1b2c3d", clicks="9d01b7c2", truth="clicks", pool="train", split="all")
    context |= dict(n="7", parts="1-7,9-11,13-15", v="1.0.0.dev0", h="3f2a9c1e")
    for form in short_signatures():
        for more in ({"missing": "invisible"}, {"workers": "pooled"}):
            text = str(form.full({**context, **more}))
            assert str(Signature.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a measure (report-error, AE, PCP, FVR, FIR, capped), found ''"),
        ("pcp|sigma:sd-mean|ref:any", "found 'pcp'; did you mean PCP?"),
        ("PCK|sigma:sd-mean", "found 'PCK'; did you mean PCP?"),
        ("PCP|ref:any", "expected the key sigma (sd-mean, sd-median, dist-mean, dist-median, "),
        ("AE", "toolbox), avg (micro, parts, images), found no such keys; a signature has no def"),
        # A slip is named before what is missing.
        ("PCP|ref:medain", "found 'medain'; did you mean median?"),
        ("PCP|sigma:sd-mean", "expected the key ref (median, mean, one, each, any), found no such"),
        ("PCP|sigma:sd-mean|ref:medain", "found 'medain'; did you mean median?"),
        ("PCP|sigma:sd-meam|ref:any", "found 'sd-meam'; did you mean sd-mean?"),
        ("PCP|sigma:sd-mean|ref:any|avg:micro", "expected a key of PCP (sigma, ref, data, clicks"),
        ("PCP|sigma:sd-mean|reff:any", "found 'reff'; did you mean ref?"),
        ("PCP|sigma:sd-mean|ref:any|ref:any", "expected each key once, found ref twice"),
        ("PCP|sigma:sd-mean|ref", "expected KEY:VALUE between bars, found 'ref'"),
        ("PCP|sigma:sd-mean|ref:", "expected KEY:VALUE between bars, found 'ref:'"),
        ("PCP|sigma:sd-mean||ref:any", "expected KEY:VALUE between bars, found ''"),
        ("FVR|of:visible|avg:micro", "expected a value of of (all, invisible, predicted)"),
        (FULL.replace("|pool:all", ""), "expected the key pool (all, train or scored)"),
        (FULL.replace("|n:5794", ""), "expected the key n (a number of images)"),
        (FULL.replace("|v:1.0.0", ""), "expected the key v (a version of cubspec)"),
        (FULL.replace("|clicks:9d01b7c2", ""), "expected the key clicks (8 hex digits)"),
        (FULL.replace("n:5794", "n:0"), "expected n to be a number of images, found '0'"),
        (FULL.replace("n:5794", "n:5,794"), "expected n to be a number of images, found '5,794'"),
        (FULL.replace("truth:given", "truth:giving"), "found 'giving'; did you mean given?"),
        (FULL.replace("9d01b7c2", "9D01B7C2"), "expected clicks to be 8 hex digits"),
        (FULL.replace("CUB-200-2011", "CUB"), "expected data to be CUB-200-2011, birds-N-SEED or"),
        (FULL.replace("split:test", "split:val"), "expected split to be all, train or test"),
        (f"{FULL}|parts:1-2-3", "expected parts to be part ids as in 1-7,9-11,13-15"),
        (f"{FULL}|parts:1,2,3", "expected parts to be part ids as in 1-7,9-11,13-15"),
        (f"{FULL}|parts:5-1", "expected parts to be part ids as in 1-7,9-11,13-15"),
        (f"{FULL}|parts:1-999999999999", "expected parts to be part ids as in 1-7,9-11,13-15"),
        (f"{FULL}|parts:1-15", "expected parts to be part ids as in 1-7,9-11,13-15"),
        (f"{FULL}|parts:98-99", "expected parts to be part ids as in 1-7,9-11,13-15"),
        (f"{FULL}|missing:invisible|workers:mean", "expected missing or workers, found both"),
        (FULL.replace("n:5794", f"n:{'9' * 5000}"), "expected n to be a number of images"),
        ("PCP|a\nb:c", "expected a key of PCP"),
        (f"PCP|{'x' * 100_000}:y", "expected a key of PCP"),
        (f"{FULL}|missing:error", "expected missing to be invisible, found 'error'"),
        (FULL.replace("|h:3f2a9c1e", ""), "expected the key h (8 hex digits), found no such key; "),
        (
            FULL.replace("|pool:all", "").replace("|h:3f2a9c1e", ""),
            "expected the keys pool (all, train or scored), h (8 hex digits), found no such keys; "
            "a full signature names its whole context",
        ),
        (FULL.removesuffix("e"), "expected h to be 8 hex digits, found '3f2a9c1'"),
        (f"{RATE}|pool:all", "expected pool only beside sigma, found pool:all"),
        (f"{RATE}|clicks:9d01b7c2", "expected no clicks beside birds-2000-0"),
        (
            RATE.replace("birds-2000-0|truth:clicks", "0a1b2c3d|clicks:9d01b7c2|truth:given"),
            "expected clicks only beside sigma, workers or truth:clicks",
        ),
    ],
)
def test_a_signature_that_says_too_little_or_too_much(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        Signature.parse(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 1000


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="found 'AEE'; did you mean AE"):
        measure("AEE")
    with pytest.raises(InputError, match="expected a key of AE"):
        measure("AE").choice("ref")
    with pytest.raises(InputError, match="expected a value of ref"):
        measure("PCP").choice("ref")["nearest"]


@pytest.mark.parametrize(
    ("ids", "text"),
    [([3], "3"), ([1, 2, 3], "1-3"), ([15, 1, 2, 9], "1-2,9,15"), ([1, 3, 5], "1,3,5")],
)
def test_part_ranges(ids: list[int], text: str) -> None:
    assert part_ranges(ids) == text
    assert parse_part_ranges(text) == sorted(ids)


def test_context_keys_stand_in_their_order() -> None:
    assert list(CONTEXT) == [
        *("data", "clicks", "truth", "pool", "split", "n"),
        *("parts", "missing", "workers", "v", "h"),
    ]
