"""The truth of a changed model: a link's changes as they are written, and the run that the float64 model makes of them.

Nothing of `visualiser.pages.model` is used; the changes are data of `attention_core.changes`, read by their fields.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
import torch

from attention_core import changes as core
from attention_core.language import corpus
from tests.checker import learned
from tests.checker.learned import HEADS, Heads, Numbers
from tests.references.changed_model import Changed, acts, changed

_VALUES: Final = {
    "factor": ("0", "0.1", "0.5", "1", "2", "4", "16"), "softcap": ("0.5", "5", "50"), "sink": ("-3", "0", "2"),
    "causal": ("", "", "1", "3", "8"), "full": ("", "", "1", "3", "8"), "hide": ("0", "1", "2", "7", "63", "64"),
    "replace": ("1.1", "1.3", "1.4", "2.2"), **dict.fromkeys(
        ("qk_norm", "log_n", "softmax", "sigmoid", "entmax", "mute", "uniform", "mean"), ("",)
    ),
}  # fmt: skip
"""The kinds of changes with values to draw: those of `hide` and `replace` are not in every run."""
_ONE: Final = ("mute", "uniform", "mean", "replace")
_INVALID: Final = (
    "factor:17", "factor", "mute", "mute@9.1", "mute@1.5", "mute:2@1.1", "hide:500", "softcap:0", "full:0", "what:1@1",
    "replace:9.1@1.1", "uniform@0.1", "sink", "factor:2@3", "🦆",
)  # fmt: skip
_SLOTS: Final = {
    **dict.fromkeys(("softmax", "sink", "sigmoid", "entmax"), "weights"), "causal": "mask", "full": "mask",
    **dict.fromkeys(_ONE, "head"),
}  # fmt: skip
_PART: Final = re.compile(r"([a-z_]+)(?::([-.0-9]+))?(?:@(\d+)(?:\.(\d+))?)?")


def drawn(draws: random.Random) -> str:
    """Draw no changes, or up to three, some of which no run can have."""
    return ",".join(_drawn(draws) for _ in range(draws.choice((0, 0, 1, 1, 1, 2, 3))))


def _drawn(draws: random.Random) -> str:
    if draws.random() < 0.12:
        return draws.choice(_INVALID)
    kind = draws.choice(tuple(_VALUES))
    value, head = draws.choice(_VALUES[kind]), f"@{draws.choice((1, 1, 2))}.{draws.randrange(1, HEADS + 1)}"
    place = head if kind in _ONE else draws.choice(("", "", head[:2], head))
    return kind + (f":{value}" if value else "") + place


@dataclass(frozen=True)
class Made:
    """The changes that a run has, of a link in order, and how many parts of the link it cannot have."""

    changes: tuple[Any, ...]
    left_out: int


@lru_cache(512)
def made(written: str, model: str, n: int) -> Made:
    """Return what a link's changes become in a text of n tokens: of two that do the same in a place the last stays."""
    kept: dict[tuple[Any, ...], Any] = {}
    left_out = 0
    for part in filter(None, written.split(",")):
        found = _PART.fullmatch(part)
        if found is None or not _possible(*found.groups(), model=model, n=n):
            left_out += 1
            continue
        kind, value, layer, head = found.groups()
        at = (_SLOTS.get(kind, kind), value if kind == "hide" else "", layer, head)
        kept.pop(at, None)
        if kind != "factor" or float(value) != 1:
            kept[at] = _change(kind, value, layer, head, model)
    return Made(tuple(kept.values()), left_out)


def _possible(kind: str, value: str | None, layer: str | None, head: str | None, *, model: str, n: int) -> bool:
    if kind not in _VALUES or not _place(layer, head, model) or (kind in _ONE and head is None):
        return False
    if kind == "hide":
        return value is not None and int(value) < n
    if kind == "replace":
        return value is not None and _place(*value.split("."), model=model)
    return (value or "") in _VALUES[kind]


def _place(layer: str | None, head: str | None, model: str) -> bool:
    return (layer is None or 1 <= int(layer) <= learned.layers(model)) and (head is None or 1 <= int(head) <= HEADS)


def _change(kind: str, value: str | None, layer: str | None, head: str | None, model: str) -> Any:
    where: Mapping[str, Any] = {
        "layers": None if layer is None else {int(layer) - 1}, "heads": None if head is None else {int(head) - 1}
    }  # fmt: skip
    one = int(layer or 1) - 1, int(head or 1) - 1
    match kind:
        case "factor":
            return core.Factor(float(value or 1), **where)
        case "softcap":
            return core.Treat(softcap=float(value or 0), **where)
        case "qk_norm" | "log_n":
            return core.Treat(**{kind: True}, **where)
        case "causal" | "full":
            return core.Causal(kind == "causal", int(value) if value else None, **where)
        case "hide":
            return core.Hide(int(value or 0), **where)
        case "mute":
            return core.Mute(*one)
        case "uniform":
            return core.Uniform(*one)
        case "mean":
            return core.Mean(*one, tuple(_mean_outputs(model)[one[0]][one[1]].tolist()))
        case "replace":
            return core.Replace(*one, *(int(part) - 1 for part in (value or "").split(".")))
    return core.Normalise(kind, float(value or 0), **where)


