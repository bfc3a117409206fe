"""Reproducible normal numbers: one stream for each seed and name.

Every tensor has a name ("Q/3", "token/cat") and its own stream, so that no draw depends on earlier ones: a ninth head
leaves the first eight unchanged. Numbers are always drawn on the CPU, since generators differ among devices.
"""

import hashlib

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint

__all__ = ["draw"]

# torch draws normals in blocks of 16, and the rest in another way. Only whole blocks make a short draw the start of a
# long one.
_BLOCK = 16
# Numbers drawn at once, so that work can stop in between. Whole blocks give the numbers of one long draw.
_STRETCH = 2**20


def draw(seed: int, name: str, rows: int, columns: int) -> Float[Tensor, "rows columns"]:
    """Return rows × columns independent N(0, 1) numbers, equal for equal seed and name on machines of one kind.

    More rows keep the first rows unchanged.

    Parameters
    ----------
    seed, name
        The stream. Every tensor has a name of its own, such as "Q/3".
    rows, columns
        The shape.

    Returns
    -------
    Tensor
        rows × columns in float32, on the CPU.
    """
    return draws(seed, [name], rows, columns)[0]


def draws(seed: int, names: list[str], rows: int, columns: int) -> Float[Tensor, "names rows columns"]:
    """Return one `draw` for each name, in one block of memory."""
    count = rows * columns
    numbers = torch.empty(len(names), -(-count // _BLOCK) * _BLOCK)
    generator = torch.Generator()
    for stream, name in zip(numbers, names, strict=True):
        generator.manual_seed(_key(seed, name))
        for part in (stream,) if len(stream) <= _STRETCH else stream.split(_STRETCH):
            checkpoint()
            part.normal_(generator=generator)
    return numbers[:, :count].unflatten(1, (rows, columns))


def stream(seed: int, name: str) -> torch.Generator:
    """Return the generator at the start of the stream of this seed and name, for draws that are not normal."""
    return torch.Generator().manual_seed(_key(seed, name))


def _key(seed: int, name: str) -> int:
    """Return 63 bits, which two different names share with a probability of one in 10¹⁸."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:8], "big") >> 1
