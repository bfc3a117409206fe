"""The endpoint ``/anatomy``: one query walked through Figure 2, in numbers for programs."""

from typing import Any, Final, TypedDict

import torch
from torch import Tensor

from attention_core import AttentionConfig, walk
from attention_core.validation import whole_number
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.price import layer_cost
from visualiser.pages.anatomy.subject import at, subject
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
    capped: list[float] | None
    masked: list[float | None]
    weighing: dict[str, list[float | None]]
    exponentials: list[float] | None
    exponentials_sum: float | None
    weights: list[float]
    head: list[float]
    concatenation: list[float]
    output: list[float] | None


@of_config(
    PAGE,
    sources=parameters.choices(PAGE, "source"),
    without=("dtype", "subtract_max"),
)
def anatomy(config: AttentionConfig, head: int = 1, row: int = 0) -> Anatomy:
    """Return the shapes of Figure 2's boxes and every step that takes one query through it, for one configuration.

    Args:
        head: the head to follow, from 1
        row: the query to follow, from 0

    Returns:
        shapes: by box of the figure, the shape of its output. Then the query's own way: a (its activations, None
        if there are none), q, every key k, both divided by their root mean square (normed_q, normed_k; None without
        qk_norm), terms (their rows add up to the scores), scores, the factor, scaled, capped (None without a
        softcap), masked; by its name, everything that the normalisation makes on the way to the weights: maximum,
        shifted, exponentials and sums of a softmax; with a sink also its exponential (sunk) and the share that it
        takes (missing); lowered and mass of a sigmoid; halved, threshold and roots of entmax. Then the exponentials and
        their sum once more (None if there are none), weights, the head's output, all heads' outputs side by side,
        and the layer's output. With source=model the walk ends at the heads' outputs side by side (output is None); q
        and k are those that the layer compares, and factor, mask, softcap and sink are its own
    """
    of = subject(config, whole_number("head", head, 1))
    whole_number("head", head, 1, of.heads)
    top, config = of.layer, of.config
    steps, attention, own = walk(top, row, at(top, head)), top.attention, at(top, head) - 1
    d_v = attention.V.shape[-1]
    size, boxes = walk_steps.sizes(config, d_v, of.grouped), walk_steps.boxes(config, d_v, of.grouped)
    weighing = {name: _finite(tensor[row]) for name, tensor in steps.weighing.items()}
    sums = weighing.get("sums")
    return {
        "steps": list(walk_steps.steps(config)),
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
        "capped": None if steps.capped is None else steps.capped[row].tolist(),
        "masked": _finite(attention.masked[own, row]),
        "weighing": weighing,
        "exponentials": steps.exponentials[row].tolist() if sums else None,
        "exponentials_sum": float(steps.sums[row]) if sums else None,
        "weights": attention.weights[own, row].tolist(),
        "head": attention.heads[own, row].tolist(),
        "concatenation": attention.concatenation[row].tolist(),
        "output": None if top.W_O is None else attention.output[row].tolist(),
    }


def _finite(numbers: Tensor) -> list[float | None]:
    """Return numbers for JSON, which has no −∞: that of a forbidden key is None."""
    return [None if number == -torch.inf else number for number in numbers.tolist()]


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of an `/anatomy` call: one layer."""
    config = config_of(given, PAGE)
    return layer_cost(config) if config else SMALL


ENDPOINT: Final = Endpoint("anatomy", anatomy, price, "walk_through_attention")
