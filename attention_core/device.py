"""The device that computes the products."""

import torch

from attention_core.errors import InvalidInput
from attention_core.validation import choice

__all__ = ["resolve"]


def resolve(device: str) -> torch.device:
    """Return the torch device of this name. "auto" is cuda if available, else mps, else cpu.

    Raises `InvalidInput`: `unknown_choice` for another name, `device_unavailable` if this machine lacks the device.
    """
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if choice("device", device, ("auto", *there)) == "auto":
        return torch.device(next(name for name, available in there.items() if available))
    if not there[device]:
        listed = ", ".join(name for name, available in there.items() if available)
        raise InvalidInput(
            "device_unavailable",
            f"device must be one that this machine has ({listed}); got {device!r}.",
            field="device",
            value=device,
            choices=listed,
        )
    return torch.device(device)
