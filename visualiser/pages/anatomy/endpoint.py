"""The endpoint ``/anatomy``: one query walked through Figure 2, in numbers for programs."""

from typing import Any, Final, TypedDict

import gradio as gr
import torch

from attention_core import AttentionConfig, InvalidInput, top_layer, walk
from attention_core.config import SHORT_TEXT
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.price import layer_cost
from visualiser.pages.docstrings import naming_choices
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.state import parameters

PAGE = "anatomy"


class Anatomy(TypedDict):
    """The shapes of one layer, and every step of one query of one head; a masked score is None."""

    steps: list[str]
    shapes: dict[str, list[int]]
    a: list[float] | None
    q: list[float]
    terms: list[list[float]]
    scores: list[float]
    scaled: list[float]
    masked: list[float | None]
    exponentials: list[float]
    exponentials_sum: float
    weights: list[float]
    head: list[float]
    concatenation: list[float]
    output: list[float]


@naming_choices(PAGE)
def anatomy(
    n: int = 4,
    d_model: int = 8,
    h: int = 2,
    d_k: int | None = None,
    tie: bool | None = None,
    mechanism: str = "dot_product",
    scaling: str = "sqrt_d_k",
    scale: float = 1.0,
    mask: str = "none",
    window: int = 1,
    source: str = "text",
    text: str = SHORT_TEXT,
    split: str = "words",
    positions: bool = False,
    seed: int = 0,
    layer: int = 1,
    head: int = 1,
    row: int = 0,
) -> Anatomy:
    """Return the shapes of Figure 2's boxes and every step that takes one query through it, for one configuration.

    Args:
        n: tokens, 2 to 64; a text sets it itself
        d_model: width of the activations, 2 to 512
        h: heads, 1 to 16
        d_k: width of one head's queries and keys, 1 to 512; d_model / h when it is not given
        tie: true if d_k follows d_model / h; when not given, true unless d_k says otherwise
        mechanism: {mechanism}
        scaling: sqrt_d_k (times 1/sqrt(d_k)), none, d_k (times 1/d_k) or custom
        scale: the factor when scaling is custom
        mask: {mask}
        window: keys on either side that a window mask lets through
        source: text (embeddings and seeded projections) or gaussian (queries, keys and values drawn themselves)
        text: the sentence when source is text, at most 64 tokens
        split: words or characters
        positions: add sinusoidal positions to a text's embeddings
        seed: the same seed gives the same numbers
        layer: 1 to 4; a layer's X is the output of the layer below
        head: the head to follow, from 1
        row: the query to follow, from 0

    Returns:
        shapes: by box of the figure, the shape of its output. Then the query's own way: a (its activations, None
        if there are none), q, terms (their rows add up to the scores), scores, scaled, masked, exponentials of the
        masked scores less their maximum, their sum, weights, the head's output, all heads' outputs side by side, and
        the layer's output
    """
    given = {
        "n": n, "d_model": d_model, "h": h, "d_k": d_k, "tie": tie, "mechanism": mechanism, "scaling": scaling,
        "scale": scale, "mask": mask, "window": window, "source": source, "text": text, "split": split,
        "positions": positions, "seed": seed,
    }  # fmt: skip
    try:
        if source not in parameters.choices(PAGE, "source"):
            raise gr.Error("source must be text or gaussian here", print_exception=False)
        config = AttentionConfig(**{name: value for name, value in given.items() if value is not None})
        for name, bound in parameters.bounds(PAGE).items():
            came = layer if name == "layer" else getattr(config, name)
            if not bound.minimum <= came <= bound.maximum:
                raise gr.Error(
                    f"{name} must be between {bound.minimum} and {bound.maximum}, got {came}", print_exception=False
                )
        return _described(config, layer, head, row)
    except InvalidInput as problem:
        raise gr.Error(str(problem), print_exception=False) from problem


def _described(config: AttentionConfig, number: int, head: int, row: int) -> Anatomy:
    layer = top_layer(config, number)
    steps, attention, own = walk(layer, row, head), layer.attention, head - 1
    size = walk_steps.sizes(config)
    masked = attention.masked[own, row].tolist()
    boxes = walk_steps.boxes(config, number)
    return {
        "steps": list(walk_steps.steps(config, number)),
        "shapes": {name: [size[axis] for axis in box["symbols"].split(" × ")] for name, box in boxes.items()},
        "a": None if layer.X is None else layer.X[row].tolist(),
        "q": attention.Q[own, row].tolist(),
        "terms": steps.terms.tolist(),
        "scores": attention.scores[own, row].tolist(),
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
    config, layer = config_of(given, "anatomy"), given["layer"]
    return layer_cost(config, min(4, layer)) if config and type(layer) is int else SMALL


ENDPOINT: Final = Endpoint("anatomy", anatomy, price)
