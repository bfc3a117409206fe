"""The Explore page: heat maps, scores, entropy and gradient of one configuration."""

from typing import Final

from visualiser.state.rules import Rules, prediction_parameters

CHANGES: Final = ("unscaled", "scaled", "wider", "heads", "causal")
"""What a question changes: no scaling, 1/√d_k, four times d_k, twice the heads at the same d_model, a causal mask."""

MEASURES: Final = ("entropy", "variance", "largest", "norm")
"""What it asks about: the mean entropy of a row, the variance of the scores, a row's largest weight, its Jacobian."""

RULES: Final = Rules(
    place=0,
    own=prediction_parameters(*(f"{change}_{measure}" for measure in MEASURES for change in CHANGES), "narrow_head"),
    figures=("heat-maps", "score-distribution", "entropy", "gradient", "row-weights", "jacobian"),
    parts=("predict", "row-title", "arithmetic", "upload", "group-more", "pin", "take-away"),
    lesson=("d_k", "h", "scaling", "scale", "mechanism", "mask", "window", "stage"),
)
