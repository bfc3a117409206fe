"""The exact peak memory of tensors, counted when each storage is made and freed.

The memory of the process tells little: allocators keep freed memory, and other threads use some of it.
"""

import threading
import weakref
from collections.abc import Callable
from contextvars import Token
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

from attention_core.threads import beginnings

__all__ = ["TensorMemory"]


class TensorMemory(TorchDispatchMode):
    """A count of bytes for the operations inside `with TensorMemory() as memory:`.

    `peak` is the most that tensors made inside held at once; tensors from outside do not count. Memory that a kernel
    allocates and frees by itself is not seen (torch's fused attention on a CPU: about a megabyte for any n).
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.peak = 0
        self._held: dict[int, int] = {}  # address of a storage's record → its bytes
        self._tokens: list[Token[tuple[Callable[[], object], ...]]] = []
        self._lock = threading.RLock()  # one thread may free a tensor that another made

    def __enter__(self) -> "TensorMemory":
        # Worker threads of this context count here, too.
        self._tokens.append(beginnings.set((*beginnings.get(), super().__enter__)))
        super().__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        super().__exit__(*problem)
        beginnings.reset(self._tokens.pop())

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        came = {storage._cdata for storage in _storages((args, kwargs))}
        made = func(*args, **(kwargs or {}))
        with self._lock:
            for storage in _storages(made):
                if storage._cdata not in came and storage._cdata not in self._held:
                    self._held[storage._cdata] = storage.nbytes()
                    self.now += storage.nbytes()
                    weakref.finalize(storage, self._freed, storage._cdata)
            self.peak = max(self.peak, self.now)
        return made

    def _freed(self, record: int) -> None:
        with self._lock:
            self.now -= self._held.pop(record)


def _storages(tree: Any) -> list[torch.UntypedStorage]:
    return [leaf.untyped_storage() for leaf in tree_iter(tree) if isinstance(leaf, torch.Tensor)]
