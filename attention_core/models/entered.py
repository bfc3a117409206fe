"""The modules that a forward pass is in at each moment, followed by hooks that stay only for the pass."""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import Tensor, nn

_HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head")
_OTHER = re.compile(r"key_value_states|encoder_hidden_states|cross_attention_states|context(_hidden_states)?")
"""Arguments of an attention module that hold another sequence, if they are given."""
_KEYS = re.compile(r"keys?|key_tensor")
"""Arguments that hold another sequence if its length is another."""


@dataclass(frozen=True, eq=False)
class Entered:
    """A module whose forward pass is under way, with its arguments."""

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def kind(self) -> str:
        """`cross` if an argument holds another sequence, which gives the keys; else `self`."""
        names = _parameters(type(self.module))
        given = {**dict(zip(names, self.args, strict=False)), **self.kwargs}
        first = given.get(names[0]) if names else None
        for name, value in given.items():
            if isinstance(value, Tensor) and value is not first:
                if _OTHER.fullmatch(name):
                    return "cross"
                if _KEYS.fullmatch(name) and isinstance(first, Tensor) and value.shape[-2] != first.shape[-2]:
                    return "cross"
        return "self"


class Path:
    """The modules that are under way, the innermost last, and how often each has run."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._names = {module: name for name, module in model.named_modules()}
        self.now: list[Entered] = []
        self.ran: Counter[nn.Module] = Counter()
        self.attended: Counter[nn.Module] = Counter()
        """The calls of attention inside each module, at any depth."""

    def count(self) -> None:
        """Count a call of attention for every module that is under way."""
        self.attended.update({entered.module for entered in self.now})

    def name(self, module: nn.Module) -> str:
        """Return the path of a module in the model."""
        return self._names.get(module) or type(module).__name__

    @property
    def modules(self) -> Iterator[nn.Module]:
        return iter(self._names)

    @contextmanager
    def followed(self, ours: Callable[[], bool]) -> Iterator[None]:
        """Follow the model while `ours` is true, as it is in the thread of this pass and in no other."""

        def enter(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if ours():
                self.ran[module] += 1
                self.now.append(Entered(module, args, kwargs))

        def leave(module: nn.Module, args: tuple[Any, ...], made: Any) -> None:
            if ours():
                self.now.pop()

        hooks = []
        try:
            for module in self._names:
                if _may_attend(module):
                    hooks.append(module.register_forward_pre_hook(enter, with_kwargs=True))
                    hooks.append(module.register_forward_hook(leave))
            yield
        finally:
            for hook in hooks:
                hook.remove()


def heads_of(module: nn.Module) -> int | None:
    """Return the number of heads of an attention module; None for a module that has none."""
    named = (getattr(module, name, None) for name in _HEADS)
    return next((one for one in named if isinstance(one, int)), None)


def _may_attend(module: nn.Module) -> bool:
    """Return False for what attends nowhere: torch's own modules, and norms and activations, which hold no other."""
    own = not type(module).__module__.startswith("torch.")  # layers and attention are the model's own classes
    return own and (next(module.children(), None) is not None or heads_of(module) is not None)


@cache
def _parameters(kind: type[nn.Module]) -> tuple[str, ...]:
    return tuple(inspect.signature(kind.forward).parameters)[1:]
