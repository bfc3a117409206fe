"""The endpoint ``/why``: the sweep over d_k for programs."""

import math
from typing import Any, Final, TypedDict

import gradio as gr

from attention_core import BOUNDS, InvalidInput, SweepConfig, sweep
from attention_core.studies.sweep import CURVES, MEASURES
from visualiser.pages.admitted import Endpoint, bound_error
from visualiser.pages.docstrings import Several, allowing
from visualiser.pages.why.price import curves_cost
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fitting import lowered
from visualiser.state import parameters

_MOST_WORK = 400_000_000
"""The most multiply-adds of additive scores in one call, seeds · n² · Σ d_k: about a second."""

_MOST_WIDTHS = 16


class Spread(TypedDict):
    """Three numbers for each d_k, over the seeds: middle (median for gradients, else mean), least, greatest."""

    middle: list[float]
    least: list[float]
    greatest: list[float]


class Sweep(TypedDict):
    """`curves` by mechanism (scaled, unscaled, additive), then by measure."""

    n: int
    seed: int
    seeds: int
    d_ks: list[int]
    entropy_ceiling: float
    curves: dict[str, dict[str, Spread]]


@allowing(
    n=parameters.bounds("why")["n"],
    seeds=parameters.bounds("why")["seeds"],
    d_ks=Several(parameters.bounds("why")["d_k"], _MOST_WIDTHS),
    seed=BOUNDS["seed"],
)
def why(n: int = 32, seed: int = 0, seeds: int = 5, d_ks: list[int] | None = None) -> Sweep:
    """Compare scaled, unscaled and additive attention against d_k on the same draws (section 3.2.1 and footnote 4).

    Args:
        n: queries and keys of one head, {n}
        seed: the first seed, {seed}; the same seed gives the same numbers
        seeds: how many seeds from the first on, {seeds}
        d_ks: {d_ks}; the powers of two when not given

    Returns:
        for each mechanism the variance of the scores, mean entropy (nats), largest weight, Frobenius norm of the
        softmax Jacobian, the median size of the gradient at the correct key's score and the median norm of a row's
        gradient, each as middle, least and greatest over the seeds
    """
    try:
        wanted = SweepConfig().d_ks if d_ks is None else tuple(d_ks)
        config = SweepConfig(n=n, seed=seed, seeds=seeds, d_ks=wanted)
    except InvalidInput as problem:
        raise gr.Error(str(problem), print_exception=False) from problem
    bounds = parameters.bounds("why")
    for name, came in (("n", config.n), ("seeds", config.seeds), ("d_k", config.d_ks[-1])):
        if came > bounds[name].maximum:
            raise gr.Error(f"{name} must be at most {bounds[name].maximum}, got {came}", print_exception=False)
    if len(config.d_ks) > _MOST_WIDTHS:
        raise gr.Error(f"at most {_MOST_WIDTHS} d_ks are computed, got {len(config.d_ks)}", print_exception=False)
    came = {"seeds": config.seeds, "n": config.n}

    def work(changed: dict[str, int]) -> int:
        return changed["seeds"] * changed["n"] ** 2 * sum(config.d_ks)

    if work(came) > _MOST_WORK:
        fit = lowered(came, lambda name, value: work(came | {name: value}) <= _MOST_WORK)
        raise bound_error("seeds · n² · Σ d_k", work(came), _MOST_WORK, fit)
    points = list(sweep(config))
    return {
        "n": config.n,
        "seed": config.seed,
        "seeds": config.seeds,
        "d_ks": list(config.d_ks),
        "entropy_ceiling": math.log(config.n),
        "curves": {
            which: {
                measure: _spread([point.spread(measure) for point in points if point.curve == which])
                for measure in MEASURES
            }
            for which in CURVES
        },
    }


def _spread(found: list[tuple[float, float, float]]) -> Spread:
    middle, least, greatest = (list(values) for values in zip(*found, strict=True))
    return {"middle": middle, "least": least, "greatest": greatest}


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of a sweep at the page's largest size, which the endpoint never exceeds."""
    bounds = parameters.bounds("why")
    return curves_cost(int(bounds["n"].maximum), int(bounds["seeds"].maximum))


ENDPOINT: Final = Endpoint("why", why, price, "compare_scalings_over_d_k")
