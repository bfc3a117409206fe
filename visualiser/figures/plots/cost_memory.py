"""The most memory that the tensors of additive and dot-product attention hold at once, against n or d_k.

How this can mislead: only tensors are counted, exactly. The operands and a kernel's internal memory are left out (for
torch's fused kernel about a megabyte, whatever n is), so the whole process takes more.
"""

from collections.abc import Sequence
from typing import Final

from attention_core import CostConfig, CostPoint
from attention_core.mechanisms.operations import hidden_layer_bytes, score_matrix_bytes
from visualiser.drawing.cost_curves import Quantity, cost_drawing
from visualiser.drawing.curves import reference
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.figures.figure import Figure
from visualiser.figures.measurement import sentence, table
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import CURVES

_MEMORY: Final = Quantity(
    name="cost-memory",
    unit="B",
    of=lambda point: point.bytes,
    expected=lambda point: point.expected_bytes,
    bound=lambda config: config.bytes,
    before=(3.0, 9.0),
)


def drawing(config: CostConfig, points: Sequence[CostPoint], lang: str = "en", view: View | None = None) -> Drawing:
    """Draw peaks with fitted exponents. Dotted: 4 n² d_k bytes, the hidden layer of all pairs, and 4 n², the scores."""

    def theory(passes: str, panel: int) -> list[Trace]:
        shapes = [config.shape(size) for size in config.sizes]
        held = {
            "hidden_layer": ([hidden_layer_bytes(n, d_k) for n, d_k in shapes], CURVES["additive"]),
            "score_matrix": ([score_matrix_bytes(n) for n, _ in shapes], CURVES["scaled"]),
        }
        return [
            {
                **reference(
                    text(lang, f"figure.cost.{name}"), config.sizes, bytes_, "dot", panel, colour, legend=panel == 0
                ),
                "meta": {"kind": "theory"},
            }
            for name, (bytes_, colour) in held.items()
        ]

    return cost_drawing(config, points, _MEMORY, theory, lang, view or View())


cost_memory: Final = Figure(
    name=_MEMORY.name,
    draw=drawing,
    live=lambda run, view: drawing(run.config, run.points, view.lang, view),
    sentence=lambda run, view: [sentence(run.points, "memory")],
    table=table,
)
