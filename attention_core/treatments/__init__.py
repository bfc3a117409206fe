"""The functions that scaled scores go through before the mask, each one value in its own module.

`TREATMENTS` has them by name, in the order in which they act. A softcap is the only one so far.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from attention_core.config import AttentionConfig
from attention_core.errors import InvalidInput
from attention_core.treatments.treatment import Curve, Treatment

__all__ = ["TREATMENTS", "Curve", "Treatment", "acting", "none_acts", "of"]

TREATMENTS: Mapping[str, Treatment] = MappingProxyType(
    {name: import_module(f"{__name__}.{name}").TREATMENT for name in ("softcap",)}
)
"""Every treatment by the field of the config that sets it."""


def acting(config: AttentionConfig) -> tuple[str, ...]:
    """Return the names of the treatments that change the config's scores."""
    return tuple(name for name, one in TREATMENTS.items() if one.acts(config))


def of(config: AttentionConfig) -> Curve | None:
    """Return the function of the config's scaled scores; None if they stay as they are."""
    curves = [TREATMENTS[name].curve(config) for name in acting(config)]
    if len(curves) > 1:
        raise NotImplementedError("two treatments at once have no chain rule yet")
    return curves[0] if curves else None


def none_acts(config: AttentionConfig, purpose: str = "here") -> None:
    """Raise `InvalidInput` (`unknown_choice`) if a treatment changes the config's scores.

    `purpose` ends the sentence of the error: what only scores without it can do.
    """
    for name in acting(config):
        value = getattr(config, name)
        raise InvalidInput(
            "unknown_choice", f"{name} must be 0 {purpose}; got {value!r}.", field=name, value=value, choices="0"
        )
