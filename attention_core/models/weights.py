"""Reading the numbers of a model from its files: in stretches, so that it can be watched and stopped."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.models.headers import Placed, Unusable

_STRETCH: Final = 2**24  # bytes between two checks: some milliseconds of a disk


def read(files: Sequence[tuple[Path, Sequence[Placed]]], progress: Callable[[float], None]) -> dict[str, Tensor]:
    """Return the tensors of several files, floats in float32, in memory of their own.

    `progress` gets the share that is read, from 0 to 1. Raises `Unusable` for a file that ends early, `Cancelled`.
    """
    total = sum(one.stop - one.start for _, tensors in files for one in tensors) or 1
    done = 0
    found: dict[str, Tensor] = {}
    for path, tensors in files:
        with path.open("rb", buffering=0) as file:
            for one in tensors:
                raw = torch.empty(one.stop - one.start, dtype=torch.uint8)
                view = raw.numpy().data
                file.seek(one.start)
                at = 0
                while at < len(view):
                    checkpoint()
                    came = file.readinto(view[at : at + _STRETCH])
                    if not came:
                        raise Unusable
                    at += came
                    progress((done + at) / total)
                done += at
                tensor = raw.view(one.dtype).reshape(one.shape)
                found[one.name] = tensor.float() if one.dtype.is_floating_point else tensor
    return found
