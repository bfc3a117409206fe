"""How the chosen query shares its weight among text, pictures and the first position: in its head, and by layer."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.learned import SHARES, shares
from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import Message, message


@dataclass(frozen=True, eq=False)
class RowShares:
    """The shares of one query: `parts` under the names of `SHARES`, and of each picture.

    most  the patch that gets most, as a position; None without a patch behind the first position
    """

    parts: dict[str, float]
    pictures: dict[int, float]
    most: int | None


def has_pictures(shown: ReadHead) -> bool:
    """Return True if the chosen layer reads a text and pictures together."""
    return shown.keys is not None and shown.keys.is_mixed


def of_row(shown: ReadHead) -> RowShares | None:
    """Return the shares of the chosen query in the chosen head.

    None without a text and pictures together, and for a head whose weights need not add up to 1.
    """
    keys = shown.keys
    if keys is None or not keys.is_mixed or shown.unnormalised:
        return None
    found, at = shares(shown.attention, keys), (shown.head - 1, shown.row)
    weights = shown.weights[shown.row]
    behind = [position for position in keys.patches if position]
    return RowShares(
        {name: float(found.parts[name][at]) for name in SHARES},
        {number: float(share[at]) for number, share in found.pictures.items()},
        max(behind, key=lambda position: weights[position], default=None),
    )


def said(shown: ReadHead, parts: RowShares) -> Message:
    """Say how the chosen query shares its weight among pictures, the first position and the text."""
    facts = {"query": shown.said_query(shown.row), "pictures": len(parts.pictures)}
    values = {"share": parts.parts["picture"], "first": parts.parts["first"], "text": parts.parts["text"]}
    if parts.most is None or shown.keys is None:
        return message("model.reads_no_patch", **facts, first=values["first"], text=values["text"])
    number, row, column = shown.keys.patches[parts.most]
    patch = {"row": row + 1, "column": column + 1, "weight": float(shown.weights[shown.row, parts.most])}
    if len(parts.pictures) == 1:
        return message("model.reads_picture", **facts, **values, **patch)
    return message("model.reads_pictures", **facts, **values, **patch, picture=shown.keys.grids[number].picture + 1)


def each_picture(parts: RowShares) -> list[Message]:
    """Say what the chosen query gives each of several pictures."""
    if len(parts.pictures) < 2:
        return []
    return [
        message("model.picture_gets", picture=number + 1, share=share)
        for number, share in sorted(parts.pictures.items())
    ]


def by_layer(shown: ReadHead) -> dict[str, NDArray[np.float64]]:
    """Return the mean share over the heads of each layer, for the chosen query, by the names of `SHARES`.

    NaN stands for a layer that attends from other positions, or to some that are not known. Heads whose weights need
    not add up to 1 do not count.
    """
    run = shown.run
    found = {name: np.full(len(run.layers), math.nan) for name in SHARES}
    for number, layer in enumerate(run.layers, start=1):
        n_q, n_k = layer.weights.shape[-2:]
        keys = run.keys(number)
        if run.queries(number) is not run.queries(shown.layer) or len(keys) != n_k or shown.row >= n_q:
            continue
        parts = shares(layer, keys).parts
        counted = [head for head in range(layer.weights.shape[0]) if head not in layer.unnormalised]
        for name in SHARES if counted else ():
            found[name][number - 1] = float(parts[name][counted, shown.row].double().mean())
    return found


def on_patches(shown: ReadHead) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return what the chosen query gives each patch in each layer, layers × patches in the order of the grids.

    The first is the mean over a layer's heads, the second that of the head with the chosen number, or the last one of a
    layer with fewer. NaN as for `by_layer`.
    """
    run = shown.run
    line = run.keys(shown.layer)
    positions = [position for grid in line.grids for position in grid.positions]
    mean = np.full((len(run.layers), len(positions)), np.nan, dtype=np.float32)
    one = mean.copy()
    for number, layer in enumerate(run.layers, start=1):
        h, n_q, n_k = layer.weights.shape[-3:]
        if run.keys(number) is not line or len(line) != n_k or shown.row >= n_q:
            continue
        rows = layer.weights[:, shown.row, positions].float()
        mean[number - 1], one[number - 1] = rows.mean(0).numpy(), rows[min(shown.head, h) - 1].numpy()
    return mean, one


def mean_share(shown: ReadHead, layer: int, value: float) -> Message:
    """Return the arithmetic of a mean share of a layer, counted from 0."""
    heads = shown.run.layers[layer].weights.shape[0]
    return message("reason.made.mean_share", heads=heads, value=value)
