"""The Explore page: heat maps, scores, entropy and gradient of one configuration."""

from typing import Final

from visualiser.figures.plots.compare import compare
from visualiser.figures.plots.entropy import entropy
from visualiser.figures.plots.gradient import gradient
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.figures.plots.jacobian import jacobian
from visualiser.figures.plots.row_weights import row_weights
from visualiser.figures.plots.score_distribution import score_distribution
from visualiser.state.rules import OFFERED, Rules, prediction_parameters

MAPS: Final = heat_maps
COMPARED: Final = compare
"""What stands in the place of the maps beside a pinned A."""

PANELS: Final = (score_distribution, entropy, gradient)
"""The figures beside the heat maps, in the order in which they are sent."""

ROW: Final = (row_weights, jacobian)
"""One row in detail: drawn and sent only if a row is locked."""

CHANGES: Final = ("unscaled", "scaled", "wider", "heads", "causal")
"""What a question changes: no scaling, 1/√d_k, four times d_k, twice the heads at the same d_model, a causal mask."""

MEASURES: Final = ("entropy", "variance", "largest", "norm")
"""The measures of a question: entropy of a row, variance of the scores, largest weight of a row, its Jacobian."""

RULES: Final = Rules(
    place=0,
    own=prediction_parameters(*(f"{change}_{measure}" for measure in MEASURES for change in CHANGES), "narrow_head"),
    choices={"source": (*OFFERED["source"], "model")},
    figures=(MAPS, *PANELS, *ROW),
    parts=("predict", "row-title", "arithmetic", "upload", "group-more", "pin", "take-away"),
    lesson=("d_k", "h", "scaling", "scale", "normalisation", "sink", "mechanism", "mask", "window", "stage"),
)
