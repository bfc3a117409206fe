"""How a query and a key are compared (section 3.2.1), each way one value in a module of its own.

`MECHANISMS` has the value of every choice of `config.mechanism`: the module of that name in this package. A choice
without a module is an error at import.
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
