"""The Model page: what a model makes of a text, all its heads, and the chosen one."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from attention_core import InvalidInput
from visualiser import models
from visualiser.figures import decided_head, row_shares, sorted_heads
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, named
from visualiser.figures.shown_map import WEIGHTS
from visualiser.figures.small_maps import MASKED, small_maps
from visualiser.figures.windows import window_side
from visualiser.held import is_name
from visualiser.locale import number, text
from visualiser.models import long_texts
from visualiser.pages.model import (
    MAPS,
    MOST_TOKENS,
    ONE,
    PICTURE,
    POINTS,
    READS,
    changes,
    cost_run,
    loading,
    offered,
    over_texts,
    price,
    sentences,
    without_heads,
)
from visualiser.pages.model.change_kinds import Item
from visualiser.pages.model.present import absent_of, figures_of, unsaid
from visualiser.pages.model.reach import memory_for
from visualiser.pages.model.reading import Read, read
from visualiser.pages.model.take_away import FILES
from visualiser.pages.model.wire_lines import line_tree
from visualiser.reasons.explained import explained, unexplained
from visualiser.server.live import parts
from visualiser.server.live.page import Live, small
from visualiser.server.live.page_request import PageRequest

_ON_A_MAP: Final = 2
"""Labels that stand on a head's map; it says how many more there are, and the table has all."""


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield one state of the page: the text and all heads, then the figures with their words."""
    try:
        found = read(request)
    except InvalidInput as problem:
        if problem.code not in ("model_not_loaded", "model_not_fetched"):
            raise
        yield from loading.unloaded(request)
        return
    state, shown = found.state, found.shown
    lang, structures = state.lang, parts.Structures(request.known)
    view = replace(state.view, columns=request.columns, theme=request.theme)
    yield parts.state(state, found.notices)
    if not is_name(state.config.model):
        models.begin_to_import()
    if found.posed:
        yield found.posed.part(lang)
    lacking = without_heads.lacking(state, request.upload, shown)
    yield parts.values("model", _values(found) | {"costing": lacking}, structures)
    absent = [each.name for each in unsaid(shown)]
    said = [] if found.posed else sentences.insight(shown, found.model, found.footnote, found.changes)
    open_ones = uncovered(found)
    how = unexplained if request.light else found.how
    briefs = {each.name: explained(each.brief(shown, view), lang, how) for each in open_ones if each is not POINTS}
    told = {each.name: each.instead(shown, view) for each in open_ones}
    instead = {name: explained(one, lang, how) for name, one in told.items() if one}
    if found.posed:  # tables and sentences would answer it
        drawings = {each.name: each.drawing(shown, view) for each in open_ones if each.painter != "script"}
        yield parts.figures(drawings, structures, lang=lang, insight=[], briefs=briefs, instead=instead, absent=absent)
    else:
        insight = explained(said, lang, how)
        yield parts.shown(
            open_ones, shown, view, structures, insight=insight, briefs=briefs, instead=instead, absent=absent
        )


def uncovered(found: Read) -> list[Figure[ReadHead, ...]]:
    """Return the figures that do not answer the question that is posed."""
    covered = found.posed.covered if found.posed else ()
    return [figure for figure in figures_of(found.shown, covered) if figure.name not in covered]


def _values(found: Read) -> dict[str, Any]:
    """Return what the page's script draws: the tokens, the small maps in their order, and what each head does."""
    shown, lang = found.shown, found.state.lang
    heads = shown.heads
    codes = small_maps(shown)
    covered, overruled = found.posed.covered if found.posed else (), found.overruled
    windows, layer = shown.run.windows[shown.layer - 1], shown.run.layers[shown.layer - 1]
    at = shown.head - 1 if windows is None else (slice(None), shown.head - 1)
    weights = np.where(layer.allowed[at].numpy(), layer.weights[at].float().numpy(), np.nan).astype(np.float32)
    whole = long_texts.whole(found.state.config) if shown.run.text_cut else len(shown.run.tokens)
    if MAPS.name in covered:
        codes = [np.zeros_like(each) for each in codes]
    if ONE.name in covered:
        weights = np.where(np.isnan(weights), weights, np.float32(0))
    return {
        "lines": [line_tree(line) for line in shown.run.lines],
        "between": list(shown.run.between[shown.layer - 1]),
        "reads": [keys for _, keys in shown.run.between],
        "takes": sorted(found.model.takes),
        "written": "target" in found.model.takes and not found.state.config.target.strip(),
        "whole": whole,
        "room": _room(found, whole),
        "texts": [] if found.posed else list(models.offered_texts(found.state.config.model)),
        "longer": models.long_model(found.state.config.model) is not None,
        "layers": len(shown.run.layers),
        "parts": [[text(lang, f"model.part.{name}"), first, count] for name, first, count in shown.run.parts],
        "heads": [list(at) for at in heads],
        "measuring": _measuring(found),
        "labels": [_label(found, at) for at in heads],
        "changes": [{**_change(one, lang), "overruled": place in overruled} for place, one in enumerate(found.changes)],
        "against": [_change(one, lang) for one in found.against],
        "order": ordered(found),
        "values": _sorting_values(shown, lang),
        "covered": list(covered),
        "runs": not models.is_fixed(found.state.config.model),
        "opens": layer.Q is not None,
        "maps": np.concatenate([each.ravel() for each in codes]),
        "sides": [list(each.shape[1:]) for each in codes],
        "masked": MASKED,
        "layer": shown.layer,
        "head": shown.head,
        "row": np.int64(shown.place(shown.row)),
        "key": np.int64(-1 if ONE.name in covered else shown.place(shown.key)),
        "locked": found.state.view.row is not None,
        "weights": weights,
        "shows": WEIGHTS if shown.mapped is None or ONE.name in covered else shown.mapped.name,
        "mapped": None if shown.mapped is None or ONE.name in covered else shown.mapped.cells,
        "shape": list(shown.weights.shape),
        "windows": None if windows is None else windows.numpy().astype(np.int32),
        "window": None if windows is None else list(window_side(shown)),
        "pictures": list(found.pictures),
        "heard": _heard(found),
        "measures": [*found.measured, *([] if shown.costs is None else [shown.costs.name])],
        "costs": _costs(found),
        "absent": [each.name for each in absent_of(shown, covered)],
        **_on_patches(shown, READS.name in covered),
    }


