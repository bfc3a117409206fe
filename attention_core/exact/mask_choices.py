"""The `Mask` of each choice of `config.mask`, with its PyTorch text and the fields it reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.config import AttentionConfig, of_every_choice
from attention_core.exact.masks import CAUSAL, EVERYTHING, Mask, window

__all__ = ["MASKS", "of"]


@dataclass(frozen=True)
class MaskChoice:
    """One choice of `config.mask`.

    of       the mask of a config
    written  the mask in PyTorch, from the positions `query` (n_q × 1) and `key`, with {window}; None if all is allowed
    uses     the fields of the config that it reads
    aligned  True if its sentence depends on where the queries stand: with more keys than queries, or fewer, it is
             `insight.mask.NAME_more` or `insight.mask.NAME_fewer`; `insight.mask.NAME_seen` promises no weight
    """

    of: Callable[[AttentionConfig], Mask]
    written: str | None
    uses: tuple[str, ...] = ()
    aligned: bool = False


MASKS: Mapping[str, MaskChoice] = of_every_choice(
    "mask",
    {
        "none": MaskChoice(lambda config: EVERYTHING, None),
        "causal": MaskChoice(lambda config: CAUSAL, "key <= query", aligned=True),
        "window": MaskChoice(lambda config: window(config.window), "(key - query).abs() <= {window}", ("window",)),
    },
)


def of(config: AttentionConfig) -> Mask:
    """Return the mask that `config` names."""
    return MASKS[config.mask].of(config)


def dense(
    config: AttentionConfig, n_q: int, n_k: int, rows: tuple[int, ...] | None = None
) -> Bool[Tensor, "queries n_k"] | None:
    """Return the config's mask as a tensor for the queries `rows` or all; None if it allows everything."""
    mask = of(config)
    if mask.everything:
        return None
    return mask.dense(n_q, n_k, None if rows is None else torch.tensor(rows, dtype=torch.int64))
