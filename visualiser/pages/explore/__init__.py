"""The Explore page: heat maps, scores, entropy and gradient of one configuration."""

from typing import Final

from visualiser.state.rules import Rules

RULES: Final = Rules(
    place=0,
    figures=("heat-maps", "score-distribution", "entropy", "gradient", "row-weights", "jacobian"),
    parts=("row-title", "arithmetic", "upload", "group-more", "pin", "take-away"),
    lesson=("d_k", "h", "scaling", "scale", "mechanism", "mask", "window", "stage"),
)
