"""Anatomy's sentences against its layers recomputed in float64 from the draws."""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionConfig, Layer, layers
from attention_core.learned import ModelRun, shipped_model
from tests.attention_core.normalisations import oracles
from tests.checker.checking import Claim, Page, near
from tests.checker.terms import off
from visualiser import predictions
from visualiser.locale.message import Message
from visualiser.pages.anatomy import live, reasons, sentences
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.facts import Facts, facts
from visualiser.pages.anatomy.subject import Subject
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, Reason
from visualiser.state import share

WORDS: Final = ("the", "cat", "sat", "on", "mat", "7")
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


def link(draws: random.Random) -> str:
    if draws.random() < 0.3:
        return _trained_link(draws)
    n = draws.choice((2, 2, 3, 4, 5, 8, 9, 32, 33))
    settings: dict[str, Any] = {"page": "anatomy", "seed": draws.randrange(100)}
    settings["source"] = draws.choice(("text", "text", "gaussian"))
    if settings["source"] == "text":
        text = " ".join(draws.choices(WORDS[: draws.choice((1, 2, 6))], k=n))
        settings |= {"text": quote(text), "positions": draws.choice(("true", "false"))}
    else:
        settings["n"] = n
    settings["h"] = draws.choice((1, 1, 2, 3, 16))
    settings["d_model"] = draws.choice((2, 3, 8, 8, 30))
    if draws.random() < 0.4:
        settings["d_k"] = draws.choice((1, 1, 2, 4, 9, 64))
        settings["tie"] = draws.choice(("true", "false"))
    settings["mechanism"] = draws.choice(("dot_product", "dot_product", "additive"))
    settings["scaling"] = draws.choice(("sqrt_d_k", "sqrt_d_k", "none", "d_k", "custom"))
    settings["scale"] = draws.choice((0, 0, 0.01, 1, 16))
    settings["qk_norm"] = draws.choice(("false", "true"))
    settings["log_n"] = draws.choice(("false", "true"))
    settings["normalisation"] = draws.choice(("softmax", "softmax", "sink", "sigmoid", "entmax"))
    settings["sink"] = draws.choice((-8, -1, 0, 0.5, 2, 8))
    settings["softcap"] = draws.choice((0, 0, 0, 0.5, 2, 50))
    settings["mask"] = draws.choice(("none", "none", "causal", "window"))
    settings["window"] = draws.choice((1, 2, 64))
    settings["layer"] = draws.choice((1, 1, 2, 4))
    settings["row"], settings["head"] = draws.choice((0, 1, n - 1)), draws.randrange(1, settings["h"] + 1)
    settings["step"] = draws.choice(walk_steps.STEPS)
    settings["rows"] = draws.choice(("one", "one", "all"))
    if draws.random() < 0.2:
        settings["hide"] = draws.choice(("mask", "walk", "scaling"))
    return "&".join(f"{name}={value}" for name, value in settings.items())


def _trained_link(draws: random.Random) -> str:
    """Draw a state whose Q, K and V a shipped model brings; its mask is causal, so no other is chosen."""
    n = draws.choice((1, 1, 2, 4, 7, 31, 63, 80))
    text = " ".join(draws.choices(("Anna", "Ben", "sees", "(", ")", "keys", "고양이"), k=n))
    settings: dict[str, Any] = {
        "page": "anatomy",
        "source": "model",
        "model": draws.choice(("headlight", "headlight", "headlight-one-layer")),
        "layer": draws.choice((1, 2, 2)),
        "text": quote(text),
        "scale": draws.choice((1, 1, 1, 0, 0.5, 16)),
        "qk_norm": draws.choice(("false", "false", "true")),
        "log_n": draws.choice(("false", "false", "true")),
        "normalisation": draws.choice(("softmax", "softmax", "sink", "sigmoid", "entmax")),
        "sink": draws.choice((-1, 0, 2)),
        "softcap": draws.choice((0, 0, 2, 50)),
        "mask": draws.choice(("none", "causal")),
        "row": draws.choice((0, 1, n)),
        "head": draws.randrange(1, 5),
        "step": draws.choice(walk_steps.STEPS),
        "rows": draws.choice(("one", "one", "all")),
    }
    return "&".join(f"{name}={value}" for name, value in settings.items())


