"""Changes drawn for small random models, each with the lines by which a reader would make it in the modelling code."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Any, Final

import torch
import transformers as hf
from torch import Tensor

from attention_core.models import Causal, Factor, Hide, Mean, Mute, Normalise, Replace, Treat, Uniform
from tests.attention_core.models.edited import Call, Line, run_edited
from tests.attention_core.models.small_models import VOCABULARY, built, picture, text

FAMILIES: Final = ("llama", "bert", "t5", "vit", "gpt_oss")


@dataclass(frozen=True, eq=False)
class Drawn:
    """A model in float64 and what was drawn to change it.

    plain   its weights without a change, of every call
    layer   a call, and `head`, `other` two of its heads; `like` is another call with keys and queries as many
    key     one that every call has
    """

    family: str
    model: Any
    inputs: Mapping[str, Any]
    plain: tuple[Tensor, ...]
    layer: int
    like: int
    head: int
    other: int
    key: int
    times: float
    z: tuple[float, ...]


@cache
def drawn(family: str, seed: int) -> Drawn:
    """Return a model of random sizes with random weights."""
    draws = Random(f"{family} {seed}")
    layers, n, d = draws.choice((2, 3)), draws.randint(5, 11), draws.choice((4, 6))
    groups, shared = draws.choice((1, 2, 3)), draws.choice((2, 3))
    model, inputs = _BUILT[family](layers, groups, shared, d, n, seed)
    plain = run_edited(family, model, inputs).weights
    calls = range(len(plain))
    layer = draws.choice(calls)
    h = plain[layer].shape[1]
    head, other = draws.sample(range(h), 2)
    alike = [one for one in calls if one != layer and plain[one].shape == plain[layer].shape]
    return Drawn(
        family, model, inputs, plain, layer, draws.choice(alike), head, other,
        key=draws.randrange(1, min(one.shape[-1] for one in plain)), times=draws.choice((0.0, 0.4, 2.5, 16.0)),
        z=tuple(draws.gauss(0, 1) for _ in range(d)),
    )  # fmt: skip


def _llama(layers: int, groups: int, shared: int, d: int, n: int, seed: int) -> tuple[Any, dict[str, Any]]:
    config = hf.LlamaConfig(**_grouped(layers, groups, shared, d))
    return built(hf.LlamaForCausalLM, config, seed).double(), text(n, seed=seed)


def _gpt_oss(layers: int, groups: int, shared: int, d: int, n: int, seed: int) -> tuple[Any, dict[str, Any]]:
    mixture: dict[str, Any] = {"num_local_experts": 4, "num_experts_per_tok": 2}
    mixture |= {"sliding_window": 4, "experts_implementation": "eager"}
    config = hf.GptOssConfig(**_grouped(layers, groups, shared, d) | mixture)
    model = built(hf.GptOssForCausalLM, config, seed).double()
    generator = torch.Generator().manual_seed(seed)
    for layer in model.model.layers:
        layer.self_attn.sinks.data.normal_(0, 2, generator=generator)
    return model, text(n, seed=seed)


def _bert(layers: int, groups: int, shared: int, d: int, n: int, seed: int) -> tuple[Any, dict[str, Any]]:
    h = groups * shared
    config = hf.BertConfig(
        vocab_size=VOCABULARY, hidden_size=h * d, num_hidden_layers=layers, num_attention_heads=h,
        intermediate_size=17, max_position_embeddings=31,
    )  # fmt: skip
    return built(hf.BertForMaskedLM, config, seed).double(), text(n, seed=seed)


def _t5(layers: int, groups: int, shared: int, d: int, n: int, seed: int) -> tuple[Any, dict[str, Any]]:
    config = hf.T5Config(
        vocab_size=VOCABULARY, d_model=23, d_kv=d, d_ff=17, num_layers=layers, num_heads=groups * shared
    )
    decoded = {"decoder_input_ids": text(n - 2, seed=seed + 1)["input_ids"]}
    return built(hf.T5ForConditionalGeneration, config, seed).double(), text(n, seed=seed) | decoded


def _vit(layers: int, groups: int, shared: int, d: int, n: int, seed: int) -> tuple[Any, dict[str, Any]]:
    h, size = groups * shared, 4 * (2 + n % 2)
    classes: dict[str, Any] = {"num_labels": 5}
    config = hf.ViTConfig(
        hidden_size=h * d, num_hidden_layers=layers, num_attention_heads=h, intermediate_size=17, image_size=size,
        patch_size=4, **classes,
    )  # fmt: skip
    pixels = {name: one.double() for name, one in picture(size, seed).items()}
    return built(hf.ViTForImageClassification, config, seed).double(), pixels


def _grouped(layers: int, groups: int, shared: int, d: int) -> dict[str, Any]:
    return {
        "vocab_size": VOCABULARY, "hidden_size": 24, "num_hidden_layers": layers, "num_key_value_heads": groups,
        "num_attention_heads": groups * shared, "head_dim": d, "intermediate_size": 17, "max_position_embeddings": 31,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip


_BUILT: Final = MappingProxyType({"llama": _llama, "gpt_oss": _gpt_oss, "bert": _bert, "t5": _t5, "vit": _vit})

Case = Callable[[Drawn], tuple[Any, list[Line]]]
"""A change, and the lines that make it."""


def _line(
    place: str, do: Callable[[Call, Any], None], layers: Collection[int] | None, heads: Collection[int] | None
) -> Line:
    def line(call: Call) -> None:
        if layers is None or call.number in layers:
            do(call, slice(None) if heads is None else list(heads))

    return place, line


Reach = Callable[[Drawn], dict[str, Any]]
REACHES: Final[Mapping[str, Reach]] = MappingProxyType(
    {
        "all": lambda d: {},
        "one layer": lambda d: {"layers": [d.layer]},
        "one head of all layers": lambda d: {"heads": (d.head,)},
        "two heads of a layer": lambda d: {"layers": {d.layer}, "heads": {d.head, d.other}},
    }
)


def _of(reach: dict[str, Any]) -> tuple[Any, Any]:
    return reach.get("layers"), reach.get("heads")


def factor(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.s[:, heads] *= d.times

    return Factor(d.times, **reach), [_line("products", line, *_of(reach))]


def qk_norm(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        for vectors in (call.q, call.k):
            vectors[:, heads] /= vectors[:, heads].square().mean(-1, keepdim=True).sqrt()

    return Treat(qk_norm=True, **reach), [_line("vectors", line, *_of(reach))]


def softcap(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.s[:, heads] = 0.7 * torch.tanh(call.s[:, heads] / 0.7)

    return Treat(softcap=0.7, **reach), [_line("products", line, *_of(reach))]


def log_n(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.s[:, heads] *= math.log(call.k.shape[-2]) / math.log(32)

    return Treat(log_n=True, **reach), [_line("products", line, *_of(reach))]


def all_treatments(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    """The cap comes last."""
    lines = [line for one in (qk_norm, log_n, softcap) for line in one(d, reach)[1]]
    return Treat(qk_norm=True, softcap=0.7, log_n=True, **reach), lines


def causal(before: bool, window: int | None) -> Callable[[Drawn, dict[str, Any]], tuple[Any, list[Line]]]:
    def case(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
        def line(call: Call, heads: Any) -> None:
            if call.own:
                ahead = torch.arange(call.s.shape[-1]) - torch.arange(call.s.shape[-2]).unsqueeze(1)
                allowed = ahead <= 0 if before else torch.ones_like(ahead, dtype=torch.bool)
                if window is not None:
                    allowed &= ahead.abs() < window
                call.s = call.s.clone()
                call.s[:, heads] = torch.where(allowed, call.before, -torch.inf)[:, heads]

        return Causal(before, window, **reach), [_line("mask", line, *_of(reach))]

    return case


def hide(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.s = call.s.clone()
        call.s[:, heads, :, d.key] = -torch.inf

    return Hide(d.key, **reach), [_line("hidden", line, *_of(reach))]


def hide_first(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.s = call.s.clone()
        call.s[:, heads, :, 0] = -torch.inf

    return Hide(0, **reach), [_line("hidden", line, *_of(reach))]


def normalised(name: str) -> Callable[[Drawn, dict[str, Any]], tuple[Any, list[Line]]]:
    def case(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
        def line(call: Call, heads: Any) -> None:
            call.p[:, heads] = _ROWS[name](call.masked[:, heads])

        sink = {"sink": 0.9} if name == "sink" else {}
        return Normalise(name, **sink, **reach), [_line("normalised", line, *_of(reach))]

    return case


def _softmax(s: Tensor) -> Tensor:
    return s.softmax(-1).nan_to_num(0.0)


def _sink(s: Tensor) -> Tensor:
    return torch.cat([s, torch.full_like(s[..., :1], 0.9)], -1).softmax(-1)[..., :-1]


def _sigmoid(s: Tensor) -> Tensor:
    return torch.sigmoid(s - math.log(s.shape[-1]))


def _entmax(s: Tensor) -> Tensor:
    """[s/2 − τ]₊²: the sum over the k largest keys is 1 for a τ between two of them, of the k that is right."""
    ordered = (s / 2).sort(-1, descending=True).values
    found = torch.zeros_like(s)
    for k in range(1, s.shape[-1] + 1):
        top = ordered[..., :k]
        mean, spread = top.mean(-1, keepdim=True), top.var(-1, correction=0, keepdim=True)
        tau = mean - ((1 - k * spread) / k).clamp_min(0).sqrt()
        right = (k * spread <= 1) & (top[..., -1:] > tau)
        found = torch.where(right, (s / 2 - tau).clamp_min(0).square(), found)
    return found


_ROWS: Final = MappingProxyType({"softmax": _softmax, "sink": _sink, "sigmoid": _sigmoid, "entmax": _entmax})


def mute(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.p[:, heads] = 0

    return Mute(d.layer, d.head), [_line("weights", line, [d.layer], [d.head])]


def uniform(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        allowed = (call.masked > -torch.inf)[:, heads].double()
        call.p[:, heads] = allowed / allowed.sum(-1, keepdim=True).clamp_min(1)

    return Uniform(d.layer, d.head), [_line("weights", line, [d.layer], [d.head])]


def replace(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.p[:, heads] = d.plain[d.like][:, [d.other]]

    return Replace(d.layer, d.head, d.like, d.other), [_line("weights", line, [d.layer], [d.head])]


def replace_in_its_layer(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.p[:, heads] = d.plain[d.layer][:, [d.other]]

    return Replace(d.layer, d.head, d.layer, d.other), [_line("weights", line, [d.layer], [d.head])]


def mean(d: Drawn, reach: dict[str, Any]) -> tuple[Any, list[Line]]:
    def line(call: Call, heads: Any) -> None:
        call.z[:, heads] = torch.tensor(d.z, dtype=call.z.dtype)

    return Mean(d.layer, d.head, d.z), [_line("output", line, [d.layer], [d.head])]


REACHING: Final = MappingProxyType(
    {
        "factor": factor, "qk_norm": qk_norm, "softcap": softcap, "log_n": log_n, "treatments": all_treatments,
        "causal": causal(True, None), "not causal": causal(False, None), "window": causal(False, 2),
        "causal window": causal(True, 3), "hide": hide, "hide the first": hide_first,
        **{name: normalised(name) for name in _ROWS},
    }
)  # fmt: skip
"""Changes that reach heads of layers."""
OF_A_HEAD: Final = MappingProxyType(
    {
        "mute": mute, "uniform": uniform, "replace": replace, "replace in its layer": replace_in_its_layer,
        "mean": mean,
    }
)  # fmt: skip
"""Changes of one head."""
