"""One attention head that looks values up, for a stack of seeds: no residual, no MLP, a linear classifier behind it.

    scores s = q·k/√d_k, q·k, w · tanh(q + k) or d_k · cos θ of q and k;  weights p = softmax(s);
    answer = (Σⱼ pⱼ v(class of key j)) W_C

A value depends only on its key's class. So p is first added up by class, and one classes × classes table E W_V W_C
holds the contribution of each class to each answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.exact.rms_norm import rms_norm
from attention_core.experiments.quality import QualityCurve
from attention_core.experiments.seed_stack import Parameters, looked_up, normal, projection
from attention_core.experiments.tasks import Batch, Task
from attention_core.validation import choice

_D_MODEL = 32

Queries = Float[Tensor, "S N n_q d_k"]
Keys = Float[Tensor, "S N n_k d_k"]


@dataclass(frozen=True, eq=False)
class Answers:
    """The result of a batch. N is 1 if all examples of a seed share their scores, else B."""

    weights: Float[Tensor, "S N n_q n_k"]
    contributions: Float[Tensor, "S classes classes"]  # of a value's class to the logit of each answer
    logits: Float[Tensor, "S B n_q classes"]


def initial(task: Task, curve: QualityCurve, initialisation: str, seeds: Sequence[int]) -> Parameters:
    """Return the initial parameters. Two mechanisms or two d_k have equal values of the parameters they share."""
    factor = {"small_projections": curve.d_k**-0.25, "large_projections": curve.d_k**0.25}.get(initialisation, 1.0)
    parameters = {
        "W_Q": projection(seeds, "W_Q", task.d_in, curve.d_k) * factor,
        "W_K": projection(seeds, "W_K", task.d_in, curve.d_k) * factor,
        "values": normal(seeds, "values", task.classes, _D_MODEL),
        "W_V": projection(seeds, "W_V", _D_MODEL, _D_MODEL),
        "W_C": projection(seeds, "W_C", _D_MODEL, task.classes),
    }
    if task.rows:
        for name, rows in zip(("queries", "keys"), task.rows, strict=True):
            parameters[name] = normal(seeds, name, rows, task.d_in)
    if _compatibility(curve.mechanism).has_w:
        w = normal(seeds, "w", 1, curve.d_k)[:, 0]
        parameters["w"] = w if initialisation == "large_w" else w / curve.d_k**0.5
    return parameters


def answers(parameters: Parameters, mechanism: str, batch: Batch) -> Answers:
    """Run every seed's model on its own examples."""
    compatibility = _compatibility(mechanism)
    Q = _projected(batch.queries, parameters.get("queries"), parameters["W_Q"], compatibility.vectors)
    K = _projected(batch.keys, parameters.get("keys"), parameters["W_K"], compatibility.vectors)
    weights = compatibility.scores(Q, K, parameters).softmax(-1)
    contributions = parameters["values"] @ (parameters["W_V"] @ parameters["W_C"])  # S classes classes
    carried = torch.nn.functional.one_hot(batch.values, contributions.shape[1]).to(weights.dtype)
    by_class = weights @ carried  # S B n_q classes
    return Answers(weights, contributions, (by_class.flatten(1, 2) @ contributions).view_as(by_class))


def loss(parameters: Parameters, mechanism: str, batch: Batch) -> Float[Tensor, ""]:
    """Return the sum over models of each one's mean cross-entropy; no model affects another's gradient."""
    logits, target = answers(parameters, mechanism, batch).logits, batch.target
    total = torch.nn.functional.cross_entropy(logits.flatten(0, -2), target.flatten(), reduction="sum")
    return total / target[0].numel()


def _projected(
    given: Int[Tensor, "S N n"] | Float[Tensor, "S N n d_in"],
    table: Float[Tensor, "S R d_in"] | None,
    W: Float[Tensor, "S d_in d_k"],
    vectors: Callable[[Tensor], Tensor],
) -> Float[Tensor, "S N n d_k"]:
    """Return `vectors` of x W. A table has fewer rows than a batch has keys, so all this comes before the look-up."""
    if table is None:
        return vectors((given.flatten(1, 2) @ W).unflatten(1, given.shape[1:3]))
    return looked_up(vectors(table @ W), given)


def _as_they_are(projected: Tensor) -> Tensor:
    return projected


def _dot_product(Q: Queries, K: Keys, parameters: Parameters) -> Float[Tensor, "S N n_q n_k"]:
    return Q @ K.mT


def _scaled(Q: Queries, K: Keys, parameters: Parameters) -> Float[Tensor, "S N n_q n_k"]:
    return Q @ K.mT / Q.shape[-1] ** 0.5


def _additive(Q: Queries, K: Keys, parameters: Parameters) -> Float[Tensor, "S N n_q n_k"]:
    hidden = (Q.unsqueeze(-2) + K.unsqueeze(-3)).tanh()  # S N n_q n_k d_k
    return (hidden.flatten(1, 3) @ parameters["w"].unsqueeze(-1)).view(hidden.shape[:-1])


@dataclass(frozen=True)
class _Compatibility:
    """The scores of a mechanism.

    scores   (Q, K, parameters) → the scores
    has_w    True if they have the parameter w beside W_Q and W_K
    vectors  what becomes of each query and key before they are compared, as rows of d_k components
    """

    scores: Callable[[Queries, Keys, Parameters], Tensor]
    has_w: bool = False
    vectors: Callable[[Tensor], Tensor] = _as_they_are


# `attention_core.mechanisms` cannot serve here: its additive attention has projections of its own, W_q and W_k, behind
# W_Q and W_K, and its parameters belong to the heads of one configuration. Here W_Q and W_K are learned in their place,
# one of each per seed, and scaling is part of the name.
_COMPATIBILITIES: Mapping[str, _Compatibility] = MappingProxyType(
    {
        "scaled": _Compatibility(_scaled),
        "unscaled": _Compatibility(_dot_product),
        "additive": _Compatibility(_additive, has_w=True),
        "qk_norm_unscaled": _Compatibility(_dot_product, vectors=rms_norm),  # d_k · cos θ: no gains, no ε, factor 1
    }
)


def _compatibility(mechanism: str) -> _Compatibility:
    """Return the mechanism's compatibility. Raises `InvalidInput` (`unknown_choice`)."""
    return _COMPATIBILITIES[choice("mechanism", mechanism, tuple(_COMPATIBILITIES))]
