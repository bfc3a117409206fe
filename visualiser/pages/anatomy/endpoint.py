"""The endpoint ``/anatomy``: one query walked through Figure 2, in numbers for programs."""

from typing import Any, Final, TypedDict

import torch

from attention_core import AttentionConfig, top_layer, walk
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.price import layer_cost
from visualiser.pages.of_config import of_config
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.state import parameters

PAGE = "anatomy"


class Anatomy(TypedDict):
    """The shapes of one layer, and every step of one query of one head; a masked score is None."""

    steps: list[str]
    shapes: dict[str, list[int]]
    a: list[float] | None
    q: list[float]
    k: list[list[float]]
    normed_q: list[float] | None
    normed_k: list[list[float]] | None
    terms: list[list[float]]
    scores: list[float]
    factor: float
    scaled: list[float]
    masked: list[float | None]
    exponentials: list[float]
    exponentials_sum: float
    weights: list[float]
    head: list[float]
    concatenation: list[float]
    output: list[float]


@of_config(
    PAGE,
    sources=parameters.choices(PAGE, "source"),
    without=("dtype", "subtract_max", "normalisation", "sink", "softcap"),
)
def anatomy(config: AttentionConfig, layer: int = 1, head: int = 1, row: int = 0) -> Anatomy:
    """Return the shapes of Figure 2's boxes and every step that takes one query through it, for one configuration.

    Args:
        head: the head to follow, from 1
        row: the query to follow, from 0

    Returns:
        shapes: by box of the figure, the shape of its output. Then the query's own way: a (its activations, None
        if there are none), q, every key k, both divided by their root mean square (normed_q, normed_k; None without
        qk_norm), terms (their rows add up to the scores), scores, the factor, scaled, masked, exponentials of the
        masked scores less their maximum, their sum, weights, the head's output, all heads' outputs side by side, and
        the layer's output
    """
    top = top_layer(config, layer)
    steps, attention, own = walk(top, row, head), top.attention, head - 1
    size = walk_steps.sizes(config)
    masked = attention.masked[own, row].tolist()
    boxes = walk_steps.boxes(config, layer)
    return {
        "steps": list(walk_steps.steps(config, layer)),
        "shapes": {name: [size[axis] for axis in box["symbols"].split(" × ")] for name, box in boxes.items()},
        "a": None if top.X is None else top.X[row].tolist(),
        "q": attention.Q[own, row].tolist(),
        "k": attention.K[own].tolist(),
        "normed_q": steps.normed["normed_q"][row].tolist() if config.qk_norm else None,
        "normed_k": steps.normed["normed_k"].tolist() if config.qk_norm else None,
        "terms": steps.terms.tolist(),
        "scores": attention.scores[own, row].tolist(),
        "factor": float(config.factor),
        "scaled": attention.scaled[own, row].tolist(),
        "masked": [None if score == -torch.inf else score for score in masked],
        "exponentials": steps.exponentials[row].tolist(),
        "exponentials_sum": float(steps.sums[row]),
        "weights": attention.weights[own, row].tolist(),
        "head": attention.heads[own, row].tolist(),
        "concatenation": attention.concatenation[row].tolist(),
        "output": attention.output[row].tolist(),
    }


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of an `/anatomy` call: one layer."""
    config, layer = config_of(given, PAGE), given["layer"]
    return layer_cost(config, min(4, layer)) if config and type(layer) is int else SMALL


ENDPOINT: Final = Endpoint("anatomy", anatomy, price, "walk_through_attention")
