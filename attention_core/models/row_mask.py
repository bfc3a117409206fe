"""A model's mask that is made row by row, by transformers' own function, and stands for the whole one meanwhile."""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

SIZES: Final = frozenset(
    {
        Tensor.size, Tensor.element_size, Tensor.dim, Tensor.ndimension, Tensor.numel, Tensor.is_floating_point,
        Tensor.__len__,
        *(getattr(Tensor, name).__get__ for name in ("shape", "dtype", "device", "ndim", "requires_grad", "is_sparse")),
    }
)  # fmt: skip
"""What can be asked of a mask without making it."""


class RowMask(Tensor):
    """A mask of n_q × n_k cells without its cells.

    It goes through a model as any other tensor does: whatever is done with it that needs its cells makes them, whole,
    so a family that adds something to its mask is right as well, at the price of that mask.
    """

    make: Callable[[slice], Any]
    told: Callable[[int], None]

    @staticmethod
    def of(make: Callable[[slice], Any], told: Callable[[int], None], first: Tensor, n_q: int) -> "RowMask":
        """Return the mask whose rows `make` returns, with its first row. `told` hears the bytes of a whole one."""
        *before, _, n_k = first.shape
        made = first.new_zeros(()).expand(*before, n_q, n_k).as_subclass(RowMask)
        made.make, made.told = make, told
        return made

    def whole(self) -> Tensor:
        """Return the mask as a tensor of its own."""
        self.told(self.numel() * self.element_size())
        return self.make(slice(0, self.shape[-2]))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in SIZES or func is Tensor.as_subclass:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        args, kwargs = tree_map(lambda one: one.whole() if isinstance(one, RowMask) else one, (args, kwargs or {}))
        return func(*args, **kwargs)


def row_mask(own: Callable[..., Any], asked: dict[str, Any], told: Callable[[int], None]) -> Any:
    """Return what a mask function of transformers would, with its rows still to be made; None if it makes no mask.

    `told` hears the bytes of a mask before it is made whole.
    """

    def make(rows: slice) -> Tensor | None:
        return own(**asked | {"q_length": rows.stop - rows.start, "q_offset": asked.get("q_offset", 0) + rows.start})

    n_q = asked["q_length"]
    first = make(slice(0, 1)) if n_q else None
    if first is None or first.dim() != 4:
        return own(**asked)
    return RowMask.of(make, told, first, n_q)
