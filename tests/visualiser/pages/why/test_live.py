"""The Why √d_k page's answers, decoded byte by byte, against the core's tensors; and the directions of its claims."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, LengthPoint, LengthsConfig, Temperature, compute, lengths
from attention_core.studies.numerics import softmax_accuracies
from attention_core.studies.sweep import CURVES, MEASURES, SweepConfig, SweepPoint, sweep
from attention_core.studies.temperature import temperature
from tests.visualiser.pieces import opened
from visualiser.figures.plots.numerics import numerics
from visualiser.figures.plots.temperature import temperature as factors
from visualiser.figures.point import OWN, Point, means
from visualiser.figures.swept import Swept, key_lines
from visualiser.locale.message import Message, write_all
from visualiser.pages.why import SWEEP, outcome
from visualiser.pages.why import live as why
from visualiser.pages.why import point as why_point
from visualiser.pages.why import reasons as why_reasons
from visualiser.pages.why.comparisons import COMPARISONS
from visualiser.pages.why.endpoint import why as endpoint
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View

SMALL = "page=why&n=11&seed=3&seeds=2"


def ask(query: str, **extra: Any) -> PageRequest:
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra)


def parts(answer: Callable[[PageRequest], Iterator[bytes]], query: str, **extra: Any) -> list[dict[str, Any]]:
    """Return the headers of an answer's parts, their drawings and tables decoded as in a browser."""
    known: dict[str, Any] = {}
    found = []
    for piece in answer(ask(query, **extra)):
        header, blocks = opened(piece)
        for family in ("drawings", "tables"):
            for name, entry in header.get(family, {}).items():
                known.setdefault(entry["hash"], entry.get("structure"))
                header[family][name] = revived(known[entry["hash"]], entry["values"], blocks)
        found.append(header)
    return found


def revived(node: Any, values: list[Any], blocks: bytes) -> Any:
    if isinstance(node, list):
        return [revived(item, values, blocks) for item in node]
    if not isinstance(node, dict):
        return node
    if "$" not in node:
        return {key: revived(item, values, blocks) for key, item in node.items()}
    value = values[node["$"]]
    if not isinstance(value, dict):
        return value
    return np.frombuffer(blocks, f"<{value['t']}", math.prod(value["s"]), value["at"]).reshape(value["s"])


