"""The truth of the page Model over a picture: numpy in float64 over what two small vision models compute.

Their tensors are data. What is made of them, and what of it the page shows, is worked out here in windows and places.
"""

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.learned import Given
from attention_core.models import FolderModel, ModelFolder
from attention_core.models.readers.pictures import PictureReader
from tests.attention_core.models.small_pictures import write
from tests.offline import offline
from visualiser.models.pictures import shipped_picture

Numbers = NDArray[np.float64]

NAMES: Final = ("vit", "deit", "swin")
PICTURES: Final = ("lighthouse", "cat", "poster")
GRIDS: Final = {"vit": (1, (5, 5, 5, 5)), "deit": (2, (5, 5, 5, 5)), "swin": (0, (20, 20, 10, 10))}
"""How many positions are no patches, and the side of the grid of each layer."""
SPECIAL: Final = {"vit": ("[CLS]",), "deit": ("[CLS]", "[DIST]"), "swin": ()}
WINDOW: Final = 4
SHARES: Final = ("class_token", "neighbours")
SHARPER: Final = 20.0
"""Times which the queries are multiplied, so that heads differ and some have labels."""


@cache
def model(name: str) -> FolderModel:
    """Return a small random model whose heads read sharply; the first of the one with two class tokens reads these."""
    with offline(), tempfile.TemporaryDirectory() as folder:
        write(Path(folder), name)
        found = ModelFolder(Path(folder)).load(name)
    found.model.config.id2label = {0: "cat", 1: "house"}
    queries = {named: one for named, one in found.model.named_parameters() if "quer" in named or "q_proj" in named}
    with torch.no_grad():
        for one in queries.values():
            one.mul_(SHARPER)
        if name == "deit":
            K = found.run(Given(pictures=(shipped_picture("cat"),))).layers[0].K
            assert K is not None
            bias = next(one for named, one in queries.items() if named.endswith("bias"))
            bias[: K.shape[-1]] = 1e4 * (K[0, :2].mean(0) - K[0, 2:].mean(0))
    return found


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer's tensors with the windows as the first axis, one for a layer without, and the place of each position."""

    name: str
    Q: Numbers
    K: Numbers
    scores: Numbers
    weights: Numbers
    allowed: NDArray[np.bool_]
    scale: float
    cut: NDArray[np.int64]  # windows × n, −1 for filling
    side: int

    @property
    def h(self) -> int:
        return self.weights.shape[1]


@dataclass(frozen=True)
class State:
    """A picture as a small model reads it, and what of it the page shows."""

    model: str
    layers: tuple[Layer, ...]
    layer: int
    head: int
    window: int
    row: int
    wished: int
    measures: Mapping[str, Numbers]
    here: Mapping[str, Numbers]
    counts: Mapping[str, Numbers]
    even: Mapping[str, Numbers]
    over: str
    axes: tuple[str, str]
    classes: Mapping[str, float]
    """The probability of each."""

    @property
    def over_corpus(self) -> tuple[Mapping[str, Numbers], Mapping[str, Numbers]]:
        """How many patches of the three pictures count, and what heads have there that read all alike."""
        return over_pictures(self.model, PICTURES)[1], over_pictures(self.model, PICTURES, even=True)[0]

    @property
    def name(self) -> str:
        return f"{self.layer}.{self.head}"

    @property
    def chosen(self) -> Layer:
        return self.layers[self.layer - 1]

    @property
    def scores(self) -> Numbers:
        return self.chosen.scores[self.window, self.head - 1]

    @property
    def weights(self) -> Numbers:
        return self.chosen.weights[self.window, self.head - 1]

    @property
    def allowed(self) -> NDArray[np.bool_]:
        return self.chosen.allowed[self.window, self.head - 1]

    @property
    def open_scores(self) -> Numbers:
        return self.scores[self.allowed]

    @property
    def ceilings(self) -> Numbers:
        return np.log(np.maximum(1, self.allowed.sum(-1)))

    @property
    def n(self) -> int:
        return self.weights.shape[-1]

    def patch(self, place: int) -> str:
        """Return the name of a place of the window."""
        return called(self.model, self.chosen, int(self.chosen.cut[self.window, place]))

    @property
    def key(self) -> int:
        """The place of the key that is shown: the wished one in the window, else the one that is read most."""
        there = np.flatnonzero(self.chosen.cut[self.window] == self.wished)
        return int(there[0]) if self.wished >= 0 and len(there) else int(self.weights[self.row].argmax())


