"""The ways to turn a row of scores into weights, each one value in its own module.

`NORMALISATIONS` has one entry for every choice of `config.normalisation`, from the module of that name in this package.
A choice without a module fails at import.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeVar

from attention_core.config import CHOICES, AttentionConfig, having, of_every_choice
from attention_core.normalisations.normalisation import Normalisation

__all__ = ["NORMALISATIONS", "Normalisation", "of", "part", "softmax_of"]

Part = TypeVar("Part")


def _named(name: str) -> Normalisation:
    return import_module(f"{__name__}.{name}").NORMALISATION


NORMALISATIONS: Mapping[str, Normalisation] = of_every_choice(
    "normalisation", {name: _named(name) for name in CHOICES["normalisation"]}
)


def of(config: AttentionConfig) -> Normalisation:
    """Return the normalisation that `config` names."""
    return NORMALISATIONS[config.normalisation]


def part(config: AttentionConfig, take: Callable[[Normalisation], Part | None], purpose: str) -> Part:
    """Return a part of the config's normalisation that others may lack. Raises `InvalidInput` (`unknown_choice`).

    `purpose` ends the sentence of the error: what only normalisations with that part can do.
    """
    table = {name: take(one) for name, one in NORMALISATIONS.items()}
    return having("normalisation", config.normalisation, table, purpose)


def softmax_of(config: AttentionConfig, purpose: str = "here") -> None:
    """Raise `InvalidInput` (`unknown_choice`) unless the config's weights are e^s / Σ e^s and nothing more."""
    part(config, lambda one: one.softmax or None, purpose)
