"""The endpoint ``/why``: the curves over d_k, or over the number of keys, for programs."""

import math
from typing import Any, Final, TypedDict

import gradio as gr

from attention_core import BOUNDS, AttentionConfig, InvalidInput, SweepConfig
from visualiser.figures.swept_axis import axis_of
from visualiser.pages.admitted import Endpoint, bound_error
from visualiser.pages.docstrings import Several, allowing
from visualiser.pages.why import COMPARED
from visualiser.pages.why.comparisons import COMPARISONS, named
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fitting import lowered
from visualiser.state import parameters

_MOST_WORK = 400_000_000
"""The most multiply-adds of additive scores in one call, seeds · n² · Σ d_k: about a second."""

_MOST_WIDTHS = 16


class Spread(TypedDict):
    """Three numbers at each place, over the seeds: middle (median for gradients, else mean), least, greatest."""

    middle: list[float]
    least: list[float]
    greatest: list[float]


class Sweep(TypedDict):
    """`curves` by name, then by measure: a number for each of `sizes`, which are those of `axis` (d_k or n).

    `d_ks` are the widths and `entropy_ceiling` is ln n of the largest n.
    """

    n: int
    seed: int
    seeds: int
    d_ks: list[int]
    axis: str
    sizes: list[int]
    entropy_ceiling: float
    curves: dict[str, dict[str, Spread]]


@allowing(
    n=parameters.bounds("why")["n"],
    seeds=parameters.bounds("why")["seeds"],
    d_ks=Several(parameters.bounds("why")["d_k"], _MOST_WIDTHS),
    seed=BOUNDS["seed"],
    curves=COMPARED,
    d_k=parameters.bounds("why")["d_k"],
)
def why(
    n: int = 32,
    seed: int = 0,
    seeds: int = 5,
    d_ks: list[int] | None = None,
    curves: str = COMPARED[0],
    d_k: int = 64,
) -> Sweep:
    """Compare ways to scale attention on the same draws, against d_k or against the number of keys.

    Against d_k: scaled, unscaled and additive attention (section 3.2.1 and footnote 4), or dot products with and
    without QK-norm, with and without 1/√d_k. Against the number of keys: softmax with 1/√d_k, with that times
    ln n / ln 32, and with a sink of score 0.

    Args:
        n: queries and keys of one head, {n}; `keys` does not read it
        seed: the first seed, {seed}; the same seed gives the same numbers
        seeds: how many seeds from the first on, {seeds}
        d_ks: {d_ks}; the powers of two when not given; `keys` does not read them
        curves: what is compared, {curves}: three mechanisms over d_k, QK-norm over d_k, or 2 to 4,096 keys
        d_k: the width with which `keys` compares, {d_k}; the others do not read it

    Returns:
        over d_k for each curve the variance of the scores, mean entropy (nats), largest weight, Frobenius norm of the
        softmax Jacobian, the median size of the gradient at the correct key's score and the median norm of a row's
        gradient; over the number of keys the largest weight and the entropy divided by ln n (ln(n + 1) with a
        sink, which is one more outcome), means over at most 256 rows. Each as middle, least and greatest over the seeds
    """
    try:
        compared = named(curves)
        widths = SweepConfig().d_ks if d_ks is None else tuple(d_ks)
        # checks n as well if the comparison does not read it
        wanted = SweepConfig(n=n, seed=seed, seeds=seeds, d_ks=widths)
        config = AttentionConfig(n=wanted.n, h=1, d_k=d_k, tie=False, seed=wanted.seed)
        plan = compared.plan(config, wanted.seeds, wanted.d_ks)
    except InvalidInput as problem:
        raise gr.Error(str(problem), print_exception=False) from problem
    _require_bounds(wanted, config)
    points = list(compared.run(plan))
    axis = axis_of(plan)
    return {
        "n": axis.keys(plan),
        "seed": wanted.seed,
        "seeds": wanted.seeds,
        "d_ks": list(axis.widths(plan)),
        "axis": axis.name,
        "sizes": list(plan.sizes),
        "entropy_ceiling": math.log(axis.keys(plan)),
        "curves": {
            which: {
                measure: _spread([point.spread(measure) for point in points if point.curve == which])
                for measure in axis.measures
            }
            for which in plan.curves
        },
    }


def _require_bounds(wanted: SweepConfig, config: AttentionConfig) -> None:
    """Raise for what the page would not offer, and for more work than one call may take."""
    bounds = parameters.bounds("why")
    for name, came in (("n", wanted.n), ("seeds", wanted.seeds), ("d_k", max(wanted.d_ks[-1], config.d_k))):
        if came > bounds[name].maximum:
            raise gr.Error(f"{name} must be at most {bounds[name].maximum}, got {came}", print_exception=False)
    if len(wanted.d_ks) > _MOST_WIDTHS:
        raise gr.Error(f"at most {_MOST_WIDTHS} d_ks are computed, got {len(wanted.d_ks)}", print_exception=False)
    came = {"seeds": wanted.seeds, "n": wanted.n}

    def work(changed: dict[str, int]) -> int:
        return changed["seeds"] * changed["n"] ** 2 * sum(wanted.d_ks)

    if work(came) > _MOST_WORK:
        fit = lowered(came, lambda name, value: work(came | {name: value}) <= _MOST_WORK)
        raise bound_error("seeds · n² · Σ d_k", work(came), _MOST_WORK, fit)


def _spread(found: list[tuple[float, float, float]]) -> Spread:
    middle, least, greatest = (list(values) for values in zip(*found, strict=True))
    return {"middle": middle, "least": least, "greatest": greatest}


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of the chosen curves at the page's largest size, which the endpoint never exceeds."""
    bounds = parameters.bounds("why")
    compared = COMPARISONS.get(str(given.get("curves")), COMPARISONS[COMPARED[0]])
    n, d_k, seeds = (int(bounds[name].maximum) for name in ("n", "d_k", "seeds"))
    config = AttentionConfig(n=n, h=1, d_k=d_k, tie=False)
    return compared.cost(compared.plan(config, seeds, SweepConfig().d_ks))


ENDPOINT: Final = Endpoint("why", why, price, "compare_scalings_over_d_k")
