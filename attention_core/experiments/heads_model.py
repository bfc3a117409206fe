"""Multi-head attention (Figure 2, right) that reads m named positions, for a stack of seeds.

    x_j = (embedding of position j) + (embedding of the value there);  keys x_j W_K, values x_j W_V
    query = (embeddings of the m named positions, one behind the other) W_Q
    output = Concat(head₁, …, head_h) W_O → m linear classifiers, or → ReLU units → m linear classifiers

A batch holds many x_j but few different summands. Products with X are computed once for each summand and then added up:
the same numbers, several times as fast.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.experiments.heads import POSITIONS, HeadsCurve, HeadsExperiment
from attention_core.experiments.named import Named
from attention_core.experiments.seed_stack import Parameters, normal, projection


@dataclass(frozen=True, eq=False)
class Readings:
    """The result of a batch."""

    weights: Float[Tensor, "S B h positions"]
    logits: Float[Tensor, "S B m classes"]


def initial_heads(experiment: HeadsExperiment, seeds: Sequence[int]) -> Parameters:
    """Return the initial parameters: the same for every h, which only divides them among heads."""
    d_model, answers = experiment.d_model, experiment.m * experiment.classes
    parameters = {
        "positions": normal(seeds, "positions", POSITIONS, d_model),
        "values": normal(seeds, "values", experiment.classes, d_model),
        "W_Q": projection(seeds, "W_Q", experiment.m * d_model, d_model),
        **{name: projection(seeds, name, d_model, d_model) for name in ("W_K", "W_V", "W_O")},
    }
    if experiment.mlp:
        parameters["W_1"] = projection(seeds, "W_1", d_model, experiment.mlp_width)
        parameters["b_1"] = torch.zeros(len(seeds), 1, experiment.mlp_width)
    parameters["W_C"] = projection(seeds, "W_C", experiment.mlp_width if experiment.mlp else d_model, answers)
    return parameters


def readings(parameters: Parameters, curve: HeadsCurve, batch: Named) -> Readings:
    """Run every seed's model on its own examples."""
    S, B, m = batch.named.shape
    h, d_k = curve.h, curve.d_k
    contents = _contents(batch, parameters["values"].shape[1])  # S B positions R
    rows = torch.cat([parameters["positions"], parameters["values"]], 1)  # S R d_model, and X = contents · rows

    names = (parameters["positions"].unsqueeze(1) @ parameters["W_Q"].unflatten(1, (m, -1))).flatten(
        1, 2
    )  # S m·8 d_model
    Q = (_indicated(batch.named) @ names).view(S, B, h, d_k).transpose(1, 2)  # S h B d_k
    K, V = ((rows @ parameters[name]).unflatten(-1, (h, d_k)).transpose(1, 2) for name in ("W_K", "W_V"))  # S h R d_k
    by_row = (Q @ K.mT / d_k**0.5).transpose(1, 2)  # S B h R
    weights = (by_row @ contents.mT).softmax(-1)  # S B h positions
    heads = (weights @ contents).transpose(1, 2) @ V  # S h B d_v
    output = heads.transpose(1, 2).reshape(S, B, h * d_k) @ parameters["W_O"]
    if "W_1" in parameters:
        output = (output @ parameters["W_1"] + parameters["b_1"]).relu()
    return Readings(weights, (output @ parameters["W_C"]).unflatten(-1, (m, -1)))


def _contents(batch: Named, classes: int) -> Float[Tensor, "S B positions R"]:
    """Mark the rows of (positions, values) that add up to each x_j: position j and its value; R = 8 + classes."""
    carried = torch.nn.functional.one_hot(batch.values, classes)
    where = torch.eye(POSITIONS, dtype=carried.dtype, device=carried.device).expand(*batch.values.shape, POSITIONS)
    return torch.cat([where, carried], -1).to(torch.get_default_dtype())


def _indicated(named: Int[Tensor, "S B m"]) -> Float[Tensor, "S B names"]:
    """Return 1 at each of the m named positions, with eight places for each name."""
    places = named + POSITIONS * torch.arange(named.shape[-1], device=named.device)
    return torch.zeros(*named.shape[:2], POSITIONS * named.shape[-1], device=named.device).scatter_(-1, places, 1.0)


def heads_loss(parameters: Parameters, curve: HeadsCurve, batch: Named) -> Float[Tensor, ""]:
    """Return the sum over models of each one's mean cross-entropy; no model affects another's gradient."""
    logits, target = readings(parameters, curve, batch).logits, batch.target
    total = torch.nn.functional.cross_entropy(logits.flatten(0, -2), target.flatten(), reduction="sum")
    return total / target[0].numel()
