"""The multiply-adds of a run's matrix products, counted operation by operation, whatever the model is."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

__all__ = ["MultiplyAdds"]


class MultiplyAdds(TorchDispatchMode):
    """A count of the multiply-adds inside `with MultiplyAdds() as counted:`, in this thread alone.

    torch's own `FlopCounterMode` counts the same by hooks on every module of the process: other threads run models.
    """

    def __init__(self, most: int | None = None) -> None:
        """Raise `ValueError` inside before a batch of products that would have more than `most` cells."""
        super().__init__()
        self.total, self._most = 0, most

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if self._most is not None and func._overloadpacket is torch.ops.aten.bmm:
            one, other = args
            if one.shape[0] * one.shape[1] * other.shape[2] > self._most:
                raise ValueError("more scores than may be made here")
        made = func(*args, **given)
        count = flop_registry.get(func._overloadpacket)
        if count is not None:
            self.total += count(*args, **given, out_val=made) // 2  # a multiplication and an addition are two
        return made
