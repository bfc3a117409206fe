"""The measures of a head as plain loops, and random runs to hold them to."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

import numpy as np
import torch

from attention_core.learned import ModelRun
from attention_core.models import CapturedLayer, capture
from tests.attention_core.models.small_models import READ, SEEN
from tests.offline import offline

Mean = tuple[float, int]
"""A sum over rows, and how many of them count."""


def measured(run: ModelRun, layer: CapturedLayer, head: int, delimiters: frozenset[int]) -> dict[str, Mean]:
    """Return the sum and the number of counted rows of every measure of one head."""
    p = layer.weights[head].double().numpy()
    allowed = layer.allowed[head].numpy()
    n_q, n_k = p.shape
    rows = [q for q in range(n_q) if allowed[q].any()]
    sunk = None if layer.sink is None else layer.sink[head].double().numpy()
    found: dict[str, Mean] = {
        "entropy": (sum(entropy([*p[q], *([] if sunk is None else [sunk[q]])]) for q in rows), len(rows)),
        "variance": variance(layer, head, len(rows)),
    }
    nothing = (0.0, 0)
    if layer.kind != "self" or n_q != n_k:
        shares = ("sink", "previous_token", "own_token", "next_token", "induction", "same_token", "delimiter", "local")
        placed = ("distance", *shares, "picture")
        return {**found, **dict.fromkeys(placed, nothing)}
    read = [q for q in rows if p[q].sum() > 0]
    found["distance"] = (
        sum(sum(p[q, k] * abs(q - k) for k in range(n_k)) / p[q].sum() for q in read),
        len(read),
    )
    ids = tuple(one if one >= 0 else -1 - at for at, one in enumerate(run.ids))  # no patch is another's mention
    wanted = {
        "sink": lambda q: [0] if q else [],
        "previous_token": lambda q: [q - 1] if q else [],
        "own_token": lambda q: [q] if q else [],
        "next_token": lambda q: [q + 1] if q + 1 < n_k else [],
        "local": lambda q: [k for k in range(n_k) if k != q and abs(q - k) <= 3],
    }
    of_tokens = {
        "induction": lambda q: [k for k in range(1, q + 1) if ids[k - 1] == ids[q] and k - 1 < q],
        "same_token": lambda q: [k for k in range(q) if ids[k] == ids[q]],
        "delimiter": lambda q: [k for k in range(1, n_k) if ids[k] in delimiters],
        "picture": lambda q: [k for k in range(1, n_k) if ids[k] < 0 <= ids[q]],
    }
    for name, keys in (wanted | of_tokens).items():
        if name in of_tokens and n_k != len(ids):
            found[name] = nothing
            continue
        sums = []
        for q in rows:
            seen = [k for k in keys(q) if allowed[q, k]]
            if seen:
                sums.append(sum(p[q, k] for k in seen))
        found[name] = (sum(sums), len(sums))
    return found


def entropy(weights: list[float]) -> float:
    return -sum(weight * math.log(weight) for weight in weights if weight > 0)


def variance(layer: CapturedLayer, head: int, rows: int) -> Mean:
    if layer.Q is None or layer.K is None:
        return 0.0, 0
    group = head * layer.K.shape[0] // layer.Q.shape[0]
    Q, K = layer.Q[head].double().numpy(), layer.K[group].double().numpy()
    products = [Q[q] @ K[k] for q, k in np.argwhere(layer.allowed[head].numpy())]
    if len(products) < 2:
        return 0.0, 0
    return rows * float(np.var(products)) / Q.shape[1], rows


def means(run: ModelRun, heads: int, delimiters: frozenset[int]) -> dict[str, list[list[float]]]:
    """Return layers × heads of every measure, NaN where no row counts."""
    found: dict[str, list[list[float]]] = {}
    for number, layer in enumerate(captured_layers(run)):
        for head in range(layer.weights.shape[0]):
            for name, (total, count) in measured(run, layer, head, delimiters).items():
                rows = found.setdefault(name, [[math.nan] * heads for _ in run.layers])
                rows[number][head] = total / count if count else math.nan
    return found


def random_layer(chosen: random.Random, n_q: int, n_k: int, index: int = 0) -> CapturedLayer:
    """Return a layer with any mask, grouped keys or not, a sink or none, Q and K or none."""
    groups, h_k, d_k = chosen.choice([1, 2]), chosen.randint(1, 3), chosen.choice([1, 3, 8])
    h = groups * h_k
    generator = torch.Generator().manual_seed(chosen.randrange(10**6))
    loud, dtype = chosen.choice([0.1, 1.0, 5.0]), chosen.choice([torch.float32, torch.float64])

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)

    Q, K, V = drawn(h, n_q, d_k), drawn(h_k, n_k, d_k), drawn(h_k, n_k, 5)
    apart = torch.arange(n_k) - torch.arange(n_q).unsqueeze(1)
    allowed = {
        "none": apart < n_k,
        "causal": apart <= 0,
        "window": apart.abs() <= 2,
        "random": torch.rand(h, n_q, n_k, generator=generator) < 0.4,
    }[chosen.choice(["none", "causal", "window", "random"])].expand(h, n_q, n_k)
    scores = Q @ K.repeat_interleave(groups, 0).mT * loud
    scores = scores.masked_fill(~allowed, chosen.choice([-torch.inf, torch.finfo(dtype).min]))
    sink_score = drawn(h, n_q) * loud
    whole = torch.cat([scores, sink_score.unsqueeze(-1)], -1).softmax(-1)
    sunk, of_queries = chosen.random() < 0.5, chosen.random() < 0.75
    return CapturedLayer(
        f"layer {index}",
        index,
        chosen.choice(["self", "self", "self", "cross"]),
        *((Q, K, V, loud, 0.0) if of_queries else (None, None, None, None, None)),
        scores,
        whole[..., :-1] if sunk else scores.softmax(-1),
        whole[..., -1] if sunk else None,
        sink_score if sunk else None,
    )


def random_run(seed: int) -> ModelRun:
    """Return a run of up to three layers over few different tokens; some layers read other tokens than the run's."""
    chosen = random.Random(seed)
    n = chosen.randint(1, 13)
    ids = tuple(chosen.randint(chosen.choice([0, -1]), 4) for _ in range(n))  # −1 is a patch
    sizes = chosen.choices([(n, n), (n, 7), (7, 7)], [3, 1, 1], k=chosen.randint(1, 3))
    layers = tuple(random_layer(chosen, n_q, n_k, index) for index, (n_q, n_k) in enumerate(sizes))
    return ModelRun.of_text(tuple(map(str, ids)), ids, layers, cut=False)


def with_layers(run: ModelRun, changed: Callable[[CapturedLayer], CapturedLayer]) -> ModelRun:
    """Return a run whose layers are changed."""
    return replace(run, layers=tuple(changed(layer) for layer in captured_layers(run)))


def captured_layers(run: ModelRun) -> tuple[CapturedLayer, ...]:
    assert all(isinstance(layer, CapturedLayer) for layer in run.layers)
    return cast("tuple[CapturedLayer, ...]", run.layers)


def captured(name: str) -> ModelRun:
    """Return a run of a small random model of transformers over its text."""
    with offline():
        model, inputs = {**READ, **SEEN}[name]()
        found = capture(model, **inputs)
    ids = tuple(inputs["input_ids"][0].tolist())
    return ModelRun.of_text(tuple(map(str, ids)), ids, found.layers, cut=False)


def heads_of(run: ModelRun) -> Iterator[tuple[int, int]]:
    """Yield every layer and head of a run, from 0."""
    for number, layer in enumerate(run.layers):
        for head in range(layer.weights.shape[0]):
            yield number, head
