"""Models of transformers in what people hold: SentenceTransformers, adapters, pipelines, and modules of their own."""

import sys
from collections.abc import Iterator
from typing import Any

from torch import nn

from attention_core.models import itself
from visualiser.upload.refusals import refusal

__all__ = ["Unwrapped", "unwrapped"]

Unwrapped = tuple[Any, dict[str, Any]]
"""A model, with the `tokenizer` and the `processor` that came along."""


def unwrapped(x: Any) -> Unwrapped:
    """Return the model of transformers in a thing, or the thing itself if there is none in it.

    Raises `InvalidInput`: `notebook_models` for a thing that holds several, `notebook_prompt` for an adapter that puts
    vectors of its own before the tokens.
    """
    beside = {}
    if _is_pipeline(x):
        beside = {
            "tokenizer": x.tokenizer,
            "processor": getattr(x, "processor", None) or getattr(x, "image_processor", None),
        }
        x = x.model
    if not isinstance(x, nn.Module):
        return x, beside
    model = itself(x)
    kind = getattr(sys.modules.get("transformers"), "PreTrainedModel", None)
    if kind is None or isinstance(model, kind):
        return model, beside
    found = list(_outermost(model, kind))
    if len(found) > 1:
        names = ", ".join(f"{name} ({type(one).__name__})" for name, one in found[:4])
        raise refusal("notebook_models", kind=type(model).__name__, count=len(found), names=names)
    if not found:
        return model, beside
    if any(getattr(one, "is_prompt_learning", False) for one in getattr(model, "peft_config", {}).values()):
        raise refusal("notebook_prompt", kind=type(model).__name__)
    tokenizer = getattr(model, "tokenizer", None)  # a SentenceTransformer's
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        beside["tokenizer"] = tokenizer
    return itself(found[0][1]), beside


def _is_pipeline(x: object) -> bool:
    kind = getattr(sys.modules.get("transformers.pipelines"), "Pipeline", None)
    return kind is not None and isinstance(x, kind)


def _outermost(module: nn.Module, kind: type, name: str = "") -> Iterator[tuple[str, nn.Module]]:
    """Yield the models in a module that are in no other model, each once."""
    for part, inner in module.named_children():
        path = f"{name}.{part}" if name else part
        if isinstance(inner, kind):
            yield path, inner
        else:
            yield from _outermost(inner, kind, path)
