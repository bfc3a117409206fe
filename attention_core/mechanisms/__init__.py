"""The ways to compare a query and a key (section 3.2.1), each one value in its own module.

`MECHANISMS` has one entry for every choice of `config.mechanism`, from the module of that name in this package. A
choice without a module fails at import.
"""

from collections.abc import Mapping
from importlib import import_module

from attention_core.config import CHOICES, AttentionConfig, of_every_choice
from attention_core.mechanisms.mechanism import Mechanism, Walked, Work

__all__ = ["MECHANISMS", "Mechanism", "Walked", "Work", "of"]


def _named(name: str) -> Mechanism:
    return import_module(f"{__name__}.{name}").MECHANISM


MECHANISMS: Mapping[str, Mechanism] = of_every_choice(
    "mechanism", {name: _named(name) for name in CHOICES["mechanism"]}
)


def of(config: AttentionConfig) -> Mechanism:
    """Return the mechanism that `config` names."""
    return MECHANISMS[config.mechanism]
