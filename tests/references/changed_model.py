"""The shipped language model with changes, written out in float64 with numpy; of attention_core it takes parameters.

The equations are those of attention_core/language/model.py, head by head, and each change is one line of `_head`. So
would TransformerLens ablate these weights: a hook on `hook_pattern` gives a head other weights, and one on `hook_z`,
the head's output before W_O, puts zeros there (`Mute`, zero ablation) or its mean over a corpus (`Mean`, mean
ablation). `Changed.outputs` is what `hook_z` would see.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

Matrix = NDArray[np.float64]
HEADS: Final = 4
_NOTHING: Final = -math.inf


@dataclass(frozen=True, eq=False)
class Changed:
    """A run: logits (n × words), and each layer's masked scores, weights (h × n × n) and head outputs (h × n × d_v).

    `projected` are each layer's Q, K and V (n × h·d_k), before any change.
    """

    logits: Matrix
    scores: tuple[Matrix, ...]
    weights: tuple[Matrix, ...]
    outputs: tuple[Matrix, ...]
    projected: tuple[tuple[Matrix, Matrix, Matrix], ...]

    @property
    def log_probabilities(self) -> Matrix:
        """ln p of every word at every position."""
        away = self.logits - self.logits.max(-1, keepdims=True)
        return away - np.log(np.exp(away).sum(-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Patch:
    """One head, from 0, has at some positions the output, or the weights, of a run over other ids."""

    layer: int
    head: int
    what: str
    at: Sequence[int]
    of: Changed


def changed(
    parameters: Mapping[str, Tensor], ids: Sequence[int], changes: Sequence[Any] = (), patch: Patch | None = None
) -> Changed:
    """Run the model on a text with all of these changes, which are read by the names of their classes and fields."""
    p = {name: value.double().numpy() for name, value in parameters.items()}
    layers = sum(name.startswith("W_Q/") for name in p)
    replaced = any(_is(change, "Replace") for change in changes)
    plain = changed(parameters, ids).weights if replaced else ()
    x = p["E"][list(ids)]
    n, d_model = x.shape
    P = _sinusoids(n, d_model)
    d_v = d_model // HEADS
    every: list[tuple[Matrix, Matrix, Matrix]] = []
    projected: list[tuple[Matrix, Matrix, Matrix]] = []
    for layer in range(layers):
        y = _normed(x)
        z = y + P if layer == layers - 1 else P
        Q, K, V = z @ p[f"W_Q/{layer + 1}"], z @ p[f"W_K/{layer + 1}"], y @ p[f"W_V/{layer + 1}"]
        heads = []
        for head in range(HEADS):
            own = slice(d_v * head, d_v * (head + 1))
            there = [change for change in changes if acts(change, layer, head)]
            found = _head(Q[:, own], K[:, own], V[:, own], there, plain)
            if patch is not None and (patch.layer, patch.head) == (layer, head):
                found = _patched(patch, found, V[:, own])
            heads.append(found)
        scores, weights, outputs = (np.stack(one) for one in zip(*heads, strict=True))
        x = x + np.concatenate(list(outputs), -1) @ p[f"W_O/{layer + 1}"]
        every.append((scores, weights, outputs))
        projected.append((Q, K, V))
    scores, weights, outputs = zip(*every, strict=True)
    return Changed(_normed(x) @ p["U"], scores, weights, outputs, tuple(projected))


def _patched(patch: Patch, found: tuple[Matrix, Matrix, Matrix], v: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    scores, weights, output = found[0], found[1].copy(), found[2].copy()
    at = list(patch.at)
    if patch.what == "weights":
        weights[at] = patch.of.weights[patch.layer][patch.head][at]
        output[at] = weights[at] @ v
    else:
        output[at] = patch.of.outputs[patch.layer][patch.head][at]
    return scores, weights, output


def _head(
    q: Matrix, k: Matrix, v: Matrix, changes: Sequence[Any], plain: Sequence[Matrix]
) -> tuple[Matrix, Matrix, Matrix]:
    """Return one head's masked scores, weights and output."""
    n, d_k = q.shape
    scale = 1 / math.sqrt(d_k)
    for change in _every(changes, "Treat"):
        if change.qk_norm:
            q, k = (one / np.sqrt((one**2).mean(-1, keepdims=True)) for one in (q, k))
        if change.log_n:
            scale *= math.log(n) / math.log(32)
    for change in _every(changes, "Factor"):
        scale *= change.times
    s = q @ k.T * scale
    caps = [change.softcap for change in _every(changes, "Treat") if change.softcap]
    for cap in caps[-1:]:
        s = cap * np.tanh(s / cap)

    queries, keys = np.indices((n, n))
    allowed = keys <= queries
    set_by = [change for change in changes if type(change).__name__ in ("Mute", "Uniform", "Replace")]
    masking = () if set_by and _is(set_by[-1], "Replace") else changes  # another head's weights know no other mask
    for change in _every(masking, "Causal"):
        allowed = keys <= queries if change.causal else np.ones((n, n), bool)
        if change.window is not None:
            allowed = allowed & (abs(queries - keys) < change.window)
    for change in _every(masking, "Hide"):
        allowed = allowed & (keys != change.key)
    s = np.where(allowed, s, _NOTHING)

    weights = np.stack([_row(row, "softmax", 0.0) for row in s])
    for change in _every(changes, "Normalise"):
        weights = np.stack([_row(row, change.normalisation, change.sink) for row in s])
    mean = None
    for change in changes:  # the last of these wins
        if _is(change, "Mean"):
            mean = np.tile(np.array(change.output, dtype=np.float64), (n, 1))
        elif type(change).__name__ in ("Mute", "Uniform", "Replace"):
            mean = None
        if _is(change, "Mute"):
            weights = np.zeros((n, n))
        elif _is(change, "Uniform"):
            weights = allowed / np.maximum(1, allowed.sum(-1, keepdims=True))
        elif _is(change, "Replace"):
            weights = plain[change.by_layer][change.by_head]
    return s, weights, weights @ v if mean is None else mean


