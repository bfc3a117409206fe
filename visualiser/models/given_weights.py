"""Weights of attention that somebody else computed, as a capture without queries, keys and scores.

They come as one layer or several, as tensors of torch, arrays of numpy or lists of numbers; as what a model of
transformers returned, `generate` included; and by the names that TransformerLens and others give them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.models import Capture, GivenLayer
from visualiser.upload.refusals import refusal, shape_text
from visualiser.upload.weights import is_called_weights

__all__ = ["GivenWeights", "NamedWeights", "captured", "given_weights"]

_ROUNDING: Final = 0.02
"""How far a row's sum may be from 1 before it is told: bfloat16 has three digits, and a row many keys."""
_DIGITS: Final = re.compile(r"(\d+)")


@dataclass(frozen=True)
class GivenWeights:
    """What was handed over.

    capture  the layers
    ids      of the tokens, where they came along, under the names of a model's inputs
    prompt   how many of them were given to `generate`; the model wrote the others. 0 for no generation
    """

    capture: Capture
    ids: Mapping[str, Tensor] = field(default_factory=dict)
    prompt: int = 0


def given_weights(x: Any, batch: int | None) -> GivenWeights | None:
    """Return weights that were handed over; None for a thing of another kind.

    Raises `InvalidInput`: `weights_missing` for an output of a model without them, `weights_beams` for several beams,
    `weights_shape` and `weights_numbers` for what cannot be weights, `notebook_batch` and `notebook_no_batch` if a
    sequence of several has to be named.
    """
    if isinstance(getattr(x, "sequences", None), Tensor):
        return _generated(x, batch)
    x = _by_layers(x)
    output = _of_output(x)
    if output is not None:
        return GivenWeights(captured(output, batch))
    if hasattr(x, "items") and hasattr(x, "keys"):
        named = _named(dict(x.items()))
        return GivenWeights(captured(named, batch)) if named else None
    layers = _layers(x)
    if layers is None:
        return None
    return GivenWeights(captured([NamedWeights(f"layer.{number}", one) for number, one in enumerate(layers, 1)], batch))


@dataclass(frozen=True, eq=False)
class NamedWeights:
    """The weights of one layer: h × n_q × n_k, with an axis of a batch before it or without heads.

    kind  `self` or `cross`; None for whichever the shape says
    """

    name: str
    weights: Tensor
    kind: str | None = None


def _tensor(x: Any) -> Tensor | None:
    """Return an array of numbers of two axes or more; None for anything else."""
    x = getattr(x, "value", x) if not isinstance(x, (Tensor, np.ndarray)) else x  # what nnsight saved
    if isinstance(x, Tensor):
        return x.detach().float().cpu() if x.dim() >= 2 else None
    if isinstance(x, (list, tuple)):
        try:
            x = np.asarray(x, np.float32)
        except (TypeError, ValueError):
            return None
    if isinstance(x, np.ndarray) and x.ndim >= 2 and np.issubdtype(x.dtype, np.number):
        return torch.from_numpy(np.ascontiguousarray(x, np.float32))
    return None


def _layers(x: Any) -> list[Tensor] | None:
    """Return the layers of an array, or of a list of arrays of layers."""
    is_list = isinstance(x, (list, tuple))
    if is_list and x and all(isinstance(_item(one), (Tensor, np.ndarray)) for one in x):
        layers = [_tensor(one) for one in x]
        return None if any(one is None for one in layers) else [one for one in layers if one is not None]
    one = _tensor(x)
    if one is None:
        return None
    if one.dim() == 5 or (one.dim() == 4 and len(one) > 1):
        return list(one)
    return [one]


def _by_layers(x: Any) -> Any:
    """Return lists of lists as layers: the steps of `generate` are stacked, and so are heads of a layer."""
    if not isinstance(x, (list, tuple)) or not x or not all(isinstance(one, (list, tuple)) for one in x):
        return x
    if not all(_is_tensor(one) for inner in x for one in inner) or len({len(inner) for inner in x}) != 1 or not x[0]:
        return x
    if x[0][0].dim() == 2:
        return [_of_heads(f"layer.{number}", heads) for number, heads in enumerate(x, 1)]
    return list(map(_stacked, zip(*x, strict=True)))


def _of_heads(name: str, heads: Sequence[Tensor]) -> Tensor:
    if len({one.shape for one in heads}) > 1:
        raise refusal("weights_shape", name=name, came=", ".join(shape_text(tuple(one.shape)) for one in heads))
    return torch.stack(tuple(heads))


def _item(x: Any) -> Any:
    return getattr(x, "value", x) if not isinstance(x, (Tensor, np.ndarray)) else x


def _of_output(x: Any) -> list[NamedWeights] | None:
    """Return the layers of what a model of transformers returned; None for another thing."""
    names = [name for name in ("attentions", "encoder_attentions", "decoder_attentions") if hasattr(x, name)]
    if not names:
        return None
    found = [
        NamedWeights(f"{part}layer.{number}", one, kind)
        for name, part, kind in (
            ("attentions", "", None),
            ("encoder_attentions", "encoder.", "self"),
            ("decoder_attentions", "decoder.", "self"),
            ("cross_attentions", "cross.", "cross"),
        )
        for number, one in enumerate(filter(_is_tensor, getattr(x, name, None) or ()), 1)
    ]
    if not found:
        raise refusal("weights_missing", kind=type(x).__name__)
    return _in_order(found)