@cache
def _mean_outputs(model: str) -> tuple[Numbers, ...]:
    """Return the mean output of each head over the positions of the corpus, for each layer h × d_v."""
    runs = [learned.read(model, document.ids) for document in corpus()]
    return tuple(
        np.concatenate([layer.weights @ layer.V for layer in layers], 1).mean(1) for layers in zip(*runs, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Running:
    """A text in a model with changes: its layers, and ln p of every word at every position."""

    ids: tuple[int, ...]
    layers: tuple[Heads, ...]
    logs: Numbers

    @property
    def text_log(self) -> float:
        """ln p of the text."""
        return float(self.logs[np.arange(len(self.ids) - 1), self.ids[1:]].sum())

    def entropies(self, other: "Running | None" = None) -> Numbers:
        """Return the mean entropy of each layer's rows that may read something, of heads whose weights add up to 1.

        Beside another run they do so in both.
        """
        found = []
        for layer, beside in zip(self.layers, (other or self).layers, strict=True):
            loose = [*layer.loose, *beside.loose]
            counted = layer.allowed.any(-1) & ~np.isin(np.arange(HEADS), loose)[:, None]
            rows = -_xlogx(layer.weights).sum(-1) - (0.0 if layer.sunk is None else _xlogx(layer.sunk))
            found.append(rows[counted].mean() if counted.any() else np.nan)
        return np.array(found)


def _xlogx(p: Numbers) -> Numbers:
    return p * np.log(np.where(p > 0, p, 1.0))


@lru_cache(1024)
def running(model: str, ids: tuple[int, ...], changes: tuple[Any, ...]) -> Running:
    """Run a model on a text with changes, in float64."""
    parameters = {name: torch.from_numpy(one) for name, one in learned.file(model).items()}
    found = changed(parameters, ids, changes)
    layers = tuple(_layer(found, changes, at) for at in range(len(found.weights)))
    return Running(ids, layers, found.log_probabilities)


def _layer(found: Changed, changes: Sequence[Any], at: int) -> Heads:
    """Return a layer. Factors that differ between its heads are part of the queries, as a run hands them over."""
    Q, K, V = (one.reshape(len(one), HEADS, -1).transpose(1, 0, 2) for one in found.projected[at])
    beside = _beside(changes, at, found.scores[at])
    times = np.array(beside["times"])
    asked = Q if (times == times[0]).all() else Q * times[:, None, None]
    return Heads(asked, K, V, found.scores[at], found.weights[at], **beside)


def _beside(changes: Sequence[Any], layer: int, scores: Numbers) -> dict[str, Any]:
    """Return what a changed layer has beside weights: what sinks take, which rows need not add up to 1, the factors."""
    n = scores.shape[-1]
    sunk, loose, times, sinks, rebuilt = np.zeros(scores.shape[:2]), set(), [1.0] * HEADS, set(), False
    for head in range(HEADS):
        there = [one for one in changes if acts(one, layer, head)]
        normalised, frozen = _last(there, ("Normalise",)), _last(there, ("Mute", "Uniform", "Replace"))
        kind = getattr(normalised, "normalisation", "softmax")
        if type(frozen).__name__ == "Mute" or (frozen is None and kind == "sigmoid"):
            loose.add(head)
        for one in there:
            treat = type(one).__name__ == "Treat"
            times[head] *= getattr(one, "times", 1.0) * (np.log(n) / np.log(32) if treat and one.log_n else 1.0)
            rebuilt = rebuilt or (treat and bool(one.qk_norm or one.softcap))
        if kind == "sink" and frozen is None:
            sinks.add(head)
            most = np.maximum(scores[head].max(-1), normalised.sink)
            own = np.exp(normalised.sink - most)
            sunk[head] = own / (own + np.exp(scores[head] - most[:, None]).sum(-1))
    return {
        "sunk": sunk if sinks else None, "sinks": frozenset(sinks),
        "loose": frozenset(loose), "times": tuple(times), "rebuilt": rebuilt,
    }  # fmt: skip


def _last(changes: Iterable[Any], names: tuple[str, ...]) -> Any:
    return next((one for one in reversed([*changes]) if type(one).__name__ in names), None)


def touched(changes: Sequence[Any], layers: int) -> set[tuple[int, int]]:
    """Return the heads, from 1, on which a change acts itself."""
    return {
        (layer + 1, head + 1)
        for layer in range(layers)
        for head in range(HEADS)
        if any(acts(one, layer, head) for one in changes)
    }


def moved(before: Running, now: Running) -> dict[tuple[int, int], float]:
    """Return half the sum of the differences of weights, a sink's among them, the mean over rows; heads from 1.

    NaN for a head whose weights need not add up to 1 in both.
    """
    found = {}
    for at, (then, after) in enumerate(zip(before.layers, now.layers, strict=True)):
        sinks = [np.zeros(one.weights.shape[:2]) if one.sunk is None else one.sunk for one in (then, after)]
        apart = np.abs(after.weights - then.weights).sum(-1) + np.abs(sinks[1] - sinks[0])
        loose = then.loose | after.loose
        found |= {
            (at + 1, head + 1): np.nan if head in loose else float(apart[head].mean()) / 2 for head in range(HEADS)
        }
    return found


def without(changes: Sequence[Any], layer: int, head: int) -> tuple[Any, ...]:
    """Return changes with a head muted, from 1, in place of what else is done to this head alone."""
    others = (one for one in changes if not (hasattr(one, "head") and (one.layer, one.head) == (layer - 1, head - 1)))
    return (*others, core.Mute(layer - 1, head - 1))