def called(name: str, layer: Layer, position: int) -> str:
    """Return the name of a position of a layer's line."""
    special = SPECIAL[name]
    if position < 0:
        return "–"
    if position < len(special):
        return special[position]
    row, column = divmod(position - len(special), layer.side)
    return f"{row + 1}·{column + 1}"


@lru_cache(32)
def classes(name: str, picture: str) -> Mapping[str, float]:
    """Return the probability of each class that a model has; empty for one without."""
    found = model(name)
    if not hasattr(found.model, "classifier"):
        return {}
    assert isinstance(found.reader, PictureReader)
    with torch.no_grad():
        z = found.model(pixel_values=found.reader.processor.tensor(shipped_picture(picture))).logits[0].double()
    return dict(zip(found.model.config.id2label.values(), (z.exp() / z.exp().sum()).tolist(), strict=True))


@lru_cache(32)
def read(name: str, picture: str) -> tuple[Layer, ...]:
    """Return the layers of a model over a picture; the windows are those of a rolled grid."""
    run = model(name).run(Given(pictures=(shipped_picture(picture),)))
    special, sides = GRIDS[name]
    found = []
    for number, one in enumerate(run.layers):
        side = sides[number]
        shift = WINDOW // 2 if number % 2 else 0
        cut = _tiles(side, shift) if name == "swin" else np.arange(special + side**2)[None]
        assert one.Q is not None
        assert one.K is not None
        assert one.scale is not None
        numbers = [np.asarray(each.double()) for each in (one.Q, one.K, one.scores, one.weights)]
        Q, K, scores, weights = (each if name == "swin" else each[None] for each in numbers)
        allowed = scores > float(np.finfo(np.float32).min) / 2
        found.append(Layer(one.name, Q, K, scores, weights, allowed, one.scale, cut, side))
    return tuple(found)


