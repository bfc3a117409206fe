"""The one place through which the models of transformers get their attention, and the attention that they need there.

Each module asks `AttentionInterface.get_interface` for its function, and each model `AttentionMaskInterface` for what
makes its masks. While a capture runs in this context, the answers go through its recorder. In any other context, and
for every other model, they are what transformers says. With no capture in this process nothing is wrapped.
"""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from types import ModuleType
from typing import Any, Final, Protocol, runtime_checkable

import torch
from torch import nn

from attention_core.errors import InvalidInput
from attention_core.models.as_written import uncompiled
from attention_core.models.shared_state import SharedState

_NAME = "_attn_implementation_internal"
"""Where a configuration keeps the name, whatever a recorder has it say."""


@runtime_checkable
class Attending(Protocol):
    """A recorder: calls the model's own function and reads what happens."""

    def attend(self, own: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any: ...

    def attend_by(self, function: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        """Attend by a function that the caller registered."""
        ...

    def mask(self, own: Callable[..., Any], /, **asked: Any) -> Any:
        """Return the mask that transformers' own function makes, or what stands for it."""
        ...


recording: ContextVar[Attending | None] = ContextVar("recording", default=None)
"""The recorder of the capture that runs in this context."""


def require_model(model: nn.Module) -> None:
    """Raise `InvalidInput` unless something in `model` is a model of transformers.

    `transformers_missing` without the package, else `not_a_model`.
    """
    base = transformers().PreTrainedModel
    if not any(isinstance(module, base) for module in model.modules()):
        name = type(model).__name__
        raise InvalidInput("not_a_model", f"model must be a model of transformers; got a {name}.", value=name)


def fused(name: str) -> InvalidInput:
    """Return the error for attention that makes no weights."""
    return InvalidInput(
        "attention_fused",
        f'{name} attends in one step that keeps no weights; load the model with attn_implementation="eager".',
        value=name,
    )


def transformers() -> ModuleType:
    try:
        return importlib.import_module("transformers")
    except ModuleNotFoundError:
        raise InvalidInput(
            "transformers_missing",
            'Reading a model needs the package transformers, which is not installed: pip install "headlight[models]".',
        ) from None


def runs_a_kernel(module: nn.Module) -> bool:
    """Return True for a module whose model attends by a kernel of transformers, which a capture replaces by eager."""
    return _has_kernel(getattr(getattr(module, "config", None), _NAME, None))


def _has_kernel(name: str | None) -> bool:
    """Return True for the name of a kernel: SDPA, a flash attention, flex, one of a hub. Not of a caller's function."""
    if name is None or name == "eager":
        return False
    functions: Any = importlib.import_module("transformers.modeling_utils").ALL_ATTENTION_FUNCTIONS
    found = functions.get(name)
    return found is None or not _is_foreign(name, found)


def _is_foreign(name: str, function: Callable[..., Any]) -> bool:
    """Return True for a function of the caller's: it is not of transformers, nor a kernel of a hub by its address."""
    return "/" not in name and not getattr(function, "__module__", "").startswith("transformers.")


@contextmanager
def recorded_by(recorder: Attending, model: nn.Module) -> Iterator[None]:
    """Let a recorder answer in place of transformers' interfaces, in this context and for its duration.

    In it, and in no other, a configuration that names a kernel says `eager`: masks and functions then are those of
    eager attention, without a switch that other threads would meet.
    """
    with _DOORS, uncompiled(model), torch.no_grad():
        token = recording.set(recorder)
        try:
            yield
        finally:
            recording.reset(token)


class _Doors(SharedState):
    """Transformers' interfaces, wrapped while any capture of this process runs: a compiler else never sees ours."""

    _own: list[tuple[Any, str, Any]]

    def end(self) -> None:
        for place, name, own in self._own:
            setattr(place, name, own)

    def begin(self) -> None:
        interface: Any = importlib.import_module("transformers.modeling_utils").AttentionInterface
        masks: Any = importlib.import_module("transformers.masking_utils").AttentionMaskInterface
        configuration: Any = importlib.import_module("transformers.configuration_utils").PreTrainedConfig
        places = ((interface, "get_interface"), (masks, "__getitem__"), (configuration, "_attn_implementation"))
        self._own = [(place, name, getattr(place, name)) for place, name in places]
        own, own_mask, own_name = (own for _, _, own in self._own)

        @wraps(own)
        def get_interface(self: Any, attn_implementation: str, default: Callable[..., Any]) -> Callable[..., Any]:
            found = own(self, attn_implementation, default)
            recorder = recording.get()
            if recorder is None:
                return found
            foreign = found is not default and _is_foreign(attn_implementation, found)
            return partial(recorder.attend_by if foreign else recorder.attend, found)

        @wraps(own_mask)
        def get_mask(self: Any, attn_implementation: str) -> Callable[..., Any]:
            found = own_mask(self, attn_implementation)
            recorder = recording.get()
            return found if recorder is None else partial(recorder.mask, found)

        def implementation(self: Any) -> str | None:
            found = own_name.fget(self)
            return "eager" if recording.get() is not None and _has_kernel(found) else found

        interface.get_interface, masks.__getitem__ = get_interface, get_mask
        configuration._attn_implementation = property(implementation, own_name.fset)


_DOORS: Final = _Doors()
