"""The Explore page: heat maps, scores, entropy and gradient of one configuration."""

from typing import Final

from visualiser.state.rules import Rules

RULES: Final = Rules(place=0)
