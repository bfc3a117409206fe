"""Every head of a model over the whole text, layer by layer, as numbers: for a file and for an endpoint."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from torch import Tensor

from attention_core import AttentionConfig, AttentionStatistics
from attention_core.learned import HEAD_MEASURES, head_measures, patch_totals
from attention_core.learned.head_totals import measures_of
from visualiser import models, predictions
from visualiser.export.lines import MARK, ORIGIN, column, encoded, exact
from visualiser.export.origin import Origin, origin_of
from visualiser.locale import text
from visualiser.models import long_texts
from visualiser.pages.map.long_layer import told_by
from visualiser.pages.map.sequence import most_tokens, of_text
from visualiser.pages.of_model import priced_as
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.admission.entry import admission
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

WANTED: Final = "heads"
"""What a request for the run names as `wanted`."""
SECONDS: Final = 600.0
"""The longest expected time of a run that shows its progress; a longer text is read as far as that goes."""
STATISTICS: Final = ("largest_weight", "jacobian_norm", "effective_keys")
"""Means over the rows that a long run has beside the measures."""


@dataclass(frozen=True)
class Heads:
    """What every head does over one text: by name one number for each head of each layer, NaN where there is none.

    n       tokens that were read
    cut     True if the text goes on
    names   of the layers in the model
    """

    n: int
    cut: bool
    names: tuple[str, ...]
    values: dict[str, list[list[float]]]


def most_read(config: AttentionConfig, seconds: float = SECONDS) -> int:
    """Return how many tokens are read of a text at most: by the model's context, memory and time."""
    model = models.long_model(config.model)
    if model is None:
        return models.find(config.model).most_tokens
    return long_texts.longest(model, most_tokens(), admission().long.total, seconds, model.layers, model.layers)


def read(config: AttentionConfig, most: int, progress: Callable[[float], object] = lambda done: None) -> Heads:
    """Read the text with the model and return what its heads do there. A short-winded model keeps its matrices."""
    if models.long_model(config.model) is None:
        run = models.run(config, most)
        alone = run.lines[0].is_picture
        found = patch_totals(run).means if alone else head_measures(run, models.find(config.model).delimiters)
        there = tuple(found) if alone else measures_of(run)
        names = tuple(layer.name for layer in run.layers)
        return Heads(len(run.ids), run.text_cut, names, {name: found[name].tolist() for name in there})
    text_read = models.read_heads(config, most, None, progress)
    values: dict[str, list[list[float]]] = {}
    for layer in text_read.layers:
        assert layer.totals is not None  # it was asked for
        for name, rows in layer.totals.means.items():
            if HEAD_MEASURES[name].of_any_text:
                values.setdefault(name, []).append(rows[0].tolist())
        for name in STATISTICS:
            values.setdefault(name, []).append(_mean(layer.statistics, name).tolist())
    return Heads(len(text_read.ids), text_read.cut, tuple(layer.name for layer in text_read.layers), values)


def _mean(statistics: AttentionStatistics, name: str) -> Tensor:
    return statistics.statistic(name).double().mean(-1)


def price_of(config: AttentionConfig, most: int) -> Cost:
    """Price the run over at most `most` tokens."""
    model = models.long_model(config.model)
    if model is not None:
        needs = long_texts.work(model, model.tokens(config.text, most), model.layers, model.layers)
        return Cost(needs.seconds, needs.memory, needs.multiply_adds)
    priced = priced_as(config, most)
    if priced is None:
        return SMALL  # refused in words
    needs = models.work(priced[1])
    return Cost(needs.seconds, needs.memory, needs.multiply_adds)


def run(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Yield the progress, then a CSV file with one line for each head."""
    if predictions.is_question_requested(request.reading.state):  # the file would answer it
        yield parts.failure(text(request.lang, "predict.files_wait"))
        return
    state = request.reading.state
    config = of_text(state.config, request.upload)
    most = most_read(config)
    found = yield from told_by(lambda progress: read(config, most, progress), run, 1.0)
    content = np.frombuffer(lines(found, origin_of(state, request.address)), dtype=np.uint8)
    yield parts.values("file", {"name": "headlight-heads.csv", "bytes": content}, parts.Structures(request.known))
    yield parts.ended()


def price(request: PageRequest) -> Cost:
    """Return the cost of the run; next to nothing for a model that is not loaded, which is refused in words."""
    config = of_text(request.reading.state.config, request.upload)
    if config.source != "model" or models.known(config.model) is None:
        return SMALL
    return price_of(config, most_read(config))


def lines(found: Heads, origin: Origin | None = None) -> bytes:
    """Return the CSV file's bytes: layer and head count from 1; what a head has none of is empty."""
    origins = column(origin)
    rows = (
        (
            layer,
            head,
            name,
            found.n,
            *(_written(found.values[each][layer - 1], head) for each in found.values),
            next(origins),
        )
        for layer, name in enumerate(found.names, 1)
        for head in range(1, _heads(found, layer) + 1)
    )
    return MARK + encoded([("layer", "head", "name", "tokens", *map(_titled, found.values), ORIGIN)]) + encoded(rows)


def _titled(name: str) -> str:
    """Return the heading of a column: with its unit if that is nats, as in the other files."""
    measure = HEAD_MEASURES.get(name)
    return f"{name}_nats" if measure and measure.unit == "nats" else name


def _heads(found: Heads, layer: int) -> int:
    return len(found.values["entropy"][layer - 1])


def _written(of: list[float], head: int) -> str:
    return "" if math.isnan(of[head - 1]) else exact(of[head - 1])