def _row(s: Matrix, normalisation: str, sink: float) -> Matrix:
    """Return the weights of one row of masked scores; zeros if it may read nothing."""
    there = s > _NOTHING
    weights = np.zeros(len(s))
    if there.any():
        weights[there] = {"softmax": _softmax, "sink": _softmax, "sigmoid": _sigmoid, "entmax": _entmax}[normalisation](
            s[there], len(s), sink if normalisation == "sink" else _NOTHING
        )
    return weights


def _softmax(s: Matrix, n: int, sink: float) -> Matrix:
    largest = max(s.max(), sink)
    powers = np.exp(s - largest)
    return powers / (powers.sum() + math.exp(sink - largest))


def _sigmoid(s: Matrix, n: int, sink: float) -> Matrix:
    return 1 / (1 + n * np.exp(-s))  # σ(s − ln n)


def _entmax(s: Matrix, n: int, sink: float) -> Matrix:
    """[s/2 − τ]₊² with the sum 1, τ by bisection: at s_max/2 − 1 the sum is at least 1, at s_max/2 it is 0."""
    low, high = s.max() / 2 - 1, s.max() / 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (np.maximum(s / 2 - middle, 0) ** 2).sum() >= 1 else (low, middle)
    return np.maximum(s / 2 - low, 0) ** 2


def _is(change: Any, name: str) -> bool:
    return type(change).__name__ == name


def _every(changes: Sequence[Any], name: str) -> list[Any]:
    return [change for change in changes if _is(change, name)]


def acts(change: Any, layer: int, head: int) -> bool:
    """Return True if a change acts on this head: it names one, or a collection of layers and one of heads, or all."""
    if hasattr(change, "head"):
        return (change.layer, change.head) == (layer, head)
    return (change.layers is None or layer in change.layers) and (change.heads is None or head in change.heads)


def _sinusoids(n: int, d_model: int) -> Matrix:
    """Wavelengths of 3 to 200 tokens, each a constant factor above the one before: sines, then cosines."""
    waves = d_model // 2
    lengths = 3.0 * (200 / 3) ** (np.arange(waves) / (waves - 1))
    angles = 2 * np.pi * np.arange(n)[:, None] / lengths
    return np.concatenate([np.sin(angles), np.cos(angles)], 1)


def _normed(x: Matrix) -> Matrix:
    away = x - x.mean(-1, keepdims=True)
    return away / np.sqrt((away**2).mean(-1, keepdims=True) + 1e-5)
