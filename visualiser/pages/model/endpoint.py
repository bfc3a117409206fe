"""The endpoint ``/model``: what the heads of a trained model do in a text, in numbers for programs."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from torch import Tensor

from attention_core import AttentionConfig, InvalidInput
from attention_core.changes import Change
from attention_core.learned import ModelRun, Said, divergence, labels, of_run, window_of
from visualiser import models
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.model.changed import required
from visualiser.pages.model.price import run_cost
from visualiser.pages.model.reach import most_tokens
from visualiser.pages.of_config import of_config
from visualiser.reasons.of_learned import open_scores
from visualiser.server.admission.cost import SMALL, Cost

PAGE = "model"


class Positions(TypedDict):
    """A line of positions: its name, its tokens, and the seconds of each if it is a sound."""

    name: str
    tokens: list[str]
    seconds: float


class ModelSays(TypedDict):
    """What the model says at the query, before the changes and now, and ln p of the text in nats."""

    kind: str
    outcomes: list[str]
    before: list[float]
    now: list[float]
    distance: float
    text: list[float | None]


class ModelHeads(TypedDict):
    """A text as a model reads it: its tokens, what every head does, and one query of one head."""

    tokens: list[str]
    lines: list[Positions]
    between: list[list[int]]
    cut: bool
    names: list[str]
    measures: dict[str, list[list[float | None]]]
    rows: dict[str, list[list[float | None]]]
    chance: dict[str, list[list[float | None]]]
    corpus: dict[str, list[list[float | None]]]
    corpus_rows: dict[str, list[list[float | None]]]
    corpus_chance: dict[str, list[list[float | None]]]
    labels: list[list[list[str]]]
    keys: list[int] | None
    weights: list[float]
    scores: list[float | None]
    scale: float | None
    says: ModelSays | None


_WITHOUT: Final = (
    *("n", "d_model", "h", "d_k", "tie", "mechanism", "scaling", "scale", "mask", "window", "split", "positions"),
    *("dtype", "subtract_max", "normalisation", "sink", "qk_norm", "log_n", "softcap", "seed", "source"),
)


@of_config(PAGE, sources=("model",), without=_WITHOUT)
def model_heads(config: AttentionConfig, head: int = 1, row: int = -1, changes: str = "") -> ModelHeads:
    """Return what the heads of a trained model do in a text, and what one query of one head reads.

    Args:
        head: the head of the layer, from 1
        row: the query, from 0; −1 is the last

    Returns:
        tokens of the line that the layer attends from, and cut if it goes on; the lines of positions, of a model with a
        decoder its source and its target, and for each layer the numbers of those that it attends from and to; the
        names of the layers in the model; by measure one number for each head of each layer, over this text and over the
        corpus: its mean (None without a row that counts), over how many rows that is, of those of the entropy, and its
        chance over the same rows, which a head has that reads all its keys alike; the labels of the heads over the
        corpus; and of the query its weights,
        its scores before the softmax (None where the mask forbids), and the factor that the model applies to q · k
        (None for a layer that does not give them). Of a layer that attends in windows keys are the positions of the
        query's window, −1 for filling; None otherwise. What the model says at the query: `next`, the token after it,
        `masked`, the token in its place, or `classes`; its largest outcomes with their probabilities without the
        changes and with them, the distance KL(before ‖ now) in nats, and ln p of the text before and now (None of
        what has none). None for a model that says nothing of the kind
    """
    model = models.find(config.model)
    corpus = models.measured(config.model)
    made = required(config, changes)
    run = made.run
    if config.layer > len(run.layers):
        raise _out_of_range("layer", config.layer, 1, len(run.layers))
    windows, h = run.windows[config.layer - 1], run.layers[config.layer - 1].weights.shape[-3]
    n_q = run.layers[config.layer - 1].weights.shape[-2] if windows is None else len(run.queries(config.layer))
    if not 1 <= head <= h:
        raise _out_of_range("head", head, 1, h)
    if not -1 <= row < n_q:
        raise _out_of_range("row", row, -1, n_q - 1)
    window = window_of(run, config.layer, row if row >= 0 else n_q - 1)
    layer, at = window.layer, (head - 1, window.row)
    summed, even = of_run(run, model.delimiters)
    scores = open_scores(layer, at[0])[at[1]]
    return {
        "tokens": list(run.queries(config.layer).tokens),
        "lines": [{"name": line.name, "tokens": list(line.tokens), "seconds": line.seconds} for line in run.lines],
        "between": [list(ends) for ends in run.between],
        "cut": run.cut,
        "names": [each.name for each in run.layers],
        "measures": _by_name(summed.means),
        "rows": _by_name(summed.row_counts),
        "chance": _by_name(even),
        "corpus": _by_name(corpus.scores),
        "corpus_rows": _by_name(corpus.rows),
        "corpus_chance": _by_name(corpus.chance),
        "labels": [[[label.measure for label in found] for found in heads] for heads in labels(corpus)],
        "keys": None if window.at is None else window.at.tolist(),
        "weights": layer.weights[at].float().tolist(),
        "scores": [None if math.isnan(score) else score for score in scores.tolist()],
        "scale": layer.scale,
        "says": _says(config, run, made.changes, row if row >= 0 else n_q - 1),
    }


def _says(config: AttentionConfig, run: ModelRun, changes: Sequence[Change], row: int) -> ModelSays | None:
    """Return what the model says at a query of the chosen layer, or at the end of a line that it is not in."""
    line = run.between[config.layer - 1][0]
    found = models.says(config, most_tokens(config.model), changes=changes, at=row if line == 0 else None)
    if found is None:
        return None
    before, now = found
    if not isinstance(before, Said) or not isinstance(now, Said):
        return None
    at = now.at(row) if now.line == line else len(now.places) - 1
    first = now.first(before, at)
    return {
        "kind": now.kind,
        "outcomes": [one.name for one in first],
        "before": [math.exp(one.before) for one in first],
        "now": [math.exp(one.after) for one in first],
        "distance": float(divergence(before, now)[at]),
        "text": [None if math.isnan(one.text_log) else one.text_log for one in (before, now)],
    }


def _by_name(found: Mapping[str, Tensor]) -> dict[str, list[list[float | None]]]:
    return {name: _numbers(each) for name, each in found.items()}


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
    return SMALL + run_cost(config, written=str(given.get("changes") or "")) if config else SMALL  # its answer is JSON


ENDPOINT: Final = Endpoint("model", model_heads, price, "read_a_text_with_a_trained_model")
