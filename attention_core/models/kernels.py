"""What a kernel does otherwise than the eager attention that a capture runs in its place.

A kernel takes booleans for a mask, where an eager function adds them to its scores; and a row that may read nothing is
zero, where a softmax over equal scores spreads it over all keys. In float16 it adds up in float32, where the product of
an eager function ends at 65,504. Everything else is the same but for rounding.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def with_numbers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call, query first, with a mask to add in place of one of booleans."""
    mask = mask_of(args, kwargs)
    if mask is None or mask.dtype != torch.bool:
        return args, kwargs
    dtype = (args[0] if args else kwargs["query"]).dtype
    added = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, torch.finfo(dtype).min)
    if len(args) > _MASK:
        return (*args[:_MASK], added, *args[_MASK + 1 :]), kwargs
    return args, {**kwargs, "attention_mask": added}


def in_float32(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call in float32: what its mask forbids stays forbidden."""

    def wide(one: Any) -> Any:
        if not isinstance(one, Tensor) or one.dtype != torch.float16:
            return one
        forbidden = one <= torch.finfo(torch.float16).min / 2
        return one.float().masked_fill(forbidden, torch.finfo(torch.float32).min)

    return tuple(map(wide, args)), {name: wide(one) for name, one in kwargs.items()}


def products(
    module: nn.Module,
    query: Float[Tensor, "batch h n_q d_k"],
    key: Float[Tensor, "batch shared n_k d_k"],
    value: Float[Tensor, "batch shared n_k d_v"],
    attention_mask: Float[Tensor, "..."] | None,
    scaling: float,
) -> tuple[Tensor, Tensor]:
    """Return what torch's fused attention makes, batch × n_q × h × d_v, and its weights, by a softmax that is read."""
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, 1) for one in (key, value))
    scores = query @ key.mT * scaling
    weights = (scores if attention_mask is None else scores + attention_mask).softmax(-1)
    return (weights @ value).transpose(1, 2), weights


def fused_mask(query: Tensor, key: Tensor, given: Tensor | None, causal: bool) -> Tensor | None:
    """Return the mask of a call of torch's fused attention with four axes; None without one."""
    if causal:
        given = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
    return None if given is None else given[(None,) * (4 - given.dim())]


def silent_rows(mask: Tensor | None) -> Bool[Tensor, "batch h n_q 1"] | None:
    """Return the rows of a mask that allow nothing; None if each allows a key."""
    if mask is None or mask.dim() != 4:
        return None
    rows = mask.amax(-1, keepdim=True) <= torch.finfo(mask.dtype).min / 2
    return rows if bool(rows.any()) else None


_MASK = 3


def mask_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    """Return the mask of a call, given by its place or by its name."""
    mask = args[_MASK] if len(args) > _MASK else kwargs.get("attention_mask")
    return mask if isinstance(mask, Tensor) else None