def drawn(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return [part["drawings"][name] for part in found if name in part.get("drawings", {})][-1]


def trace(drawing: dict[str, Any], **meta: Any) -> dict[str, Any]:
    return next(one for one in drawing["data"] if meta.items() <= one.get("meta", {}).items())


@pytest.fixture(scope="module")
def points() -> list[SweepPoint]:
    """Return the page's default sweep."""
    return list(sweep(SweepConfig()))


@pytest.mark.slow
def test_the_last_picture_of_the_sweep_holds_the_cores_curves() -> None:
    found = parts(why.curves, SMALL)
    assert found[-1]["done"] is True
    assert all(part["done"] is False for part in found[:-1])
    wanted = {(point.curve, point.d_k): point for point in sweep(SweepConfig(n=11, seed=3, seeds=2))}
    drawing, table = drawn(found, "sweep"), found[-1]["tables"]["sweep"]
    for curve in CURVES:
        for measure in MEASURES:
            line = trace(drawing, curve=curve, measure=measure)
            expected = [wanted[curve, int(d_k)].spread(measure)[0] for d_k in line["x"]]
            np.testing.assert_allclose(line["y"], expected, rtol=1e-5)
    assert len(table["columns"]) == 2 + 3 * len(MEASURES)
    np.testing.assert_allclose(
        table["columns"][4]["values"], [point.spread("variance")[2] for point in wanted.values()], rtol=1e-5
    )


@pytest.mark.slow
def test_a_point_shows_the_cores_weights_and_its_curves_the_present_factor() -> None:
    found = parts(why.frame, f"{SMALL}&d_k=53&scaling=custom&scale=0.5")
    assert found[0]["query"] == "n=11&d_k=53&scaling=custom&scale=0.5&seed=3&page=why&seeds=2"
    base = {"n": 11, "h": 1, "d_k": 53, "tie": False, "seed": 3}
    settings = {
        "scaled": {},
        "unscaled": {"scaling": "none"},
        "additive": {"mechanism": "additive"},
        "own": {"scaling": "custom", "scale": 0.5},
    }
    maps = drawn(found, "mechanism-maps")
    for name, more in settings.items():
        result = compute(AttentionConfig(**base, **more), device="cpu")
        codes = trace(maps, mechanism=name)["z"]
        top = maps["layout"]["coloraxis"]["cmax"]
        np.testing.assert_allclose((codes - 1.0) / 254 * top, result.weights[0], atol=0.51 / 254 * top)
    unscaled = compute(AttentionConfig(**base, scaling="none"), device="cpu")
    curve = temperature(unscaled)
    np.testing.assert_allclose(
        trace(drawn(found, "temperature"), measure="entropy")["y"], curve.entropy.mean(-1), rtol=1e-4, atol=1e-6
    )
    own = compute(AttentionConfig(**base, **settings["own"]), device="cpu")
    sums = trace(drawn(found, "numerics"), error="error", dtype="float16", subtracted=True)
    accuracy = next(one for one in softmax_accuracies(own.masked) if one.dtype == "float16" and one.subtracted)
    np.testing.assert_allclose(sums["y"], accuracy.error[0].clamp_min(1e-9), rtol=1e-4)


def test_while_a_control_moves_only_maps_and_scores_are_sent() -> None:
    names = [list(part["drawings"]) for part in parts(why.frame, SMALL, light=True) if "drawings" in part]
    assert names == [["mechanism-maps"], ["mechanism-scores"]]


def test_whatever_else_a_link_says_the_page_compares_mechanisms_on_footnote_4s_draws() -> None:
    query = "page=why&n=500&mask=causal&source=text&mechanism=additive&h=4&head=3&pin=h%3D1"
    found = parts(why.frame, query, light=True)
    assert found[0]["query"] == "page=why"
    assert [one["meta"]["mechanism"] for one in drawn(found, "mechanism-maps")["data"]] == [
        "scaled", "unscaled", "additive",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_claims_hold_in_the_default_sweep(points: list[SweepPoint]) -> None:
    of = {(point.curve, point.d_k): point for point in points}
    config = SweepConfig()
    for d_k in config.d_ks[3:]:
        assert of["unscaled", d_k].spread("variance")[0] == pytest.approx(d_k, rel=0.15)  # footnote 4
        assert of["scaled", d_k].spread("variance")[0] == pytest.approx(1, rel=0.15)
    assert outcome.MECHANISMS.fallen(config, points) == outcome.Fallen(("unscaled",), ())
    last = {curve: of[curve, 1024] for curve in CURVES}
    for curve in ("scaled", "additive"):
        assert last["unscaled"].spread("entropy")[2] < 0.25 < 2.5 < last[curve].spread("entropy")[1]
        assert last["unscaled"].spread("gradient")[2] < 1e-12 < 1e-3 < last[curve].spread("gradient")[1]
        assert last["unscaled"].spread("jacobian_norm")[2] < 0.5 * last[curve].spread("jacobian_norm")[1]
        assert last["unscaled"].spread("largest_weight")[1] > 3 * last[curve].spread("largest_weight")[2]


def test_the_sentence_holds_the_ends_of_the_curves_and_where_the_gradient_is(points: list[SweepPoint]) -> None:
    description = " ".join(write_all(SWEEP.sentence(Swept(SweepConfig(), points, 64), View()), "en"))
    assert "from 3.13 to 0.1 nats" in description
    assert "×10⁻²⁴" in description
    assert "This is the gradient at the scores. The norm that reaches W_Q and W_K need not vanish" in description


@pytest.mark.night(but=1)
@pytest.mark.slow
@pytest.mark.parametrize(("answer", "right"), [("unscaled", True), ("scaled", False)])
def test_a_prediction_is_judged_by_the_sweep(answer: str, right: bool) -> None:
    asks = f"{SMALL}&predict=true"
    asked = next(part for part in parts(why.frame, asks, light=True) if part["part"] == "question")
    found = parts(why.curves, asks, prediction={"name": asked["name"], "answer": answer})
    verdict = next(part for part in found if part["part"] == "verdict")
    assert (verdict["right"], verdict["real"]) == (right, ["unscaled"])
    assert not [part for part in parts(why.curves, asks) if part["part"] == "verdict"]


@pytest.mark.parametrize("link", [SMALL, f"{SMALL}&predict=false", f"{SMALL}&predict=true&hide=predict"])
def test_a_link_that_wants_no_question_gets_none(link: str) -> None:
    assert "question" not in [part["part"] for part in parts(why.frame, link, light=True)]


@pytest.mark.slow
def test_the_sweep_is_told_in_the_words_of_its_verdict_whether_one_has_predicted_or_not() -> None:
    insight = [part["insight"] for part in parts(why.curves, SMALL) if part["part"] == "figures"][-1]
    found = parts(why.curves, f"{SMALL}&predict=true", prediction={"name": "why_falls", "answer": "none"})
    verdict = next(part for part in found if part["part"] == "verdict")
    assert insight
    assert insight == verdict["sentences"][1:]


@pytest.mark.parametrize(
    ("falls", "answer"), [((), ("none",)), (("scaled", "unscaled"), ("scaled", "unscaled")), (CURVES, ("all",))]
)
def test_the_right_answer_follows_the_entropies(
    falls: tuple[str, ...], answer: tuple[str, ...], points: list[SweepPoint]
) -> None:
    """Curves that are to fall are copies of the unscaled one, the others of the scaled one."""
    of = {(point.curve, point.d_k): point for point in points}
    made = []
    for point in points:
        like = of["unscaled" if point.curve in falls else "scaled", point.d_k]
        made.append(type(point)(**{**vars(like), "curve": point.curve}))
    found = outcome.MECHANISMS.fallen(SweepConfig(), made)
    assert found.unsettled == ()
    assert found.right == answer


@pytest.mark.night(but=1)
@pytest.mark.slow
@pytest.mark.parametrize("query", ["n=3&seeds=1&seed=11", "n=4&seeds=2&seed=5", "n=2&seeds=1&seed=3"])
def test_a_right_answer_about_few_draws_is_not_called_wrong(query: str) -> None:
    """At n = 3 the scaled entropy went from 1.06 to 0.88 by chance, and "unscaled" was answered by "all three"."""
    found = parts(why.curves, f"page=why&{query}", prediction={"name": "why_falls", "answer": "unscaled"})
    verdict = next(part for part in found if part["part"] == "verdict")
    assert verdict["right"] is True
    assert verdict["sentences"][0] == "As you expected: of unscaled dot products, q·k."


def swept(first: float, last: dict[str, list[float]], n: int = 32) -> tuple[SweepConfig, list[SweepPoint]]:
    """Return a sweep whose entropies begin at `first` and end at `last`, one number for each seed."""
    seeds = len(last["scaled"])
    empty = torch.zeros(seeds)
    ends = ((1, dict.fromkeys(CURVES, [first] * seeds)), (1024, last))
    found = [
        SweepPoint(curve, d_k, empty, torch.tensor(values[curve]), empty, empty, empty, empty)
        for d_k, values in ends
        for curve in CURVES
    ]
    return SweepConfig(n=n, seeds=seeds), found


def test_a_band_across_the_line_leaves_the_answer_open() -> None:
    """One seed of three ended below half of the start: neither "unscaled" nor "all three" is refuted."""
    config, points = swept(3.0, {"unscaled": [0.1, 0.0, 0.1], "scaled": [2.9, 1.2, 2.9], "additive": [2.9, 1.4, 2.8]})
    found = outcome.MECHANISMS.fallen(config, points)
    assert found == outcome.Fallen(("unscaled",), ("scaled", "additive"))
    assert found.right == ("unscaled", "all")
    for answer, right in (("unscaled", True), ("all", True), ("none", False), ("scaled", False)):
        extra = {"prediction": {"name": "why_falls", "answer": answer}}
        verdict = why.judged(ask("page=why", **extra), COMPARISONS["mechanisms"], config, points)
        assert verdict
        assert verdict.right is right
        keys = [sentence.key for sentence in verdict.sentences]
        assert keys[1:] == ["predict.why_falls.open", "predict.why_falls.because"]
    _, left_open, _ = verdict.sentences
    assert left_open.written("en") == (
        "The 96 rows drawn here do not settle whether the entropy of scaled dot products, q·k / √d_k and of additive "
        "attention falls."
    )


def test_fewer_rows_settle_less() -> None:
    ends = {"unscaled": [0.2], "scaled": [0.75], "additive": [0.75]}
    assert outcome.MECHANISMS.fallen(*swept(1.0, ends, n=3)) == outcome.Fallen((), CURVES)
    assert outcome.MECHANISMS.fallen(*swept(1.0, ends, n=100)) == outcome.Fallen(("unscaled",), ())


def test_a_hidden_question_is_not_asked() -> None:
    """A class that does not see the question could never lift its covers."""
    found = parts(why.frame, f"{SMALL}&hide=predict", light=True)
    assert "question" not in [part["part"] for part in found]


@pytest.mark.slow
def test_the_factors_sentence_knows_both_ends() -> None:
    """Collapse is only the one-hot end; the other end is called uniform."""

    def sentences_at(scale: float, d_k: int = 64, n: int = 32) -> list[Message]:
        config = AttentionConfig(n=n, h=1, d_k=d_k, tie=False, scaling="custom", scale=scale)
        unscaled = compute(AttentionConfig(n=n, h=1, d_k=d_k, tie=False, scaling="none"), device="cpu")
        return factors.sentence(Point(config, {OWN: unscaled}), View())

    words = write_all(sentences_at(1.0), "en")
    assert words[1].startswith("Above 1.1 they have collapsed: at most 1.5 keys are in effect in use")
    assert words[2] == "1/√d_k = 0.125 lies between the two."
    assert write_all(sentences_at(8.0), "en")[-1] == "The chosen factor, 8, lies on the collapsed side."
    assert write_all(sentences_at(0.001), "en")[-1] == "The chosen factor, 0.001, lies on the uniform side."


def test_a_collapse_is_told_by_its_effective_keys() -> None:
    """Above 1.1 "each row is about one-hot", while four rows in ten had a largest weight below 0.9."""
    unscaled = compute(AttentionConfig(n=32, h=1, d_k=64, tie=False, scaling="none"), device="cpu")
    found = temperature(unscaled)
    assert found.collapsed_above
    there = temperature(unscaled, (found.collapsed_above,))
    assert math.exp(float(there.entropy)) == pytest.approx(1.5, abs=0.01)
    weights = (unscaled.scores * found.collapsed_above).softmax(-1)
    assert float((weights.amax(-1) < 0.9).float().mean()) > 0.3


def test_a_factor_lies_between_two_sides_only_if_there_are_two() -> None:
    """At n = 2 with d_k = 1 no factor of the page may collapse the weights: nothing lies between then."""
    found = Temperature(torch.tensor([0.1, 1.0]), *(torch.ones(2, 1) for _ in range(4)), ceiling=math.log(2), queries=2)
    assert (found.uniform_below, found.collapsed_above) == (1.0, None)
    config = AttentionConfig(n=2, h=1, d_k=1, tie=False, scaling="custom", scale=4.0)
    point = Point(config, {})
    vars(point)["temperature"] = found
    keys = [sentence.key for sentence in factors.sentence(point, View())]
    assert keys == ["why.factor.uniform", "why.factor.never_collapsed", "why.root.uniform", "why.here.neither"]


def test_the_numerics_sentence_counts_the_rows_that_broke() -> None:
    result = compute(AttentionConfig(n=13, h=1, d_k=64, tie=False, scaling="none"), device="cpu")
    found = softmax_accuracies(result.masked)
    plain, subtracted = (
        next(o for o in found if o.dtype == "float16" and o.subtracted is way) for way in (False, True)
    )
    overflowed = int((result.masked[0].half().exp().isinf()).any(-1).sum())
    assert overflowed > 6
    description = " ".join(write_all(numerics.sentence(Point(result.config, {OWN: result}), View()), "en"))
    assert f"float16 – plain: exp overflows in {overflowed} of 13 rows" in description
    divided, underflowed = (int((one > 0).sum()) for one in (plain.divided, plain.underflowed))
    assert divided > 0
    assert f"weights are x/∞ = 0 in {divided} rows" in description
    assert underflowed in (0, 1) or f"weights underflow to 0 in {underflowed} rows" in description
    broken, nan = int(plain.broken.sum()), int((plain.not_a_number > 0).sum())
    counted = f"{broken} rows do not sum to 1 within 0.01, {nan} of them with NaN, which no point can show."
    assert f"{counted} float16 – maximum subtracted: " in description
    assert not subtracted.broken.any()
    table = numerics.table(Point(result.config, {OWN: result}), View())
    assert [len(column.values) for column in table.columns] == [6 * 13] * 9
    np.testing.assert_array_equal(table.columns[8].values[:13], plain.divided[0])
    np.testing.assert_array_equal(table.columns[3].values[:13], plain.overflowed[0])
    np.testing.assert_allclose(np.asarray(table.columns[6].values[13:26], float), subtracted.total[0])


def test_the_endpoint_gives_the_curves_and_stays_small() -> None:
    answer = endpoint(n=7, seed=5, seeds=2, d_ks=[4, 1])
    wanted = list(sweep(SweepConfig(n=7, seed=5, seeds=2, d_ks=(1, 4))))
    assert answer["d_ks"] == [1, 4]
    assert answer["entropy_ceiling"] == pytest.approx(math.log(7))
    for curve in CURVES:
        for measure in MEASURES:
            spreads = [point.spread(measure) for point in wanted if point.curve == curve]
            got = answer["curves"][curve][measure]
            assert list(zip(got["middle"], got["least"], got["greatest"], strict=True)) == spreads
    for given, message in [
        ({"n": 129}, "n must be at most 128, got 129"),
        ({"seeds": 11}, "seeds must be at most 10, got 11"),
        ({"d_ks": [2048]}, "d_k must be at most 1024, got 2048"),
        ({"n": 128, "seeds": 10, "d_ks": [1024, 1023, 1022]}, "must be at most 400000000"),
        ({"n": 1}, "n must be"),
    ]:
        with pytest.raises(Exception, match=message):
            endpoint(**given)  # type: ignore[arg-type]


def test_the_points_numbers_are_each_mechanisms_own() -> None:
    config = AttentionConfig(n=13, h=1, d_k=53, tie=False, scaling="none", seed=2)
    found = why_point.results(config)
    of = {name: means(one) for name, one in found.items()}
    for name, one in found.items():
        p = one.weights[0].double()
        squares = p.square().sum(-1)
        norm = (squares - 2 * p.pow(3).sum(-1) + squares**2).clamp_min(0).sqrt().mean()
        assert of[name]["norm"] == pytest.approx(float(norm), rel=1e-4)
        assert of[name]["largest"] == pytest.approx(float(p.amax(-1).mean()), rel=1e-5)
        assert of[name]["effective"] == pytest.approx(float(one.entropy.exp().mean()), rel=1e-5)
    shown = factors.table(Point(found["unscaled"].config, found), View())
    labels = {column.label: np.asarray(column.values) for column in shown.columns}
    norms = next(values for label, values in labels.items() if "norm" in label)
    traces = next(values for label, values in labels.items() if "trace" in label)
    # at factor 0 a row of 13 equal keys: 1 − 1/13, and √(12)/13
    assert traces.max() == pytest.approx(12 / 13, rel=1e-2)
    assert norms.max() < 0.5 < traces.max()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "ending"), [(32, "means over 32 rows."), (100, "means over 50 rows, evenly spaced among the 100.")]
)
def test_the_factors_table_says_how_many_rows_it_averages(n: int, ending: str) -> None:
    """Every factor takes all n rows again, so of many only some are taken."""
    unscaled = compute(AttentionConfig(n=n, h=1, scaling="none"), device="cpu")
    measured = temperature(unscaled)
    assert factors.table(Point(unscaled.config, {OWN: unscaled}), View()).caption.endswith(ending)
    assert measured.queries == int(ending.split()[2])


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    ("name", "query", "question"),
    [("qk_norm", "n=5", "why_normed"), ("keys", "d_k=3", "why_fades")],
)
def test_other_curves_bring_their_own_table_question_and_sentences(name: str, query: str, question: str) -> None:
    asks = f"page=why&seed=3&seeds=2&{query}&curves={name}&predict=true"
    compared = COMPARISONS[name]
    state, _ = why.shown_state(ask(asks))
    plan = compared.planned(state)
    wanted = list(compared.run(plan))
    asked = next(part for part in parts(why.frame, asks, light=True) if part["part"] == "question")
    assert asked["name"] == question
    assert [choice for choice, _ in asked["choices"]] == list(compared.asked.choice.choices)
    found = parts(why.curves, asks, prediction={"name": question, "answer": "none"})
    verdict = next(part for part in found if part["part"] == "verdict")
    assert verdict["right"] is False
    assert verdict["real"] == list(compared.asked.fallen(plan, wanted).right)
    assert found[-1]["insight"] == verdict["sentences"][1:]
    drawing, table = drawn(found, "sweep"), found[-1]["tables"]["sweep"]
    measures = {"qk_norm": MEASURES, "keys": ("largest_weight", "entropy_share")}[name]
    for measure in measures:
        for curve in plan.curves:
            line = trace(drawing, curve=curve, measure=measure)
            expected = [point.spread(measure)[0] for point in wanted if point.curve == curve]
            np.testing.assert_allclose(line["y"], expected, rtol=1e-5)
            np.testing.assert_array_equal(line["x"], plan.sizes)
    assert len(table["columns"]) == 2 + 3 * len(measures)
    assert len(drawing["layout"]["shapes"]) == len(measures)
    here = {"qk_norm": 64, "keys": 32}[name]  # the default of the control that the axis belongs to
    assert [shape["x0"] for shape in drawing["layout"]["shapes"]] == [here] * len(measures)


