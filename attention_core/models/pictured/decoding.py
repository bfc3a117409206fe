"""The decoder of a vision-language model: what the whole model hands to it, and what it makes of that."""

import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from attention_core.models.captured import Capture
from attention_core.models.capturing import capture
from attention_core.models.on_device import on_device

__all__ = ["captured_decoder", "decoder_call", "known"]


class _Reached(Exception):
    """The decoder's call, with its arguments."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__("the decoder is reached")
        self.given = given


def decoder_call(body: nn.Module, decoder: nn.Module, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a model hands to its decoder in a run over inputs; None if the run does not reach it."""
    names = tuple(inspect.signature(decoder.forward).parameters)

    def reached(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        raise _Reached({**dict(zip(names, args, strict=False)), **kwargs})

    hook = decoder.register_forward_pre_hook(reached, with_kwargs=True)
    try:
        with torch.no_grad():
            body(**{**inputs, "use_cache": False})
    except _Reached as found:
        return found.given | {"use_cache": False, "past_key_values": None}
    finally:
        hook.remove()
    return None


def captured_decoder(model: Any, inputs: Mapping[str, Any]) -> Capture:
    """Return what the decoder of a vision-language model computes in a run over inputs. Raises as `capture` does."""
    body = model.base_model
    decoder = body.get_decoder()
    given = decoder_call(body, decoder, known(body, inputs))
    return capture(model, **inputs) if given is None else capture(decoder, **given)


def known(body: nn.Module, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that a model has a name for, where it is."""
    names = inspect.signature(body.forward).parameters
    return on_device(body, {name: one for name, one in inputs.items() if name in names})
