"""Why √d_k: the sentence above, each caption, the sweep's sentences and the verdict on a prediction.

The curves take too long for thousands of states, so most of their points are drawn at random (`points=KIND.SEED` in
the link, which the page ignores); a few are real ones of few sizes.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import numpy as np
import torch

from attention_core import (
    AttentionConfig,
    AttentionResult,
    compute,
    draw_inputs,
)
from attention_core.inputs.sources import additive_parameters
from attention_core.studies.sweep import CURVES
from tests.checker import why_cells
from tests.checker.checking import Cell, Claim, Page, near
from tests.checker.softmax_rows import Numbers, Rows, SunkRows, sunk
from tests.checker.terms import of_values, off
from tests.checker.why_curves import ASKED, KINDS, LENGTHS, PLACES, QK_NORM, Asked, Curves, curves_of, wrong_points
from visualiser.figures.point import Point
from visualiser.figures.swept import Swept
from visualiser.locale.message import Message
from visualiser.pages.why import DRAGGED, RESTING, SWEEP, comparisons, point, reasons
from visualiser.pages.why.live import judged, shown_state
from visualiser.predictions import Verdict
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, Reason
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View
from visualiser.tables import Table

LOST: Final = 1e-6
KEY_MEASURES: Final = {"weight": "largest_weight", "share": "entropy_share", "sink": "sink_weight"}


def link(draws: random.Random) -> str:
    """Draw a state, corner cases often."""
    settings: dict[str, Any] = {
        "page": "why",
        "n": draws.choice((2, 2, 3, draws.randint(2, 40))),
        "d_k": draws.choice((1, 2, 64, 1024, draws.randint(1, 300))),
        "seed": draws.randint(0, 10**6),
        "seeds": draws.choice((1, 1, 2, draws.randint(1, 10))),
        "scaling": draws.choice(("sqrt_d_k", "none", "d_k", "custom")),
        "curves": draws.choice(tuple(ASKED)),
    }
    settings["answer"] = draws.choice(ASKED[settings["curves"]].answers)
    if settings["scaling"] == "custom":
        settings["scale"] = draws.choice((0.0002, 16, 1, round(2 ** draws.uniform(-12, 4), 4)))
    kinds = [draws.choice(KINDS) for _ in range(4)]
    settings["points"] = ".".join((*kinds, str(draws.randint(0, 10**6))))
    if draws.random() < 0.06:
        settings |= {"points": "real", "n": draws.choice((2, 3, 5)), "seeds": draws.choice((1, 2))}
    return urlencode(settings)


@dataclass(frozen=True)
class State:
    """The mechanisms of one d_k, each as rows of one head, the sweep's points and the answer given."""

    config: AttentionConfig
    of: Mapping[str, Rows]
    raw: Numbers
    present: torch.Tensor
    """The page's own float32 dot products with its factor: their rounding is what the number formats are about."""
    curves: Curves
    answer: str

    @property
    def named(self) -> dict[str, float]:
        """The factors that are spoken of."""
        return {"root": self.config.d_k**-0.5, "here": _factor(self.config)}


def state(query: str) -> State:
    """Compute the truth of a state from its Q, K and additive parameters."""
    ask = _ask(query)
    shown, _ = shown_state(ask)
    config = shown.config
    drawn = draw_inputs(config)
    Q, K = drawn.Q.double().numpy(), drawn.K.double().numpy()
    raw = Q @ K.transpose(0, 2, 1)
    W_q, W_k, w = (p.double().numpy() for p in additive_parameters(config))
    additive = (np.tanh((Q @ W_q)[:, :, None] + (K @ W_k)[:, None]) * w[:, None, None]).sum(-1)
    every = np.ones(raw.shape[1:], bool)
    factors = {"scaled": config.d_k**-0.5, "unscaled": 1.0, "own": _factor(config)}
    of = {name: Rows(raw * factor, every) for name, factor in factors.items()} | {"additive": Rows(additive, every)}
    normed = [vectors / np.sqrt((vectors**2).mean(-1, keepdims=True)) for vectors in (Q, K)]
    directions, scaled = normed[0] @ normed[1].transpose(0, 2, 1), raw * config.d_k**-0.5
    of |= {
        "qk_norm_unscaled": Rows(directions, every),
        "qk_norm": Rows(directions * config.d_k**-0.5, every),
        "softmax": Rows(scaled, every),
        "log_n": Rows(scaled * math.log(config.n) / math.log(32), every),
        "sink": sunk(scaled),
    }
    return State(
        config, of, raw, compute(config, device="cpu").masked, _curves(query), parse_qs(query)["answer"][0]
    )  # fmt: skip