def _room(found: Read, whole: int) -> int:
    """Return the `HEADLIGHT_MEMORY_MB` with which more of a `whole` text is read; 0 if memory is not what ends it."""
    most = min(MOST_TOKENS, found.model.most_tokens)
    if not found.shown.run.text_cut or found.model.takes != {"text"} or len(found.shown.run.tokens) >= most:
        return 0
    return memory_for(found.state.config.model, min(most, whole))


def _measuring(found: Read) -> str | None:
    """Return None if the heads are measured over the corpus; why they cannot be; nothing if they have still to be."""
    name, lang = found.state.config.model, found.state.lang
    if models.is_measured(name):
        return None
    problem = models.unmeasurable(name)
    return "" if problem is None else text(lang, f"error.{problem.code}", **problem.details)


def _change(one: Item, lang: str) -> dict[str, str]:
    return {"written": changes.write([one]), "said": changes.said(one, lang)}


def _label(found: Read, at: tuple[int, int]) -> str:
    """Return what stands on a head's map: what it does over the corpus, or what a change made of it."""
    shown, lang = found.shown, found.state.lang
    if (made := decided_head.label(shown, *at)) is not None:
        return made.written(lang)
    if found.posed:
        return ""
    labels = shown.labels.get(at, ())
    more = len(labels) - _ON_A_MAP
    return named(lang, labels[:_ON_A_MAP]) + (f" +{more}" if more > 0 else "")


def _sorting_values(shown: ReadHead, lang: str) -> list[list[str]]:
    """Return for each head the value that sorts it, short and in words; nothing in the order of the model."""
    found = shown.sorted_heads
    said = [sorted_heads.of_head(found, place).written(lang) for place in range(len(found.values))]
    short = ["–" if math.isnan(value) else number(value) for value in found.values.tolist()]
    return [list(one) for one in zip(short, said, strict=True)]


def _costs(found: Read) -> np.ndarray:
    """Return what each head costs, in the order of the heads; nothing if it is not shown, or would help to answer."""
    shown = found.shown
    if shown.costs is None or found.posed:
        return np.zeros(0, dtype=np.float32)
    return np.array([shown.measured(shown.costs.name, *at) for at in shown.heads], dtype=np.float32)


def _heard(found: Read) -> dict[str, Any] | None:
    """Return which sound the model hears, how long it is, and the seconds that the model always takes."""
    if not found.sound:
        return None
    line = found.shown.run.lines[0]
    name, seconds = found.sound
    return {"name": name, "seconds": seconds, "stretch": line.seconds * len(line)}


def _on_patches(shown: ReadHead, covered: bool) -> dict[str, Any]:
    """Return what the chosen token gives the patches of its pictures, layer by layer; nothing without both."""
    if not row_shares.has_pictures(shown) or covered:
        nothing = np.zeros((0, 0), dtype=np.float32)
        return {"readMean": nothing, "readHead": nothing}
    mean, one = row_shares.on_patches(shown)
    return {"readMean": mean, "readHead": one}


def ordered(found: Read) -> list[int]:
    """Return the places of the heads that are shown, in the order of the link; heads without a measure come last."""
    return found.shown.sorted_heads.places


def arithmetic_of(request: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table."""
    found = read(request)
    figures = () if found.posed else figures_of(found.shown)
    yield parts.arithmetic_of(figures, found.shown, found.state.view, request)


def figure(request: PageRequest) -> Iterator[bytes]:
    """Yield the small maps, or the head over the picture, as plotly draws them: the script paints them itself."""
    found = read(request)
    if found.posed:
        yield parts.failure(text(request.lang, "predict.files_wait"))
        return
    pictured = found.shown.of_picture and request.extra.get("figure") == PICTURE.name
    drawn = (PICTURE if pictured else MAPS).drawing(found.shown, found.state.view)
    # plotly takes the cells of a heat map row by row
    data = [{**trace, "z": list(trace["z"])} for trace in drawn.data]
    yield parts.values("figure", {"data": data, "layout": drawn.layout}, parts.Structures(request.known))


def reveal(request: PageRequest) -> Iterator[bytes]:
    """Yield the verdict on the visitor's answer."""
    found = read(request)
    part = found.posed and found.posed.verdict(request.extra, request.lang, found.how)
    yield part or parts.failure(text(request.lang, "error.bad_request"))


LIVE = Live(
    (frame, price.frame),
    (cost_run.run, cost_run.price),
    files=FILES,
    subrequests={
        "arithmetic": (arithmetic_of, price.frame),
        "figure": (figure, price.frame),
        "reveal": (reveal, price.frame),
        "models": (offered.listed, small),
        "head": (over_texts.head, small),
        "passage": (over_texts.passage, over_texts.passage_price),
    },
)
