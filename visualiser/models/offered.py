"""Which models there are: those that ship. A visitor's text is looked up here and names nothing else."""

from typing import Final

from attention_core import InvalidInput
from attention_core.errors import shown
from attention_core.learned import SHIPPED, LearnedModel, shipped_model

DEFAULT: Final = "headlight"
"""The model of a link that names none."""


def offered() -> tuple[str, ...]:
    """Return the names of the models, those that ship first."""
    return tuple(SHIPPED)


def known(name: str) -> LearnedModel | None:
    """Return a model whose sizes are known now; None for one that is not offered or not loaded."""
    try:
        return find(name)
    except InvalidInput:
        return None


def find(name: str) -> LearnedModel:
    """Return a model. Raises `InvalidInput` (`unknown_model`) for a name that is not offered."""
    if name not in SHIPPED:
        raise InvalidInput(
            "unknown_model", f"model must be one of {', '.join(offered())}; got {shown(name)}.", value=name
        )
    return shipped_model(name)
