"""A recorder of one forward pass: it reads each softmax of attention in passing.

`attend` is called in place of the model's eager function and calls it. A `TorchFunctionMode` sees each function of
torch meanwhile: what enters a softmax are the scores, what leaves it the weights, whatever the model did before.
With changes (`attention_core.changes`) it hands over other queries and masks, and returns other weights.
"""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attention_core.changes import Changing, LayerChanges
from attention_core.errors import InvalidInput
from attention_core.models.captured import CapturedLayer
from attention_core.models.changed_call import ChangedCall, allowed, hidden
from attention_core.models.eager import fused, runs_a_kernel
from attention_core.models.entered import Path, heads_of
from attention_core.models.kernels import fused_mask, in_float32, mask_of, products, silent_rows, with_numbers

_SOFTMAX = frozenset({F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax})
_JOIN = frozenset({torch.cat, torch.concat, torch.concatenate})
_FUSED = frozenset({F.scaled_dot_product_attention, F.multi_head_attention_forward})
_WATCHED = _SOFTMAX | _JOIN | _FUSED
_FACTORS = ("scaling", "scale")


@dataclass
class Reading:
    """What is read during one call of the model's eager function."""

    keys: int
    softmaxes: list[tuple[Tensor, Tensor]]
    joined: tuple[Tensor, Tensor] | None = None
    """The scores and the column that was appended to them, before anything else happened to both."""