@lru_cache(maxsize=4)
def _state(link: str) -> tuple[share.State, Subject]:
    state = share.read(link).state
    found = live.subject_of(state)
    return live.within(state, found.config), found


def truth(link: str) -> Truth:
    state, found = _state(link)
    config = found.config
    trained = config.source == "model"
    run = shipped_model(config.model).run(state.config.text, 64) if trained else None
    row, head = state.view.inspected(config.n), state.view.single(found.heads)
    step, rows = str(state.own["step"]), str(state.own["rows"])
    below = () if trained else layers(state.config, state.config.layer)
    return Truth(config, below, row, head, step, rows, state.view.hide, run)


def _facts(link: str) -> Facts:
    state, found = _state(link)
    row, head = state.view.inspected(found.config.n), state.view.single(found.heads)
    return facts(found, row, head, str(state.own["step"]), str(state.own["rows"]), state.view.hide)


def sentences_of(link: str) -> Sequence[Message]:
    known = _facts(link)
    labels = {str(key): known.named(key) for key in known.seen}
    extra = {"prediction": {"name": live.LARGEST.name, "answer": str(known.seen[0])}}
    best, because = [str(key) for key in known.best], sentences.because(known)
    verdict = (
        predictions.judged(live.LARGEST, extra, best, labels=labels, **because) if live.has_question(known) else None
    )
    return [
        *sentences.step_sentences(known),
        sentences.shapes(known),
        sentences.result(known),
        *sentences.insight(known),
        *(verdict.sentences if verdict else ()),
    ]


def _same(name: str, claimed: Any, true: Any) -> Iterator[str]:
    if claimed != true:
        yield f"{name} is {true}, not {claimed}"


def _close(name: str, claimed: float, true: float, truth: Truth, size: float = 1.0) -> Iterator[str]:
    off = 10 * truth.loose * size
    if not (near(claimed, true) or abs(claimed - true) <= off):
        yield f"{name} is {true}, not {claimed}"


