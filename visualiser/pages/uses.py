"""The controls that each choice of another control reads. A control that a choice does not read has no effect."""

from collections.abc import Mapping
from typing import Final

from attention_core.config import CHOICES, SCALED, of_every_choice
from attention_core.exact.mask_choices import MASKS
from visualiser.state import parameters

_SIZES: Final = ("h", "d_k", "tie", "d_model")
_OURS: Final = ("mechanism", "scaling", "seed")
"""What a trained model decides itself."""

SOURCES: Final[Mapping[str, tuple[str, ...]]] = of_every_choice(
    "source",
    {
        "gaussian": ("n", *_SIZES, *_OURS),
        "text": ("text", "split", "positions", *_SIZES, *_OURS),
        "upload": _OURS,
        "structured": ("n", *_SIZES, *_OURS),
        "model": ("text", "target", "model", "layer"),
    },
)


def uses(page: str = parameters.EXPLORE) -> dict[str, dict[str, list[str]]]:
    """Return the controls of a page that each choice of a source, a mechanism, a normalisation and others reads.

    A control that another one before it leaves without effect leaves none without.
    """
    always = ("layer",) if parameters.draws_layers(page) else ()
    return {
        "source": {source: [name for name in read if name not in always] for source, read in SOURCES.items()},
        "mechanism": {name: ["scaling", "scale", "log_n"] if scaled else [] for name, scaled in SCALED.items()},
        "normalisation": {name: ["sink"] if name == "sink" else [] for name in CHOICES["normalisation"]},
        "scaling": {name: ["scale"] if name == "custom" else [] for name in CHOICES["scaling"]},
        "mask": {name: list(mask.uses) for name, mask in MASKS.items()},
    }


def unused_controls(page: str) -> frozenset[str]:
    """Return the controls without effect in the state with which the page begins, as `unused` of entry.js does."""
    config = parameters.beginning(page)
    found: set[str] = set()
    for control, choices in uses(page).items():
        if control in found:
            continue
        found |= {name for read in choices.values() for name in read} - set(choices[getattr(config, control)])
    return frozenset(found)
