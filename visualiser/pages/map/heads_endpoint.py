"""The endpoint ``/heads``: what every head of a model does over a long text, for programs."""

import math
from typing import Any, Final, TypedDict

from attention_core import AttentionConfig
from visualiser import models
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.map import every_head
from visualiser.pages.of_config import of_config
from visualiser.server.admission.cost import SMALL, Cost

PAGE = "map"
SECONDS: Final = 60.0
"""A text is read as far as this takes: nobody sees the call's progress or cancels it."""
_WITHOUT: Final = (
    *("n", "d_model", "h", "d_k", "tie", "mechanism", "scaling", "scale", "mask", "window", "split", "positions"),
    *("dtype", "subtract_max", "normalisation", "sink", "qk_norm", "log_n", "softcap", "seed", "source", "layer"),
)


class EveryHead(TypedDict):
    """Numbers of every head of every layer over one text."""

    tokens: int
    cut: bool
    names: list[str]
    values: dict[str, list[list[float | None]]]


@of_config(PAGE, sources=("model",), without=_WITHOUT)
def every_head_of_a_text(config: AttentionConfig) -> EveryHead:
    """Return what every head of a trained model does over a long text, without an n x n matrix.

    Returns:
        tokens that were read, up to the model's context, and cut if the text goes on; the names of the layers in the
        model; by name one number for each head of each layer: the mean entropy over the rows (nats), the mean of
        other measures over their counted rows (None without one) and, of a model that reads long texts, the means of
        the largest weight, the Jacobian's norm and the effective keys
    """
    found = every_head.read(config, every_head.most_read(config, SECONDS))
    return {
        "tokens": found.n,
        "cut": found.cut,
        "names": list(found.names),
        "values": {
            name: [[value if math.isfinite(value) else None for value in heads] for heads in layers]
            for name, layers in found.values.items()
        },
    }


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of a run of the model over the text; one that is refused in words is next to nothing."""
    config = config_of({"source": "model", **given}, PAGE)
    if config is None or models.known(config.model) is None:
        return SMALL
    return SMALL + every_head.price_of(config, every_head.most_read(config, SECONDS))


ENDPOINT: Final = Endpoint("heads", every_head_of_a_text, price, "measure_every_head_over_a_text", run=True)