def _sizes(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Hold every size that a sentence names against the tensors' shapes."""
    config, made = truth.config, truth.tensors
    h, n, d_k = made["Q"].shape
    sizes = {"n": n, "h": h, "d_k": d_k, "d_v": made["V"].shape[-1], "width": made["concatenation"].shape[1]}
    if truth.run is None:
        sizes["d_model"] = made["output"].shape[1]
    for name, size in sizes.items():
        if name in facts:
            yield from _same(name, facts[name], size)
    if "head" in facts:
        yield from _same("the head", facts["head"], truth.head)
    if "layer" in facts:
        yield from _same("the layer", facts["layer"], truth.number)
    if "query" in facts:
        yield from _same("the query", facts["query"], truth.name(truth.row))
    if "model" in facts:
        yield from _same("the model", facts["model"].key, f"model.name.{truth.config.model}")
    if "exact" in facts and not near(float(facts["exact"]), config.d_model / h, 4):
        yield "another quotient"


def _projected(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if "X" not in truth.tensors:
        yield "there is no X to project"


def _drawn(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if "X" in truth.tensors:
        yield "there is an X"
    if truth.run is not None:
        yield "a model brings Q, K and V"


def _trained(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if truth.run is None or {"X", "output"} & truth.tensors.keys():
        yield "no model brings Q, K and V, or there is more than it gives"


def _scaled_trained(times: bool, grown: bool) -> Claim[Truth]:
    """Hold the factor and its parts, and that exactly those are named that change it."""

    def check(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from _trained(truth, facts)
        yield from _scaled(truth, facts)
        yield from _close("the trained factor", facts["trained"], truth.trained, truth)
        yield from _same("a scale", times, truth.config.scale != 1)
        yield from _same("growth", grown, truth.config.log_n)
        if times:
            yield from _close("the scale", facts["scale"], truth.config.scale, truth)
        if grown:
            yield from _close("the growth", facts["growth"], truth.growth, truth)

    return check


def _hidden_layer(truth: Truth, facts: Mapping[str, Any], text: bool = True) -> Iterator[str]:
    yield from _same("the layer below", facts["below"], truth.number - 1)
    yield from _same("the layer", facts["layer"], truth.number)
    if (truth.config.source == "text") is not text or truth.number < 2:
        yield "the first layer has no embedding, or is this one"


def _scaled(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the factor", facts["factor"], truth.factor, truth)


def _scaled_grown(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _scaled(truth, facts)
    yield from _sizes(truth, facts)
    yield from _close("the factor without growth", facts["base"], truth.base, truth)
    yield from _close("the growth", facts["growth"], math.log(truth.config.n) / math.log(32), truth)
    if not truth.config.log_n:
        yield "the factor does not grow"


def _plain_factor(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _scaled(truth, facts)
    if truth.config.log_n or truth.run is not None:
        yield "the factor grows, or is a trained one"


def _normed(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Hold the mean of squares, its root and the length of the walked vector, or of all, against float64's."""
    yield from _sizes(truth, facts)
    name = "Q" if truth.step == "normed_q" else "K"
    square = float(truth.tensors[f"squares_{name}"][truth.head - 1, truth.row, 0])
    lengths = np.linalg.norm(truth.tensors[truth.step], axis=-1)
    yield from _close("the length", facts["length"], float(lengths[truth.head - 1, truth.row]), truth)
    if abs(lengths - math.sqrt(truth.config.d_k)).max() > 1e-9:
        yield "a length is not √d_k"
    yield from _close("the mean of squares", facts["square"], square, truth)
    yield from _close("its root", facts["root"], math.sqrt(square), truth)


def _normed_zero(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.tensors[truth.step][truth.head - 1, truth.row].any():
        yield "the vector is not zero"


def _own_step(truth: Truth, facts: Mapping[str, Any], normed: bool = False) -> Iterator[str]:
    """Hold the sizes, and that what is compared is said to be normalised exactly if it is."""
    yield from _sizes(truth, facts)
    yield from _same("q and k normalised", normed, truth.config.qk_norm)
    if normed and truth.config.mechanism == "dot_product":
        Q, K, d_k = truth.tensors["Q"], truth.tensors["K"], truth.config.d_k
        lengths = np.linalg.norm(Q, axis=-1)[:, :, None] * np.linalg.norm(K, axis=-1)[:, None]
        cosines = Q @ K.transpose(0, 2, 1) / np.where(lengths == 0, 1, lengths)
        if abs(truth.tensors["scores"] - d_k * cosines).max() > 1e-9 * d_k:
            yield "a score is not d_k · cos θ"


def _own_step_normed(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    return _own_step(truth, facts, normed=True)


def _not_scaled(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if not np.array_equal(truth.tensors["scaled"], truth.tensors["scores"]):
        yield "scaling changes the scores"


def _masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    yield from _same("forbidden", facts["hidden_keys"], truth.config.n - len(truth.keys))


def _not_masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.config.mask != "none" or not truth.allowed.all():
        yield "there is a mask"


def _try_mask(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if "mask" in truth.hidden or not truth.allowed.all():
        yield "there is no control of a mask, or one is chosen"


def _capped(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _same("the cap", facts["cap"], truth.config.softcap)
    if not truth.config.softcap or abs(truth.tensors["capped"]).max() > facts["cap"] * (1 + 1e-12):
        yield "a score leaves the cap"


def _of(*names: str) -> Callable[[Claim[Truth]], Claim[Truth]]:
    """Hold that the sentence is of these normalisations."""

    def restricted(check: Claim[Truth]) -> Claim[Truth]:
        def checked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
            if truth.config.normalisation not in names:
                yield f"the weights are those of {truth.config.normalisation}"
            yield from check(truth, facts)

        return checked

    return restricted


def _row(truth: Truth, name: str) -> Array:
    return truth.tensors[name][truth.head - 1, truth.row]


def _sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _same("the sink", facts["sink"], truth.config.sink)
    yield from _exponentials(truth, facts)


def _missing(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    total = float(truth.weights.sum())
    yield from _close("the sum of the weights", facts["rest"], total, truth)
    yield from _close("what the sink takes", facts["missing"], 1 - total, truth)
    p = truth.tensors["weights"]
    if p.min() < 0 or p.sum(-1).max() > 1:
        yield "a row adds up to more than 1"


def _lowered(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    yield from _close("ln n", facts["log"], math.log(truth.tensors["K"].shape[1]), truth)
    even = oracles.weights("sigmoid", np.zeros(truth.config.n), 0.0).sum()
    yield from _close("the gates of scores of 0", facts["even"], float(even), truth)


def _gates(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the sum of the gates", facts["mass"], float(truth.weights.sum()), truth, len(truth.keys))
    if truth.weights.min() < 0 or truth.weights.max() > 1:
        yield "a gate is not between 0 and 1"


def _above(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Hold the threshold, and the keys above it as closely as float32 tells them apart."""
    roots, off = _row(truth, "roots"), 10 * truth.loose
    yield from _same("keys seen", facts["seen"], len(truth.keys))
    distances = _row(truth, "halved") - _row(truth, "threshold")
    size = max(1.0, float(abs(_row(truth, "threshold")).max()))
    if not (distances > off * size).sum() <= facts["support"] <= (distances > -off * size).sum():
        yield f"{(roots > 0).sum()} keys lie above the threshold, not {facts['support']}"
    yield from _close("the threshold", facts["threshold"], float(_row(truth, "threshold")[0]), truth, size)


def _exponentials(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    most = float(_row(truth, "maximum")[0])
    yield from _close("the largest score", facts["maximum"], float(most), truth, max(1.0, abs(most)))


def _sums(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    p = truth.tensors["weights"]
    if abs(p.sum(-1) - 1).max() > 1e-12 or p.min() < 0 or p.max() > 1:
        yield "the weights do not add up to 1"


def _tanh(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if abs(truth.tensors["tanh"]).max() > 1:
        yield "tanh is larger"


def _one_head(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if truth.config.h != 1:
        yield "there are several heads"


def _heads(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if truth.config.h == 1:
        yield "there is one head"


def _best(truth: Truth, named: Sequence[str], count: int, weight: float) -> Iterator[str]:
    """Hold the keys with the largest weight against the true ones, as closely as float32 tells them apart."""
    p, most = truth.weights, truth.weights.max()
    yield from _close("the largest weight", weight, float(most), truth)
    surely = [truth.name(key) for key in truth.keys if p[key] >= most * (1 - 1e-9)]
    perhaps = [truth.name(key) for key in truth.keys if p[key] >= most * (1 - 10 * truth.loose)]
    if not set(named) <= set(perhaps):
        yield f"the largest weight is on {surely}, not {named}"
    if not len(surely) <= count <= len(perhaps):
        yield f"the largest weight is on {len(surely)} keys, not {count}"


def _largest(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    named = facts.get("keys", [facts["key"]] if "key" in facts else [])
    yield from _best(truth, named, facts.get("count", len(named)), facts["weight"])


def _largest_even(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    yield from _same("keys seen", facts["count"], len(truth.keys))
    seen = truth.weights[truth.keys]
    if len(seen) < 2 or np.ptp(seen) > 10 * truth.loose * seen.max():
        yield "the weights differ"
    yield from _close("the weight", facts["weight"], float(seen.mean()), truth)


def _largest_single(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("its weight", facts["weight"], float(truth.weights.max()), truth)
    if "key" in facts:
        yield from _only(truth, facts)
    if len(truth.keys) != 1:
        yield "the query sees several keys"


def _largest_only(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _only(truth, facts)
    yield from _close("its weight", 1.0, float(truth.weights.max()), truth)


def _only(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    yield from _same("the keys seen", [truth.name(key) for key in truth.keys], [facts["key"]])


def _result(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Recompute the step's result for the query."""
    yield from _sizes(truth, facts)
    own, row, made = truth.head - 1, truth.row, truth.tensors
    of = {"input": "X", "queries": "Q", "keys": "K", "values": "V"}
    values = made[of.get(truth.step, truth.step)]
    values = values[row] if values.ndim == 2 else values[own, row]
    values = values.ravel()
    finite = values[np.isfinite(values)]
    size = max(1.0, float(abs(finite).max()))
    if "values" in facts:
        stated = [float(value.replace("−", "-").replace("∞", "inf")) for value in _plain(facts["values"]).split(", ")]
        if len(stated) != len(values) or any(
            not (claimed == true or near(claimed, true) or abs(claimed - true) <= 10 * truth.loose * size)
            for claimed, true in zip(stated, values, strict=False)
        ):
            yield f"the values are {values}"
        return
    yield from _same("count", facts["count"], len(finite))
    yield from _same("masked", facts.get("masked", 0), len(values) - len(finite))
    yield from _close("the smallest", facts["low"], float(finite.min()), truth, size)
    yield from _close("the largest", facts["high"], float(finite.max()), truth, size)
    given = "X" in made
    if facts["step"].key.endswith("_normed") is not (truth.config.qk_norm and truth.step in _HIDDEN):
        yield "the step's name tells of other vectors"
    if facts["step"].key.endswith("_drawn") is (given or truth.step not in ("queries", "keys", "values")):
        yield "the step's name tells of a projection"


def _plain(written: str) -> str:
    """Read powers of ten: 1.2×10⁻⁷ is 1.2e-7."""
    return written.replace("×10", "e").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))


def _tied(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    config = truth.config
    if config.d_model != config.h * config.d_k or facts["width"] != facts["d_model"]:
        yield "the heads are not as wide as the model"


def _floored(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if facts["d_model"] // facts["h"] != facts["d_k"] or facts["d_model"] % facts["h"] == 0:
        yield "it is not rounded down"


def _least(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if facts["d_model"] >= facts["h"] or facts["d_k"] != 1:
        yield "it is not the least"


def _untied(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _sizes(truth, facts)
    if truth.config.tie:
        yield "it is tied"


def _purpose(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.config.n > 8 or truth.config.d_k > 8:
        yield "not every number is printed"
    yield from _purpose_large(truth, facts)


def _purpose_large(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    first = "input" if "X" in truth.tensors else "queries"
    if "walk" in truth.hidden or (truth.step, truth.rows) != (first, "one"):
        yield "there is no walk to begin"


def _because(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _best(truth, facts["keys"], len(facts["keys"]), facts["weight"])
    most = float(truth.tensors["masked"][truth.head - 1, truth.row].max())
    yield from _close("the largest score", facts["score"], most, truth, max(1.0, abs(most)))


def _because_gates(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _because(truth, facts)
    yield from _same("n", facts["n"], truth.config.n)
    gate = 1 / (1 + facts["n"] * math.exp(-facts["score"]))
    yield from _close("σ of the score", facts["weight"], gate, truth)


def _answered(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """The answer is the first key that the query sees."""
    most = truth.weights.max()
    first, real = truth.keys[0], int(facts["real"].split()[0])
    right = facts["answer"] == facts["real"]
    for key in (first, real) if right else (real,):
        if truth.weights[key] < most * (1 - 10 * truth.loose):
            yield "another key has the largest weight"
    if not right and truth.weights[first] >= most * (1 - 1e-9):
        yield "the answer was right"


def _whole(truth: Truth, sentences: Sequence[Message]) -> Iterator[str]:
    """Ask for the largest weight exactly once the scores are revealed."""
    largest = [sentence.key for sentence in sentences if sentence.key.startswith("anatomy.largest")]
    revealed = walk_steps.STEPS.index(truth.step) >= walk_steps.STEPS.index("scores")
    yield from _same("sentences on the largest weight", len(largest), int(revealed))


_HIDDEN: Final = ("hidden_q", "hidden_k", "hidden", "tanh")
_OWN: Final = (*_HIDDEN, "scores_additive", "scores_dot_product")


def _first(link: str) -> Sequence[Message]:
    known = _facts(link)
    return sentences.insight(known)[:1]


def _numbered(check: Claim[Truth]) -> Claim[Truth]:
    """Hold a sentence that numbers its positions against the one that names them."""

    def named_too(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from check(
            truth, {**facts, **{name: truth.name(facts[name]) for name in ("query", "key") if name in facts}}
        )

    return named_too


def _asked(link: str) -> tuple[Sequence[Message], How]:
    known = _facts(link)
    messages = [*sentences.step_sentences(known), *sentences.insight(known)]
    if live.has_question(known):
        facts_of = dict(sentences.because(known))
        messages.append(Message(f"predict.{live.LARGEST.name}.{facts_of.pop('because', 'because')}", facts_of))
    return messages, reasons.reasons(known)


def _reason(truth: Truth, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check sizes, and the sum of exponentials behind the largest weight."""
    key, config = given.made.key, truth.config
    if key.startswith("reason.made.width.") or key == "reason.made.quotient":
        yield from off(given, d_model=config.d_model, h=config.h)
    elif key == "reason.made.product":
        yield from off(given, a=config.h, b=truth.tensors["V"].shape[-1])
    elif key == "reason.made.of_model":
        Q, V = truth.tensors["Q"], truth.tensors["V"]
        true = {"h": len(Q), "d_k": Q.shape[-1], "d_v": V.shape[-1]}
        yield from off(given, value=true.get(name, truth.trained))
        named = given.made.facts["model"], given.made.facts["layer"]
        yield from _same("the model", named, (config.model, truth.number))
    elif key in ("reason.made.trained_times", "reason.made.trained_grown"):
        grown = {"growth": truth.growth} if key.endswith("grown") else {}
        yield from off(given, scale=config.scale, trained=truth.trained, **grown)
    elif key in ("reason.made.root_factor", "reason.made.one_over"):
        yield from off(given, d_k=config.d_k)
    elif key == "reason.made.grown_factor":
        yield from off(given, base=truth.base, growth=truth.growth)
    elif key == "reason.made.growth":
        yield from off(given, n_k=config.n)
    elif key in ("reason.made.mean_square", "reason.made.root_of"):
        yield from _square_reason(truth, name, given)
    elif key == "reason.made.largest_row":
        near_it = [sign * truth.loose + 1 / truth.weights.max() for sign in (-10, 0, 10)]
        yield from (
            () if near_it[0] <= parse_number(given.made.facts["sum"]) <= near_it[2] else off(given, sum=near_it[1])
        )
    elif key == "reason.made.hidden":
        yield from off(given, n=config.n)
    elif key in _WEIGHED:
        yield from _weighed_reason(truth, given)
    elif key not in _PLAIN:
        yield f"nobody checks {key}"


def _written(given: Reason, name: str) -> float:
    value = given.made.facts[name]
    return parse_number(value) if isinstance(value, str) else float(value)


def _weighed_reason(truth: Truth, given: Reason) -> Iterator[str]:
    """Check the arithmetic of weights that are no softmax's: of a sink, of gates, of entmax."""
    config, facts = truth.config, given.made.facts
    total, most = float(truth.weights.sum()), float(_row(truth, "masked").max())
    size = max(1.0, abs(most))
    true: dict[str, tuple[float, float]] = {
        "n": (config.n, 1.0),
        "seen": (len(truth.keys), 1.0),
        "sink": (config.sink, 1.0),
    }
    weight = float(truth.weights.max())
    if given.made.key == "reason.made.underflow" and abs(_written(given, "true") / weight - 1) > 10 * truth.loose:
        yield f"the weight is {weight}"
    true |= {"score": (most, size), "missing": (1 - total, 1.0)}
    if config.normalisation == "sink":
        high = float(_row(truth, "maximum")[0])
        # what stands under e, and over what: the sink's own, or the largest score's
        own = config.sink if given.made.key == "reason.made.sink_weight" else most
        powers = np.exp(_row(truth, "masked") - high).sum() + math.exp(config.sink - high)
        true |= {"most": (high, size), "below": (own - high, size), "sum": (float(powers), float(powers))}
        true["score"] = (own if given.made.key == "reason.made.sink_weight" else most, size)
    if config.normalisation == "entmax":
        threshold, halves = float(_row(truth, "threshold")[0]), _row(truth, "halved")
        above = halves[halves > threshold]
        spread = float(((above - above.mean()) ** 2).sum())
        true |= {
            "half": (most / 2, size),
            "threshold": (threshold, size),
            "root": (math.sqrt(truth.weights.max()), size),
        }
        if facts.get("count") == len(above):  # else one key lies on the threshold but for rounding
            true |= {"mean": (float(above.mean()), size), "spread": (spread, max(1.0, spread))}
    for name in true.keys() & facts.keys():
        yield from _close(f"{given.made.key}: {name}", _written(given, name), true[name][0], truth, true[name][1])


_WEIGHED: Final = {
    *("reason.made.sink_weight", "reason.made.weight_sink", "reason.made.rest", "reason.made.larger"),
    *("reason.made.gate", "reason.made.gates", "reason.made.log", "reason.made.even_gates"),
    *("reason.made.root_weight", "reason.made.threshold", "reason.made.underflow"),
}


def _square_reason(truth: Truth, name: str, given: Reason) -> Iterator[str]:
    """Check the sum of squares, and what stands under a root."""
    if name == "length":
        yield from off(given, square=truth.config.d_k)
        return
    vector = truth.tensors["Q" if truth.step == "normed_q" else "K"][truth.head - 1, truth.row]
    true = {"sum": float((vector**2).sum()), "square": float((vector**2).mean())}
    for fact in true.keys() & given.made.facts.keys():
        written = given.made.facts[fact]
        yield from _close(
            fact, parse_number(written) if isinstance(written, str) else written, true[fact], truth, true[fact]
        )
    if "d_k" in given.made.facts:
        yield from off(given, d_k=truth.config.d_k)


_PLAIN: Final = {
    *("reason.made.control", "reason.made.control_or_model", "reason.made.text"),
    *("reason.made.largest_score", "reason.made.best", "reason.made.support"),
}

PAGE: Final = Page(
    link=link,
    sentences=sentences_of,
    truth=truth,
    claims={
        **{f"anatomy.{rows}.{step}": _own_step for rows in ("one", "all") for step in _OWN},
        **{f"anatomy.{rows}.{step}_normed": _own_step_normed for rows in ("one", "all") for step in _OWN},
        **{f"anatomy.{rows}.normed_{x}": _normed for rows in ("one", "all") for x in "qk"},
        **{f"anatomy.one.normed_{x}_zero": _normed_zero for x in "qk"},
        **{f"anatomy.{rows}.scaled_grown": _scaled_grown for rows in ("one", "all")},
        **{f"anatomy.{rows}.heads": _sizes for rows in ("one", "all")},
        **{
            f"anatomy.{rows}.{step}": _projected
            for rows in ("one", "all")
            for step in ("input", "queries", "keys", "values")
        },
        **{f"anatomy.{rows}.{step}": _heads for rows in ("one", "all") for step in ("concatenation",)},
        **{f"anatomy.{rows}.concatenation_one": _one_head for rows in ("one", "all")},
        **{f"anatomy.{rows}.scaled": _plain_factor for rows in ("one", "all")},
        **{f"anatomy.{rows}.tanh{kind}": _tanh for rows in ("one", "all") for kind in ("", "_normed")},
        **{f"anatomy.{rows}.capped": _capped for rows in ("one", "all")},
        **{f"anatomy.{rows}.weights": _of("softmax")(_sums) for rows in ("one", "all")},
        **{f"anatomy.{rows}.exponentials_sink": _of("sink")(_sunk) for rows in ("one", "all")},
        "anatomy.one.weights_sink": _of("sink")(_missing),
        "anatomy.all.weights_sink": _of("sink")(_missing),
        "anatomy.one.lowered_sigmoid": _of("sigmoid")(_lowered),
        "anatomy.all.lowered_sigmoid": _of("sigmoid")(_lowered),
        "anatomy.one.weights_sigmoid": _of("sigmoid")(_gates),
        "anatomy.all.weights_sigmoid": _of("sigmoid")(_gates),
        **{f"anatomy.{rows}.halved_entmax": _of("entmax")(_sums) for rows in ("one", "all")},
        "anatomy.one.roots_entmax": _of("entmax")(_above),
        "anatomy.all.roots_entmax": _of("entmax")(_sums),
        "anatomy.one.weights_entmax": _of("entmax")(lambda truth, facts: (*_sums(truth, facts), *_above(truth, facts))),
        "anatomy.all.weights_entmax": _of("entmax")(_sums),
        **{f"anatomy.{rows}.output": _sizes for rows in ("one", "all")},
        **{f"anatomy.largest{kind}": _largest for kind in ("", "_shared", "_many")},
        **{f"anatomy.result{kind}": _result for kind in ("", "_range", "_masked")},
        "anatomy.one.masked": _masked,
        "anatomy.all.masked": _masked,
        "anatomy.one.exponentials": _of("softmax")(_exponentials),
        "anatomy.all.exponentials": _of("softmax")(_exponentials),
        "anatomy.drawn": _drawn,
        "anatomy.hidden_layer": _hidden_layer,
        "anatomy.hidden_layer_drawn": lambda truth, facts: _hidden_layer(truth, facts, text=False),
        "anatomy.not_scaled": _not_scaled,
        "anatomy.not_masked": _not_masked,
        "anatomy.try_mask": _try_mask,
        **{f"short.anatomy.largest{kind}": _numbered(_largest) for kind in ("", "_many")},
        "short.anatomy.largest_even": _numbered(_largest_even),
        "short.anatomy.largest_only": _numbered(_largest_only),
        "short.anatomy.largest_single": _numbered(_largest_single),
        "anatomy.largest_even": _largest_even,
        "anatomy.largest_only": _of("softmax", "entmax")(_largest_only),
        "anatomy.largest_single": _of("sink", "sigmoid")(_largest_single),
        "anatomy.shapes": _projected,
        "anatomy.shapes_drawn": _drawn,
        "anatomy.purpose": _purpose,
        "anatomy.purpose_large": _purpose_large,
        "anatomy.widths.tied": _tied,
        "anatomy.widths.one": lambda truth, facts: (*_tied(truth, facts), *_one_head(truth, facts)),
        "anatomy.widths.floored": _floored,
        "anatomy.widths.least": _least,
        "anatomy.widths.untied": _untied,
        "anatomy.trained": _trained,
        "anatomy.shapes_trained": _trained,
        "anatomy.widths.trained": lambda truth, facts: (*_trained(truth, facts), *_heads(truth, facts)),
        "anatomy.widths.trained_one": lambda truth, facts: (*_trained(truth, facts), *_one_head(truth, facts)),
        "anatomy.purpose_trained": lambda truth, facts: (*_trained(truth, facts), *_purpose(truth, facts)),
        "anatomy.purpose_large_trained": lambda truth, facts: (*_trained(truth, facts), *_purpose_large(truth, facts)),
        **{
            f"anatomy.{rows}.scaled_trained{'_times' * times}{'_grown' * grown}": _scaled_trained(times, grown)
            for rows in ("one", "all")
            for times in (False, True)
            for grown in (False, True)
        },
        "predict.anatomy_largest.because": _of("softmax")(_because),
        "predict.anatomy_largest.because_sink": _of("sink")(_because),
        "predict.anatomy_largest.because_sigmoid": _of("sigmoid")(_because_gates),
        "predict.anatomy_largest.because_entmax": _of("entmax")(_because),
        "predict.right": _answered,
        "predict.differs": _answered,
    },
    whole=_whole,
    asked=_asked,
    names=frozenset({"query", "head", "layer", "below", "key", "keys", "step", "model"}),
    reason=_reason,
    first=_first,
)