@pytest.mark.night
def test_by_default_qk_norm_alone_falls_and_only_a_growing_factor_keeps_its_weight() -> None:
    """What the page says of its first draws."""
    told = {
        "qk_norm": (("qk_norm_unscaled",), ("qk_norm_unscaled",)),
        "keys": (("softmax", "sink"), ("log_n",)),
    }
    for name, (fell, right) in told.items():
        compared = COMPARISONS[name]
        state, _ = why.shown_state(ask(f"page=why&curves={name}"))
        plan = compared.planned(state)
        found = compared.asked.fallen(plan, list(compared.run(plan)))
        assert (found.fell, found.unsettled, found.right) == (fell, (), right)


def of_keys(first: float, last: dict[str, list[float]]) -> tuple[LengthsConfig, list[LengthPoint]]:
    """Return curves over 32 and 4,096 keys whose largest weights begin at `first` and end at `last`."""
    seeds = len(last["softmax"])
    share, sunk = torch.full((seeds,), 0.5), torch.zeros(seeds)
    ends = ((32, dict.fromkeys(last, [first] * seeds)), (4096, last))
    found = [
        LengthPoint(curve, n, torch.tensor(values[curve]), share, sunk)
        for n, values in ends
        for curve in ("softmax", "log_n", "sink")
    ]
    return LengthsConfig(seeds=seeds), found


