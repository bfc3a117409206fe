"""One layer of Anatomy in float64, recomputed from its draws or from what a trained model brings."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionConfig, Layer
from attention_core.learned import ModelRun
from tests.attention_core.normalisations import oracles
from tests.checker.checking import near

SMALLEST: Final = 2.0**-126
"""The smallest weight that float32 holds with all its digits; some ways to one below end at 0."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Truth:
    """One layer in float64; `row` from 0, `head` from 1."""

    config: AttentionConfig
    layers: tuple[Layer, ...]
    row: int
    head: int
    step: str
    rows: str
    hidden: tuple[str, ...]
    run: ModelRun | None = None

    @property
    def number(self) -> int:
        return len(self.layers) if self.run is None else self.config.layer

    @cached_property
    def factor(self) -> float:
        config = self.config
        if config.mechanism == "additive":
            return 1.0
        return self.base * self.growth

    @cached_property
    def base(self) -> float:
        """The factor of the scaling alone."""
        config = self.config
        if self.run is not None:
            return config.scale * self.trained
        return {"sqrt_d_k": config.d_k**-0.5, "none": 1.0, "d_k": 1 / config.d_k, "custom": config.scale}[
            config.scaling
        ]

    @cached_property
    def trained(self) -> float:
        """The factor of the model's own layer."""
        assert self.run is not None
        return float(self.run.layers[self.number - 1].scale or np.nan)

    @cached_property
    def growth(self) -> float:
        return math.log(self.config.n) / math.log(32) if self.config.log_n else 1.0

    @cached_property
    def tensors(self) -> dict[str, Array]:
        """Every tensor of the top layer, each layer computed on the one below."""
        if self.run is not None:
            own = self.run.layers[self.number - 1]
            given = {name: tensor.double().numpy() for name in "QKV" if (tensor := getattr(own, name)) is not None}
            return self._attended(given, {})
        X, found = self.layers[0].X, {}
        below = None if X is None else X.double().numpy()
        for layer in self.layers:
            found = self._layer(layer, below)
            below = found["output"]
        return found

    def _layer(self, layer: Layer, X: Array | None) -> dict[str, Array]:
        weights = [None if W is None else W.double().numpy() for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)]
        attention = layer.attention
        drawn = (tensor.double().numpy() for tensor in (attention.Q, attention.K, attention.V))
        Q, K, V = drawn if X is None else (X @ W for W in weights[:3] if W is not None)
        given: dict[str, Array] = {"Q": Q, "K": K, "V": V} | ({} if X is None else {"X": X})
        own = {name: tensor.double().numpy() for name, tensor in layer.parameters.items()}
        found = self._attended(given, own)
        assert weights[3] is not None
        return found | {"output": found["concatenation"] @ weights[3]}

    def _attended(self, given: dict[str, Array], own: dict[str, Array]) -> dict[str, Array]:
        """Return every tensor from Q, K and V to the heads side by side; `own` are the mechanism's parameters."""
        found = dict(given)
        Q, K, V = (found[name] for name in "QKV")
        if self.config.qk_norm:
            for name in "QK":
                squares = (found[name] ** 2).mean(-1, keepdims=True)
                found[f"squares_{name}"] = squares
                found[f"normed_{name.lower()}"] = found[name] / np.sqrt(np.where(squares == 0, 1, squares))
            Q, K = found["normed_q"], found["normed_k"]
        if self.config.mechanism == "additive":
            hidden = (Q @ own["W_q"])[:, :, None] + (K @ own["W_k"])[:, None]
            found |= {"hidden_q": Q @ own["W_q"], "hidden_k": K @ own["W_k"], "hidden": hidden, "tanh": np.tanh(hidden)}
            scores = np.einsum("hqkd,hd->hqk", np.tanh(hidden), own["w"])
        else:
            scores = Q @ K.transpose(0, 2, 1)
        cap = self.config.softcap
        bent = cap * np.tanh(self.factor * scores / cap) if cap else self.factor * scores
        masked = np.where(self.allowed, bent, -np.inf)
        with np.errstate(over="ignore"):  # a gate far below 0 is 1 / ∞
            p = oracles.weights(self.config.normalisation, masked, self.config.sink)
        heads = p @ V
        joined = heads.transpose(1, 0, 2).reshape(len(self.allowed), -1)
        found |= {"scores": scores, "scaled": self.factor * scores, "masked": masked} | (
            {"capped": bent} if cap else {}
        )
        found |= self._weighing(masked)
        return found | {"weights": p, "heads": heads, "concatenation": joined}

    def _weighing(self, masked: Array) -> dict[str, Array]:
        """Return what the normalisation makes on the way, from its definition."""
        match self.config.normalisation:
            case "sigmoid":
                return {"lowered": masked - math.log(masked.shape[-1])}
            case "entmax":
                halves, threshold = masked / 2, oracles.entmax_threshold(masked)
                return {"halved": halves, "threshold": threshold, "roots": np.maximum(halves - threshold, 0)}
        most = masked.max(-1, keepdims=True)
        if self.config.normalisation == "sink":
            most = np.maximum(most, self.config.sink)
        return {"exponentials": np.exp(masked - most), "maximum": most}

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        config = self.config
        if self.run is not None:
            return self.run.layers[self.number - 1].allowed[0].numpy()
        query, key = np.arange(config.n)[:, None], np.arange(config.n)[None]
        if config.mask == "causal":
            return key <= query
        return abs(key - query) <= config.window if config.mask == "window" else np.ones_like(key == query)

    @property
    def weights(self) -> Array:
        """The walked query's weights."""
        return self.tensors["weights"][self.head - 1, self.row]

    @cached_property
    def loose(self) -> float:
        """The share by which float32 may move a weight: layers and large scores magnify its rounding."""
        scores = self.tensors["masked"][self.head - 1, self.row]
        rounding = 1e-4 + 1e-5 * float(abs(scores[np.isfinite(scores)]).max()) * self.number
        # entmax has p = u², so dp / p = 2 du / u: a spread row magnifies a change of its scores
        return rounding / float(self.weights.max()) ** 0.5 if self.config.normalisation == "entmax" else rounding

    @cached_property
    def lost(self) -> bool:
        """True if float32 may make 0 of all weights of the query."""
        return float(self.weights.max()) < SMALLEST

    def best(self, off: float) -> list[int]:
        """Return the keys whose weight is the largest but for a share `off`; of tiny weights the scores tell it."""
        scores = own_row(self, "masked")
        ranks = np.exp(scores - scores.max()) if self.lost else self.weights
        return [key for key in self.keys if ranks[key] >= ranks.max() * (1 - off)]

    @cached_property
    def keys(self) -> list[int]:
        """The keys that the walked query sees."""
        return np.flatnonzero(self.allowed[self.row]).tolist()

    def name(self, position: int) -> str:
        if self.run is not None:
            return f"{position} “{self.run.tokens[position]}”"
        if self.config.source != "text":
            return str(position)
        words = self.config.text if self.config.split == "characters" else self.config.text.split()
        return f"{position} “{words[position]}”"


def same(name: str, claimed: Any, true: Any) -> Iterator[str]:
    """Yield what differs."""
    if claimed != true:
        yield f"{name} is {true}, not {claimed}"


def close_to(name: str, claimed: float, true: float, truth: Truth, size: float = 1.0) -> Iterator[str]:
    """Yield a number that is off by more than float32's rounding, for numbers as large as `size`."""
    off = 10 * truth.loose * size
    if not (near(claimed, true) or abs(claimed - true) <= off):
        yield f"{name} is {true}, not {claimed}"


def own_row(truth: Truth, name: str) -> Array:
    """Return the walked head's row of a tensor."""
    return truth.tensors[name][truth.head - 1, truth.row]
