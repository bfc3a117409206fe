"""A folder of all heads of a model over texts, as HeadVis and Neuronpedia's loader take one.

Texts are the passages of a reading's sample: each had the same chance to be in it, so its bands are those of all texts.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput
from attention_core.learned.head_texts import BANDS, MOST_POSITIONS, TextReading
from attention_core.learned.headvis.head_file import Bins, HeadVisHead, HeadVisSequence, TokenWeight
from attention_core.learned.headvis.writing import headvis_bytes, json_bytes
from attention_core.learned.measures import floats
from attention_core.learned.run import LearnedModel, ModelRun

__all__ = ["write_headvis"]

_MOST_KEYS: Final = 8
_LEAST: Final = 0.005
"""Of each row so many weights are written, each so large, as HeadVis does by default."""

_DIGITS: Final = 4
_EDGES: Final = (0, *(2**power for power in range(13)))
_ACTIVATION_BINS: Final = 50
_MOST_TOKENS: Final = 50

_METRICS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "self_attention_score": ("own_token", "Mean weight on a row's own token, the first row left out."),
        "prev_token_score": ("previous_token", "Mean weight on the token before."),
        "pattern_entropy": ("entropy", "Mean entropy of the rows, in nats."),
        "qk_distance": ("distance", "Mean |q - k| by weight, in tokens."),
    }
)
"""Their names of measures, ours, and what is said of them."""


class _Kept(NamedTuple):
    """A passage with the weights of one head that are written, small enough to hold those of all heads."""

    number: int
    tokens: tuple[str, ...]
    places: Int[Tensor, " cells"]
    values: Float[Tensor, " cells"]
    strongest: float


def write_headvis(folder: Path, model: LearnedModel, reading: TextReading, texts: str) -> None:
    """Write what each head of a model does over texts into an empty folder, which is made, as HeadVis does.

    The sample's passages are read again, once, for a reading keeps no weights. For each head they are divided by its
    largest weight behind the first row and column into five bands of as many, and of each row the eight largest weights
    from .005 on are written with four digits. Histograms and tokens are of what is written, as theirs are. A layer that
    does not attend from the text to itself, whole, has no file. Memory is about that of the files. Between two passages
    a caller that left stops the work, and nothing is written.

    Parameters
    ----------
    folder
        Gets `config.json`, `scatter_data.json` and `heads/L0H0.json` …, where layers and heads count from 0.
    model, reading
        What was read, and with which model.
    texts
        What the texts are called, as the name of their data set.

    Raises
    ------
    InvalidInput
        `headvis_folder` if something is there already; `headvis_size` if a file would be larger than is read.
    OSError
        As files do.
    """
    if folder.exists() and next(folder.iterdir(), None) is not None:
        raise InvalidInput("headvis_folder", "Something is in that folder already: choose an empty one.")
    kept: dict[tuple[int, int], list[_Kept]] = {}
    for number, text in reading.sample.items():
        checkpoint()
        for at, one in _weights(model.run(text), number):
            kept.setdefault(at, []).append(one)
    (folder / "heads").mkdir(parents=True, exist_ok=True)
    for (layer, head), passages in kept.items():
        file = folder / "heads" / f"L{layer}H{head}.json"
        file.write_bytes(headvis_bytes(_head(layer + 1, head + 1, _in_bands(passages))))
    (folder / "scatter_data.json").write_bytes(json_bytes(_scatter(reading)))
    (folder / "config.json").write_bytes(json_bytes(_config(model, reading, texts, [*kept])))


def _config(model: LearnedModel, reading: TextReading, texts: str, heads: list[tuple[int, int]]) -> dict[str, Any]:
    return {
        "model_name": model.name,
        "dataset_name": texts,
        "n_layers": model.layers,
        "n_heads": model.h,
        "n_intervals": BANDS,
        "heads": heads,
        "metrics": [*_METRICS],
        "metric_descriptions": {metric: description for metric, (_, description) in _METRICS.items()},
        "head_data_pattern": "L{layer}H{head}.json",
        "has_umap": False,
        "umap_heads": [],
        "custom_plots": [
            {"key": "qk_distance_histogram", "label": "|q - k| of the weights in the file"},
            {"key": "histogram", "label": "Largest weight of a text"},
        ],
        "custom_tables": [
            {"key": "top_query_tokens", "label": "Query tokens with most weight"},
            {"key": "top_key_tokens", "label": "Key tokens with most weight"},
        ],
        "statistics_display": {
            "n_samples": {"label": "Texts in the file", "format": "default"},
            "mean_max_activation": {"label": "Mean largest weight of a text", "format": "default"},
        },
        "pipeline_config": {
            "n_sequences": reading.measures.documents,
            "seq_len": min(MOST_POSITIONS, model.most_tokens),
            "dtype": "float32",
            "attn_implementation": "eager",
            "n_intervals": BANDS,
            "sparse_topk_per_row": _MOST_KEYS,
            "sparse_threshold": _LEAST,
        },
    }


def _scatter(reading: TextReading) -> list[dict[str, int | float | None]]:
    """Return the measures of every head over all texts of the reading."""
    means = {metric: reading.measures.means[measure] for metric, (measure, _) in _METRICS.items()}
    layers, h = means["pattern_entropy"].shape
    return [
        {"layer": layer, "head": head, **{metric: _rounded(float(of[layer, head])) for metric, of in means.items()}}
        for layer in range(layers)
        for head in range(h)
    ]


def _rounded(number: float) -> float | None:
    return round(number, _DIGITS) if math.isfinite(number) else None


def _weights(run: ModelRun, number: int) -> Iterator[tuple[tuple[int, int], _Kept]]:
    """Yield what is written of each head, by its layer and head from 0."""
    n = len(run.tokens)
    for place, (layer, between, window) in enumerate(zip(run.layers, run.between, run.windows, strict=True)):
        if n < 2 or between != (0, 0) or window is not None or layer.weights.shape[-2:] != (n, n):
            continue
        p = torch.where(layer.allowed, floats(layer.weights), -1.0)
        values, keys = p.sort(dim=-1, descending=True, stable=True)  # of equal weights the earlier key is kept
        values, keys = values[..., :_MOST_KEYS], keys[..., :_MOST_KEYS]
        written = torch.zeros_like(p, dtype=torch.bool).scatter_(-1, keys, values >= _LEAST)
        for head, (of, there) in enumerate(zip(p, written, strict=True)):
            places = there.flatten().nonzero().flatten().int()
            yield (place, head), _Kept(number, run.tokens, places, of[there].float(), float(of[1:, 1:].max()))


def _in_bands(passages: list[_Kept]) -> tuple[HeadVisSequence, ...]:
    """Return texts in five bands of as many by their largest weights, the lowest band first, as HeadVis has them."""
    ordered = sorted(passages, key=lambda one: one.strongest)
    return tuple(
        HeadVisSequence(
            id=one.number,
            interval=1 + place * BANDS // len(ordered),
            tokens=one.tokens,
            q=one.places.long() // len(one.tokens),
            k=one.places.long() % len(one.tokens),
            values=torch.from_numpy(np.round(one.values.double().numpy(), _DIGITS)),
            max_activation=round(one.strongest, _DIGITS),
        )
        for place, one in enumerate(ordered)
    )


def _head(layer: int, head: int, sequences: tuple[HeadVisSequence, ...]) -> HeadVisHead:
    apart = np.zeros(len(_EDGES) - 1)
    at_queries: dict[str, float] = {}
    at_keys: dict[str, float] = {}
    for one in sequences:
        values = one.values.numpy()
        apart += np.histogram((one.q - one.k).abs().numpy(), bins=_EDGES, weights=values)[0]
        for found, places in ((at_queries, one.q), (at_keys, one.k)):
            sums = np.bincount(places.numpy(), weights=values, minlength=len(one.tokens)).tolist()
            for token, weight in zip(one.tokens, sums, strict=True):
                found[token] = found.get(token, 0.0) + weight
    strongest = [one.max_activation or 0.0 for one in sequences]
    counts, edges = np.histogram(np.clip(strongest, 0, 1), bins=_ACTIVATION_BINS, range=(0, 1))
    return HeadVisHead(
        layer=layer,
        head=head,
        sequences=sequences,
        distances=Bins(tuple(map(float, _EDGES)), _all_rounded(apart)),
        queries=_largest(at_queries),
        keys=_largest(at_keys),
        activations=Bins(_all_rounded(edges), tuple(map(float, counts.tolist()))),
        statistics={
            "n_samples": float(len(sequences)),
            "mean_max_activation": round(float(np.mean(strongest)), _DIGITS),
        },
    )


def _all_rounded(numbers: np.ndarray) -> tuple[float, ...]:
    return tuple(np.round(numbers, _DIGITS).tolist())


def _largest(weights: Mapping[str, float]) -> tuple[TokenWeight, ...]:
    ordered = sorted(weights.items(), key=lambda one: -one[1])[:_MOST_TOKENS]
    return tuple(TokenWeight(token, round(weight, _DIGITS)) for token, weight in ordered if weight > 0)
