"""The weights of `nn.MultiheadAttention` in a module of torch, such as `nn.TransformerEncoder`, by its own hand."""

import inspect
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_core.models import Capture, require_evaluation
from visualiser.models.given_weights import NamedWeights, captured
from visualiser.upload.refusals import refusal

__all__ = ["attends", "run_attending"]

_TAKES: Final = tuple(inspect.signature(nn.MultiheadAttention.forward).parameters)[1:]
"""The arguments of its call, in their places: a mask may come by its place as well."""


def attends(model: nn.Module) -> bool:
    """Return True for a module that has an `nn.MultiheadAttention`."""
    return any(isinstance(module, nn.MultiheadAttention) for module in model.modules())


def run_attending(model: nn.Module, given: tuple[Any, ...], named: Mapping[str, Any], batch: int | None) -> Capture:
    """Run a module once and return the weights that each attention in it makes if it is asked for them.

    Raises `InvalidInput`: `model_training`; `notebook_not_run` if the module does not take these inputs; and as
    `captured` does.
    """
    require_evaluation(model)
    found, calls = list[NamedWeights](), Counter[str]()
    names = {module: name or type(module).__name__ for name, module in model.named_modules()}
    if isinstance(model, nn.MultiheadAttention) and len(given) == 1:
        given *= 3  # attention of a sequence to itself

    def ask(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (), {
            **dict(zip(_TAKES, args, strict=False)),
            **kwargs,
            "need_weights": True,
            "average_attn_weights": False,
        }

    def read(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any) -> None:
        calls[names[module]] += 1
        kind = "self" if kwargs["query"] is kwargs["key"] else "cross"
        weights: Tensor = made[1].detach()
        found.append(NamedWeights(f"{names[module]}#{calls[names[module]]}", weights, kind))

    hooks = []
    try:
        for module in model.modules():
            if isinstance(module, nn.MultiheadAttention):
                hooks.append(module.register_forward_pre_hook(ask, with_kwargs=True))
                hooks.append(module.register_forward_hook(read, with_kwargs=True))
        with torch.no_grad():
            model(*given, **named)
    except (TypeError, RuntimeError, AssertionError) as problem:
        raise refusal("notebook_not_run", kind=type(model).__name__, why=str(problem)[:200]) from None
    finally:
        for hook in hooks:
            hook.remove()
    return captured(found, batch)
