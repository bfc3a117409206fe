"""The multiply-adds of a run's matrix products, counted operation by operation, whatever the model is."""

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

__all__ = ["MultiplyAdds"]


class MultiplyAdds(TorchDispatchMode):
    """A count of the multiply-adds inside `with MultiplyAdds() as counted:`, in this thread alone.

    torch's own `FlopCounterMode` counts the same by hooks on every module of the process: other threads run models.
    """

    def __init__(self) -> None:
        super().__init__()
        self.total = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        made = func(*args, **given)
        count = flop_registry.get(func._overloadpacket)
        if count is not None:
            self.total += count(*args, **given, out_val=made) // 2  # a multiplication and an addition are two
        return made
