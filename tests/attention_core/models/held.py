"""A captured run held to the model's own: the weights that its modules return, and its output, bit for bit."""

import copy
from collections import defaultdict
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from attention_core.models import Capture, CapturedLayer, capture


def held(model: nn.Module, inputs: dict[str, Any]) -> Capture:
    """Return a capture whose weights and output are those of the model's own eager run, before and after it."""
    before = _run(model, inputs)
    found = capture(model, **copy.deepcopy(inputs))
    own = own_weights(model, inputs, found.names)
    assert tuple(own) == found.names
    for layer in found.layers:
        assert any(torch.equal(_one(weights), layer.weights) for weights in own[layer.name]), layer.name
    assert same(found.output, before)
    assert same(_run(model, inputs), before)
    return found


def own_weights(model: nn.Module, inputs: dict[str, Any], names: tuple[str, ...]) -> dict[str, list[Tensor]]:
    """Return the matrices that each of these modules returns in a run that asks for attention, in their order."""
    came: dict[str, list[Tensor]] = {}
    calls: dict[str, int] = defaultdict(int)

    def returned(path: str, made: Any) -> None:
        calls[path] += 1
        came[f"{path}#{calls[path]}"] = [one for one in tree_leaves(made) if isinstance(one, Tensor) and one.dim() == 4]

    hooks = [
        model.get_submodule(path).register_forward_hook(lambda module, given, made, path=path: returned(path, made))
        for path in dict.fromkeys(name.rpartition("#")[0] for name in names)
    ]
    try:
        _run(model, inputs | {"output_attentions": True})
    finally:
        for hook in hooks:
            hook.remove()
    return came


def same(one: Any, other: Any) -> bool:
    """Return True if all tensors of two outputs are equal, bit for bit."""
    pairs = list(zip(_tensors(one), _tensors(other), strict=True))
    return bool(pairs) and all(torch.equal(a, b) for a, b in pairs)


def rebuilt(layer: CapturedLayer) -> Tensor:
    """Return cap(Q Kᵀ · scale), the scores before a bias and a mask."""
    assert layer.Q is not None
    assert layer.K is not None
    assert layer.scale is not None
    scores = layer.Q @ layer.K.repeat_interleave(layer.Q.shape[-3] // layer.K.shape[-3], -3).mT * layer.scale
    return torch.tanh(scores / layer.softcap) * layer.softcap if layer.softcap else scores


def added(layer: CapturedLayer) -> Tensor:
    """Return what the model adds to these scores, and 0 where the mask lets nothing through."""
    return torch.where(layer.allowed, layer.scores - rebuilt(layer), 0)


@torch.no_grad()
def _run(model: nn.Module, inputs: dict[str, Any]) -> Any:
    return model(**copy.deepcopy(inputs))


def _tensors(output: Any) -> list[Tensor]:
    return [one for one in tree_leaves(output) if isinstance(one, Tensor)]


def _one(weights: Tensor) -> Tensor:
    return weights[0] if weights.shape[0] == 1 else weights
