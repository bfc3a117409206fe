"""The device that computes the products."""

import torch

from attention_core.errors import InvalidInput
from attention_core.validation import choice

__all__ = ["available", "resolve"]


def available() -> dict[str, bool]:
    """Return the devices by name, the fastest first, with True for each that this machine has."""
    return {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}


def resolve(device: str) -> torch.device:
    """Return the torch device of this name. "auto" is cuda if available, else mps, else cpu.

    Raises `InvalidInput`: `unknown_choice` for another name, `device_unavailable` if this machine lacks the device.
    """
    there = available()
    if choice("device", device, ("auto", *there)) == "auto":
        device = next(name for name, has in there.items() if has)
    if not there[device]:
        listed = ", ".join(name for name, has in there.items() if has)
        raise InvalidInput(
            "device_unavailable",
            f"device must be one that this machine has ({listed}); got {device!r}.",
            field="device",
            value=device,
            choices=listed,
        )
    return torch.device(device)
