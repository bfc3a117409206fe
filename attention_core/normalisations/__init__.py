"""The ways to turn a row of scores into weights, each one value in its own module.

`NORMALISATIONS` has one entry for every choice of `config.normalisation`, from the module of that name in this package.
A choice without a module fails at import.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TypeVar

from attention_core import treatments
from attention_core.blocks.row_statistics import Limits, lacking, statistic
from attention_core.config import CHOICES, AttentionConfig, having, of_every_choice
from attention_core.exact.softmax import Normalise
from attention_core.normalisations.normalisation import Normalisation, WalkedWeights

__all__ = [
    "NORMALISATIONS",
    "Normalisation",
    "WalkedWeights",
    "chosen",
    "limits",
    "of",
    "part",
    "require_statistic",
    "softmax_of",
    "weights",
]

Part = TypeVar("Part")
Entry = TypeVar("Entry")


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


def chosen(config: AttentionConfig, table: Mapping[str, Entry], purpose: str = "here") -> Entry:
    """Return the entry of the config's normalisation in a consumer's own table, which may lack some.

    Raises `InvalidInput` (`unknown_choice`) with the names that it has; `purpose` ends the sentence.
    """
    return having("normalisation", config.normalisation, {name: table.get(name) for name in NORMALISATIONS}, purpose)


def weights(config: AttentionConfig) -> Normalise:
    """Return the config's way from masked scores and a mask to weights."""
    return partial(of(config).weights, config)


def require_statistic(config: AttentionConfig, name: str) -> None:
    """Raise `InvalidInput` (`unknown_choice`) if the config's rows have no statistic of this name."""
    there = of(config).statistics
    if name not in there:
        statistic(name)
        raise lacking(name, there)


def limits(config: AttentionConfig, name: str) -> Limits:
    """Return the bounds of a statistic for the config's weights, and its value if these are equal.

    A treatment's slope, at most 1, takes the gradient away from that value. Raises `InvalidInput` (`unknown_choice`)
    for a statistic that the config's rows lack.
    """
    require_statistic(config, name)
    found = of(config).limits(name)
    return replace(found, uniform=None) if statistic(name).kind == "gradient" and treatments.acting(config) else found


def softmax_of(config: AttentionConfig, purpose: str = "here") -> None:
    """Raise `InvalidInput` (`unknown_choice`) unless the config's weights are e^s / Σ e^s and nothing more.

    s are the scaled scores themselves: a treatment is refused as well.
    """
    part(config, lambda one: one.softmax or None, purpose)
    treatments.none_acts(config, purpose)
