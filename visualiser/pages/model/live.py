"""The Model page: what a model makes of a text, all its heads, and the chosen one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import InvalidInput
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, named
from visualiser.figures.small_maps import MASKED, small_maps
from visualiser.locale import text
from visualiser.pages.model import HEAD, MAPS, ONE, OVERVIEW, loading, price, sentences
from visualiser.pages.model.reading import Read, read
from visualiser.pages.model.take_away import FILES
from visualiser.reasons.explained import explained, unexplained
from visualiser.server.live import parts
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield one state of the page: the text and all heads, then the figures with their words."""
    try:
        found = read(request)
    except InvalidInput as problem:
        if problem.code != "model_not_loaded":
            raise
        yield from loading.unloaded(request)
        return
    state, shown = found.state, found.shown
    lang, structures = state.lang, parts.Structures(request.known)
    view = replace(state.view, columns=request.columns, theme=request.theme)
    yield parts.state(state, found.notices)
    if found.posed:
        yield found.posed.part(lang)
    yield parts.values("model", _values(found), structures)
    said = [] if found.posed else sentences.insight(shown, found.model, found.footnote)
    open_ones = uncovered(found)
    how = unexplained if request.light else found.how
    briefs = {each.name: explained(each.brief(shown, view), lang, how) for each in open_ones if each in HEAD}
    if found.posed:  # tables and sentences would answer it
        drawings = {each.name: each.drawing(shown, view) for each in open_ones if each.painter != "script"}
        yield parts.figures(drawings, structures, lang=lang, insight=[], briefs=briefs)
    else:
        insight = explained(said, lang, how)
        yield parts.shown(open_ones, shown, view, structures, insight=insight, briefs=briefs)


def uncovered(found: Read) -> list[Figure[ReadHead, ...]]:
    """Return the figures that do not answer the question that is posed."""
    covered = found.posed.covered if found.posed else ()
    return [figure for figure in (*OVERVIEW, *HEAD) if figure.name not in covered]


def _values(found: Read) -> dict[str, Any]:
    """Return what the page's script draws: the tokens, the small maps in their order, and what each head does."""
    shown, lang = found.shown, found.state.lang
    heads = shown.heads
    codes = small_maps(shown)
    covered = found.posed.covered if found.posed else ()
    weights = np.where(shown.allowed, shown.weights, np.nan).astype(np.float32)
    if MAPS.name in covered:
        codes = np.zeros_like(codes)
    if ONE.name in covered:
        weights = np.where(np.isnan(weights), weights, np.float32(0))
    return {
        "tokens": list(shown.run.tokens),
        "cut": shown.run.cut,
        "layers": len(shown.run.layers),
        "heads": [list(at) for at in heads],
        "labels": ["" if found.posed else named(lang, shown.labels.get(at, ())) for at in heads],
        "order": [*range(len(heads))] if found.posed else ordered(found),
        "covered": list(covered),
        "maps": codes,
        "side": list(codes.shape[1:]),
        "masked": MASKED,
        "layer": shown.layer,
        "head": shown.head,
        "row": np.int64(shown.row),
        "key": np.int64(-1 if ONE.name in covered else shown.key),
        "locked": found.state.view.row is not None,
        "weights": weights,
        "shape": list(shown.weights.shape),
    }


def ordered(found: Read) -> list[int]:
    """Return the places of the heads that are shown, in the order of the link; heads without a measure come last."""
    shown, own = found.shown, found.state.own
    heads = list(enumerate(shown.heads))
    if own["only"] == "labelled":
        heads = [(place, at) for place, at in heads if shown.labels.get(at)]
    if own["sort"] == "layer":
        return [place for place, _ in heads]
    value = {place: shown.measured(str(own["sort"]), *at) for place, at in heads}
    return sorted(value, key=lambda place: (np.isnan(value[place]), -value[place], place))


def arithmetic_of(request: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table."""
    found = read(request)
    pictures = () if found.posed else (*OVERVIEW, *HEAD)
    yield parts.arithmetic_of(pictures, found.shown, found.state.view, request)


def figure(request: PageRequest) -> Iterator[bytes]:
    """Yield the small maps as plotly draws them, which the page's script paints itself, for a file."""
    found = read(request)
    if found.posed:
        yield parts.failure(text(request.lang, "predict.files_wait"))
        return
    drawn = MAPS.drawing(found.shown, found.state.view)
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
    (loading.load, loading.price),
    files=FILES,
    subrequests={
        "arithmetic": (arithmetic_of, price.frame),
        "figure": (figure, price.frame),
        "reveal": (reveal, price.frame),
    },
)
