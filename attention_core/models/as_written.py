"""A model as it is written: what compiles it, or shares it out among devices, is left aside for a capture."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import torch
from torch import nn

from attention_core.models.shared_state import SharedState


def itself(model: nn.Module) -> nn.Module:
    """Return the model in what `torch.compile` and `DataParallel` return."""
    while True:
        inner = getattr(model, "_orig_mod", None)
        if inner is None and isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
            inner = model.module
        if not isinstance(inner, nn.Module):
            return model
        model = inner


def uncompiled(model: nn.Module) -> AbstractContextManager[None]:
    """Run what is compiled in a model as it is written.

    A compiled module that meets a recorder is compiled anew, for tens of seconds, and again after it.
    """
    compiled = any(module._compiled_call_impl or "_orig_mod" in module._modules for module in model.modules())
    return _STANCE if compiled else nullcontext()


class _Stance(SharedState):
    """What `torch.compile` made runs as it is written, in the whole process."""

    _own: Any

    def begin(self) -> None:
        self._own = torch.compiler.set_stance("force_eager")

    def end(self) -> None:
        self._own.__exit__(None, None, None)


_STANCE: Final = _Stance()
