"""The Anatomy page: Figure 2 as boxes with shapes, and one query walked through it, step by step."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from attention_core import AttentionConfig, Layer, top_layer
from attention_core.config import SCALED
from attention_core.exact import mask_choices
from visualiser import predictions
from visualiser.locale import text
from visualiser.pages.anatomy import price
from visualiser.pages.anatomy import sentences as anatomy_sentences
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.tensors import FITS, fits, tensors, tree
from visualiser.server.live import parts
from visualiser.server.live.asking import Ask
from visualiser.server.live.page import Live
from visualiser.state import share
from visualiser.state.parameters import first_values
from visualiser.tables import Column, Table

LARGEST = predictions.Choice("anatomy_largest")
"""The key with the walked query's largest weight; the choices are the keys."""

RESULTS = {"input": "X", "queries": "Q", "keys": "K", "values": "V", "heads": "head"}
"""The tensor that a step makes, if its name is not the step's."""


def frame(ask: Ask) -> Iterator[bytes]:
    """Yield one state of the page: its link, the question if there is one, the tensors, then sentences and tables."""
    reading = ask.reading
    state = _within(reading.state)
    config = state.config
    number, step = int(state.own["layer"]), str(state.own["step"])
    row, head = state.view.inspected(config.n), state.view.single(config.h)
    yield parts.state(state, reading.notices)
    layer = top_layer(config, number)
    yield from _prediction(state, layer, row, head, ask)
    named = tensors(layer, row, head)
    there = walk_steps.steps(config, number)
    told = anatomy_sentences.Told(layer, row, head, step, str(state.own["rows"]), state.lang)
    structures = parts.Structures(ask.known)
    walked = {
        "steps": list(there),
        "step": step,
        "rows": state.own["rows"],
        "row": row,
        "head": head,
        "layer": number,
        "sizes": walk_steps.sizes(config),
        "tokens": list(anatomy_sentences.tokens(config)),
        "mechanism": config.mechanism,
        "scaled": SCALED[config.mechanism],
        "scaling": config.scaling,
        "masked": not mask_choices.of(config).everything,
        "factor": np.float64(config.factor),
        "fits": fits(layer),
        "most": FITS,
        "boxes": walk_steps.boxes(config, number),
        "sentences": anatomy_sentences.step_sentences(told),
        "tensors": tree(named),
    }
    yield parts.values("walk", walked, structures)
    yield parts.figures(
        {},
        structures,
        tables={
            "anatomy": _shapes(config, number, state.lang),
            "walk": _numbers(told, named[RESULTS.get(step, step)].numpy()),
        },
        summaries={"anatomy": anatomy_sentences.shapes(config, state.lang), "walk": anatomy_sentences.result(told)},
        insight=anatomy_sentences.insight(told),
    )


def _within(state: share.State) -> share.State:
    """Return the state with a step that this layer has; a link may name any."""
    there = walk_steps.steps(state.config, int(state.own["layer"]))
    if state.own["step"] in there:
        return state
    later = walk_steps.STEPS[walk_steps.STEPS.index(str(state.own["step"])) :]
    return replace(state, own={**state.own, "step": next(step for step in later if step in there)})


def _prediction(state: share.State, layer: Layer, row: int, head: int, ask: Ask) -> Iterator[bytes]:
    """Yield the question until the scores are revealed, then, if the visitor answered, also the verdict."""
    config, lang = state.config, state.lang
    weights = layer.attention.weights[head - 1, row]
    keys = [key for key in range(config.n) if layer.attention.masked[head - 1, row, key] > -np.inf]
    revealed = walk_steps.STEPS.index(str(state.own["step"])) >= walk_steps.STEPS.index("scores")
    predicted = predictions.answered(LARGEST, ask.extra) is not None
    if not 1 < len(keys) <= FITS or (revealed and not predicted):
        return
    labels = {str(key): anatomy_sentences.named(config, key) for key in keys}
    fixed = {**first_values(state.page), "layer": state.own["layer"]}
    about = share.canonical(replace(state, view=replace(state.view, row=row), own=fixed))
    query = anatomy_sentences.named(config, row)
    yield predictions.asks(LARGEST, lang, labels=labels, about=about, query=query, head=head)
    if not revealed:
        return
    largest = float(weights.max())
    best = [str(key) for key in keys if float(weights[key]) >= largest * (1 - 1e-6)]
    part = predictions.verdict(
        LARGEST,
        ask.extra,
        best,
        lang,
        labels=labels,
        key=labels[best[0]],
        weight=largest,
        score=float(layer.attention.masked[head - 1, row, int(best[0])]),
    )
    if part:
        yield part


def _shapes(config: AttentionConfig, layer: int, lang: str) -> Table:
    """List every box of the figure with its shape."""
    found = walk_steps.boxes(config, layer)
    columns = [
        Column(text(lang, "anatomy.table.box"), [text(lang, f"anatomy.box.{box['title']}") for box in found.values()]),
        Column(text(lang, "anatomy.table.symbols"), [box["symbols"] for box in found.values()]),
        Column(text(lang, "anatomy.table.numbers"), [box["numbers"] for box in found.values()]),
    ]
    return Table(text(lang, "anatomy.table.shapes"), columns)


def _numbers(told: anatomy_sentences.Told, values: np.ndarray) -> Table:
    """List the step's result, one line for each row of its tensor, with at most the first 16 columns."""
    lang = told.lang
    shown = values[:64, :16]
    columns = [Column(text(lang, "anatomy.table.position"), np.arange(len(shown)))]
    if len(values) == told.config.n and told.config.source == "text":
        tokens = list(anatomy_sentences.tokens(told.config))[:64]
        columns.append(Column(text(lang, "table.token"), tokens, typed=True))
    columns += [Column(str(column), shown[:, column]) for column in range(shown.shape[1])]
    return Table(anatomy_sentences.title(told), columns)


LIVE = Live((frame, price.frame))