def _factor(config: AttentionConfig) -> float:
    return {"sqrt_d_k": config.d_k**-0.5, "none": 1.0, "d_k": 1 / config.d_k, "custom": config.scale}[config.scaling]


def _ask(query: str) -> PageRequest:
    extra = {"prediction": {"name": _asked_in(query).name, "answer": parse_qs(query)["answer"][0]}}
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra, "why")


def _asked_in(query: str) -> Asked:
    return ASKED[parse_qs(query)["curves"][0]]


def _curves(query: str) -> Curves:
    shown, _ = shown_state(_ask(query))
    compared = comparisons.of(shown)
    return curves_of(_asked_in(query), compared.planned(shown), parse_qs(query)["points"][0], compared.run)


def _swept(query: str) -> Swept:
    shown, _ = shown_state(_ask(query))
    curves = _curves(query)
    return comparisons.of(shown).swept(shown.config, curves.plan, curves.points)


def sentences_of(query: str) -> list[Message]:
    """Return what the page says at this point, of its sweep, and to the answer."""
    shown, _ = shown_state(_ask(query))
    config = shown.config
    results = point.results(config)
    verdict = _verdict(query)
    return [
        *_insight(query),
        *(one for figure in (*DRAGGED, *RESTING) for one in figure.sentence(Point(config, results), View())),
        *SWEEP.sentence(_swept(query), View()),
        *verdict.sentences,
    ]


def _insight(query: str) -> list[Message]:
    """Return what stands above the figures: the first of it is about the curves on the page."""
    shown, _ = shown_state(_ask(query))
    return point.insight(shown.config, _found(query), comparisons.of(shown).here)


def _found(query: str) -> dict[str, AttentionResult]:
    shown, _ = shown_state(_ask(query))
    return {**point.results(shown.config), **point.further(shown.config, comparisons.of(shown).further)}


def _verdict(query: str) -> Verdict:
    shown, _ = shown_state(_ask(query))
    curves = _curves(query)
    verdict = judged(_ask(query), comparisons.of(shown), curves.plan, curves.points)
    assert verdict
    return verdict


def _off(facts: Mapping[str, Any], **true: float) -> Iterator[str]:
    for name, value in true.items():
        if name in facts and not (near(float(facts[name]), float(value)) or abs(facts[name] - value) < LOST):
            yield f"{name} is {value!r}, not {facts[name]!r}"


