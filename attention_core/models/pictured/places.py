"""Where the patches of each picture stand among the tokens: by what the processor hands over, held to what it wrote.

Three layouts are known, told apart by what the image processor returns and by no family's name. Each has to give as
many patches as the text has tokens of the picture, in stretches of the same lengths; another layout is refused.

>>> grids(one)                # of one picture: a grid, or one for each tile and one for the whole
(PatchGrid(picture=0, first=4, rows=3, columns=5, …),)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.learned.positions import PatchGrid

__all__ = ["Misplaced", "Shown", "Stretch", "coordinates_picture", "grids", "stretches"]

_TOLERANCE: Final = 0.04
"""The most by which a pixel may stand elsewhere than its row and column say, as a share of the picture."""
_FEW: Final = 8
"""Pixels of a side that are too few to say by their colours what is cut off."""

Box = tuple[float, float, float, float]
Stretch = tuple[int, int]
"""The first of some positions in a row, and their number."""


class Misplaced(Exception):
    """A processor whose patches do not stand as any layout that is known says."""


@dataclass(frozen=True, eq=False)
class Shown:
    """One picture among the tokens.

    number       of the picture, from 0
    made         what the image processor made of all pictures, and `at`, the number of this one there
    stretches    of the positions that hold the picture
    config       of the model
    merge        patches to a side that become one position, as the image processor says; 1 without
    coordinates  what the image processor made of a picture of the same size whose red is the share of the width, its
                 green that of the height; then of one in black and of one in white
    size         rows and columns of pixels of the picture
    """

    number: int
    made: Mapping[str, Any]
    at: int
    stretches: Sequence[Stretch]
    config: Any
    merge: int
    coordinates: Sequence[Mapping[str, Any]]
    size: tuple[int, int]


def stretches(positions: Sequence[int]) -> tuple[Stretch, ...]:
    """Return the stretches of positions that follow one another."""
    ends = [at for at, (one, other) in enumerate(pairwise(positions), start=1) if other != one + 1]
    begins = [0, *ends]
    return tuple(
        (positions[begin], end - begin) for begin, end in zip(begins, [*ends, len(positions)], strict=True) if positions
    )


def coordinates_picture(rows: int, columns: int) -> Float[Tensor, "rows columns 3"]:
    """Return a picture whose red is where it stands across, its green downwards, from 0 to 255."""
    across = 255 * (torch.arange(columns) + 0.5) / columns
    down = 255 * (torch.arange(rows) + 0.5) / rows
    return torch.stack([across.expand(rows, -1), down[:, None].expand(-1, columns), torch.zeros(rows, columns)], -1)


def grids(shown: Shown) -> tuple[PatchGrid, ...]:
    """Return the grids of a picture. Raises `Misplaced`."""
    for layout in _LAYOUTS:
        found = layout(shown)
        if found is not None:
            return found
    raise Misplaced


def _merged(shown: Shown) -> tuple[PatchGrid, ...] | None:
    """A size for each picture, and the patches in its order; squares of `merge` patches are one position."""
    sizes = shown.made.get("image_grid_thw")
    if sizes is None:
        return None
    times, rows, columns = (int(one) for one in sizes[shown.at])
    if times != 1 or rows % shown.merge or columns % shown.merge:
        raise Misplaced
    first = _whole(shown, rows * columns // shown.merge**2)
    rows, columns = rows // shown.merge, columns // shown.merge
    x, y = _shares(
        [made["pixel_values"].reshape(rows, columns, shown.merge**2, 3, -1).mean((2, 4)) for made in shown.coordinates]
    )
    return (PatchGrid(shown.number, first, rows, columns, _box(x, y, shown.size)),)


def _tiles(shown: Shown) -> tuple[PatchGrid, ...] | None:
    """A picture cut into rows and columns of tiles, then the whole picture once more; without tiles that alone."""
    if "rows" not in shown.made or "cols" not in shown.made:
        return None
    across, down = (_flat(shown.made[name])[shown.at] for name in ("cols", "rows"))
    pixels = [made["pixel_values"].flatten(0, -4) for made in shown.coordinates]
    count = across * down + 1
    if len(pixels[0]) < count or len(shown.stretches) != count:
        raise Misplaced
    per = shown.config.vision_config.patch_size * shown.config.scale_factor
    rows, columns = (int(side) // per for side in pixels[0].shape[-2:])
    if any(length != rows * columns for _, length in shown.stretches):
        raise Misplaced
    return tuple(
        PatchGrid(
            shown.number,
            first,
            rows,
            columns,
            _box(*_shares([one[tile].permute(1, 2, 0) for one in pixels]), shown.size),
        )
        for tile, (first, _) in enumerate(shown.stretches)
    )


def _plain(shown: Shown) -> tuple[PatchGrid, ...] | None:
    """One size for all pictures, a position for each patch; a class token may stand before them."""
    pixels = [made["pixel_values"] for made in shown.coordinates]
    patch = getattr(getattr(shown.config, "vision_config", None), "patch_size", None)
    if not isinstance(patch, int) or any(one.dim() != 4 or one.shape[:2] != (1, 3) for one in pixels):
        return None
    rows, columns = (int(side) // patch for side in pixels[0].shape[-2:])
    pooled = getattr(shown.config, "mm_tokens_per_image", None)
    if isinstance(pooled, int):  # the model averages its patches to a square of so many
        rows = columns = int(pooled**0.5)
    classes = int(getattr(shown.config, "vision_feature_select_strategy", None) == "full")
    first = _whole(shown, rows * columns + classes) + classes
    box = _box(*_shares([one[0].permute(1, 2, 0) for one in pixels]), shown.size)
    return (PatchGrid(shown.number, first, rows, columns, box),)


_LAYOUTS: Final[tuple[Callable[[Shown], tuple[PatchGrid, ...] | None], ...]] = (_merged, _tiles, _plain)


def _whole(shown: Shown, count: int) -> int:
    """Return the first position of a picture that is one stretch of this length. Raises `Misplaced`."""
    if len(shown.stretches) != 1 or shown.stretches[0][1] != count:
        raise Misplaced
    return shown.stretches[0][0]


def _shares(made: Sequence[Float[Tensor, "rows columns 3"]]) -> tuple[Tensor, Tensor]:
    """Return where each cell stands in the picture, across and downwards; NaN for what is padding.

    The colours of black and white undo whatever the image processor subtracts and divides by.
    """
    place, black, white = made
    reach = white - black
    share = torch.where(reach.abs() > 1e-3, (place - black) / reach, torch.nan)
    return share[..., 0], share[..., 1]


def _box(x: Float[Tensor, "rows columns"], y: Float[Tensor, "rows columns"], size: tuple[int, int]) -> Box:
    """Return what the cells cover, as shares of the picture. Raises `Misplaced` unless they stand in rows."""
    left, right = _ends(x, size[1])
    top, bottom = _ends(y.mT, size[0])
    return left, top, right, bottom


def _ends(share: Float[Tensor, "across along"], pixels: int) -> tuple[float, float]:
    """Return the share at which the first cell along begins, and that at which the last one ends."""
    cells = share.shape[1]
    if pixels < _FEW or cells == 1:
        return 0.0, 1.0
    there = ~share.isnan()
    middles = ((torch.arange(cells) + 0.5) / cells).expand_as(share)[there]
    values = share[there]
    spread = middles - middles.mean()
    slope = float((spread * values).sum() / spread.square().sum().clamp_min(1e-12))
    begin = float(values.mean()) - slope * float(middles.mean())
    if len(values) == 0 or slope <= 0 or float((begin + slope * middles - values).abs().max()) > _TOLERANCE:
        raise Misplaced
    return _near(begin), _near(begin + slope)


def _near(share: float) -> float:
    """Return a share without the rounding of colours."""
    return round(share) + 0.0 if abs(share - round(share)) < 0.01 else round(share, 3)


def _flat(nested: Sequence[Sequence[int]]) -> list[int]:
    return [int(one) for row in nested for one in row]
