"""How the heads of a decoder of transformers write words, found by measurement and not by the names of its modules.

The output projection of a layer is the module that receives the heads' outputs, joined, while attention runs: the one
whose input equals the captured weights times the captured values. Its rows are what it returns for unit vectors. The
last norm is the module that leaves the last states; its gains are what it makes of a vector of ±1.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.learned.copying import HeadWriter, unread
from attention_core.learned.norms_added import unprojected
from attention_core.models.captured import CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.long_reach import run_inputs

_ATOL: Final = 1e-5
_RTOL: Final = 2e-2
"""How near two ways of the same product are, in half precision, too."""
_LOUD: Final = 32.0
"""The size of vectors that measure a norm: its ε is nothing beside them."""


@dataclass(frozen=True, eq=False)
class Writers:
    """What writes in a decoder.

    projections  of each layer; None where none was found
    norm         the last one; None if what leaves the last states is no norm that is known
    words        the layer of words
    """

    projections: tuple[nn.Module | None, ...]
    heads: tuple[tuple[int, int], ...]
    norm: "LastNorm | None"
    words: nn.Module

    def of_layer(self, layer: int, named: str, name: Callable[[int], str]) -> HeadWriter:
        """Return how a layer, from 0, writes. Raises `InvalidInput` (`writing_unread`)."""
        projection, norm, words = self.projections[layer], self.norm, self.words
        if projection is None or norm is None:
            raise unread(named)
        h, d_v = self.heads[layer]

        def logits(states: Float[Tensor, "rows d_model"]) -> Float[Tensor, "rows words"]:
            with torch.no_grad():
                return _linear(words, norm.directed(states))

        return HeadWriter(_rows_of(projection, h, d_v, norm.gains), logits, name)


@dataclass(frozen=True, eq=False)
class Projections:
    """The output projection of each layer of a model that reads a text, None where none was found; `heads`, `d_v`."""

    modules: tuple[nn.Module | None, ...]
    heads: tuple[tuple[int, int], ...]
    like: Tensor
    """A tensor of the model's own number format, where it computes."""

    def of_layer(self, layer: int, named: str) -> Float[Tensor, "h d_v d_model"]:
        """Return W_O of each head of a layer, from 0. Raises `InvalidInput` (`norms_unread`)."""
        module = self.modules[layer]
        if module is None:
            raise unprojected(named)
        return _rows_of(module, *self.heads[layer], self.like)


@dataclass(frozen=True, eq=False)
class LastNorm:
    """A norm without its division: γ ∘ x, of x less the mean of its components where the norm takes that away."""

    gains: Float[Tensor, " d_model"]
    centred: bool

    def directed(self, states: Float[Tensor, "rows d_model"]) -> Float[Tensor, "rows d_model"]:
        states = states.to(self.gains)
        return self.gains * (states - states.mean(-1, keepdim=True) if self.centred else states)


def writers(model: Any, body: Any, ids: Sequence[int]) -> Writers:
    """Return what writes in a decoder, found in one run of its body over a few tokens.

    Raises `InvalidInput` as `capture` does.
    """
    seen = _Seen()
    with seen.watching(body):
        found = capture(body, **run_inputs(body, ids))
    last: Tensor = found.output.last_hidden_state
    made = [module for module, _, output in seen.calls if _is(output, last) and not _children(module)]
    norm = last_norm(made[-1], last) if made else None
    modules = tuple(_projection(body, layer, seen) for layer in found.layers)
    return Writers(modules, _heads(found.layers), norm, model.get_output_embeddings())


def projections(body: Any, ids: Sequence[int]) -> Projections:
    """Return the output projections of a model, found in one run of its body over a few tokens.

    A norm behind attention may read again what one made, which `writers` does not take. Raises `InvalidInput` as
    `capture` does.
    """
    seen = _Seen()
    with seen.watching(body):
        found = capture(body, **run_inputs(body, ids))
    modules = tuple(_receiver(layer, seen.calls) for layer in found.layers)
    return Projections(modules, _heads(found.layers), found.output.last_hidden_state)


@dataclass(eq=False)
class _Seen:
    """The modules that a run called: each with its first argument and what it returned, in the order of returning."""

    calls: list[tuple[nn.Module, Tensor | None, Any]] = field(default_factory=list)

    def watching(self, body: nn.Module) -> "_Watch":
        return _Watch(body, self)


class _Watch:
    def __init__(self, body: nn.Module, seen: _Seen) -> None:
        self._body, self._seen, self._hooks = body, seen, list[Any]()

    def __enter__(self) -> None:
        ours = threading.get_ident()

        def left(module: nn.Module, args: tuple[Any, ...], made: Any) -> None:
            if threading.get_ident() == ours:
                first = args[0] if args and isinstance(args[0], Tensor) else None
                self._seen.calls.append((module, first, made))

        self._hooks = [module.register_forward_hook(left) for module in self._body.modules()]

    def __exit__(self, *raised: object) -> None:
        for hook in self._hooks:
            hook.remove()


