"""A GPU in name only: torch's fake tensors on "cuda", each with its numbers beside it on the CPU.

Fake tensors know their device and no numbers, and fail as a GPU does where tensors of two devices meet. Here every
operation runs twice: on fake tensors, for the devices, and on the CPU, so that code which asks for a value goes on, and
results can be compared. Each time a value leaves the GPU is noted with the place in `attention_core` that asks for it,
since there a real GPU's work stops until all that was asked of it before is done.

What it cannot do: torch's backward pass needs a real accelerator, so gradients are not computed here. Generators on
"cuda" do not exist either; `attention_core` draws on the CPU.
"""

import ctypes
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from attention_core import device

CUDA: Final = torch.device("cuda", 0)

ASKS: Final = frozenset({"_local_scalar_dense", "equal"})
"""Operations that give Python a number or a truth."""

SIZED_BY_VALUES: Final = frozenset(
    {"nonzero", "masked_select", "bincount", "unique_consecutive", "_unique2", "unique_dim", "repeat_interleave"}
)
"""Operations whose result has a shape that only the values tell."""

_META, _CUDA = 14, 1
_REGISTRY: Final = "_ZN3c104impl26device_guard_impl_registryE"


@dataclass
class Left:
    """What left the GPU: how often, by "asked" (for a number, truth or shape) or "copied", and by place in the core."""

    asked: Counter[str] = field(default_factory=Counter)
    copied: Counter[str] = field(default_factory=Counter)


@contextmanager
def pretended_gpu() -> Iterator[Left]:
    """Let "cuda" be there, in this thread."""
    _guard()
    before, there = device.available, dict.fromkeys(("cuda", "cpu"), True) | {"mps": False}
    device.available = lambda: there
    left = Left()
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), _Pretended(left):  # a fake mode starts no real device
            yield left
    finally:
        device.available = before


def _guard() -> None:
    """Give "cuda" the guard that does nothing, which torch has for "meta": a build for the CPU has none."""
    if torch.version.cuda is not None:
        return
    library = next((Path(torch.__file__).parent / "lib").glob("libc10.*"))
    registry = (ctypes.c_void_p * (_META + 1)).in_dll(ctypes.CDLL(str(library)), _REGISTRY)
    registry[_CUDA] = registry[_CUDA] or registry[_META]


class _Pretended(TorchDispatchMode):
    """Runs each operation on fake tensors, and on the numbers beside them."""

    def __init__(self, left: Left) -> None:
        super().__init__()
        self._left = left

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func.overloadpacket.__name__ == "_to_copy" and torch.device(kwargs.get("device") or "cpu").type == "meta":
            kwargs["device"] = CUDA  # the current device of "cuda", as the guard of "meta" names it
        flat, form = tree_flatten((args, kwargs))
        meant = kwargs.get("device")
        if not any(isinstance(one, FakeTensor) for one in flat) and not _is_cuda(meant):
            with unset_fake_temporarily():
                return func(*args, **kwargs)
        own = tree_unflatten([_numbers(one) for one in flat], form)
        with unset_fake_temporarily():
            real = func(*own[0], **_on_cpu(own[1]))
        name = func.overloadpacket.__name__
        if name in ASKS:
            self._left.asked[_place()] += 1
            return real
        if name in SIZED_BY_VALUES or _picks(name, flat):
            self._checked(flat)
            self._left.asked[_place()] += 1
            return tree_map(lambda one: self._fake(one) if isinstance(one, Tensor) else one, real)
        return self._joined(func, args, kwargs, func(*args, **kwargs), real)

    def _joined(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], fake: Any, real: Any) -> Any:
        """Return the fake results with their numbers, those on the CPU as they are, and what was written in place."""
        returns = func._schema.returns
        written = {
            next(iter(one.alias_info.before_set)): args[at] if at < len(args) else kwargs.get(one.name)
            for at, one in enumerate(func._schema.arguments)
            if one.alias_info is not None and one.alias_info.is_write and not isinstance(one.type, torch.ListType)
        }

        def one_of(shape: Any, numbers: Any, of: Any) -> Any:
            if of is not None and of.alias_info is not None and of.alias_info.is_write:
                return written[next(iter(of.alias_info.before_set))]
            if isinstance(shape, (list, tuple)):
                return type(shape)(one_of(each, number, None) for each, number in zip(shape, numbers, strict=True))
            if not isinstance(shape, Tensor):
                return shape
            assert tuple(shape.shape) == tuple(numbers.shape), func
            if shape.device.type == "cpu":
                if any(isinstance(each, FakeTensor) for each in tree_flatten((args, kwargs))[0]):
                    self._left.copied[_place()] += 1
                return numbers
            shape.numbers = numbers  # pyright: ignore[reportAttributeAccessIssue]
            return shape

        if len(returns) == 1:
            copied = func.overloadpacket.__name__ == "copy_" and not isinstance(args[0], FakeTensor)
            if copied and isinstance(args[1], FakeTensor):
                self._left.copied[_place()] += 1
            return one_of(fake, real, returns[0])
        return tuple(one_of(*each) for each in zip(fake, real, returns, strict=True)) if returns else None

    def _fake(self, numbers: Tensor) -> Tensor:
        made = torch.empty_strided(numbers.shape, numbers.stride(), dtype=numbers.dtype, device=CUDA)
        made.numbers = numbers  # pyright: ignore[reportAttributeAccessIssue]
        return made

    def _checked(self, flat: Sequence[Any]) -> None:
        places = {one.device.type for one in flat if isinstance(one, Tensor) and one.dim()}
        if len(places) > 1:
            raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two: {places}")


def _numbers(one: Any) -> Any:
    return one.numbers if isinstance(one, FakeTensor) else one  # pyright: ignore[reportAttributeAccessIssue]


def _is_cuda(meant: Any) -> bool:
    return meant is not None and torch.device(meant).type == "cuda"


def _on_cpu(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: torch.device("cpu") if name == "device" and _is_cuda(one) else one for name, one in kwargs.items()}


def _picks(name: str, flat: Sequence[Any]) -> bool:
    """Return True for an index of truths, whose result is as long as there are true ones."""
    return name == "index" and any(isinstance(one, Tensor) and one.dtype == torch.bool for one in flat[1:])


def _place() -> str:
    """Return the innermost function of the core that is running."""
    for frame, _ in traceback.walk_stack(sys._getframe(1)):
        file = frame.f_code.co_filename
        if "/attention_core/" in file and "/tests/" not in file:
            return f"{file.rpartition('/attention_core/')[2]}: {frame.f_code.co_qualname}"
    return "outside"


def numbers(found: Tensor) -> Tensor:
    """Return the numbers of a tensor, wherever it pretends to be."""
    return _numbers(found)
