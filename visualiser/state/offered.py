"""The settings of the core that pages offer so far."""

from typing import Final

from attention_core import config

NOT_YET: Final = ("normalisation", "sink", "softcap")
"""Settings of `AttentionConfig` that no page speaks of yet: links, controls, endpoints and documents leave them out."""


def settings() -> tuple[str, ...]:
    """Return the fields of `AttentionConfig` that links, controls, endpoints and documents know."""
    return tuple(name for name in config.settings() if name not in NOT_YET)
