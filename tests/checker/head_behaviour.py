"""What heads of the models that ship do, in plain loops over float64 weights: measures, and labels over the corpus.

No function of the page and none of `attention_core.learned` is used; the corpus' documents are data.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from attention_core.language import WORDS, Document, corpus
from tests.checker import learned
from tests.checker.learned import Heads, Numbers

Scores = Mapping[str, Numbers]
"""Layers × heads by measure, NaN without a row that counts."""

Keys = Callable[[Sequence[int], int], list[int]]
"""From ids and a query to the keys whose weights are summed."""

LABELS: Final = (
    *("previous_token", "own_token", "next_token", "induction", "agreement", "bracket", "same_token", "delimiter"),
    *("local", "sink"),
)
"""The measures that can label a head, in the order of equal scores; all are shares of weight."""

PARTING: Final = frozenset(at for at, word in enumerate(WORDS) if not (word[0].isalnum() or word[0] == "<")) | {
    WORDS.index("<bos>")
}

KEYS: Final[Mapping[str, Keys]] = {
    "sink": lambda ids, q: [0] if q else [],
    "previous_token": lambda ids, q: [q - 1] if q else [],
    "own_token": lambda ids, q: [q] if q else [],
    "next_token": lambda ids, q: [q + 1] if q + 1 < len(ids) else [],
    "induction": lambda ids, q: [k + 1 for k in range(q) if ids[k] == ids[q]],
    "same_token": lambda ids, q: [k for k in range(q) if ids[k] == ids[q]],
    "delimiter": lambda ids, q: [k for k in range(1, len(ids)) if ids[k] in PARTING],
    "local": lambda ids, q: [k for k in range(len(ids)) if 1 <= abs(k - q) <= 3],
}


def over_text(layers: Sequence[Heads], ids: tuple[int, ...]) -> Scores:
    """Return the measures over one text."""
    sums, counts = _sums(layers, ids)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {name: sums[name] / counts[name] for name in sums}


def counted(layers: Sequence[Heads], ids: tuple[int, ...]) -> Scores:
    """Return how many rows of a text each measure is a mean of."""
    return _sums(layers, ids)[1]


def chances(layers: Sequence[Heads], ids: tuple[int, ...]) -> Scores:
    """Return the measures over one text of heads that read all their keys alike."""
    return over_text([_even(one) for one in layers], ids)


def _even(layer: Heads) -> Heads:
    keys = layer.allowed.sum(-1, keepdims=True)
    return replace(layer, weights=layer.allowed / np.maximum(keys, 1), sunk=None, loose=frozenset())


def over_corpus(model: str) -> Scores:
    """Return the measures over the corpus; induction over its lists, agreement and brackets over its sentences."""
    return _over_corpus(model, False)[0]


def corpus_rows(model: str) -> Scores:
    """Return how many rows of the corpus each measure is a mean of."""
    return _over_corpus(model, False)[1]


def corpus_chances(model: str) -> Scores:
    """Return the measures over the corpus of heads that read all their keys alike."""
    return _over_corpus(model, True)[0]


@cache
def _over_corpus(model: str, even: bool) -> tuple[Scores, Scores]:
    totals: dict[str, Numbers] = {}
    counts: dict[str, Numbers] = {}
    for document in corpus():
        layers = learned.read(model, document.ids)
        layers = [_even(one) for one in layers] if even else layers
        sums, rows = _sums(layers, document.ids)
        del sums["induction"]
        for name, kind in (("induction", "repeats"), ("agreement", "sentences"), ("bracket", "sentences")):
            if document.kind == kind:
                sums[name], rows[name] = _annotated(layers, document, name)
        for name, value in sums.items():
            totals[name] = totals.get(name, 0.0) + value
            counts[name] = counts.get(name, 0) + rows[name]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {name: totals[name] / counts[name] for name in totals}, counts


@cache
def labels(model: str) -> Mapping[tuple[int, int], list[tuple[str, float]]]:
    """Return what each head (layer and head from 1) does over the corpus, the stronger label first.

    A label has come at least half of the way from its chance to 1, and is not one that the token before gives anyhow.
    """
    scores, even, found = over_corpus(model), corpus_chances(model), {}
    layers, h = scores["sink"].shape
    for layer in range(layers):
        for head in range(h):
            there = {name: float(scores[name][layer, head]) for name in LABELS}
            chance = {name: float(even[name][layer, head]) for name in LABELS}
            passed = {name: score for name, score in there.items() if score - chance[name] >= 0.5 * (1 - chance[name])}
            if "previous_token" in passed:
                passed = {name: score for name, score in passed.items() if name not in ("local", "agreement")}
            if passed:
                found[layer + 1, head + 1] = sorted(passed.items(), key=lambda one: -one[1])
    return found


def entropies(weights: Numbers) -> Numbers:
    """Return −Σ p ln p of each row."""
    return -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum(-1)


def row_entropies(layer: Heads) -> Numbers:
    """Return the entropy of each row, h × n, that of its sink included."""
    own = entropies(layer.weights)
    return own if layer.sunk is None else own + entropies(layer.sunk[..., None])


def _sums(layers: Sequence[Heads], ids: tuple[int, ...]) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
    """Return the sums of every measure over the rows that count, and how many do, layers × heads.

    A row that may read nothing counts nowhere, and no row of a head whose weights need not add up to 1.
    """
    n = len(ids)
    apart = np.abs(np.arange(n)[:, None] - np.arange(n))
    sums = {
        "entropy": _each(layers, lambda one: (row_entropies(one) * one.allowed.any(-1)).sum(-1)),
        "distance": _each(layers, lambda one: _distances(one, apart)),
        "variance": _each(layers, lambda one: np.array([_rows(one)[head] * variance(one, head) for head in range(4)])),
    }
    counts = {name: _each(layers, _rows) for name in ("entropy", "variance")}
    counts["distance"] = _each(layers, lambda one: (one.allowed.any(-1) & (one.weights.sum(-1) > 0)).sum(-1))
    for name, keys in KEYS.items():
        marked = np.zeros((n, n))
        for query in range(n):
            marked[query, keys(ids, query)] = 1.0
        sums[name] = _marked(layers, marked)
        counts[name] = _each(layers, lambda one, marked=marked: (one.allowed & (marked > 0)).any(-1).sum(-1))
    for at, layer in enumerate(layers):
        for name in sums:
            for head in range(len(layer.Q)):
                if (layer.rebuilt or not layer.allowed[head].sum() > 1) if name == "variance" else head in layer.loose:
                    sums[name][at, head] = counts[name][at, head] = 0
    return sums, counts


def _rows(layer: Heads) -> Numbers:
    return layer.allowed.any(-1).sum(-1)


def _distances(layer: Heads, apart: Numbers) -> Numbers:
    whole = layer.weights.sum(-1)
    counts = layer.allowed.any(-1) & (whole > 0)
    return np.where(counts, (layer.weights * apart).sum(-1) / np.where(whole > 0, whole, 1), 0.0).sum(-1)


def variance(layer: Heads, head: int) -> float:
    """Return Var(q · k)/d_k of a head, from 0, over the cells that it may read."""
    products = (layer.Q[head] @ layer.K[head].T)[layer.allowed[head]]
    if not products.size:
        return 0.0
    return float(((products - products.mean()) ** 2).mean()) / layer.Q.shape[-1]


def _annotated(layers: Sequence[Heads], document: Document, name: str) -> tuple[Numbers, Numbers]:
    """Return the sums and rows of what the documents say where it is: of a list what followed each earlier mention."""
    n, ids = len(document.ids), document.ids
    marked = np.zeros((n, n))
    for place in document.places:
        if place.kind != ("repeat" if name == "induction" else name):
            continue
        if name == "induction":
            marked[place.query, KEYS["induction"](ids, place.query)] = 1.0
        elif name == "bracket":
            marked[place.query, place.key : place.key + 2] = 1.0
        elif place.key < place.query:
            marked[place.query, place.key - 1 : place.key + 3] = 1.0
    return _marked(layers, marked), np.full((len(layers), learned.HEADS), marked.any(-1).sum())


def _marked(layers: Sequence[Heads], marked: Numbers) -> Numbers:
    """Return the sums of the weights on marked keys, over the rows that may read one."""
    return _each(
        layers,
        lambda one: ((one.weights * marked).sum(-1) * (one.allowed & (marked > 0)).any(-1)).sum(-1),
    )


def _each(layers: Sequence[Heads], value: Callable[[Heads], Numbers]) -> Numbers:
    return np.stack([value(one) for one in layers])