def _projection(body: nn.Module, layer: CapturedLayer, seen: _Seen) -> nn.Module | None:
    """Return the module that receives a layer's heads joined, if what it makes goes into the stream as it is."""
    if layer.V is None or layer.kind != "self":
        return None
    inside = set(body.get_submodule(layer.name.rpartition("#")[0]).modules())
    calls = [(module, given, made) for module, given, made in seen.calls if module in inside]
    module = _receiver(layer, calls)
    return None if module is None or any(_read_again(made, seen) for one, _, made in calls if one is module) else module


def _receiver(layer: CapturedLayer, calls: Sequence[tuple[nn.Module, Tensor | None, Any]]) -> nn.Module | None:
    """Return the module that receives a layer's heads joined, if it is linear but for a bias."""
    if layer.V is None or layer.kind != "self":
        return None
    repeated = layer.V.repeat_interleave(layer.weights.shape[-3] // layer.V.shape[-3], -3)
    joined = (layer.weights.to(layer.V.dtype) @ repeated).transpose(-3, -2).flatten(-2).float()
    for module, given, made in calls:
        if given is None or not isinstance(made, Tensor) or _children(module):
            continue
        flat = given.detach().flatten(0, -2).float().cpu()
        if flat.shape != joined.shape or not torch.allclose(flat, joined, atol=_ATOL, rtol=_RTOL):
            continue
        if isinstance(module, nn.Dropout | nn.Identity):
            continue
        return module if _is_linear(module, given) else None
    return None


def _heads(layers: Sequence[CapturedLayer]) -> tuple[tuple[int, int], ...]:
    """Return how many heads each layer has, and the width of their values."""
    return tuple((layer.weights.shape[-3], 0 if layer.V is None else layer.V.shape[-1]) for layer in layers)


def _rows_of(projection: nn.Module, h: int, d_v: int, like: Tensor) -> Float[Tensor, "h d_v d_model"]:
    """Return what a projection makes of unit vectors."""
    with torch.no_grad():
        rows = _linear(projection, torch.eye(h * d_v, dtype=like.dtype, device=like.device))
    return rows.unflatten(0, (h, d_v))


def _read_again(made: Tensor, seen: _Seen) -> bool:
    """Return True if a further module, such as a norm behind attention, changes what a projection made."""
    return any(
        given is not None and _is(given, made) and isinstance(output, Tensor) and not torch.equal(output, given)
        for _, given, output in seen.calls
    )


def _is(one: Any, other: Tensor) -> bool:
    """Return True for the same numbers in the same place, perhaps seen in another shape."""
    return isinstance(one, Tensor) and one.data_ptr() == other.data_ptr() and one.numel() == other.numel()


def _is_linear(module: nn.Module, given: Tensor) -> bool:
    """Return True if a module's output is linear in its input, but for a bias."""
    with torch.no_grad():
        zero = module(torch.zeros_like(given))
        one, other = module(given) - zero, module(-2 * given) - zero
    return torch.allclose(-2 * one.float(), other.float(), atol=1e-4, rtol=_RTOL)


def _linear(module: nn.Module, rows: Float[Tensor, "rows d"]) -> Float[Tensor, "rows e"]:
    """Return what a linear module makes of rows, without its bias."""
    found: Tensor = module(rows)
    bias: Tensor = module(torch.zeros_like(rows[:1]))
    return found - bias


def last_norm(module: nn.Module, states: Float[Tensor, "*batch d_model"]) -> LastNorm | None:
    """Return the gains of a norm, measured, and if it centres; None for a module that is no such norm."""
    d_model = states.shape[-1]
    signs = torch.ones(d_model, dtype=states.dtype, device=states.device)
    signs[1::2] = -1
    if d_model % 2:
        return None  # ±1 would have a mean
    with torch.no_grad():
        bias = module(torch.zeros_like(signs)[None])[0]
        gains = (module(_LOUD * signs[None])[0] - bias) * signs
        row = _LOUD * torch.linspace(-1, 2, d_model, dtype=states.dtype, device=states.device).roll(d_model // 3)
        made = (module(row[None])[0] - bias).float()
    for centred in (True, False):
        kept = (row - row.mean() if centred else row).float()
        expected = gains.float() * kept / kept.square().mean().sqrt()
        if torch.allclose(made, expected, atol=1e-3, rtol=_RTOL):
            return LastNorm(gains, centred)
    return None


def _children(module: nn.Module) -> bool:
    return next(module.children(), None) is not None
