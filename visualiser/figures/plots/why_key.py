"""Why a query reads a key: its score as a sum over the components of q and k, the largest first.

    score = cap(factor · Σ q_c k_c) + bias

Components that turn together with the position (rotary) are one term. The terms shown, the others together, what a
softcap takes away and the bias add up to the score at the digits that are shown.

How this can mislead: no component has a meaning of its own. A rotation of queries and keys together changes every term
and no score.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.drawing import Drawing
from visualiser.figures.decided_head import unused_score
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_learned
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import ACCENT, CALM, INK

DIGITS: Final = 2
"""Decimals of the terms."""
MOST: Final = 8
"""Terms that are shown one by one."""


def terms(shown: ReadHead, lang: str) -> list[tuple[str, float, str]]:
    """Return the name, the rounded value and the kind of each term; nothing without queries and keys."""
    if shown.why is None:
        return []
    found = shown.why.rounded(DIGITS, MOST)
    named = [(named_components(components), float(value), "part") for components, value in found.parts]
    rest = {
        "others": (text(lang, "figure.why_key.others", count=found.count), found.others, bool(found.count)),
        "softcap": (text(lang, "figure.why_key.softcap"), found.softcap, bool(shown.attention.softcap)),
        "bias": (text(lang, "figure.why_key.bias"), found.bias, bool(found.bias)),
    }
    return named + [(name, float(value), kind) for kind, (name, value, there) in rest.items() if there]


def named_components(components: tuple[int, ...]) -> str:
    """Return components, counted from 1: those that turn together joined by a plus."""
    return "+".join(str(one + 1) for one in components)


def _tick(name: str, value: float, kind: str) -> str:
    """Return what stands under a bar, where there is room for a few letters: "+8" for the other 8."""
    return "+" + "".join(sign for sign in name if sign.isdigit()) if kind == "others" else name


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw one bar a term: positive ones up, negative ones down, what is no product of components in grey."""
    view = view or View()
    lang, found = view.lang, terms(shown, view.lang)
    values = np.array([value for _, value, _ in found])
    low, high = min(0.0, float(values.min(initial=0.0))), max(0.0, float(values.max(initial=0.0)))
    room = 0.08 * (high - low or 1.0)
    axes = {"xaxis": "x", "yaxis": "y"}
    data: list[dict[str, Any]] = []
    for kind, colour, chosen in (
        ("positive", CALM, lambda value, of: value >= 0 and of == "part"),
        ("negative", ACCENT, lambda value, of: value < 0 and of == "part"),
        ("rest", INK, lambda value, of: of != "part"),
    ):
        places = [at for at, (_, value, of) in enumerate(found) if chosen(value, of)]
        data.append(
            {
                "type": "bar", "x": np.array(places), "y": values[places] if places else np.empty(0), "width": 0.7,
                "name": text(lang, f"figure.why_key.{kind}"), "showlegend": False,
                "marker": {"color": colour, "line": {"width": 0}},
                "text": np.array([found[at][0] for at in places], dtype=np.str_), "textposition": "none",
                "hovertemplate": "%{text}: %{y:.3g}<extra></extra>", "meta": {"kind": kind}, **axes,
            }
        )  # fmt: skip
    layout: dict[str, Any] = {
        "height": 260,
        "margin": {"l": 52, "r": 14, "t": 20, "b": 50},
        "bargap": 0.2,
        "barmode": "overlay",
        "hovermode": "closest",
        "xaxis": {
            "title": {"text": text(lang, "figure.why_key.x")}, "range": [-0.6, max(1, len(found)) - 0.4],
            "tickmode": "array", "tickvals": list(range(len(found))), "ticktext": [_tick(*each) for each in found],
            "showgrid": False, "zeroline": False,
        },
        "yaxis": {
            "title": {"text": text(lang, "figure.why_key.y")}, "range": np.array([low - room, high + room]),
            "nticks": 5, "zeroline": True,
        },
    }  # fmt: skip
    return Drawing(why_key.name, data, layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    if shown.why is not None and (unused := unused_score(shown)):
        return unused
    facts = {"head": shown.name, "query": shown.number(shown.row), "key": shown.number(shown.key)}
    if shown.why is None:
        return [message("table.why_key.rebuilt" if shown.rebuilt else "table.why_key.none", **facts)]
    if shown.why.forbidden:
        return [message("table.why_key.forbidden", **facts)]
    return [message("table.why_key.summary", **facts, score=shown.why.score, count=len(shown.why.parts))]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    facts = {"query": shown.number(shown.row), "key": shown.number(shown.key)}
    if shown.why is None or _instead(shown, view):
        return []
    if shown.why.forbidden:
        return [message("brief.why_key.forbidden", **facts)]
    return [message("brief.why_key.score", **facts, score=shown.why.score)]


def _instead(shown: ReadHead, view: View) -> list[Message]:
    if shown.why is None:
        return _sentence(shown, view)
    unused = unused_score(shown)
    if unused or any(value for _, value, _ in terms(shown, view.lang)):
        return unused
    return [message("table.why_key.zero", query=shown.number(shown.row), key=shown.number(shown.key))]


def _table(shown: ReadHead, view: View) -> Table:
    """List every term of the sum, unrounded."""
    lang = view.lang
    found = [] if shown.why is None else list(shown.why.parts)
    columns = [
        Column(
            text(lang, "table.why_key.components"),
            [named_components(part.components) for part in found],
        ),
        column(
            lang, "why_key.term", np.array([part.value for part in found], dtype=np.float64), "term",
            lambda line: of_learned.term(shown.attention, shown.head - 1, shown.row, shown.key, found[line]),
        ),
    ]  # fmt: skip
    return Table(_caption(shown, lang), columns)


def _caption(shown: ReadHead, lang: str) -> str:
    query, key = shown.number(shown.row), shown.number(shown.key)
    return text(lang, "table.why_key.caption", head=shown.name, query=query, key=key)


why_key: Final = Figure(name="why-key", draw=drawing, sentence=_sentence, table=_table, brief=_brief, instead=_instead)