def _in_order(found: list[NamedWeights]) -> list[NamedWeights]:
    """Return the layers as a decoder runs them: each self-attention before its cross-attention."""
    crossing = [one for one in found if one.kind == "cross"]
    own = [one for one in found if one.name.startswith("decoder.")]
    if not crossing or len(crossing) != len(own):
        return found
    before = [one for one in found if one not in crossing and one not in own]
    return [*before, *(one for pair in zip(own, crossing, strict=True) for one in pair)]


def _is_tensor(one: object) -> bool:
    return isinstance(one, Tensor)


def _named(things: Mapping[Any, Any]) -> list[NamedWeights]:
    """Return the layers of a cache by their names: those called patterns, or all that can be weights."""
    arrays = {str(name): one for name, thing in things.items() if (one := _tensor(thing)) is not None}
    called = [name for name in arrays if is_called_weights(name)]
    names = called or [name for name, one in arrays.items() if _can_be_weights(one)]
    return [NamedWeights(name.removesuffix("/weights"), arrays[name]) for name in sorted(names, key=_natural)]


def _natural(name: str) -> list[tuple[int, str]]:
    """Order numbers in a name as numbers: block 10 comes after block 9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(name)]


def _can_be_weights(one: Tensor) -> bool:
    return one.dim() <= 4 and bool((one >= 0).all()) and bool((one.sum(-1) <= 1 + _ROUNDING).all())


def captured(layers: Sequence[NamedWeights], batch: int | None) -> Capture:
    """Return layers as a capture, of one sequence of a batch. Raises as `given_weights` does."""
    found = [_given(number, layer, batch) for number, layer in enumerate(layers)]
    return Capture(None, tuple(found), tuple(one.name for one in found))


def _given(number: int, given: NamedWeights, batch: int | None) -> GivenLayer:
    weights = _of_batch(given, batch)
    if not bool(weights.isfinite().all()) or bool((weights < 0).any()):
        raise refusal("weights_numbers", name=given.name)
    sums = weights.sum(-1)
    off = ((sums - 1).abs() > _ROUNDING) & weights.any(-1)
    n_q, n_k = weights.shape[-2:]
    own = n_q in (1, n_k)  # one row is a step with a cache
    return GivenLayer(
        name=given.name, index=number, kind=given.kind or ("self" if own else "cross"), Q=None, K=None, V=None,
        scale=None, softcap=None, scores=torch.tensor(torch.nan).expand(weights.shape), weights=weights,
        unnormalised=frozenset(off.any(-1).nonzero().flatten().tolist()),
    )  # fmt: skip


def _of_batch(given: NamedWeights, batch: int | None) -> Float[Tensor, "h n_q n_k"]:
    """Return the heads of one sequence: h × n_q × n_k, with an axis of a batch before it or without heads."""
    weights = given.weights.detach().float().cpu()
    if weights.dim() == 2:
        weights = weights[None]
    if weights.dim() == 4:
        size = len(weights)
        if batch is None and size > 1:
            raise refusal("notebook_batch", name=given.name, count=size)
        if not 0 <= (batch or 0) < size:
            raise refusal("notebook_no_batch", name=given.name, count=size, value=batch or 0)
        weights = weights[batch or 0]
    if weights.dim() != 3 or 0 in weights.shape:
        raise refusal("weights_shape", name=given.name, came=shape_text(tuple(given.weights.shape)))
    return weights


def _generated(x: Any, batch: int | None) -> GivenWeights:
    """Stack the steps of `generate` into one run: the first reads the prompt, each further one adds a row."""
    if getattr(x, "beam_indices", None) is not None:
        raise refusal("weights_beams")
    own, cross = (getattr(x, name, None) for name in ("decoder_attentions", "cross_attentions"))
    if own is None:
        own, cross = getattr(x, "attentions", None), None
    if not own or not all(_is_tensor(one) for step in own for one in step):
        raise refusal("weights_missing", kind=type(x).__name__)
    written: Tensor = x.sequences
    layers = [
        NamedWeights(f"layer.{number}", _stacked(steps)) for number, steps in enumerate(zip(*own, strict=True), 1)
    ]
    n = layers[0].weights.shape[-2]
    prompt = int(own[0][0].shape[-2])
    prompt = prompt if prompt < n else 0  # the last token that was written has read nothing yet
    if getattr(x, "decoder_attentions", None) is None:
        return GivenWeights(captured(layers, batch), {"input_ids": written[:, :n]}, prompt)
    encoder = [
        NamedWeights(f"encoder.layer.{number}", one, "self")
        for number, one in enumerate(getattr(x, "encoder_attentions", None) or (), 1)
    ]
    decoder = [NamedWeights(f"decoder.{one.name}", one.weights, "self") for one in layers]
    crossing = [
        NamedWeights(f"cross.layer.{number}", _stacked(steps), "cross")
        for number, steps in enumerate(zip(*(cross or ()), strict=True), 1)
    ]
    found = _in_order([*encoder, *decoder, *crossing])
    return GivenWeights(captured(found, batch), {"decoder_input_ids": written[:, :n]}, prompt)


def _stacked(steps: Iterable[Tensor]) -> Tensor:
    """Return the rows of all steps over all keys: a key that was not there yet has no weight.

    A cache of fixed size has keys behind the last query; no row of a causal run reads them.
    """
    rows = [one.detach().float().cpu() for one in steps]
    n_k = max(one.shape[-1] for one in rows)
    stacked = torch.cat([torch.nn.functional.pad(one, (0, n_k - one.shape[-1])) for one in rows], -2)
    n_q = stacked.shape[-2]
    return stacked[..., :n_q] if n_k > n_q and not stacked.triu(1).any() else stacked
