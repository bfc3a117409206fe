"""What each head of a vision model does: means over the patches of a picture, or of several.

A row is one patch as a query, p are its weights over all that it may read. Class tokens and registers are keys, and no
rows. A row of filling, which a window has at the picture's edge, does not count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.learned.head_totals import Totals, chances, leave_out, totals
from attention_core.learned.measures import HEAD_MEASURES, HeadMeasure
from attention_core.learned.run import LearnedLayer, ModelRun

__all__ = ["PATCH_MEASURES", "of_run", "patch_totals"]


@dataclass(frozen=True)
class Places:
    """The places of one layer's positions: windows × n, one window for a layer that attends to all.

    row, column  of the patch in its grid; NaN for what is no patch
    special      True for a class token or a register
    """

    row: Float[Tensor, "windows n"]
    column: Float[Tensor, "windows n"]
    special: Bool[Tensor, "windows n"]

    @property
    def apart(self) -> Float[Tensor, "windows n n"]:
        """How far each two patches are from each other, in patches; NaN beside what is none."""
        return torch.hypot(
            self.row.unsqueeze(2) - self.row.unsqueeze(1), self.column.unsqueeze(2) - self.column.unsqueeze(1)
        )


def _class_token(places: Places) -> Bool[Tensor, "windows n n"]:
    return places.special.unsqueeze(1).expand(-1, places.special.shape[1], -1)


def _neighbours(places: Places) -> Bool[Tensor, "windows n n"]:
    """The eight patches around the query's own."""
    apart = places.apart
    return (apart > 0) & (apart < 2)  # √2 at a corner


PATCH_MEASURES: Final[Mapping[str, HeadMeasure]] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            HEAD_MEASURES["entropy"],
            HeadMeasure("patch_distance", "patches"),
            HeadMeasure("class_token", "share"),
            HeadMeasure("neighbours", "share"),
            HEAD_MEASURES["variance"],
        )
    }
)
"""The measures of a model that reads pictures alone, in the order in which they are shown."""

_SUMMED: Final[Mapping[str, Callable[[Places], Bool[Tensor, "windows n n"]]]] = MappingProxyType(
    {"class_token": _class_token, "neighbours": _neighbours}
)
PATCH_CHANCES: Final = tuple(_SUMMED)
"""The measures that have a chance: the value of a head that reads all alike."""


def patch_totals(run: ModelRun, even: bool = False) -> Totals:
    """Return the sums and numbers of rows behind the measures of a run over a picture.

    With `even` each of a row's k allowed keys has 1/k in place of its weight, and the shares alone count.
    """
    heads = max((layer.weights.shape[-3] for layer in run.layers), default=0)
    names = tuple(PATCH_MEASURES)
    sums = torch.zeros(len(names), len(run.layers), heads, dtype=torch.float64)
    counts = torch.zeros_like(sums)
    for number, layer in enumerate(run.layers):
        places = places_of(run, number + 1)
        h = layer.weights.shape[-3]
        for name, (values, counted) in _rows(layer, places, even).items():
            at = names.index(name), number, slice(h)
            sums[at] = torch.where(counted, values.double(), 0).sum((0, 2))
            counts[at] = counted.double().sum((0, 2))
        if not even:
            leave_out(sums, counts, tuple(PATCH_MEASURES.values()), number, layer)
    return Totals(sums, counts, names)


def of_run(run: ModelRun, delimiters: frozenset[int]) -> tuple[Totals, dict[str, Float[Tensor, "layers h"]]]:
    """Return what the heads of a run do, of a picture alone by `PATCH_MEASURES`, and the chances of the measures."""
    if not run.lines[0].is_picture:
        return totals(run, delimiters), chances(run, delimiters)
    even = patch_totals(run, even=True).means
    return patch_totals(run), {name: even[name] for name in PATCH_CHANCES}


def places_of(run: ModelRun, layer: int) -> Places:
    """Return the places of the keys and queries of a layer, from 1."""
    line, windows = run.keys(layer), run.windows[layer - 1]
    at = torch.arange(len(line)).unsqueeze(0) if windows is None else windows
    row, column = torch.full((len(line) + 1,), torch.nan), torch.full((len(line) + 1,), torch.nan)
    special = torch.ones(len(line) + 1, dtype=torch.bool)
    for position, (_, down, across) in line.patches.items():
        row[position], column[position], special[position] = down, across, False
    special[-1] = False  # −1, filling
    return Places(row[at], column[at], special[at])


def _rows(
    layer: LearnedLayer, places: Places, even: bool
) -> dict[str, tuple[Float[Tensor, "windows h n"], Bool[Tensor, "windows h n"]]]:
    """Return a value of each row and which rows count, for each measure."""
    allowed, weights = _windowed(layer.allowed), _windowed(layer.weights).float()
    if even:
        weights = allowed / allowed.sum(-1, keepdim=True)
    patch = (~places.row.isnan()).unsqueeze(1).expand(allowed.shape[:3])
    found = {}
    for name, marked in _SUMMED.items():
        keys = marked(places).unsqueeze(1)
        found[name] = torch.where(keys, weights, 0).sum(-1), patch & (keys & allowed).any(-1)
    if even:
        return found
    apart = places.apart.unsqueeze(1)
    between = torch.where(apart.isnan(), 0, weights)
    found["patch_distance"] = (between * apart.nan_to_num()).sum(-1) / between.sum(-1), patch & (between.sum(-1) > 0)
    found["entropy"] = torch.special.entr(weights).sum(-1), patch & allowed.any(-1)
    if layer.Q is not None and layer.K is not None:
        ratio = _variance(_windowed(layer.Q).float(), _windowed(layer.K).float(), allowed)
        found["variance"] = ratio, patch & allowed.any((2, 3)).any(0)[None, :, None]
    return found


def _variance(
    Q: Float[Tensor, "windows h n d_k"], K: Float[Tensor, "windows h_k n d_k"], allowed: Bool[Tensor, "windows h n n"]
) -> Float[Tensor, "windows h n"]:
    """Return Var(q·k)/d_k of each head, over all its allowed cells, for each of its rows."""
    products = (Q.unflatten(1, (K.shape[1], -1)) @ K.unsqueeze(2).mT).flatten(1, 2)
    cells = allowed.sum((0, 2, 3))
    mean = torch.where(allowed, products, 0).sum((0, 2, 3)) / cells
    apart = torch.where(allowed, products - mean[None, :, None, None], 0)
    ratio = apart.square().sum((0, 2, 3)) / cells / Q.shape[-1]
    return ratio[None, :, None].expand(allowed.shape[:3])


def _windowed(tensor: Tensor) -> Tensor:
    return tensor.unsqueeze(0) if tensor.dim() == 3 else tensor