@pytest.mark.parametrize(
    ("softmax", "log_n", "sink", "right"),
    [
        ([0.005, 0.006], [0.1, 0.1], [0.005, 0.006], ("log_n",)),
        ([0.005, 0.006], [0.1, 0.1], [0.1, 0.1], ("log_n", "sink")),  # no choice names two
        ([0.005, 0.006], [0.005, 0.004], [0.005, 0.006], ("none",)),
        ([0.1, 0.1], [0.1, 0.2], [0.1, 0.1], ("all",)),
        ([0.005, 0.03], [0.005, 0.005], [0.005, 0.006], ("none", "softmax")),  # one seed stayed
        ([0.005, 0.03], [0.1, 0.1], [0.1, 0.1], ("all",)),
        ([0.005, 0.03], [0.1, 0.1], [0.005, 0.006], ("log_n",)),
        # below, but within √(m (1 − m) / 512) of a tenth
        ([0.0195, 0.0195], [0.005, 0.005], [0.005, 0.006], ("none", "softmax")),
        ([0.0195, 0.0195], [0.1, 0.1], [0.0195, 0.0195], ("log_n", "all")),
    ],
)
def test_a_weight_is_kept_unless_every_seed_and_the_mean_of_its_rows_fade(
    softmax: list[float], log_n: list[float], sink: list[float], right: tuple[str, ...]
) -> None:
    config, points = of_keys(0.2, {"softmax": softmax, "log_n": log_n, "sink": sink})
    assert outcome.KEYS.fallen(config, points).right == right