def _tiles(side: int, shift: int) -> NDArray[np.int64]:
    wide = -(-side // WINDOW) * WINDOW
    grid = np.full((wide, wide), -1)
    grid[:side, :side] = np.arange(side * side).reshape(side, side)
    rolled = np.roll(grid, (-shift, -shift), (0, 1)).reshape(wide // WINDOW, WINDOW, wide // WINDOW, WINDOW)
    return rolled.transpose(0, 2, 1, 3).reshape(-1, WINDOW * WINDOW)


def sums(name: str, layer: Layer) -> dict[str, tuple[Numbers, Numbers]]:
    """Return the sums of each measure over the rows that count, and how many do, each of every head."""
    special = GRIDS[name][0]
    totals = {measure: (np.zeros(layer.h), np.zeros(layer.h)) for measure in ("entropy", "patch_distance", *SHARES)}
    rows = 0
    for window, places in enumerate(layer.cut):
        down, across = np.divmod(places - special, layer.side)
        patch = places >= special
        classes = (places >= 0) & ~patch
        for i in np.flatnonzero(patch):
            rows += 1
            p, allowed = layer.weights[window, :, i], layer.allowed[window, :, i]
            apart = np.where(patch, np.hypot(down - down[i], across - across[i]), 0)
            around = patch & (np.maximum(abs(down - down[i]), abs(across - across[i])) == 1)
            mass = p[:, patch].sum(-1)
            _add(totals["entropy"], entropies(p), allowed.any(-1))
            _add(totals["patch_distance"], (p * apart).sum(-1) / np.where(mass > 0, mass, 1), mass > 0)
            for measure, keys in (("class_token", classes), ("neighbours", around)):
                _add(totals[measure], p[:, keys].sum(-1), np.any(allowed & keys, -1))
    products = np.einsum("whid,whjd->whij", layer.Q, layer.K)
    variance = np.array([products[:, head][layer.allowed[:, head]].var() for head in range(layer.h)])
    totals["variance"] = rows * variance / layer.Q.shape[-1], np.full(layer.h, float(rows))
    return totals


def _add(total: tuple[Numbers, Numbers], values: Numbers, counted: NDArray[np.bool_] | np.bool_) -> None:
    total[0][:] += np.where(counted, values, 0)
    total[1][:] += counted


def entropies(weights: Numbers) -> Numbers:
    """Return −Σ p ln p of each row."""
    return -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum(-1)


@cache
def over_pictures(
    name: str, pictures: tuple[str, ...], even: bool = False
) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
    """Return the measures over some pictures, layers × most heads, NaN without a row; and the rows that count.

    With `even` they are those of heads that read all that they may read alike.
    """
    most = max(layer.h for layer in read(name, pictures[0]))
    values: dict[str, Numbers] = {}
    counts: dict[str, Numbers] = {}
    for picture in pictures:
        for number, one in enumerate(read(name, picture)):
            alike = one.allowed / np.maximum(one.allowed.sum(-1, keepdims=True), 1)
            layer = replace(one, weights=alike) if even else one
            for measure, (total, rows) in sums(name, layer).items():
                for kept, added in ((values, total), (counts, rows)):
                    kept.setdefault(measure, np.zeros((4 if name == "swin" else 2, most)))[number, : layer.h] += added
    with np.errstate(invalid="ignore"):
        return {measure: values[measure] / counts[measure] for measure in values}, counts


def labels(name: str) -> Mapping[tuple[int, int], list[tuple[str, float]]]:
    """Return what each head does over the three pictures, the stronger first."""
    scores, even, found = over_pictures(name, PICTURES)[0], over_pictures(name, PICTURES, even=True)[0], {}
    for at in np.ndindex(scores["entropy"].shape):
        there = {m: float(scores[m][at]) for m in SHARES if scores[m][at] - even[m][at] >= (1 - even[m][at]) / 2}
        if there:
            found[at[0] + 1, at[1] + 1] = sorted(there.items(), key=lambda one: -one[1])
    return found


def state(query: str) -> State:
    """Compute the truth of a state."""
    settings = {name: values[0] for name, values in parse_qs(query).items()}
    name, picture, over = settings["model"], settings["pictures"], settings["over"]
    layers = read(name, picture)
    number = min(int(settings["layer"]), len(layers))
    layer = layers[number - 1]
    special, most = GRIDS[name][0], int(layer.cut.max())
    middle = layer.side // 2 * layer.side + layer.side // 2
    position = min(int(settings.get("row", 0 if special else middle)), most)
    ((window, row),) = np.argwhere(layer.cut == position)
    here, counts = over_pictures(name, (picture,))
    return State(
        model=name,
        layers=layers,
        layer=number,
        head=min(max(1, int(settings["head"])), layer.h),
        window=int(window),
        row=int(row),
        wished=min(int(settings["key"]), most),
        measures=over_pictures(name, PICTURES)[0] if over == "corpus" else here,
        here=here,
        counts=counts,
        even=over_pictures(name, (picture,), even=True)[0],
        over=over,
        axes=_axes(settings, here),
        classes=classes(name, picture),
    )


def _axes(settings: Mapping[str, str], here: Mapping[str, Any]) -> tuple[str, str]:
    x, y = settings["x"], settings["y"]
    return x if x in here else "patch_distance", y if y in here else "entropy"


def heads_of(layers: tuple[Layer, ...]) -> list[tuple[int, int]]:
    """Return every head, as layer and head from 1."""
    return [(number, head) for number, layer in enumerate(layers, 1) for head in range(1, layer.h + 1)]


def finite(values: Mapping[str, float]) -> dict[str, float]:
    """Return the values that are numbers."""
    return {name: value for name, value in values.items() if math.isfinite(value)}
