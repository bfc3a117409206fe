"""Where the positions of each call of attention stand in a picture, found by changing pixels and seeing what changes.

Attention mixes positions and everything else of such models acts on each alone, so attention is silenced for the
probes. A position that changes with the pixels of a strip is a patch of that strip; strips that follow the bits of a
row's number, and those of a column's, tell row and column of each. A position that no pixel changes is none of the
picture: a class token, a register, the filling of a window.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.cancellation import checkpoint

MOST_PATCHES: Final = 4096
"""Of a picture at its finest: 64 × 64."""
_CHANGED: Final = 1e-4
"""The share of the largest change below which a position has kept its value, but for rounding."""


@dataclass(frozen=True, eq=False)
class Patches:
    """The patches of one call of attention.

    rows, columns  of the grid that its positions make
    at             for each sequence of a batch, such as a window, and each position the number of its patch, row by
                   row; −1 for what is none
    """

    rows: int
    columns: int
    at: Int[Tensor, "batch n"]


@dataclass(frozen=True, eq=False)
class Probed:
    """What the probes found for tensors of one size.

    calls    of attention, in order
    covered  width and height that the patches cover, as shares of the tensor: beyond 1 where the model pads it
    """

    calls: tuple[Patches, ...]
    covered: tuple[float, float]


class NoPatches(Exception):
    """The positions of a model make no grid over the picture."""


def probed(body: nn.Module, attending: Sequence[nn.Module], height: int, width: int) -> Probed:
    """Return the patches of each call of attention for pictures of this size.

    `attending` are the modules that attend, in the order of their calls. A model whose calls all have the positions of
    the first one is run no further than to that one. Raises `NoPatches`.
    """
    draw = torch.Generator().manual_seed(0)
    first, second = (torch.randn(1, 3, height, width, generator=draw) for _ in range(2))
    plain = entering(body, attending, first, len(attending))
    whole = any(one.shape != plain[0].shape for one in plain) or plain[0].shape[0] > 1
    calls = len(plain) if whole else 1
    other = entering(body, attending, second, calls)
    count = int(_changed(plain[0], other[0]).sum())
    if not 1 <= count <= MOST_PATCHES:
        raise NoPatches
    for side, rows, columns in _candidates(height, width, count):
        found = _placed(body, attending, (first, second), plain[:calls], (side, rows, columns))
        if found is not None:
            patches = found if whole else found * len(attending)
            return Probed(patches, (side * columns / width, side * rows / height))
    raise NoPatches


def _candidates(height: int, width: int, count: int) -> Iterator[tuple[int, int, int]]:
    """Yield sides of square patches with their rows and columns: what is left over is cut off, or filled up."""
    for side in range(1, max(height, width) + 1):
        for rows, columns in dict.fromkeys(((height // side, width // side), (-(-height // side), -(-width // side)))):
            if rows * columns == count:
                yield side, rows, columns


def _placed(
    body: nn.Module,
    attending: Sequence[nn.Module],
    pictures: tuple[Tensor, Tensor],
    plain: Sequence[Tensor],
    grid: tuple[int, int, int],
) -> tuple[Patches, ...] | None:
    """Return the patches of each call for a grid of this side, rows and columns; None if probes disagree."""
    side, rows, columns = grid
    first, second = pictures
    down = torch.arange(first.shape[-2]).div(side, rounding_mode="floor")[:, None].expand(first.shape[-2:])
    across = torch.arange(first.shape[-1]).div(side, rounding_mode="floor").expand(first.shape[-2:])
    inside = (down < rows) & (across < columns)

    other = entering(body, attending, torch.where(inside, second, first), len(plain))
    decoded: list[list[tuple[Tensor, Tensor]]] = []
    for places, most in ((down, rows), (across, columns)):
        pairs = []
        for bit in range(most.bit_length()):
            checkpoint()
            strips = inside & ((places >> bit & 1) == 1)
            made = entering(body, attending, torch.where(strips, second, first), len(plain))
            pairs.append(
                [
                    (_changed(one, mixed), _changed(two, mixed))
                    for one, two, mixed in zip(plain, other, made, strict=True)
                ]
            )
        decoded.append([_decoded([calls[call] for calls in pairs]) for call in range(len(plain))])
    calls = []
    for (row, tall), (column, wide) in zip(*decoded, strict=True):
        patch = (row >= 0) & (column >= 0)
        spans = {(int(a), int(b)) for a, b in zip(tall[patch], wide[patch], strict=True)}
        if len(spans) != 1 or bool((row >= 0).ne(column >= 0).any()):
            return None
        ((high, broad),) = spans
        made = -(-rows // high), -(-columns // broad)
        at = torch.where(
            patch, row.div(high, rounding_mode="floor") * made[1] + column.div(broad, rounding_mode="floor"), -1
        )
        numbers = at[patch]
        if len(numbers.unique()) != len(numbers) or len(numbers) != made[0] * made[1]:
            return None
        calls.append(Patches(*made, at))
    return tuple(calls) if calls[0].rows == rows and calls[0].columns == columns else None


def _decoded(pairs: Sequence[tuple[Tensor, Tensor]]) -> tuple[Int[Tensor, "batch n"], Int[Tensor, "batch n"]]:
    """Return the least number of each position and how many it covers.

    For each bit it is told which positions differ from the first picture where strips with that bit have the second,
    and which differ from the second. A bit is free if both do. The number is −1 for a position that nothing changes.
    """
    number = torch.zeros(pairs[0][0].shape, dtype=torch.long)
    span, seen = torch.ones_like(number), torch.ones_like(number, dtype=torch.bool)
    for bit, (on, off) in enumerate(pairs):
        seen &= on | off
        span = torch.where(on & off, 2 * span, span)
        number += torch.where(on & ~off, 1 << bit, 0)
    return torch.where(seen, number, -1), span


def _changed(one: Float[Tensor, "batch n d"], other: Float[Tensor, "batch n d"]) -> Bool[Tensor, "batch n"]:
    apart = (one - other).abs().amax(-1)
    return apart > _CHANGED * max(float(apart.max()), 1e-30)


def as_body(body: nn.Module, pixels: Tensor) -> Tensor:
    """Return pixels where a model's numbers are, and as such numbers."""
    numbers = next((one for one in body.parameters() if one.is_floating_point()), pixels)
    return pixels.to(numbers.device, numbers.dtype)


