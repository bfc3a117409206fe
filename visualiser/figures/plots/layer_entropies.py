"""The mean entropy of each layer, −Σ p ln p in nats, before a change and now.

How this can mislead: a mean over heads hides that one becomes sharp while another spreads. Heads without weights, and
those whose rows need not add up to 1, are left out.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.curves import curve, layer_axis
from visualiser.drawing.drawing import Drawing
from visualiser.figures import saying
from visualiser.figures.comparing import Effect, compared
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import CALM, INK


def values(shown: ReadHead) -> tuple[np.ndarray, np.ndarray]:
    """Return the entropies of the layers before and now."""
    now = saying.layer_entropies(shown.run, shown.before)
    return (now, now) if shown.before is None else (saying.layer_entropies(shown.before, shown.run), now)


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw both as curves over the layers."""
    view = view or View()
    lang, (before, now) = view.lang, values(shown)
    layers = np.arange(1, len(now) + 1)
    hover = text(lang, "figure.layer_entropies.hover", layer="%{x}", entropy="%{y:.3g}")
    data = [
        curve(saying.state_name(shown, lang, name), layers, found, colour, 0, hover, {"part": name})
        for name, found, colour in (("before", before, INK), ("now", now, CALM))
    ]
    top = 1.1 * max(0.1, float(np.nanmax(np.concatenate([before, now]), initial=0.0)))  # NaN of a layer without shares
    layout: dict[str, Any] = {
        "height": 220,
        "margin": {"l": 52, "r": 14, "t": 40, "b": 50},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": {**layer_axis(text(lang, "figure.axis.layer"), len(now)), **({"dtick": 1} if len(now) <= 12 else {})},
        "yaxis": {
            "title": {"text": text(lang, "figure.entropy.y")}, "range": np.array([0.0, top]), "zeroline": False,
            "nticks": 4,
        },
    }  # fmt: skip
    return Drawing(layer_entropies.name, data, layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    before, now = values(shown)
    found = compared(before, now)
    if found.effect is Effect.UNMEASURED:
        return [message("table.layer_entropies.none")]
    unknown = [message("says.layer", layer=int(at) + 1) for at in np.flatnonzero(np.isnan(before - now))]
    left_out = [message("table.layer_entropies.left_out", layers=unknown)] if unknown else []
    if found.effect is Effect.SAME:
        return [message("table.layer_entropies.same"), *left_out]
    facts = {"now": float(now[found.at])}
    if found.effect is Effect.UNSEEN:
        return [message("table.layer_entropies.unseen", **facts, apart=found.apart), *left_out]
    facts["before"] = float(before[found.at])
    return [message("table.layer_entropies.summary", layer=found.at + 1, **facts), *left_out]


def _table(shown: ReadHead, view: View) -> Table:
    lang, (before, now) = view.lang, values(shown)

    def made(found: np.ndarray, line: int) -> Message:
        return message("reason.made.layer_entropy", value=float(found[line]))

    return Table(
        text(lang, "table.layer_entropies.caption"),
        [
            column(lang, "layer", np.arange(1, len(now) + 1)),
            Column(
                saying.state_name(shown, lang, "before"),
                before,
                kind="layer_entropy",
                made=lambda line: made(before, line),
            ),
            Column(saying.state_name(shown, lang, "now"), now, kind="layer_entropy", made=lambda line: made(now, line)),
        ],
    )


def _instead(shown: ReadHead, view: View) -> list[Message]:
    unmeasured = compared(*values(shown)).effect is Effect.UNMEASURED
    return _sentence(shown, view) if unmeasured else []


layer_entropies: Final = Figure(
    name="layer-entropies", draw=drawing, sentence=_sentence, table=_table, instead=_instead
)
