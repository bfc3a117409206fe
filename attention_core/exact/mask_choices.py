"""The one way from a config to its `Mask`, and what programs that write or weigh a config ask of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.config import AttentionConfig, of_every_choice
from attention_core.exact.masks import CAUSAL, EVERYTHING, Mask, window


@dataclass(frozen=True)
class MaskChoice:
    """What one choice of `config.mask` means.

    of       the mask
    written  PyTorch for it, from the positions `query` (n_q × 1) and `key`; {window} is the config's. None: everything
    uses     the fields of the config that it reads
    """

    of: Callable[[AttentionConfig], Mask]
    written: str | None
    uses: tuple[str, ...] = ()


MASKS: Mapping[str, MaskChoice] = of_every_choice(
    "mask",
    {
        "none": MaskChoice(lambda config: EVERYTHING, None),
        "causal": MaskChoice(lambda config: CAUSAL, "key <= query"),
        "window": MaskChoice(lambda config: window(config.window), "(key - query).abs() <= {window}", ("window",)),
    },
)


def of(config: AttentionConfig) -> Mask:
    """Return the mask that `config` names."""
    return MASKS[config.mask].of(config)


def dense(
    config: AttentionConfig, n_q: int, n_k: int, rows: tuple[int, ...] | None = None
) -> Bool[Tensor, "queries n_k"] | None:
    """Return the config's mask as a tensor, of the queries `rows` or of all; None if it allows everything."""
    mask = of(config)
    if mask.everything:
        return None
    return mask.dense(n_q, n_k, None if rows is None else torch.tensor(rows, dtype=torch.int64))
