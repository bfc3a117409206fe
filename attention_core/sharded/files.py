"""The safetensors files of Q and K, memory-mapped: only requested rows are read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Shaped
from safetensors import SafetensorError, safe_open
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.inputs.tensors import not_finite
from attention_core.shapes import require_shapes, shape_error

DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}


@dataclass(frozen=True, eq=False)
class StoredTensor:
    """One tensor of a file, with its shape and type. Its numbers stay in the file."""

    name: str
    path: Path
    shape: tuple[int, ...]
    dtype: str
    slices: Any
    """safetensors' own lazy view of the tensor."""

    def rows(self, rows: slice) -> Float[Tensor, "*heads rows d_k"]:
        """Read these rows of every head. They are a copy, so that checked numbers stay when the file changes."""
        return self.slices[..., rows, :].clone(memory_format=torch.contiguous_format)

    def require_finite(self, part: Float[Tensor, "*heads rows d_k"]) -> None:
        """Raise `InvalidInput` (`not_finite`) unless `part` is finite, with the place in the whole tensor."""
        if not part.isfinite().all():
            raise not_finite(self.name, self.slices[...])


def stored(path: Path, name: str) -> StoredTensor:
    """Open the tensor `name` of a file.

    Raises `InvalidInput`: `file_unreadable`, `tensor_missing`, `unknown_choice` for another dtype, `shape` if it is
    neither n × d_k nor h × n × d_k or holds no number.
    """
    try:
        file = safe_open(path, framework="pt")
        names = sorted(file.keys())
    except (OSError, SafetensorError) as error:
        raise InvalidInput(
            "file_unreadable",
            f"{path} must be a safetensors file that can be read; {error}.",
            field=str(path),
            reason=str(error),
        ) from None
    if name not in names:
        listed = ", ".join(names) or "nothing"
        raise InvalidInput(
            "tensor_missing",
            f"{path} must hold a tensor {name}; it holds {listed}.",
            field=name,
            path=str(path),
            value=listed,
        )
    slices = file.get_slice(name)
    shape, dtype = tuple(slices.get_shape()), slices.get_dtype()
    if dtype not in DTYPES:
        listed = ", ".join(DTYPES.values())
        raise InvalidInput(
            "unknown_choice",
            f"{name} must be one of {listed}; got {dtype}.",
            field=name,
            value=dtype,
            choices=listed,
        )
    if len(shape) not in (2, 3) or 0 in shape:
        raise shape_error(name, "n × d_k or h × n × d_k with at least one number", shape)
    return StoredTensor(name, path, shape, DTYPES[dtype], slices)


def require_fit(Q: StoredTensor, K: StoredTensor) -> None:
    """Raise `InvalidInput` (`shape`) unless K has Q's width and a number of heads that divides Q's."""
    sizes = [torch.empty(tensor.shape, device="meta") for tensor in (Q, K)]  # shapes without numbers
    require_shapes({}, Q=(sizes[0], "n_q d_k"), K=(sizes[1], "n_k d_k"))
    width = f"d_k = {Q.shape[-1]}"
    if len(Q.shape) != len(K.shape):
        raise shape_error("K", f"n_k × {width}" if len(Q.shape) == 2 else f"h_k × n_k × {width}", K.shape)
    if len(Q.shape) == 3 and Q.shape[0] % K.shape[0]:
        raise shape_error("K", f"h_k × n_k × {width} with h_k a divisor of h = {Q.shape[0]}", K.shape)


def digest(tensor: Shaped[Tensor, "..."]) -> bytes:
    """Return the SHA-256 (32 bytes) of the numbers' bytes. Equal numbers in another file are the same input."""
    return hashlib.sha256(tensor.contiguous().view(torch.uint8).numpy().data).digest()