def test_the_sentence_on_the_sink_tells_its_weight_at_the_first_keys_and_at_both_ends() -> None:
    plan = LengthsConfig(d_k=16, seeds=2, ns=(2, 32, 128))
    points = list(lengths(plan))
    told = next(one for one in key_lines(plan, points) if one.key == "why.keys.sink")
    of = {point.n: point for point in points if point.curve == "sink"}
    assert (told.facts["first"], told.facts["low"], told.facts["high"]) == (2, 32, 128)
    for name, n in (("sink_first", 2), ("sink_from", 32), ("sink_to", 128)):
        assert told.facts[name] == of[n].sink_weight.mean().item()
        reason = why_reasons.of_sweep(plan, points)(told, name, 0)
        assert reason
        assert reason.kind == "sink_weight"
    share = why_reasons.of_sweep(plan, points)(told, "share_to", 0)
    assert share
    assert share.kind == "entropy_share_sink"
    assert told.facts["share_to"] == of[128].entropy_share.mean().item()


def test_curves_begin_anew_only_with_what_they_depend_on() -> None:
    """The script starts a stream if one of these changes: over n that is d_k, and never n itself."""
    first = why.shown_state(ask("page=why"))[0].config
    for name, compared in COMPARISONS.items():
        for other in ("n=9", "d_k=9", "seed=9"):
            config = why.shown_state(ask(f"page=why&{other}"))[0].config
            same = compared.plan(config, 5, (1, 2)) == compared.plan(first, 5, (1, 2))
            assert same is (other.split("=")[0] not in compared.reads), (name, other)
            assert (compared.about(config, 5) == compared.about(first, 5)) is same


