"""The controls that each choice of another control reads. A control that a choice does not read has no effect."""

from collections.abc import Mapping
from typing import Final

from attention_core.config import CHOICES, SCALED, of_every_choice
from attention_core.exact.mask_choices import MASKS
from visualiser.state import parameters

_SIZES: Final = ("h", "d_k", "tie", "d_model")

SOURCES: Final[Mapping[str, tuple[str, ...]]] = of_every_choice(
    "source",
    {
        "gaussian": ("n", *_SIZES),
        "text": ("text", "split", "positions", *_SIZES),
        "upload": (),
        "structured": ("n", *_SIZES),
        "model": _SIZES,
    },
)


def uses() -> dict[str, dict[str, list[str]]]:
    """Return the controls that each choice of a mechanism, a normalisation, a scaling, a mask and a source reads."""
    return {
        "mechanism": {name: ["scaling", "scale", "log_n"] if scaled else [] for name, scaled in SCALED.items()},
        "normalisation": {name: ["sink"] if name == "sink" else [] for name in CHOICES["normalisation"]},
        "scaling": {name: ["scale"] if name == "custom" else [] for name in CHOICES["scaling"]},
        "mask": {name: list(mask.uses) for name, mask in MASKS.items()},
        "source": {name: list(read) for name, read in SOURCES.items()},
    }


def unused_controls(page: str) -> frozenset[str]:
    """Return the controls without effect in the state with which the page begins, as `unused` of entry.js does."""
    config = parameters.beginning(page)
    found: set[str] = set()
    for control, choices in uses().items():
        found |= {name for read in choices.values() for name in read} - set(choices[getattr(config, control)])
    return frozenset(found)
