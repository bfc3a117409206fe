"""Time of additive and dot-product attention, measured on the machine that runs this, against n or d_k.

How this can mislead: the measurement includes whatever else this machine does at the time. Small sizes show the
overhead of a call and not the arithmetic. An exponent fitted over a few doublings holds for these sizes and this
cache.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from attention_core import CostConfig, CostPoint
from attention_core.mechanisms import MECHANISMS
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost_fit import measured
from visualiser import theme
from visualiser.drawing.cost_curves import Quantity, cost_drawing
from visualiser.drawing.curves import reference
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.figures.figure import Figure
from visualiser.figures.measurement import sentence, table
from visualiser.locale import text
from visualiser.state.view import View

_TIME: Final = Quantity(
    name="cost-time",
    unit="s",
    of=lambda point: point.seconds,
    expected=lambda point: point.expected_seconds,
    bound=lambda config: config.seconds,
    before=(-5.0, 0.0),
)


def drawing(config: CostConfig, points: Sequence[CostPoint], lang: str = "en", view: View | None = None) -> Drawing:
    """Draw medians with fitted exponents. Dotted: the operations of theory at the pace of the largest softmax(QKᵀ)V.

    In theory the two functions differ by a small factor. The distance of the additive curves above their dotted line
    is the price of operations that are no matrix product.
    """

    def theory(passes: str, panel: int) -> list[Trace]:
        paced = measured(points, "explicit", passes)
        pace = paced[-1].seconds / paced[-1].operations.total if paced and paced[-1].seconds else np.nan
        lines = []
        for name, colour in _colours().items():
            count = MECHANISMS[name].operations
            totals = np.array([count(*config.shape(s), passes == "forward_backward").total for s in config.sizes])
            label = text(lang, f"figure.cost.operations.{name}")
            line = reference(label, config.sizes, totals * pace, "dot", panel, colour, legend=panel == 0)
            hover = text(lang, "figure.cost.operations_hover", line=label, count="%{text}")
            texts = np.array([f"{total:.3g}" for total in totals])
            lines.append(
                {**line, "text": texts, "hovertemplate": f"{hover}<extra></extra>", "meta": {"kind": "theory"}}
            )
        return lines

    return cost_drawing(config, points, _TIME, theory, lang, view or View())


def _colours() -> dict[str, str]:
    """Return each measured mechanism with the colour of its first contender."""
    found: dict[str, str] = {}
    for name, contender in CONTENDERS.items():
        found.setdefault(contender.mechanism, theme.CONTENDERS[name])
    return found


cost_time: Final = Figure(
    name=_TIME.name,
    draw=drawing,
    live=lambda run, view: drawing(run.config, run.points, view.lang, view),
    sentence=lambda run, view: [sentence(run.points, "time")],
    table=table,
)