def _of(rows: Rows, config: AttentionConfig, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the numbers of one mechanism."""
    names = ("largest", "entropy", "effective", "norm")
    yield from _off(facts, **{name: float(getattr(rows, name).mean()) for name in names if name in facts})
    variance = float(rows.scores.var())
    yield from _off(facts, variance=variance, deviation=math.sqrt(variance), ceiling=math.log(config.n))
    yield from _off(facts, d_k=config.d_k, n=config.n)
    if isinstance(rows, SunkRows):
        yield from _off(facts, sink=float(rows.sink.mean()))


def _mechanism(name: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from _of(state.of[name], state.config, facts)
        yield from _off(facts, factor=state.config.d_k**-0.5)

    return claim


def _item(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _of(state.of[facts["name"].key.removeprefix("figure.mechanism.")], state.config, facts)


def _at(state: State, factor: float) -> float:
    """Return e^H of the mean entropy with this factor."""
    return math.exp(Rows(state.raw * factor, np.ones(state.raw.shape[1:], bool)).entropy.mean())


def _uniform_side(state: State, factor: float) -> bool:
    return _at(state, factor * 0.98) >= 0.899 * state.config.n


def _collapsed_side(state: State, factor: float) -> bool:
    return _at(state, factor * 1.02) <= 1.502


def _uniform_below(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if not _uniform_side(state, facts["below"]):
        yield f"there {_at(state, facts['below'])} keys are in use"


def _collapsed_above(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if not _collapsed_side(state, facts["above"]):
        yield f"there {_at(state, facts['above'])} keys are in use"


def _never_uniform(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if _at(state, 2.0**-12) > 0.901 * state.config.n:
        yield "the smallest factor does"


def _never_collapsed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if _at(state, 16.0) < 1.498:
        yield "the largest factor does"


def _side(which: str, side: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        factor = state.named[which]
        yield from _off(facts, factor=factor)
        found = _side_of(state, factor)
        if side not in found:
            yield f"it lies on the side {found}"

    return claim


def _side_of(state: State, factor: float) -> set[str]:
    """Return the sides on which a factor may be said to lie; two near a border."""
    keys, n = [_at(state, factor * by) for by in (0.98, 1.02)], state.config.n
    sides = set()
    if keys[0] >= 0.899 * n:
        sides.add("uniform")
    if keys[1] <= 1.502:
        sides.add("collapsed")
    if keys[1] < 0.901 * n and keys[0] > 1.498:
        both = _at(state, 2.0**-12) >= 0.899 * n and _at(state, 16.0) <= 1.502
        sides |= {"between"} if both else {"neither"}
        if both and (_at(state, 2.0**-12) <= 0.901 * n or _at(state, 16.0) >= 1.498):
            sides.add("neither")
    return sides


def _scores(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, largest=float(state.present.max()), d_k=state.config.d_k, factor=_factor(state.config))


def _line(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Compute the same softmax step by step, every result rounded to the format."""
    dtype = getattr(torch, facts["format"])
    scores = state.present[0].to(dtype)
    if facts["way"].key.endswith("subtracted"):
        scores = scores - scores.max(-1, keepdim=True).values
    powers = scores.exp()
    weights = (powers / powers.sum(-1, keepdim=True)).double()
    exact = torch.from_numpy(Rows(state.present.double().numpy(), np.ones(state.raw.shape[1:], bool)).weights)[0]
    total, nan = weights.sum(-1), weights.isnan().any(-1)
    lost, by_infinity = (weights == 0) & (exact > 0), (powers > 0) & powers.sum(-1, keepdim=True).isinf()
    true = {
        "overflow": int(powers.isinf().any(-1).sum()),
        "divided": int((lost & by_infinity).any(-1).sum()),
        "underflow": int((lost & ~by_infinity).any(-1).sum()),
        "broken": int((~((total - 1).abs() <= 0.01)).sum()),
    }
    stated = {event.key.removeprefix("why.numerics."): event.facts for event in facts["events"]}
    for name, count in true.items():
        claimed = [event["count"] for key, event in stated.items() if key.removesuffix("_nan") == name]
        if claimed != ([count] if count else []):
            yield f"{name} in {count} rows, not {claimed}"
    for event in stated.values():
        yield from _off(event, rows=len(total), nan=int(nan.sum()))
    if "broken" in stated and nan.any():
        yield f"{int(nan.sum())} rows are NaN"
    if ("sums" in stated) != (true["broken"] == 0):
        yield "the sums are told wrongly"
    if "sums" in stated and (total - 1).abs().max() > stated["sums"]["off"] * 1.01 + 1e-12:
        yield f"a sum is off by {float((total - 1).abs().max())}"


def _sweep_entropy(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    plan, ends = state.curves.plan, {"from": 0, "to": -1}
    true = {
        f"{curve}_{end}": float(state.curves.ends(curve, "entropy")[at].mean())
        for curve in plan.curves
        for end, at in ends.items()
    }
    if missing := true.keys() - facts.keys():
        yield f"{missing} are not told"
    yield from _off(facts, **true, seeds=plan.seeds, ceiling=math.log(plan.n))
    yield from _off(facts, low=plan.d_ks[0], high=plan.d_ks[-1])


def _sweep_gradient(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    gradients = {curve: state.curves.ends(curve, "gradient") for curve in CURVES}
    true = {"unscaled_from": float(np.median(gradients["unscaled"][0]))}
    true |= {f"{curve}_to": float(np.median(gradients[curve][1])) for curve in CURVES}
    for name, value in true.items():
        if not near(facts[name], value):
            yield f"{name} is {value!r}, not {facts[name]!r}"
    yield from _off(facts, high=state.curves.plan.d_ks[-1])


def _variances(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    for curve in QK_NORM:
        value = float(state.curves.ends(curve, "variance")[1].mean())
        if not near(facts[curve], value):
            yield f"{curve} is {value!r}, not {facts[curve]!r}"
    yield from _off(facts, high=state.curves.plan.d_ks[-1])


def _of_keys(curve: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        for name, measure in KEY_MEASURES.items():
            ends = {f"{name}_{place}": state.curves.at(curve, measure, place) for place in PLACES}
            yield from _off(facts, **{end: float(values.mean()) for end, values in ends.items()})
        if (facts["first"], facts["low"], facts["high"]) != tuple(PLACES.values()):
            yield "other numbers of keys are told"

    return claim


def _right(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    curves = state.curves
    if curves.refuted(state.answer) and curves.possible:
        yield "the draws speak against this answer"
    if facts["real"].key != f"predict.{curves.asked.name}.{state.answer}":
        yield "another answer is named"


def _differs(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    curves = state.curves
    key = f"predict.{curves.asked.name}."
    if not curves.refuted(state.answer):
        yield "nothing speaks against this answer"
    real = facts["real"].key.removeprefix(key)
    if facts["answer"].key != f"{key}{state.answer}" or real == state.answer:
        yield "the answer was another one"
    if curves.refuted(real) and curves.possible:
        yield f"the draws speak against {real}"


def _open(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    curves = state.curves
    told = {name.key.removeprefix(f"predict.{curves.asked.name}.") for name in facts["curves"]}
    if told != {curve for curve in curves.asked.curves if curves.settled(curve) is None}:
        yield f"{told} are not those that are open"
    yield from _off(facts, rows=curves.rows * curves.plan.seeds)


def _nothing(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from ()


def _largest(curves: str) -> Claim[State]:
    """Check the largest weights of curves on the page."""

    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        if state.curves.asked != ASKED[curves]:
            yield "these curves are not on the page"
        told = facts.keys() - {"n"}
        if not told <= set(state.curves.plan.curves):
            yield f"{told} are no curves of the page"
        yield from _off(facts, **{name: float(state.of[name].largest.mean()) for name in told}, n=state.config.n)

    return claim


def _first(query: str) -> list[Message]:
    return _insight(query)[:1]


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "short.why.scaling": _largest("mechanisms"),
    "short.why.qk_norm": _largest("qk_norm"),
    "short.why.keys": _largest("keys"),
    **{f"why.place.{name}": _mechanism(name) for name in ("qk_norm", "qk_norm_unscaled", *LENGTHS)},
    "why.unscaled": _mechanism("unscaled"),
    "why.scaled": _mechanism("scaled"),
    "why.additive": _mechanism("additive"),
    "table.mechanism_maps.item": _item,
    "table.mechanism_scores.item": _item,
    "why.factor.uniform": _uniform_below,
    "why.factor.never_uniform": _never_uniform,
    "why.factor.collapsed": _collapsed_above,
    "why.factor.never_collapsed": _never_collapsed,
    **{
        f"why.{which}.{side}": _side(which, side)
        for which in ("root", "here")
        for side in ("uniform", "collapsed", "between", "neither")
    },
    "why.numerics.scores": _scores,
    "why.numerics.line": _line,
    "why.sweep.entropy": _sweep_entropy,
    "why.sweep.gradient": _sweep_gradient,
    "why.sweep.where": _nothing,
    "predict.right": _right,
    "predict.differs": _differs,
    "why.qk_norm.entropy": _sweep_entropy,
    "why.qk_norm.variance": _variances,
    "why.qk_norm.bound": _nothing,
    **{f"why.keys.{curve}": _of_keys(curve) for curve in LENGTHS},
    "why.keys.theory": _nothing,
    **{f"predict.{asked.name}.open": _open for asked in ASKED.values()},
    "predict.why_falls.because": _sweep_entropy,
    "predict.why_normed.because": _sweep_entropy,
    "predict.why_fades.because": _nothing,
}


def _together(state: State, sentences: Sequence[Message]) -> Iterator[str]:
    keys = [sentence.key for sentence in sentences]
    if sum(key in ("predict.right", "predict.differs") for key in keys) != 1:
        yield "there is not one verdict"
    if sum(key == "why.numerics.line" for key in keys) != 6:
        yield "not every format and way is told"
    yield from wrong_points(state.curves)


def _asked(query: str) -> tuple[list[Message], How]:
    verdict, curves = _verdict(query), _curves(query)
    here, there = reasons.reasons(_found(query)), reasons.of_sweep(curves.plan, curves.points)

    def how(sentence: Message, name: str, place: int) -> Reason | None:
        return (there if sentence.key.startswith(("predict.", "why.keys.")) else here)(sentence, name, place)

    return [*_insight(query), *verdict.sentences], how


def _reason(state: State, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check the terms of a mean over rows, of the scores' moments and of a mean over seeds."""
    short = sentence.key.startswith("short.")
    rows = state.of.get(name if short else sentence.key.removeprefix("why.").removeprefix("place."))
    facts = given.made.facts
    if given.made.key == "reason.made.mean" and rows is not None:
        of = {"entropy": rows.entropy, "effective_keys": rows.effective, "largest_weight": rows.largest}
        if isinstance(rows, SunkRows):
            of = {"entropy_sink": rows.entropy, "largest_weight_sink": rows.largest, "sink_weight": rows.sink}
        yield from of_values(given, "rows", [of[given.kind]])
    elif given.made.key == "reason.made.score_variance" and rows is not None:
        scores = rows.every_score
        yield from off(given, count=scores.size, mean=[float(scores.mean()), float(facts["mean"])])
        if not near(parse_number(facts["sum"]), float(((scores - scores.mean()) ** 2).sum()), 2):
            yield "another sum of squares"
    elif given.made.key == "reason.made.seeds":
        curve, _, end = name.rpartition("_")
        if curve in KEY_MEASURES:
            values = state.curves.at(sentence.key.removeprefix("why.keys."), KEY_MEASURES[curve], end)
        else:
            values = state.curves.ends(curve, "entropy")[0 if end == "from" else 1]
        yield from of_values(given, "seeds", [values])
    elif given.made.key == "reason.made.logarithm":
        yield from off(given, keys=state.config.n)
    elif given.made.key == "reason.made.root_factor":
        yield from off(given, d_k=state.config.d_k)
    elif given.made.key == "reason.made.product":
        yield from off(given, a=state.curves.rows, b=state.curves.plan.seeds)
    elif given.made.key not in ("reason.made.root", "reason.made.control", "reason.made.seed", "reason.made.plan"):
        yield f"nobody checks {given.made.key}"


def _tables(query: str) -> dict[str, Table]:
    shown, _ = shown_state(_ask(query))
    here = Point(shown.config, point.results(shown.config))
    found = {figure.name: figure.table(here, View()) for figure in (*DRAGGED, *RESTING)}
    return {**found, SWEEP.name: SWEEP.table(_swept(query), View())}


def _cell(state: State, asked: Cell) -> Iterator[str]:
    of = [state.of[name] for name in ("scaled", "unscaled", "additive", "own")]
    yield from why_cells.cell(of, state.raw, state.present, state.curves.points, state.config.d_k, asked)


PAGE: Final = Page(
    link,
    sentences_of,
    state,
    CLAIMS,
    _together,
    _asked,
    frozenset({"curves", "answer", "real"}),
    _reason,
    _tables,
    _cell,
    _first,
)
