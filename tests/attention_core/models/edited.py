"""Modelling code with lines put into it by hand: what a change does, done in a copy of `eager_attention_forward`.

The copy is of what transformers' modelling files of Llama, BERT, T5, ViT and gpt-oss have in common and apart; without
a line it computes what theirs compute, bit for bit. A line is a function of a `Call`, whose tensors it writes.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final
from unittest import mock

import torch
from torch import Tensor, nn

MODELLING: Final[Mapping[str, str]] = MappingProxyType(
    {family: f"transformers.models.{family}.modeling_{family}" for family in ("llama", "bert", "t5", "vit", "gpt_oss")}
)
WIDE: Final = ("llama", "vit")
"""Their softmax is in float32, whatever they get."""
PLACES: Final = ("vectors", "products", "mask", "hidden", "normalised", "weights", "output")


@dataclass
class Call:
    """What an eager function has at hand: b × h × n × d vectors, b × h × n_q × n_k scores and weights.

    number  of the call in the run, from 0
    before  the scores before the mask, with a bias
    z       what the heads give, before they are joined and multiplied with W_O
    """

    number: int
    q: Tensor
    k: Tensor
    v: Tensor
    s: Tensor = field(default_factory=Tensor)
    before: Tensor = field(default_factory=Tensor)
    p: Tensor = field(default_factory=Tensor)
    z: Tensor = field(default_factory=Tensor)

    @property
    def own(self) -> bool:
        """True for self-attention: here a decoder's text is shorter than its encoder's."""
        return self.q.shape[-2] == self.k.shape[-2]

    @property
    def masked(self) -> Tensor:
        """The scores, −∞ wherever a query may not read: the models put the least number of their format there."""
        return self.s.masked_fill(self.s < torch.finfo(self.s.dtype).min / 2, -torch.inf)


Line = tuple[str, Callable[[Call], None]]
"""Its place, of `PLACES`, and the line."""


@dataclass(frozen=True, eq=False)
class Edited:
    """The output of a run, and the weights of its calls."""

    output: Any
    weights: tuple[Tensor, ...]


def run_edited(family: str, model: nn.Module, inputs: Mapping[str, Any], lines: Sequence[Line] = ()) -> Edited:
    """Run a model whose modelling file has these lines in its attention."""
    weights: list[Tensor] = []

    def eager_attention_forward(
        module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None,
        scaling: float | None = None, dropout: float = 0.0, position_bias: Tensor | None = None, **kwargs: Any,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        groups = getattr(module, "num_key_value_groups", 1)
        call = Call(len(weights), query.clone(), *(one.repeat_interleave(groups, 1) for one in (key, value)))

        def edit(place: str) -> None:
            for at, line in lines:
                if at == place:
                    line(call)

        edit("vectors")
        call.s = torch.matmul(call.q, call.k.transpose(2, 3)) * (query.size(-1) ** -0.5 if scaling is None else scaling)
        edit("products")
        call.before = call.s if position_bias is None else call.s + position_bias
        call.s = call.before if attention_mask is None else call.before + attention_mask
        edit("mask")
        edit("hidden")
        if family == "gpt_oss":
            sinks = module.sinks.reshape(1, -1, 1, 1).expand(query.shape[0], -1, query.shape[-2], -1)
            joined = torch.cat([call.s, sinks], dim=-1)
            joined = joined - joined.max(dim=-1, keepdim=True).values
            call.p = torch.softmax(joined, dim=-1)[..., :-1].to(value.dtype)
        else:
            call.p = torch.softmax(call.s, dim=-1, dtype=torch.float32 if family in WIDE else None).to(query.dtype)
        call.p = torch.where(call.masked.amax(-1, keepdim=True) == -torch.inf, 0, call.p)
        edit("normalised")
        edit("weights")
        call.z = torch.matmul(call.p, call.v)
        edit("output")
        weights.append(call.p)
        return call.z.transpose(1, 2).contiguous(), call.p

    modelling = import_module(MODELLING[family])
    with torch.no_grad(), mock.patch.object(modelling, "eager_attention_forward", eager_attention_forward):
        output = model(**copy.deepcopy(dict(inputs)))
    return Edited(output, tuple(weights))
