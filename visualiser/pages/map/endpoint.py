"""The endpoint ``/map``: the Map page's statistics of a long sequence, for programs."""

from typing import Any, Final, TypedDict, cast

import gradio as gr
import torch
from torch import Tensor

from attention_core import AttentionConfig, AttentionStatistics, attention_statistics
from attention_core.exact.compared import compared
from attention_core.inputs import sources
from attention_core.result.compute import adopted
from visualiser.gpu import device_for, device_name
from visualiser.maps.geometry import options
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.map import calibration
from visualiser.pages.map.pass_price import has_room, run_cost
from visualiser.pages.map.sequence import most_at_once
from visualiser.pages.of_config import of_config
from visualiser.pages.of_model import layer_of, priced_as
from visualiser.pages.per_head import head_values, per_head
from visualiser.server.admission import cost
from visualiser.server.admission.cost import Cost

SECONDS = 20.0
"""A call with a longer expected time is refused: nobody sees its progress or cancels it."""

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@per_head
class LongSequence(TypedDict):
    """One number a head: each statistic's mean over the query rows, but the largest of the largest weights."""

    n: int
    cut: bool
    h: int
    d_k: int
    entropy_ceiling: float | None
    entropy_quantiles: list[list[float] | None]
    score_mean: list[float]
    score_variance: list[float]
    largest_weight_query: list[int]
    largest_weight_key: list[int]


@of_config(
    "map",
    sources=("gaussian", "structured", "model"),
    without=("mechanism", "split", "positions", "subtract_max"),
)
def long_sequence(config: AttentionConfig) -> LongSequence:
    """Return exact per-head statistics of attention over a long sequence, computed without its n x n matrix.

    Returns:
        per head: mean entropy over the rows (nats) and its least, quartiles and greatest, mean effective number of
        keys, mean and variance of the scores after scaling, mean Frobenius norm and trace of the softmax Jacobian, the
        largest weight with its query and key. With a sink the entropy counts it as one more outcome, and sink_weight is
        its mean share; gates (sigmoid) have a mass, and None for every entropy. With source=model n, h and d_k are the
        layer's, and so are its factor, mask, softcap and sink; cut is true if the text goes on after the n tokens that
        were read
    """
    if config.source == "model":
        found = layer_of(config, most_at_once(config), 1)
        own = adopted(config, found.inputs)
        return described(own, _passed(own, found.inputs.Q, found.inputs.K), found.cut)
    most = calibration.limit(config, config.h, config.d_k, device_name(), SECONDS)
    if config.n > most:
        message = f"n must be at most {most} with these heads on this machine, got {config.n}"
        raise gr.Error(message, print_exception=False)
    return described(config, statistics(config))


def statistics(config: AttentionConfig) -> AttentionStatistics:
    """Return the statistics of the sequence that the config's seed determines."""
    return _passed(config, *(sources.per_head(config, None, name) for name in "QK"))


def _passed(config: AttentionConfig, Q: Tensor, K: Tensor) -> AttentionStatistics:
    dtype = getattr(torch, config.dtype)
    Q, K = (compared(config, tensor).to(dtype).contiguous() for tensor in (Q, K))
    return attention_statistics(Q, K, device=device_for(len(Q) * Q.shape[1] * K.shape[1]), **options(config))


def described(config: AttentionConfig, known: AttentionStatistics, cut: bool = False) -> LongSequence:
    """Return the statistics as plain numbers; `cut` tells that the text goes on after what was read."""
    query = known.largest_weight.argmax(-1, keepdim=True)
    spread = "entropy" in known.names
    quantiles: list[list[float]] | list[None] = [None] * config.h
    if spread:
        places = [round(share * (config.n - 1)) for share in QUANTILES]
        quantiles = known.entropy.sort(-1).values[:, places].tolist()
    answer = {
        "n": config.n,
        "cut": cut,
        "h": config.h,
        "d_k": config.d_k,
        "entropy_ceiling": float(known.ceiling.max()) if spread else None,
        "entropy_quantiles": quantiles,
        "score_mean": known.score_mean.tolist(),
        "score_variance": known.score_variance.tolist(),
        "largest_weight_query": query.squeeze(-1).tolist(),
        "largest_weight_key": known.largest_at.gather(-1, query).squeeze(-1).tolist(),
    }
    return cast(LongSequence, {**answer, **head_values(known, config)})


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of a pass over a long sequence by its operands; one that is too long is refused in words."""
    config = config_of(given, "map")
    if config and config.source == "model":
        priced = priced_as(config, most_at_once(config))
        if priced is None:
            return cost.SMALL  # refused in words
        drawn, read = priced
        return cost.after_run(read, run_cost(cost.Sized(drawn, cost.shape_of(drawn))))
    of = cost.Sized(config, cost.shape_of(config)) if config else None
    return run_cost(of) if of and has_room(of) else cost.SMALL


ENDPOINT: Final = Endpoint("map", long_sequence, price, "measure_long_sequence", run=True)
