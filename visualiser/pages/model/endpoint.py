"""The endpoint ``/model``: what the heads of a trained model do in a text, in numbers for programs."""

import math
from typing import Any, Final, TypedDict

import torch
from torch import Tensor

from attention_core import AttentionConfig, InvalidInput
from attention_core.learned import head_measures, labels
from visualiser import models
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.model import MOST_TOKENS
from visualiser.pages.model.price import run_cost
from visualiser.pages.of_config import of_config
from visualiser.server.admission.cost import SMALL, Cost

PAGE = "model"


class ModelHeads(TypedDict):
    """A text as a model reads it: its tokens, what every head does, and one query of one head."""

    tokens: list[str]
    cut: bool
    names: list[str]
    measures: dict[str, list[list[float | None]]]
    corpus: dict[str, list[list[float | None]]]
    labels: list[list[list[str]]]
    weights: list[float]
    scores: list[float | None]
    scale: float | None


_WITHOUT: Final = (
    *("n", "d_model", "h", "d_k", "tie", "mechanism", "scaling", "scale", "mask", "window", "split", "positions"),
    *("dtype", "subtract_max", "normalisation", "sink", "qk_norm", "log_n", "softcap", "seed", "source"),
)


@of_config(PAGE, sources=("model",), without=_WITHOUT)
def model_heads(config: AttentionConfig, head: int = 1, row: int = -1) -> ModelHeads:
    """Return what the heads of a trained model do in a text, and what one query of one head reads.

    Args:
        head: the head of the layer, from 1
        row: the query, from 0; −1 is the last

    Returns:
        tokens of the text, and cut if it goes on; the names of the layers in the model; by measure one number for each
        head of each layer, over this text and over the corpus (None without a row that counts); the labels of the heads
        over the corpus; and of the query its weights, its scores before the softmax (None where the mask forbids), and
        the factor that the model applies to q · k (None for a layer that does not give them)
    """
    model = models.find(config.model)
    corpus = models.measured(config.model)
    run = models.run(config, MOST_TOKENS)
    if config.layer > len(run.layers):
        raise _out_of_range("layer", config.layer, 1, len(run.layers))
    layer = run.layers[config.layer - 1]
    h, n_q, _ = layer.weights.shape
    if not 1 <= head <= h:
        raise _out_of_range("head", head, 1, h)
    if not -1 <= row < n_q:
        raise _out_of_range("row", row, -1, n_q - 1)
    at = head - 1, row if row >= 0 else n_q - 1
    scores = torch.where(layer.allowed[at], layer.scores[at].float(), torch.nan)
    return {
        "tokens": list(run.tokens),
        "cut": run.cut,
        "names": [each.name for each in run.layers],
        "measures": {name: _numbers(found) for name, found in head_measures(run, model.delimiters).items()},
        "corpus": {name: _numbers(found) for name, found in corpus.scores.items()},
        "labels": [[[label.measure for label in found] for found in heads] for heads in labels(corpus)],
        "weights": layer.weights[at].float().tolist(),
        "scores": [None if math.isnan(score) else score for score in scores.tolist()],
        "scale": layer.scale,
    }


def _numbers(found: Tensor) -> list[list[float | None]]:
    """Return numbers for JSON, which has no NaN."""
    return [[None if math.isnan(value) else value for value in row] for row in found.tolist()]


def _out_of_range(field: str, value: int, minimum: int, maximum: int) -> InvalidInput:
    return InvalidInput(
        "out_of_range",
        f"{field} must be between {minimum} and {maximum}, got {value}.",
        field=field,
        value=value,
        minimum=minimum,
        maximum=maximum,
    )


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of a run of the model over the text."""
    config = config_of({"source": "model", **given}, PAGE)
    return SMALL + run_cost(config) if config else SMALL  # its answer is JSON


ENDPOINT: Final = Endpoint("model", model_heads, price, "read_a_text_with_a_trained_model")
