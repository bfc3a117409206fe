"""Inputs of a run where the model is: tokenizers and processors make them on the CPU."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn


def on_device(model: nn.Module, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs with their tensors on the device of the model's first parameter."""
    device = next(model.parameters()).device
    return {name: one.to(device) if isinstance(one, Tensor) else one for name, one in inputs.items()}