class _Enough(Exception):
    """The last call that is wanted was reached."""


def entering(body: nn.Module, attending: Sequence[nn.Module], pixels: Tensor, calls: int) -> list[Tensor]:
    """Return what enters the first calls of attention of a run, batch × n × d each, while attention adds nothing."""
    found: list[Tensor] = []
    with _hooked(attending, found, calls), torch.no_grad(), suppress(_Enough):
        body(pixel_values=as_body(body, pixels))
    if len(found) != calls:
        raise NoPatches
    return found


@contextmanager
def _hooked(attending: Sequence[nn.Module], found: list[Tensor], calls: int) -> Iterator[None]:
    """Read what enters these modules and put zeros in place of what leaves them, in this thread alone."""
    thread = threading.get_ident()

    def enter(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if threading.get_ident() != thread:
            return
        given = next((one for one in (*args, *kwargs.values()) if isinstance(one, Tensor) and one.dim() == 3), None)
        if given is None:
            raise NoPatches
        found.append(given.float().cpu())
        if len(found) == calls:
            raise _Enough

    def leave(module: nn.Module, args: tuple[Any, ...], made: Any) -> Any:
        if threading.get_ident() != thread:
            return None
        return (torch.zeros_like(made[0]), *made[1:]) if isinstance(made, tuple) else torch.zeros_like(made)

    hooks = []
    try:
        for module in dict.fromkeys(attending):
            hooks.append(module.register_forward_pre_hook(enter, with_kwargs=True))
            hooks.append(module.register_forward_hook(leave))
        yield
    finally:
        for hook in hooks:
            hook.remove()
