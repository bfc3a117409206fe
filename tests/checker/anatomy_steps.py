"""What the sentences on a step of the walk claim, held to the layer in float64."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tests.attention_core.normalisations import oracles
from tests.checker.anatomy_truth import Truth, close_to, own_row, same
from tests.checker.checking import Claim, near


def sizes(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Hold every size that a sentence names against the tensors' shapes."""
    config, made = truth.config, truth.tensors
    h, n, d_k = made["Q"].shape
    sizes = {"n": n, "h": h, "d_k": d_k, "d_v": made["V"].shape[-1], "width": made["concatenation"].shape[1]}
    if truth.run is None:
        sizes["d_model"] = made["output"].shape[1]
    for name, size in sizes.items():
        if name in facts:
            yield from same(name, facts[name], size)
    if "head" in facts:
        yield from same("the head", facts["head"], truth.head)
    if "layer" in facts:
        yield from same("the layer", facts["layer"], truth.number)
    if "query" in facts:
        yield from same("the query", facts["query"], truth.name(truth.row))
    if "model" in facts:
        yield from same("the model", facts["model"].key, f"model.name.{truth.config.model}")
    if "exact" in facts and not near(float(facts["exact"]), config.d_model / h, 4):
        yield "another quotient"


def projected(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if "X" not in truth.tensors:
        yield "there is no X to project"


def drawn(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if "X" in truth.tensors:
        yield "there is an X"
    if truth.run is not None:
        yield "a model brings Q, K and V"


def trained(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if truth.run is None or {"X", "output"} & truth.tensors.keys():
        yield "no model brings Q, K and V, or there is more than it gives"


def scaled_trained(times: bool, grown: bool) -> Claim[Truth]:
    """Hold the factor and its parts, and that exactly those are named that change it."""

    def check(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from trained(truth, facts)
        yield from _scaled(truth, facts)
        yield from close_to("the trained factor", facts["trained"], truth.trained, truth)
        yield from same("a scale", times, truth.config.scale != 1)
        yield from same("growth", grown, truth.config.log_n)
        if times:
            yield from close_to("the scale", facts["scale"], truth.config.scale, truth)
        if grown:
            yield from close_to("the growth", facts["growth"], truth.growth, truth)

    return check


def hidden_layer(truth: Truth, facts: Mapping[str, Any], text: bool = True) -> Iterator[str]:
    yield from same("the layer below", facts["below"], truth.number - 1)
    yield from same("the layer", facts["layer"], truth.number)
    if (truth.config.source == "text") is not text or truth.number < 2:
        yield "the first layer has no embedding, or is this one"


def _scaled(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from close_to("the factor", facts["factor"], truth.factor, truth)


def scaled_grown(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _scaled(truth, facts)
    yield from sizes(truth, facts)
    yield from close_to("the factor without growth", facts["base"], truth.base, truth)
    yield from close_to("the growth", facts["growth"], math.log(truth.config.n) / math.log(32), truth)
    if not truth.config.log_n:
        yield "the factor does not grow"


def plain_factor(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _scaled(truth, facts)
    if truth.config.log_n or truth.run is not None:
        yield "the factor grows, or is a trained one"


def normed(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Hold the mean of squares, its root and the length of the walked vector, or of all, against float64's."""
    yield from sizes(truth, facts)
    name = "Q" if truth.step == "normed_q" else "K"
    square = float(truth.tensors[f"squares_{name}"][truth.head - 1, truth.row, 0])
    lengths = np.linalg.norm(truth.tensors[truth.step], axis=-1)
    yield from close_to("the length", facts["length"], float(lengths[truth.head - 1, truth.row]), truth)
    if abs(lengths - math.sqrt(truth.config.d_k)).max() > 1e-9:
        yield "a length is not √d_k"
    yield from close_to("the mean of squares", facts["square"], square, truth)
    yield from close_to("its root", facts["root"], math.sqrt(square), truth)


def normed_zero(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.tensors[truth.step][truth.head - 1, truth.row].any():
        yield "the vector is not zero"


def own_step(truth: Truth, facts: Mapping[str, Any], normed: bool = False) -> Iterator[str]:
    """Hold the sizes, and that what is compared is said to be normalised exactly if it is."""
    yield from sizes(truth, facts)
    yield from same("q and k normalised", normed, truth.config.qk_norm)
    if normed and truth.config.mechanism == "dot_product":
        Q, K, d_k = truth.tensors["Q"], truth.tensors["K"], truth.config.d_k
        lengths = np.linalg.norm(Q, axis=-1)[:, :, None] * np.linalg.norm(K, axis=-1)[:, None]
        cosines = Q @ K.transpose(0, 2, 1) / np.where(lengths == 0, 1, lengths)
        if abs(truth.tensors["scores"] - d_k * cosines).max() > 1e-9 * d_k:
            yield "a score is not d_k · cos θ"


def own_step_normed(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    return own_step(truth, facts, normed=True)


def not_scaled(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if not np.array_equal(truth.tensors["scaled"], truth.tensors["scores"]):
        yield "scaling changes the scores"


def masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    yield from same("forbidden", facts["hidden_keys"], truth.config.n - len(truth.keys))


def not_masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.config.mask != "none" or not truth.allowed.all():
        yield "there is a mask"


def try_mask(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if "mask" in truth.hidden or not truth.allowed.all():
        yield "there is no control of a mask, or one is chosen"


def capped(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from same("the cap", facts["cap"], truth.config.softcap)
    if not truth.config.softcap or abs(truth.tensors["capped"]).max() > facts["cap"] * (1 + 1e-12):
        yield "a score leaves the cap"


def only_of(*names: str) -> Callable[[Claim[Truth]], Claim[Truth]]:
    """Hold that the sentence is of these normalisations."""

    def restricted(check: Claim[Truth]) -> Claim[Truth]:
        def checked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
            if truth.config.normalisation not in names:
                yield f"the weights are those of {truth.config.normalisation}"
            yield from check(truth, facts)

        return checked

    return restricted


def sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from same("the sink", facts["sink"], truth.config.sink)
    yield from exponentials(truth, facts)


def missing(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    total = float(truth.weights.sum())
    yield from close_to("the sum of the weights", facts["rest"], total, truth)
    yield from close_to("what the sink takes", facts["missing"], 1 - total, truth)
    p = truth.tensors["weights"]
    if p.min() < 0 or p.sum(-1).max() > 1 + 1e-12:
        yield "a row adds up to more than 1"


def lowered(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    yield from close_to("ln n", facts["log"], math.log(truth.tensors["K"].shape[1]), truth)
    even = oracles.weights("sigmoid", np.zeros(truth.config.n), 0.0).sum()
    yield from close_to("the gates of scores of 0", facts["even"], float(even), truth)


def gates(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from close_to("the sum of the gates", facts["mass"], float(truth.weights.sum()), truth, len(truth.keys))
    if truth.weights.min() < 0 or truth.weights.max() > 1:
        yield "a gate is not between 0 and 1"


def above(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Hold the threshold, and the keys above it as closely as float32 tells them apart."""
    roots, off = own_row(truth, "roots"), 10 * truth.loose
    yield from same("keys seen", facts["seen"], len(truth.keys))
    distances = own_row(truth, "halved") - own_row(truth, "threshold")
    size = max(1.0, float(abs(own_row(truth, "threshold")).max()))
    if not (distances > off * size).sum() <= facts["support"] <= (distances > -off * size).sum():
        yield f"{(roots > 0).sum()} keys lie above the threshold, not {facts['support']}"
    yield from close_to("the threshold", facts["threshold"], float(own_row(truth, "threshold")[0]), truth, size)


def exponentials(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    most = float(own_row(truth, "maximum")[0])
    yield from close_to("the largest score", facts["maximum"], float(most), truth, max(1.0, abs(most)))


def sums(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    p = truth.tensors["weights"]
    if abs(p.sum(-1) - 1).max() > 1e-12 or p.min() < 0 or p.max() > 1:
        yield "the weights do not add up to 1"


def tanh(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if abs(truth.tensors["tanh"]).max() > 1:
        yield "tanh is larger"


def one_head(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if truth.config.h != 1:
        yield "there are several heads"


def heads(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if truth.config.h == 1:
        yield "there is one head"