@pytest.mark.night(but=1)
@pytest.mark.parametrize(("curves", "axis", "sizes"), [("qk_norm", "d_k", [1, 4]), ("keys", "n", None)])
def test_the_endpoint_gives_the_chosen_curves(curves: str, axis: str, sizes: list[int] | None) -> None:
    answer = endpoint(n=7, seed=5, seeds=2, d_ks=[4, 1], curves=curves, d_k=3)
    config = AttentionConfig(n=7, h=1, d_k=3, tie=False, seed=5)
    compared = COMPARISONS[curves]
    plan = compared.plan(config, 2, (1, 4))
    wanted = list(compared.run(plan))
    assert (answer["axis"], answer["sizes"]) == (axis, sizes or [2**power for power in range(1, 13)])
    assert answer["d_ks"] == ([1, 4] if sizes else [3])
    assert answer["entropy_ceiling"] == pytest.approx(math.log(7 if sizes else 4096))
    for curve in plan.curves:
        for measure, got in answer["curves"][curve].items():
            spreads = [point.spread(measure) for point in wanted if point.curve == curve]
            assert list(zip(got["middle"], got["least"], got["greatest"], strict=True)) == spreads


def test_the_endpoint_refuses_unknown_curves_and_too_wide_keys() -> None:
    with pytest.raises(Exception, match="curves must be one of mechanisms, qk_norm, keys; got 'more'"):
        endpoint(curves="more")
    with pytest.raises(Exception, match="d_k must be at most 1024, got 2000"):
        endpoint(curves="keys", d_k=2000)
