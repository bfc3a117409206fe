"""Explore: the sentences above, the captions, the numbers beside titles, the arithmetic of widths, the next step."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np

from tests.checker import (
    explore_captions,
    explore_cells,
    explore_formats,
    explore_insight,
    explore_reasons,
    explore_steps,
    learned,
    uploads,
)
from tests.checker.checking import Page
from tests.checker.explore_truth import State, asked, factor, result_of, state_of
from tests.checker.softmax_rows import MadeRows
from visualiser.locale.message import SHORT, Message
from visualiser.pages.explore import COMPARED, MAPS, arithmetic
from visualiser.pages.explore.frame import panels, shown_state, view_of
from visualiser.pages.explore.frame import result_of as made
from visualiser.pages.explore.next_step import suggestion
from visualiser.pages.explore.reasons import reasons
from visualiser.pages.explore.sentences import insight
from visualiser.reasons.explained import How
from visualiser.state import share
from visualiser.tables import Table

TEXTS: Final = ("a b", "a a", "the cat sat on the mat", "one two three", "x x x y", "고양이 가 고양이 를", "<b> & <b>")


def link(draws: random.Random) -> str:
    """Draw a state, corner cases often."""
    few = draws.choice((2, 2, 3, draws.randint(2, 9), draws.randint(2, 33)))
    settings: dict[str, Any] = {
        "n": few,
        "h": draws.choice((1, 1, 2, draws.randint(1, 16))),
        "seed": draws.randint(0, 10**6),
        "source": draws.choice(("gaussian", "gaussian", "structured", "text", "upload", "model")),
        "mechanism": draws.choice(("dot_product", "dot_product", "additive")),
        "scaling": draws.choice(("sqrt_d_k", "none", "d_k", "custom")),
        "mask": draws.choice(("none", "none", "causal", "window")),
        "dtype": draws.choice(("float32", "float32", "float32", "float16", "bfloat16")),
        "subtract_max": draws.choice(("true", "true", "false")),
        "stage": draws.choice(("scores", "scaled", "masked", "weights", "norms")),
        "colour": draws.choice(("linear", "linear", "linear", "log")),
        "colour_range": draws.choice(("quantile", "full", "per_head")),
        "tie": draws.choice(("true", "false")),
        "d_model": draws.choice((8, 16, draws.randint(8, 600))),
        "qk_norm": draws.choice(("false", "false", "true")),
        "log_n": draws.choice(("false", "false", "true")),
        "normalisation": draws.choice(("softmax", "softmax", "softmax", "sink", "sigmoid", "entmax")),
        "sink": draws.choice((0, 0, 1, -16, 16, round(draws.uniform(-5, 5), 1))),
        "softcap": draws.choice((0, 0, 0, 0, 50, 1, round(draws.uniform(0.1, 30), 1))),
    }
    if settings["tie"] == "false":
        settings["d_k"] = draws.choice((1, 1, 2, 64, 512, 1024, draws.randint(1, 300)))
    if settings["scaling"] == "custom":
        settings["scale"] = draws.choice((0, 0, 1, 16, round(draws.uniform(0, 2), 2)))
    if settings["mask"] == "window":
        settings["window"] = draws.choice((1, 1, 2, draws.randint(1, 12), 500))
    if settings["source"] == "text":
        settings |= {"text": draws.choice(TEXTS), "positions": draws.choice(("true", "false"))}
        settings["split"] = draws.choice(("words", "words", "characters"))
    if settings["source"] == "model":
        settings["model"] = draws.choice(tuple(learned.FILES))
        settings["layer"] = draws.randint(1, learned.layers(settings["model"]))
        settings["text"] = draws.choice(learned.TEXTS)
        settings["mask"] = draws.choice(("none", "causal"))
        settings["scale"] = draws.choice((0, 1, 1, 1, 16, round(draws.uniform(0, 2), 2)))
    if settings["source"] == "upload":
        settings["file"] = uploads.drawn(draws)
    if draws.random() < 0.4:
        settings |= {
            "row": draws.choice((0, 0, 1, draws.randint(0, 31))),
            "head": draws.choice((0, 1, draws.randint(0, 16))),
        }
    if draws.random() < 0.1:
        settings["focus"] = draws.choice(("row-weights", "jacobian"))
    if draws.random() < 0.2:
        settings["pin"] = draws.choice(("?", "h=1", "n=4&h=2&mask=causal", "source=model&text=Ben+.+Ben"))
    return urlencode(settings)


def sentences_of(query: str) -> list[Message]:
    """Return what the page says: above, below each figure, beside each title, in the arithmetic and on the button."""
    ask = asked(query)
    shown, _ = shown_state(ask)
    result = result_of(query)
    view = view_of(shown, result, ask)
    step = suggestion(result, view)
    figures = (MAPS, *panels(result, view))
    return [
        *insight(result, view),
        *(one for each in figures for one in (*each.sentence(result, view), *each.brief(result, view))),
        *arithmetic.sentences(result, share.read("n=4&h=3").state.config),
        *([] if step is None else [Message(f"insight.try.{step.name}", {**step.change, "of": query})]),
    ]


def _first(query: str) -> list[Message]:
    ask = asked(query)
    result = result_of(query)
    return insight(result, view_of(shown_state(ask)[0], result, ask))[:1]


def _asked(query: str) -> tuple[list[Message], How]:
    ask = asked(query)
    shown, _ = shown_state(ask)
    result = result_of(query)
    view = view_of(shown, result, ask)
    beside_titles = [sentence for figure in panels(result, view) for sentence in figure.brief(result, view)]
    widths = arithmetic.sentences(result, share.read("n=4&h=3").state.config)
    return [*insight(result, view), *beside_titles, *widths], reasons(result, view)


def _tables(query: str) -> dict[str, Table]:
    ask = asked(query)
    shown, _ = shown_state(ask)
    result = result_of(query)
    view = view_of(shown, result, ask)
    found = {figure.name: figure.table(result, view) for figure in (MAPS, *panels(result, view))}
    if ask.pinned and ask.pinned.config.source != "upload":
        found["both"] = COMPARED.table((made(ask.pinned, b""), result), view)
    return found


_OF_THE_SOFTMAX: Final = (
    *("saturated", "partly", "partly_choosing", "uniform", "uniform_few", "between", "one_key"),
    *("sink", "gates", "sparse", "capped"),
)


def _together(state: State, sentences: Sequence[Message]) -> Iterator[str]:
    """Check that the softmax is described once, and the mask, the row and the factor if there is something to say."""
    keys = [sentence.key.removeprefix("insight.") for sentence in sentences]
    broken = isinstance(state.rows, MadeRows) and bool((~state.rows.sound & state.rows.open).any())
    if sum(sentence.key.startswith(SHORT) for sentence in sentences) != 1 or not sentences[0].key.startswith(SHORT):
        yield "no short sentence stands first"
    if sum(key in _OF_THE_SOFTMAX for key in keys) != (not broken):
        yield f"the softmax is described in {sum(key in _OF_THE_SOFTMAX for key in keys)} sentences"
    masked = any(key.startswith("mask.") for key in keys)
    if broken != any(key.startswith("format.broken") for key in keys):
        yield f"rows that are no distribution: {broken}"
    choice = state.rows.choosing.any()
    if choice and masked != (state.config.mask != "none"):
        yield "the mask is not described" if state.config.mask != "none" else "there is no mask"
    locked = state.view.row is not None
    if choice and locked != any(key.startswith("row") for key in keys):
        yield "the locked row is not described"
    finite = np.isfinite(state.rows.every_score).all()
    if choice and (factor(state.config) == 0 and finite) != ("zero" in keys):
        yield "the factor 0 is not described"
    if not state.rows.open.all() and "mask.empty" not in keys:
        yield "rows without a key are not mentioned"


PAGE: Final = Page(
    link,
    sentences_of,
    state_of,
    {**explore_formats.CLAIMS, **explore_insight.CLAIMS, **explore_captions.CLAIMS, **explore_steps.CLAIMS},
    _together,
    _asked,
    frozenset({"query", "head", "key", "token", "name", "format", "layer"}),
    explore_reasons.reason,
    _tables,
    explore_cells.cell,
    _first,
)
