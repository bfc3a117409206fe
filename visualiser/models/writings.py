"""What the heads of a model write when they read a key, and how much they add for it."""

from typing import Final

from jaxtyping import Float
from torch import Tensor

from attention_core.learned import (
    ModelRun,
    ProjectingModel,
    WritingModel,
    Written,
    no_words,
    unprojected,
    value_norms,
    written,
)
from visualiser.models.listing import find, known
from visualiser.models.run_work import Sizes
from visualiser.server.settings import MEBIBYTE

_FLOAT: Final = 4  # bytes
_LOGITS: Final = 2**22
"""Logits that are held at once, about."""


def writes(name: str, run: ModelRun, layer: int, head: int) -> Written:
    """Return what a head of a model, layer and head from 1, writes for each key of a run.

    Raises `InvalidInput`: `writes_no_words`, `writing_unread`, and as `find` does.
    """
    model = find(name)
    if not isinstance(model, WritingModel):
        raise no_words(name)
    return written(model.writer(layer), run.layers[layer - 1], head, run.keys(layer).ids)


def norms(name: str, run: ModelRun, layer: int, head: int) -> Float[Tensor, " n_k"]:
    """Return the norms of what a head of a model, layer and head from 1, adds for each key of a run.

    Raises `InvalidInput`: `norms_unread`, and as `find` does.
    """
    model = find(name)
    found = run.layers[layer - 1]
    if not isinstance(model, ProjectingModel):
        raise unprojected(found.name)  # a file's name is a secret
    return value_norms(found, model.projection(layer), head)


def norms_work(of: Sizes) -> tuple[float, int, int]:
    """Return the seconds, bytes and multiply-adds of the norms of one head over a run of these sizes."""
    d_model = of.h * of.d_k
    products = d_model**3 + of.n * d_model * of.d_k  # W_O is what a projection makes of unit vectors
    return 1e-3 + 1e-10 * products, MEBIBYTE + 3 * _FLOAT * d_model**2, products


def writing_work(name: str, of: Sizes) -> tuple[float, int, int]:
    """Return the seconds, bytes and multiply-adds of what one head writes over a run of these sizes."""
    words = int(getattr(known(name), "outcomes", 0))
    d_model = of.h * of.d_k
    products = of.n * d_model * (of.d_k + words) + of.h * of.d_k * d_model
    held = min(of.n * words, max(words, _LOGITS))
    return 1e-3 + 1e-10 * products + 4e-9 * of.n * words, MEBIBYTE + 3 * _FLOAT * held, products
