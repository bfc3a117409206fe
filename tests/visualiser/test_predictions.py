"""Predict, then reveal: the questions, the valid answers, and the verdicts."""

import math
import random
from typing import Any

import numpy as np
import pytest

from tests.visualiser.pieces import opened
from visualiser import predictions
from visualiser.locale import LANGUAGES, message, text
from visualiser.server.live import predicting
from visualiser.state import share

KEY = predictions.Choice("anatomy_largest")
LABELS = {"0": "0 “the”", "2": "2 “cat”"}
CURVE = predictions.Curve("anatomy_largest", x=(1, 10, 100), low=1.0, high=1000.0, log_x=True, log_y=True)
ABOUT = {"keys": ["2 “cat”"], "weight": 0.5, "score": 1.25}


def revealed(part: bytes) -> dict[str, Any]:
    header, blocks = opened(part)
    for entry in [header.get("real")]:
        if isinstance(entry, dict):
            (value,) = entry["values"]
            header["real"] = np.frombuffer(blocks[value["at"] :], value["t"], int(np.prod(value["s"])))
    return header


def answer(value: Any, name: str = "anatomy_largest") -> dict[str, Any]:
    return {"prediction": {"name": name, "answer": value}}


@pytest.fixture(autouse=True)
def axis_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lend the question about keys to a curve, with axes named d_k and y."""

    def with_axes(lang: str, key: str, /, **values: object) -> str:
        axes = {"predict.anatomy_largest.x": "d_k", "predict.anatomy_largest.y": "y"}
        return axes.get(key) or text(lang, key, **values)

    monkeypatch.setattr(predictions, "text", with_axes)
    monkeypatch.setattr(message, "text", with_axes)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_choice_is_asked_with_its_labels_and_judged_by_what_was_computed(lang: str) -> None:
    asked = revealed(predicting.question_part(KEY, lang, labels=LABELS, about="here", query="1 “a”", head=2))
    assert asked["choices"] == [["0", "0 “the”"], ["2", "2 “cat”"]]
    assert (asked["part"], asked["name"], asked["about"]) == ("question", "anatomy_largest", "here")
    assert asked["sentence"] == text(lang, "predict.anatomy_largest.question", query="1 “a”", head=2)
    wrong = predicting.verdict(KEY, answer("0"), "2", lang, labels=LABELS, **ABOUT)
    right = predicting.verdict(KEY, answer("2"), "2", lang, labels=LABELS, **ABOUT)
    assert wrong
    assert right
    assert revealed(wrong)["right"] is False
    assert revealed(wrong)["sentences"] == [
        text(lang, "predict.differs", answer="0 “the”", real="2 “cat”"),
        text(lang, "predict.anatomy_largest.because", **ABOUT),
    ]
    assert revealed(right)["right"] is True
    assert revealed(right)["sentences"][0] == text(lang, "predict.right", real="2 “cat”")


def test_of_several_right_answers_each_is_right() -> None:
    judged = predicting.verdict(KEY, answer("2"), ("0", "2"), "en", labels=LABELS, **ABOUT)
    assert judged
    assert revealed(judged)["right"] is True
    assert revealed(judged)["real"] == ["0", "2"]
    assert revealed(judged)["sentences"][0] == "As you expected: 2 “cat”."


@pytest.mark.parametrize(
    "extra",
    [{}, {"prediction": None}, {"prediction": "0"}, answer("7"), answer(0), answer(["0"]), answer("0", "another")],
)
def test_what_is_no_answer_gets_no_verdict(extra: dict[str, Any]) -> None:
    assert predicting.verdict(KEY, extra, "0", "en", labels=LABELS, **ABOUT) is None


@pytest.mark.parametrize("drawn", [[1, 2], [1, 2, "3"], [1, 2, True], [1, 2, float("nan")], "123", None])
def test_what_is_no_curve_is_no_answer(drawn: Any) -> None:
    assert predictions.prediction_of(CURVE, answer(drawn)) is None


def test_a_curve_far_from_the_real_one_is_told_where_and_in_which_direction() -> None:
    judged = predicting.verdict(CURVE, answer([2, 20, 200]), [900.0, 30.0, 2.0], "en", **ABOUT)
    assert judged
    found = revealed(judged)
    assert found["right"] is False
    assert found["real"].tolist() == [900.0, 30.0, 2.0]
    assert found["sentences"][:3] == [
        "Your curve and the real one lie apart.",
        "From its first to its last point yours rises; the real one falls.",
        "They differ most at d_k = 1: you drew 2, it is 900.",
    ]


def test_a_curve_close_by_is_right_and_distances_are_the_axis_own() -> None:
    # A factor of at most two is a tenth of three powers of ten; a linear axis would see 100 apart.
    judged = predicting.verdict(CURVE, answer([1.5, 15.0, 300.0]), [1.0, 10.0, 200.0], "en", **ABOUT)
    assert judged
    found = revealed(judged)
    assert found["right"] is True
    assert found["sentences"][0] == "Your curve lies close to the real one."
    assert found["sentences"][1] == "From its first to its last point yours rises, and so does the real one."


@pytest.mark.parametrize(
    ("values", "came"), [([1, 5, 1000], "rises"), ([100, 900, 3], "falls"), ([10, 1000, 11], "stays")]
)
def test_the_direction_is_from_the_first_to_the_last_point(values: list[float], came: str) -> None:
    assert predictions.trend(CURVE, values) == came


def test_a_point_within_the_band_of_the_truth_is_no_distance_away() -> None:
    """Three powers of ten on the axis: 2 against 900 is most of it, but a band from 1 to 1000 says nothing else."""
    wide = [(1.0, 1000.0)] * 3
    drawn, real = answer([2, 20, 200]), [900.0, 30.0, 2.0]
    assert [
        found.right for bands in (None, wide) if (found := predictions.judged(CURVE, drawn, real, bands=bands, **ABOUT))
    ] == [False, True]


def test_a_curve_of_one_point_has_no_direction_and_equal_ones_no_difference() -> None:
    single = predictions.Curve("anatomy_largest", x=(8,), low=0.0, high=1.0)
    found = predictions.judged(single, answer([0.5]), [0.5], **ABOUT)
    assert found
    assert [sentence.key for sentence in found.sentences] == ["predict.curve.close", "predict.anatomy_largest.because"]


def band(mean: float, off: float = 0.0) -> predictions.Band:
    return predictions.Band(mean, mean - off, mean + off)


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ({"a": band(3), "b": band(1)}, ["a"]),
        ({"a": band(1), "b": band(3), "c": band(2.9)}, ["none", "b", "c"]),
        ({"a": band(1, 0.2), "b": band(3, 0.2), "c": band(2.5, 0.2)}, ["b"]),
        ({"a": band(1, 1.5), "b": band(3, 0.5)}, ["none", "b", "a"]),
    ],
)
def test_the_greatest_is_none_where_bands_meet(found: dict[str, predictions.Band], right: list[str]) -> None:
    assert predictions.plausible_maxima(found, 0.1) == right


@pytest.mark.parametrize(
    ("found", "right"),
    [
        (band(0.3), ["low"]),
        (band(0.5), ["low", "high"]),
        (band(0.6, 0.2), ["high", "low"]),
        (band(1.2), ["none"]),
        (band(1.0, 0.1), ["high"]),
        (band(0.0, 0.05), ["low"]),
        (band(0.55, 2), ["high", "low"]),
    ],
)
def test_a_band_has_every_range_that_it_meets_and_none_only_if_it_meets_no_range(
    found: predictions.Band, right: list[str]
) -> None:
    ranges = {"low": (0.01, 0.5), "high": (0.5, 1.0)}
    assert predictions.plausible_ranges(ranges, found) == right


def test_none_is_right_exactly_if_no_range_is_and_a_range_exactly_if_the_band_meets_it() -> None:
    draws = random.Random(1)
    seen = set()
    for _ in range(2000):
        ends = sorted(draws.sample(range(20), 6))
        ranges = {"a": (ends[0], ends[1]), "b": (ends[2], ends[3]), "c": (ends[4], ends[5])}
        least, mean, most = sorted(draws.choices(range(-2, 22), k=3))
        found = predictions.Band(mean, least, most)
        right = predictions.plausible_ranges(ranges, found)
        met = {name for name, (low, high) in ranges.items() if max(low, least) <= min(high, most)}
        assert set(right) == (met or {"none"})
        assert len(right) == len(set(right))
        holding = predictions.holder(ranges, mean)
        assert holding in (right[0], "none")
        seen.add((len(right), holding == "none"))
    assert {(1, False), (1, True), (2, False), (2, True), (3, True)} <= seen


def test_no_choice_that_its_band_rules_out_is_the_greatest() -> None:
    """A band is not widened by what counts as equal: that compares the means alone."""
    draws = random.Random(2)
    for _ in range(2000):
        equal = draws.choice((0, 1, 2))
        found = {name: band(draws.randint(0, 9), draws.choice((0, 1, 2))) for name in "abcd"}
        right = predictions.plausible_maxima(found, equal)
        top = max(found.values(), key=lambda one: one.mean)
        tops = [one for one in found.values() if one.mean == top.mean]
        named = [name for name in right if name != "none"]
        for name, one in found.items():
            meets = any(one.most >= best.least for best in tops)
            assert name not in right or meets or one.mean >= top.mean - equal
            assert name in right or one.most < max(best.least for best in tops)
        assert ("none" in right) == (len(named) > 1)
        assert found[named[0]].mean == top.mean


@pytest.mark.parametrize("count", [1, 5, 7, 8, 21, 40])
def test_the_interval_of_a_median_is_the_narrowest_that_holds_it_in_15_of_16_cases(count: int) -> None:
    """By counting: each draw is above the true median or not, one way as likely as the other."""
    draws = list(range(count))
    random.Random(count).shuffle(draws)
    found = predictions.median(draws)

    def misses(k: int) -> float:  # the k least draws, and the k greatest, are left out of the interval
        return 2 * sum(math.comb(count, below) for below in range(k + 1)) / 2**count

    left_out = int(found.least)
    assert (found.mean, found.most) == ((count - 1) // 2, count - 1 - left_out)
    assert left_out == 0 or misses(left_out) <= 1 / 16
    assert misses(left_out + 1) > 1 / 16
    if count >= 5:
        assert misses(left_out) <= 1 / 16


def test_a_median_lies_in_its_interval_as_often_as_it_says() -> None:
    draws = random.Random(3)
    inside = 0
    for _ in range(2000):
        found = predictions.median([draws.expovariate(1.0) for _ in range(draws.choice((5, 9, 21)))])
        inside += found.least <= math.log(2) <= found.most
    assert inside / 2000 > predictions.SURE - 0.02


@pytest.mark.parametrize(
    ("likeliest", "given", "key"),
    [
        (None, "2", "predict.right"),
        ("2", "2", "predict.right"),
        ("0", "2", "predict.right_open"),
        ("2", "0", "predict.differs"),
        ("0", "0", "predict.differs_open"),
    ],
)
def test_an_answer_that_is_merely_not_ruled_out_is_not_called_the_result(
    likeliest: str | None, given: str, key: str
) -> None:
    found = predictions.judged(KEY, answer(given), ["2"], labels=LABELS, likeliest=likeliest, **ABOUT)
    assert found
    assert found.right is (given == "2")
    assert found.sentences[0].key == key


@pytest.mark.parametrize(
    ("share", "right"), [(0.39, ["low"]), (0.39997, ["low", "high"]), (0.40003, ["high", "low"]), (0.405, ["high"])]
)
def test_a_share_that_is_written_as_a_border_belongs_to_both_sides(share: float, right: list[str]) -> None:
    assert predictions.plausible_ranges({"low": (0.2, 0.4), "high": (0.4, 0.6)}, predictions.as_written(share)) == right


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("predict=true", ("one", "two")),
        ("predict=true&question=narrow_head", ("narrow_head", "one")),
        ("predict=true&question=scaled_norm", ("one", "two")),
        ("predict=true&hide=predict", None),
        ("question=narrow_head", None),
    ],
)
def test_a_link_names_its_question_and_another_state_gets_the_first(query: str, asked: tuple[str, str] | None) -> None:
    state = share.read(query).state
    assert predictions.choose_question(state, ["one", "two", "narrow_head"]) == asked
    assert predictions.choose_question(state, []) is None


def test_a_wish_that_cannot_be_fulfilled_leaves_the_link_with_a_notice() -> None:
    state = share.read("predict=true&question=narrow_head").state
    plain, notices = predictions.without_unavailable_question(state, False, ())
    assert share.canonical(plain) == "question=narrow_head"
    assert notices == (text("en", "predict.nothing"),)
    assert predictions.without_unavailable_question(state, True, ()) == (state, ())