class Recorder(TorchFunctionMode):
    """The calls of attention of one forward pass, of which it keeps those with the numbers `chosen`; None keeps all.

    `mask_given` says that the caller gave a mask of numbers: a row of it that is the least number everywhere is equal
    everywhere to a kernel as well.
    """

    def __init__(
        self,
        path: Path,
        chosen: Collection[int] | None,
        changing: Changing | None = None,
        *,
        mask_given: bool = False,
    ) -> None:
        super().__init__()
        self.names: list[str] = []
        self.layers: list[CapturedLayer] = []
        self._path = path
        self._chosen = chosen
        self._calls: Counter[str] = Counter()
        self._inside = False
        self._reading: Reading | None = None
        self._changing = changing
        self._changed: ChangedCall | None = None
        self._mask_given = mask_given
        self._silent: Tensor | None = None
        """Rows of the call under way that a kernel leaves at zero."""
        self._foreign: tuple[nn.Module, int, str] | None = None
        """A module that attends by a function of the caller's, with its heads and the function's name."""

    def attend(self, own: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        """Call the model's own function with what the module gives it, and keep what is read there."""
        kept = self._counted(module)
        self._inside = True
        try:
            kernel = own is products or runs_a_kernel(module)
            if kernel:
                args, kwargs = with_numbers(args, kwargs)
            halved = kernel and handed("query", 0, args, kwargs).dtype == torch.float16
            if halved:
                args, kwargs = in_float32(args, kwargs)
            query, key, value = (handed(name, at, args, kwargs) for at, name in enumerate(("query", "key", "value")))
            self._changed = self._changes_of(module, query, key, kwargs)
            if kept or self._changed is not None:
                self._reading = Reading(keys=key.shape[-2], softmaxes=[])
            if self._changed is not None:
                args, kwargs = self._changed.handed(args, kwargs)
            if kernel and not self._mask_given and kwargs.get("position_bias") is None:
                self._silent = silent_rows(mask_of(args, kwargs))
            made = own(module, *args, **kwargs)
            if kept:
                assert self._reading is not None
                self._keep(module, self._reading, (query, key, value), kwargs, made)
            made = made if self._changed is None else self._changed.output(made)
            return (made[0].half(), *made[1:]) if halved else made
        finally:
            self._inside, self._reading, self._changed, self._silent = False, None, None, None

    def attend_by(self, function: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function of the caller's as it is, and read its one softmax.

        Its formula is unknown: Q, K and V are kept only if its scores follow from them.
        """
        query, key, value = (handed(name, at, args, kwargs) for at, name in enumerate(("query", "key", "value")))
        name = name_of(function)
        seen, kept = len(self.names), len(self.layers)
        self._foreign = module, query.shape[1], name
        try:
            made = function(module, *args, **kwargs)
        finally:
            self._foreign = None
        if len(self.names) != seen + 1:
            raise function_unread(name)
        if len(self.layers) > kept:
            self.layers[-1] = _with_products(self.layers[-1], query, key, value, module, kwargs)
        return made

    def _changes_of(
        self, module: nn.Module, query: Tensor, key: Tensor, settings: dict[str, Any]
    ) -> ChangedCall | None:
        """Return the call with its changes; None without one."""
        if self._changing is None:
            return None
        h, n_q = query.shape[1:3]
        lined = self._kind(module) == "self" and n_q == key.shape[-2]
        name = self._path.name(module)
        found = self._changing.of(len(self.names) - 1, h, key.shape[-2], lined=lined, name=name)
        if found is None:
            return None
        scale, before = factor(module, settings.get("scaling"), query.shape[-1])
        return ChangedCall(found, query, key, scale, before, float(settings.get("softcap") or 0), lined)

    def _kind(self, module: nn.Module) -> str:
        entered = next((one for one in reversed(self._path.now) if one.module is module), None)
        return "self" if entered is None else entered.kind

    def mask(self, own: Callable[..., Any], /, **asked: Any) -> Any:
        """Return the model's own mask."""
        return own(**asked)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func not in _WATCHED:  # nearly all: hundreds in a run
            return func(*args, **kwargs)
        if func in _FUSED:
            if self._foreign is not None:
                raise function_unread(self._foreign[2])
            made = self._fused(*args, **kwargs) if func is F.scaled_dot_product_attention else None
            if made is None:
                raise fused(self._path.name(self._path.now[-1].module) if self._path.now else "The model")
            return made
        made = func(*args, **kwargs)
        if func in _SOFTMAX:
            scores: Tensor = args[0] if args else kwargs["input"]
            dim = args[1] if len(args) > 1 else kwargs.get("dim")
            if dim in (-1, scores.dim() - 1):
                return self._softmax(scores, made, lambda other: func(other, *args[1:], **kwargs))
        elif func in _JOIN and self._reading is not None:
            parts = args[0] if args else kwargs["tensors"]
            if made.dim() == 4 and len(parts) == 2 and made.shape[-1] == self._reading.keys + 1:
                self._reading.joined = (parts[0], parts[1])
        return made

    def _fused(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor | None:
        """Attend in place of torch's fused attention that a module asks for; None if its heads are not known."""
        module, heads = self._attending()
        if self._inside or module is None or query.dim() != 4 or query.shape[1] != heads or dropout_p:
            return None
        mask = fused_mask(query, key, attn_mask, is_causal)
        scale = query.shape[-1] ** -0.5 if scale is None else scale
        with self:  # a mode is off while it answers
            return self.attend(products, module, query, key, value, mask, scaling=scale)[0].transpose(1, 2)

    def _softmax(self, scores: Tensor, weights: Tensor, again: Callable[[Tensor], Tensor]) -> Tensor:
        """Read a softmax, that of the eager function or of a module that attends by itself; return the weights."""
        if self._inside:
            if self._reading is not None and self._changed is not None:
                scores, weights, joined = self._changed.softmax(scores, weights, again, self._reading.joined)
                self._reading.joined = joined
            if self._silent is not None:  # after a change, whose softmax knows no kernel
                weights = weights.masked_fill(self._silent, 0)
            if self._reading is not None:
                self._reading.softmaxes.append((scores, weights))
            return weights
        module, heads = self._attending()
        if module is None or heads is None or scores.dim() < 3:
            return weights
        given = weights.shape
        if scores.dim() == 3:  # sequences and heads in one axis; other tensors of three axes are no attention
            if scores.shape[0] % heads:
                return weights
            scores, weights = (one.unflatten(0, (-1, heads)) for one in (scores, weights))
        if scores.dim() != 4 or scores.shape[1] != heads:
            raise _unread(self._path.name(module), f"batch × {heads} × n_q × n_k", [scores])
        kept = self._counted(module)
        changes = self._alone(module, heads, scores)
        if changes is not None:
            if changes.masks:
                scores = hidden(changes, scores)
                weights = again(scores.reshape(given)).reshape(weights.shape)
            weights = changes.weights(scores, weights, allowed(scores))
        if kept:
            self._add(module, scores, weights, unnormalised=frozenset() if changes is None else changes.unnormalised)
        return weights.reshape(given)

    def _attending(self) -> tuple[nn.Module | None, int | None]:
        """Return the module whose softmax this is, and its heads."""
        if self._foreign is not None:
            return self._foreign[:2]
        module = self._path.now[-1].module if self._path.now else None
        return module, None if module is None else heads_of(module)

    def _alone(self, module: nn.Module, heads: int, scores: Tensor) -> LayerChanges | None:
        """Return the changes of a module that attends by itself and hands over neither queries nor keys."""
        if self._changing is None:
            return None
        n_q, n_k = scores.shape[-2:]
        lined = self._kind(module) == "self" and n_q == n_k
        name = self._path.name(module)
        return self._changing.of(len(self.names) - 1, heads, n_k, lined=lined, queries=False, name=name)

    def _counted(self, module: nn.Module) -> bool:
        """Count a call of a module and return whether it is kept."""
        name = self._path.name(module)
        self._calls[name] += 1
        self._path.count()
        self.names.append(f"{name}#{self._calls[name]}")
        return self._chosen is None or len(self.names) - 1 in self._chosen

    def _keep(
        self,
        module: nn.Module,
        reading: Reading,
        given: tuple[Tensor, Tensor, Tensor],
        settings: dict[str, Any],
        made: Any,
    ) -> None:
        scores, weights, further = read(self.names[-1], reading, made)
        Q, K, V = given
        scale, before = factor(module, settings.get("scaling"), Q.shape[-1])
        Q = Q / scale if before else Q
        changed = self._changed
        if changed is not None:
            Q, scale = changed.described(Q, scale)
        sunk = {name: _kept(one) for name, one in further.items()}
        own: dict[str, Any] = {"V": _copied(V), "unnormalised": frozenset()}
        if changed is not None:
            own["unnormalised"] = changed.unnormalised
            sunk |= {name: _kept(one) for name, one in changed.beside(weights, further).items()}
        if changed is None or not changed.rebuilds:  # else scores are no products of the layer's own Q and K
            softcap = float(settings.get("softcap") or 0)
            own |= {"Q": _copied(Q), "K": _copied(K), "scale": scale, "softcap": softcap}
        self._add(module, scores, weights, **own, **sunk)

    def _add(self, module: nn.Module, scores: Tensor, weights: Tensor, **further: Any) -> None:
        usual = dict.fromkeys(("Q", "K", "V", "scale", "softcap"))
        self.layers.append(
            CapturedLayer(
                name=self.names[-1],
                index=len(self.names) - 1,
                kind=self._kind(module),
                scores=_kept(scores),
                weights=_kept(weights),
                **{**usual, **further},
            )
        )


def _with_products(
    layer: CapturedLayer, query: Tensor, key: Tensor, value: Tensor, module: nn.Module, settings: dict[str, Any]
) -> CapturedLayer:
    """Return a layer with its Q, K and V if its scores are their products, where they are allowed."""
    scale, before = factor(module, settings.get("scaling"), query.shape[-1])
    softcap = float(settings.get("softcap") or 0)
    Q, K, V = (_copied(one) for one in (query / scale if before else query, key, value))
    if Q.shape[-3] % K.shape[-3]:
        return layer
    products = Q @ K.repeat_interleave(Q.shape[-3] // K.shape[-3], -3).mT * scale
    products = torch.tanh(products / softcap) * softcap if softcap else products
    seen = layer.allowed
    off = torch.where(seen, (products - layer.scores).float(), 0).abs().max()
    largest = torch.where(seen, layer.scores.float(), 0).abs().max()
    if not off <= 8 * torch.finfo(products.dtype).eps * max(1.0, float(largest)):
        return layer
    return replace(layer, Q=Q, K=K, V=V, scale=scale, softcap=softcap)


def name_of(function: Callable[..., Any]) -> str:
    """Return what a function is called."""
    return str(getattr(function, "__name__", type(function).__name__))


def function_unread(name: str) -> InvalidInput:
    """Return the error for an attention function of the caller's that does not make weights by one softmax."""
    return InvalidInput(
        "attention_function",
        f"The attention function {name} does not make its weights by one softmax over the keys, so they cannot be "
        'read: register one that calls torch.softmax once, or load the model with attn_implementation="eager".',
        value=name,
    )


def read(name: str, reading: Reading, made: Any) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """Return scores and weights of a call of an eager function, and `sink` and `sink_score` if there is a sink.

    Raises `InvalidInput`: `attention_unread` for what is not one softmax over the keys, `attention_float16`.
    """
    scores, outcomes = reading.softmaxes[0] if reading.softmaxes else (made[0], made[0])
    beside = scores.shape[-1] - reading.keys
    if len(reading.softmaxes) != 1 or scores.dim() != 4 or beside not in (0, 1):
        expected = f"batch × h × n_q × {reading.keys}"
        raise _unread(name, expected, [entered for entered, _ in reading.softmaxes])
    weights = outcomes if made[1] is None else made[1]
    if scores.dtype == torch.float16 and bool(weights.isnan().any()):
        raise _overflown(name)
    if not beside:
        return scores, weights, {}
    scores, column = reading.joined or (scores[..., :-1], scores[..., -1:])
    sunk = {"sink": outcomes[..., -1], "sink_score": column.expand_as(scores[..., :1])[..., 0]}
    return scores, weights[..., : reading.keys], sunk


def handed(name: str, at: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    return args[at] if at < len(args) else kwargs[name]


def factor(module: nn.Module, given: float | None, d_k: int) -> tuple[float, bool]:
    """Return the factor of q · k, and True if the query was multiplied by it before.

    A module that hands over the factor 1 and has another of its own used that one before; with none it is unscaled.
    Without a factor the eager functions take 1/√d_k.
    """
    if given is None:
        return d_k**-0.5, False
    if given != 1:
        return float(given), False
    own = (getattr(module, name, None) for name in _FACTORS)
    before = next((one for one in own if isinstance(one, float) and one != 1), None)
    return (1.0, False) if before is None else (before, True)


def _kept(tensor: Tensor) -> Tensor:
    """Return a tensor for the capture: on the CPU, without the axis of a batch of one."""
    tensor = tensor.detach().cpu()
    return tensor[0] if tensor.shape[0] == 1 else tensor


def _copied(tensor: Tensor) -> Tensor:
    # a cache of fixed size overwrites its keys in place, and a view would hold the projections of all of Q, K and V
    return _kept(tensor).clone(memory_format=torch.contiguous_format)


def _overflown(name: str) -> InvalidInput:
    return InvalidInput(
        "attention_float16",
        f"In {name} a product q · k is larger than 65,504, the largest number of float16, so the model's weights are "
        'no numbers. Load it in bfloat16 or float32, or with attn_implementation="sdpa", which adds up in float32.',
        value=name,
    )


def _unread(name: str, expected: str, came: list[Tensor]) -> InvalidInput:
    shapes = ", ".join(" × ".join(map(str, one.shape)) for one in came) or "–"
    return InvalidInput(
        "attention_unread",
        f"The attention of {name} must be one softmax of the shape {expected}; its softmaxes: {shapes}.",
        value=name,
        expected=expected,
        came=shapes,
    )
