"""Reproducible normal numbers: one seed, one name, one stream.

Every tensor has a name ("Q/3", "token/cat") and its own stream, so that no draw depends on how many came before: a
ninth head leaves the first eight as they are. Numbers are drawn on the CPU whatever the device, since generators differ
among devices.
"""

import hashlib

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint

# torch draws normals in blocks of 16 and a rest otherwise: only whole blocks make a short draw the start of a long one.
_BLOCK = 16
# Drawn at a time, so that work can stop in between; whole blocks, so the numbers are those of one long draw.
_STRETCH = 2**20


def draw(seed: int, name: str, rows: int, columns: int) -> Float[Tensor, "rows columns"]:
    """rows × columns independent N(0, 1) numbers, the same for the same seed and name on every machine of one kind.

    More rows keep the rows already there.
    """
    return draws(seed, [name], rows, columns)[0]


def draws(seed: int, names: list[str], rows: int, columns: int) -> Float[Tensor, "names rows columns"]:
    """One `draw` for each name, in one block of memory."""
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
    """The generator at the start of the stream of this seed and name, for draws that are not normal."""
    return torch.Generator().manual_seed(_key(seed, name))


def _key(seed: int, name: str) -> int:
    """63 bits that two different names share with a probability of one in 10¹⁸."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:8], "big") >> 1
