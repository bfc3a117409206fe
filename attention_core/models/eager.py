"""The one place through which the models of transformers get their attention, and the attention that they need there.

Each module asks `AttentionInterface.get_interface` for its function, and each model `AttentionMaskInterface` for what
makes its masks. While a capture runs in this context, the answers go through its recorder. In any other context, and
for every other model, they are what transformers says.
"""

import importlib
import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial, wraps
from types import ModuleType
from typing import Any, Protocol

from torch import nn

from attention_core.errors import InvalidInput

__all__ = ["prepare"]

_LOCK = threading.Lock()
_OPENED = "_headlight"


class Attending(Protocol):
    """A recorder: calls the model's own function and reads what happens."""

    def attend(self, own: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any: ...

    def mask(self, own: Callable[..., Any], /, **asked: Any) -> Any:
        """Return the mask that transformers' own function makes, or what stands for it."""
        ...


recording: ContextVar[Attending | None] = ContextVar("recording", default=None)
"""The recorder of the capture that runs in this context."""


def prepare(model: nn.Module) -> None:
    """Switch a model to transformers' eager attention, the only one that makes weights. `capture` does so itself.

    The model stays eager. Do this before several threads share it: a forward pass that is under way meanwhile would mix
    the mask of one attention with the function of another.

    Raises
    ------
    InvalidInput
        `transformers_missing` without the package; `not_a_model` if nothing in `model` is a model of transformers;
        `attention_fused` if the model cannot be switched.
    """
    base = transformers().PreTrainedModel
    models: list[Any] = [module for module in model.modules() if isinstance(module, base)]
    if not models:
        name = type(model).__name__
        raise InvalidInput("not_a_model", f"model must be a model of transformers; got a {name}.", value=name)
    with _LOCK:
        for one in models:
            if not _is_eager(one):
                one.set_attn_implementation("eager")
        for one in models:
            if not _is_eager(one):
                raise fused(type(one).__name__)
        _open()


def fused(name: str) -> InvalidInput:
    """Return the error for attention that makes no weights."""
    return InvalidInput(
        "attention_fused",
        f'{name} attends in one step that keeps no weights; load the model with attn_implementation="eager".',
        value=name,
    )


def _is_eager(model: Any) -> bool:
    return model.config._attn_implementation == "eager"


def transformers() -> ModuleType:
    try:
        return importlib.import_module("transformers")
    except ModuleNotFoundError:
        raise InvalidInput(
            "transformers_missing",
            'Reading a model needs the package transformers, which is not installed: pip install "headlight[models]".',
        ) from None


def _open() -> None:
    """Let the recorder of a context answer in place of transformers' two interfaces; once in a process."""
    interface: Any = importlib.import_module("transformers.modeling_utils").AttentionInterface
    masks: Any = importlib.import_module("transformers.masking_utils").AttentionMaskInterface
    own, own_mask = interface.get_interface, masks.__getitem__
    if hasattr(own, _OPENED):
        return

    @wraps(own)
    def get_interface(self: Any, attn_implementation: str, default: Callable[..., Any]) -> Callable[..., Any]:
        found = own(self, attn_implementation, default)
        recorder = recording.get()
        return found if recorder is None else partial(recorder.attend, found)

    @wraps(own_mask)
    def get_mask(self: Any, attn_implementation: str) -> Callable[..., Any]:
        found = own_mask(self, attn_implementation)
        recorder = recording.get()
        return found if recorder is None else partial(recorder.mask, found)

    setattr(get_interface, _OPENED, True)
    interface.get_interface, masks.__getitem__ = get_interface, get_mask
