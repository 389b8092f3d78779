"""What `score` and `spread` make of a dataset: selection, context, boundaries, errors."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubspec.choices import Signature, short_signatures
from cubspec.data import PARTS, Clicks, Dataset, InputError, Prediction, Truth
from cubspec.digests import context_digest, short_digest
from cubspec.predictions import read_predictions
from cubspec.scoring import score, spread

NAN = np.nan


def one_part(clicks: list[list[float]], predicted: list[float]) -> tuple[Dataset, Prediction]:
    """One part in as many images as there are rows of clicks, all on the line v = 0."""
    u = np.array(clicks, dtype=float)
    points = np.stack([u, 0 * u], axis=-1)[:, :, np.newaxis]
    own = Clicks.at(points)
    truth = Truth.at(np.nanmedian(points, axis=1))
    at = np.array(predicted, dtype=float)
    prediction = Prediction.at(np.stack([at, 0 * at], axis=-1)[:, np.newaxis])
    images = len(u)
    return (
        Dataset(
            image_id=np.arange(1, images + 1),
            parts=("back",),
            given=truth,
            clicks=own,
            training=np.arange(images) % 2 == 1,
            name="01234567",
            clicks_name="89abcdef",
            source="birds",
        ),
        prediction,
    )


def test_the_radius_and_the_cap_include_their_boundary() -> None:
    # Clicks 2 px either side of the truth: dist-median is 2 px, 1.5 units are 3 px, 5 are 10 px.
    dataset, prediction = one_part([[8, 12], [8, 12]], [13, 20])
    short = {
        "PCP": "PCP|sigma:dist-median|ref:median",
        "capped": "capped|sigma:dist-median",
        "AE": "AE|sigma:dist-median|avg:micro",
    }
    result = score(dataset, {"at": prediction}, split="all")
    assert result.sigma["dist-median"].tolist() == [[2.0]]
    assert {key: result.rows["at"][form] for key, form in short.items()} == {
        "PCP": 50.0,
        "capped": 0.0,
        "AE": 3.25,
    }
    beyond = Prediction(prediction.visible, np.add(prediction.location, [1e-9, 0]))
    result = score(dataset, {"beyond": beyond}, split="all")
    assert result.rows["beyond"][short["PCP"]] == 0.0
    assert result.rows["beyond"][short["capped"]] == 50.0


def test_without_spread_what_needs_it_is_undefined_and_nothing_else() -> None:
    dataset, prediction = one_part([[8, NAN], [9, NAN]], [8, 9])
    result = score(dataset, {"mine": prediction}, split="all", per_part=True)
    for short, value in result.rows["mine"].items():
        assert "sigma" not in short or np.isnan(value), short
    assert np.isnan(result.rows["mine"]["PCP|sigma:sd-mean|ref:any"])
    assert result.rows["mine"]["FIR|of:visible|avg:micro"] == 0.0
    assert np.isnan(result.by_part["mine"]["back"]["AE|sigma:sd-mean|avg:micro"])
    assert result.notes == (
        "back: no clicks that differ, hence no sigma sd-mean, sd-median, dist-mean, dist-median, "
        "rms-median, axes-mean, toolbox; a measure that needs it is undefined.",
    )


def test_a_part_without_spread_does_no_harm_where_it_is_never_visible_in_both() -> None:
    dataset, prediction = one_part([[8, 12], [8, 12]], [13, 20])
    two = Dataset(
        image_id=dataset.image_id,
        parts=("back", "beak"),
        given=Truth.at([[[10, 0], [NAN, NAN]], [[10, 0], [NAN, NAN]]]),
        clicks=Clicks.at([[[[8, 0], [NAN, NAN]], [[12, 0], [NAN, NAN]]]] * 2),
        training=None,
        name="01234567",
    )
    both = Prediction.at([[[13, 0], [1, 1]], [[20, 0], [NAN, NAN]]])
    short = "AE|sigma:dist-median|avg:micro"
    assert score(two, {"mine": both}, split="all").rows["mine"][short] == 3.25
    assert score(dataset, {"mine": prediction}, split="all").rows["mine"][short] == 3.25


def test_the_split_selects_images_and_the_pool_selects_clicks() -> None:
    dataset, prediction = one_part([[8, 12], [6, 14], [8, 12]], [10, 10, 10])
    images = {
        "all": np.array([True, True, True]),
        "train": np.array([False, True, False]),
        "test": np.array([True, False, True]),
    }
    unit = {}
    for split, mask in images.items():
        for pool in ("all", "train", "scored"):
            own = prediction.only(mask, np.array([True]))
            result = score(dataset, {"mine": own}, split=split, pool=pool)
            assert result.context["n"] == mask.sum()
            assert (result.context["split"], result.context["pool"]) == (split, pool)
            unit[split, pool] = result.sigma["dist-median"].item()
    assert unit == {
        ("all", "all"): 8 / 3,
        ("all", "train"): 4.0,
        ("all", "scored"): 8 / 3,
        ("train", "all"): 8 / 3,
        ("train", "train"): 4.0,
        ("train", "scored"): 4.0,
        ("test", "all"): 8 / 3,
        ("test", "train"): 4.0,
        ("test", "scored"): 2.0,
    }


def test_without_clicks_what_needs_them_is_absent() -> None:
    dataset, prediction = one_part([[8, 12]], [10])
    bare = replace(dataset, clicks=None, clicks_name=None, training=None)
    result = score(bare, {"mine": prediction}, split="all")
    assert list(result.rows) == ["mine"]
    assert list(result.rows["mine"]) == [
        str(form) for form in short_signatures() if form.measure.id in ("FVR", "FIR")
    ]
    assert result.sigma == {}
    assert result.context == {"data": "01234567", "truth": "given", "split": "all", "n": 1}
    assert result.notes == (
        "birds/parts/part_click_locs.txt: not found; without it the measures that need σ, and the "
        "human row, are left out.",
    )


def test_every_signature_reads_back_and_names_its_context() -> None:
    dataset, prediction = one_part([[8, 12], [6, 14]], [10, 10])
    result = score(dataset, {"mine": prediction}, split="all", pool="train", truth="clicks")
    assert list(result.rows) == ["mine", "Human|workers:mean", "Human|workers:pooled"]
    for row, signatures in result.signatures.items():
        assert signatures.keys() == result.rows[row].keys()
        for short, full in signatures.items():
            read = Signature.parse(full)
            assert (str(read), read.short) == (full, short)
            assert read.context.get("workers", "") == row.partition("workers:")[2]
            digests = [short_digest(read), context_digest("truth", "clicks")]
            if "workers" in read.context:
                digests.append(context_digest("workers", read.context["workers"]))
            assert read.context["h"] == sha256("".join(digests).encode()).hexdigest()[:8]
    version = result.signatures["mine"]["capped|sigma:toolbox"].rpartition("|v:")
    assert version[0] == (
        "capped|sigma:toolbox|data:01234567|clicks:89abcdef|truth:clicks|pool:train|split:all|n:2"
    )


def test_only_some_forms() -> None:
    dataset, prediction = one_part([[8, 12]], [10])
    asked = ["FVR|avg:micro|of:all", "AE|sigma:toolbox|avg:parts", "AE|sigma:toolbox|avg:micro"]
    result = score(dataset, {"mine": prediction}, split="all", only=asked, per_part=True)
    assert list(result.rows["mine"]) == [
        "AE|sigma:toolbox|avg:micro",
        "AE|sigma:toolbox|avg:parts",
        "FVR|of:all|avg:micro",
    ]
    assert list(result.sigma) == ["toolbox"]
    assert list(result.by_part["mine"]["back"]) == [
        "AE|sigma:toolbox|avg:micro",
        "FVR|of:all|avg:micro",
    ]


def test_a_subset_of_the_parts() -> None:
    given = Truth.at([[[1, 1], [NAN, NAN], [3, 3]]])
    dataset = Dataset(np.array([4]), ("back", "beak", "belly"), given, None, None, "01234567")
    only_two = Prediction.at([[[NAN, NAN], [3, 3]]])
    result = score(dataset, {"mine": only_two}, split="all", parts=["belly", "back"])
    assert result.parts == ("back", "belly")
    assert result.context["parts"] == "1,3"
    assert result.rows["mine"]["FIR|of:visible|avg:micro"] == 50.0
    everything = Prediction.at([[[NAN, NAN], [NAN, NAN], [3, 3]]])
    whole = score(dataset, {"mine": everything}, split="all", parts=["belly", "back", "beak"])
    assert "parts" not in whole.context


def test_the_ground_truth_as_prediction_is_perfect() -> None:
    rng = np.random.default_rng(0)
    clicks = Clicks.at(
        np.where(rng.random((9, 5, 4, 1)) < 0.2, NAN, rng.normal(50, 9, (9, 5, 4, 2)))
    )
    dataset = Dataset(
        np.arange(9), tuple("abcd"), Truth.at(np.full((9, 4, 2), NAN)), clicks, None, "01234567"
    )
    found = spread(dataset, truth="clicks")
    assert found.clicks.sum() > 0
    from cubspec.truth.consensus import from_clicks

    truth = from_clicks(dataset.given, clicks)
    perfect = Prediction(truth.visible, truth.location)
    row = score(dataset, {"truth": perfect}, split="all", truth="clicks").rows["truth"]
    for form in short_signatures():
        if form.measure.id == "PCP" and form.values["ref"] == "median":
            assert row[form.short] == 100.0
        elif form.measure.id != "PCP":
            assert row[form.short] == 0.0 or np.isnan(row[form.short]), form.short
    assert row["report-error|sigma:sd-mean|none:zero|avg:micro"] == 0.0
    assert row["AE|sigma:axes-mean|avg:images"] == 0.0
    assert row["FVR|of:invisible|avg:micro"] == row["FIR|of:visible|avg:micro"] == 0.0


def test_spread_says_what_it_stands_on() -> None:
    dataset, _ = one_part([[8, 12], [6, 14], [8, NAN]], [10, 10, 10])
    found = spread(dataset)
    assert (found.clicks.tolist(), found.pairs.tolist()) == ([5], [3])
    assert found.context == {
        "data": "01234567",
        "clicks": "89abcdef",
        "truth": "given",
        "pool": "all",
        "n": 3,
    }
    assert spread(dataset, pool="train").context["n"] == 1
    scored = spread(dataset, pool="scored", split="test")
    assert (scored.context["split"], scored.context["n"]) == ("test", 2)
    assert list(found.sigma) == (
        ["sd-mean", "sd-median", "dist-mean", "dist-median", "rms-median", "axes-mean", "toolbox"]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"split": "val"}, "expected a split (all, train, test), found 'val'"),
        ({"split": "test"}, "birds/train_test_split.txt: expected the split for --split test"),
        ({"split": "all", "pool": "train"}, "birds/train_test_split.txt: expected the split for "),
        ({"split": "all", "truth": "clicks"}, "birds/parts/part_click_locs.txt: expected the anno"),
        ({"split": "all", "truth": "mine"}, "expected a value of truth (given, clicks)"),
        ({"split": "all", "pool": "some"}, "expected a value of pool (all, train, scored)"),
        ({"split": "all", "parts": ["bach"]}, "found 'bach'; did you mean back?"),
        ({"split": "all", "parts": ["back", "back"]}, "expected each part once, found back twice"),
        ({"split": "all", "parts": []}, "expected at least one part, found none"),
        ({"split": "all", "only": ["AE"]}, "expected the keys sigma (sd-mean, "),
        ({"split": "all", "only": "FVR|of:all"}, "expected a list of short forms, found the str"),
        ({"split": "all", "only": ["PPC|sigma:sd-mean"]}, "did you mean PCP?"),
    ],
)
def test_what_cannot_be_scored(arguments: dict[str, object], said: str) -> None:
    dataset, prediction = one_part([[8, 12]], [10])
    bare = replace(dataset, clicks=None, clicks_name=None, training=None)
    with pytest.raises(InputError) as caught:
        score(bare, {"mine": prediction}, **arguments)  # type: ignore[arg-type]
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["Human", "Human|workers:mean", "Human|"])
def test_row_names_of_the_annotators_are_taken(name: str) -> None:
    dataset, prediction = one_part([[8, 12]], [10])
    with pytest.raises(InputError, match="expected a row name"):
        score(dataset, {name: prediction}, split="all")


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        (Prediction.at([[[1, 1]], [[2, 2]]]), "expected arrays of 1 images and 1 parts"),
        (
            Prediction(np.array([[True]]), np.array([[[NAN, 1.0]]])),
            "expected a finite location wherever visible",
        ),
        (
            Prediction(np.array([[True]]), np.array([[[np.inf, 1.0]]])),
            "expected a finite location wherever visible",
        ),
        ("mine.csv", "expected what read_predictions gives, or a Prediction of arrays, found str"),
    ],
)
def test_what_is_no_prediction(prediction: Prediction, said: str) -> None:
    dataset, _ = one_part([[8, 12]], [10])
    with pytest.raises(InputError, match=said):
        score(dataset, {"mine": prediction}, split="all")


@pytest.mark.parametrize("kind", [Truth, Prediction])
@pytest.mark.parametrize(
    ("visible", "location", "said"),
    [
        (
            np.array([[1]]),
            np.zeros((1, 1, 2)),
            "expected visible to be an array of booleans, found int64",
        ),
        (np.array([[1]], np.uint8), np.zeros((1, 1, 2)), "array of booleans, found uint8"),
        ([[True]], np.zeros((1, 1, 2)), "expected visible to be an array of booleans, found list"),
        (
            np.array([True]),
            np.zeros((1, 1, 2)),
            r"expected visible of shape \(1, 1\), found \(1,\)",
        ),
        (
            np.array([[True]]),
            [[[0.0, 0.0]]],
            "expected location to be an array of floats, found list",
        ),
        (np.array([[True]]), np.zeros((1, 1, 2), int), "array of floats, found int64"),
        (np.array([[True]]), np.zeros((1, 1, 2), complex), "array of floats, found complex128"),
        (np.array([[True]]), np.zeros((1, 1, 3)), r"expected location of shape \(…, 2\)"),
    ],
)
def test_arrays_that_do_not_belong_together(
    kind: Any, visible: Any, location: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        kind(visible, location)


def test_a_dataset_whose_arrays_do_not_belong_together() -> None:
    dataset, _ = one_part([[8, 12], [8, 12]], [13, 20])
    assert dataset.training is not None
    with pytest.raises(InputError, match="expected training to be an array of booleans"):
        replace(dataset, training=dataset.training.astype(int))
    with pytest.raises(InputError, match=r"expected training of shape \(2,\), found \(1,\)"):
        replace(dataset, training=dataset.training[:1])
    with pytest.raises(InputError, match="expected clicks of 2 images and 1 parts"):
        replace(dataset, clicks=Clicks.at(np.zeros((1, 2, 1, 2))))
    with pytest.raises(InputError, match=r"expected given.visible of shape \(2, 1\)"):
        replace(dataset, given=Truth.at(np.zeros((1, 1, 2))))
    with pytest.raises(InputError, match="expected answered to be an array of booleans"):
        Clicks(np.ones((1, 1, 1)), np.ones((1, 1, 1), bool), np.zeros((1, 1, 1, 2)))  # type: ignore[arg-type]


def test_part_names_that_are_not_the_datasets_are_refused(tmp_path: Path) -> None:
    other = ("beak", "back", *PARTS[2:])
    lines = "".join(f"1,{name},{index},1,1\n" for index, name in enumerate(PARTS))
    (tmp_path / "p.csv").write_text("image_id,part,x,y,visible\n" + lines)
    truth = Truth.at(np.ones((1, 15, 2)))
    dataset = Dataset(np.array([1]), other, truth, None, None, "01234567")
    with pytest.raises(InputError, match="expected predictions read with the names of the dataset"):
        score(dataset, {"mine": read_predictions(tmp_path / "p.csv")}, split="all")
    read = read_predictions(tmp_path / "p.csv", other)
    assert read.location[0, :2, 0].tolist() == [1.0, 0.0]
    assert score(dataset, {"mine": read}, split="all").rows["mine"]["FIR|of:all|avg:micro"] == 0


def test_a_pool_without_images_has_no_spread() -> None:
    dataset, prediction = one_part([[8, 12]], [10])
    with pytest.raises(InputError, match="expected at least one image in pool:train, found none"):
        spread(dataset, pool="train")
    row = score(dataset, {"mine": prediction}, split="all", pool="train").rows["mine"]
    assert np.isnan(row["AE|sigma:sd-mean|avg:micro"])
    assert row["FIR|of:all|avg:micro"] == 0


@pytest.mark.filterwarnings("error")
def test_absurd_locations_are_far_away_without_a_warning() -> None:
    dataset, prediction = one_part([[8, 12], [8, 12]], [1e300, -1e300])
    row = score(dataset, {"far": prediction}, split="all").rows["far"]
    assert row["AE|sigma:sd-mean|avg:micro"] == 5.0
    assert row["capped|sigma:dist-median"] == 100.0
    assert row["PCP|sigma:rms-median|ref:any"] == 0.0


@pytest.mark.filterwarnings("error")
def test_absurd_clicks_are_no_unit() -> None:
    dataset, prediction = one_part([[1e300, -1e300], [8, 12]], [0, 10])
    result = score(dataset, {"mine": prediction}, split="all")
    assert np.isnan(result.sigma["sd-mean"]).all()
    assert np.isnan(result.rows["mine"]["AE|sigma:sd-mean|avg:micro"])
    assert np.isnan(spread(dataset).sigma["toolbox"]).all()
