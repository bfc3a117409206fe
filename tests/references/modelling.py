"""Attention of real architectures on random weights: the modelling code of gpt-oss, Gemma 2 and Qwen 3 in transformers.

Each model is small, runs in float64 with its own eager attention, and has a layer with a sliding window beside a
causal one. What its attention is called with is read at `eager_attention_forward` of its file, after the rotation by
positions; nothing of a model is written anew here. gpt-oss has its softmax in float64, Gemma 2 and Qwen 3 in float32
whatever they get, and Qwen 3 its norms as well.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType, ModuleType
from typing import Any, Final
from unittest import mock

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer's attention: Q (h × n × d_k), K and V of as many heads or fewer, and what the model made of them.

    With `qk_norm` Q and K are those before their norms, rotated as the model rotates them after these: a rotation
    keeps the length.
    """

    name: str
    Q: Tensor
    K: Tensor
    V: Tensor
    scale: float
    window: int | None
    """The keys that a query sees, its own included; None for all before it."""
    softcap: float
    sinks: Tensor | None
    """b of each head."""
    qk_norm: bool
    weights: Tensor
    output: Tensor
    unit: float
    """The unit roundoff of what the model makes with a normalisation: 2⁻⁵³ or 2⁻²⁴."""


@dataclass(frozen=True)
class Sizes:
    """What is drawn for a model. `loud` is about the standard deviation of the components of q and k."""

    n: int
    d_k: int
    groups: int
    shared: int
    window: int
    loud: float
    seed: int

    def settings(self) -> dict[str, Any]:
        """Return what the configurations of transformers have in common."""
        h = self.groups * self.shared
        return {
            "vocab_size": 8, "hidden_size": h * self.d_k, "intermediate_size": 16, "num_hidden_layers": 2,
            "num_attention_heads": h, "num_key_value_heads": self.groups, "head_dim": self.d_k,
            "sliding_window": self.window, "attn_implementation": "eager", "pad_token_id": None,
        }  # fmt: skip


def drawn(seed: int) -> Sizes:
    """Return sizes that depend on the seed alone."""
    draws = Random(seed)
    return Sizes(
        n=draws.choice((2, 5, 11, 23)),
        d_k=draws.choice((2, 8, 16, 64)),
        groups=draws.choice((1, 2)),
        shared=draws.choice((1, 3)),
        window=draws.choice((1, 2, 4, 8)),
        loud=draws.choice((0.3, 1.0, 1.0, 3.0)),
        seed=seed,
    )


def gpt_oss(sizes: Sizes) -> list[Layer]:
    """Return the layers of a gpt-oss: a learned sink in each head."""
    from transformers.models.gpt_oss import GptOssConfig, modeling_gpt_oss

    mixture = {"num_local_experts": 2, "num_experts_per_tok": 1, "experts_implementation": "eager"}
    config = GptOssConfig(**sizes.settings() | mixture)
    return _run("gpt-oss", modeling_gpt_oss, modeling_gpt_oss.GptOssModel(config), sizes)


def gemma_2(sizes: Sizes) -> list[Layer]:
    """Return the layers of a Gemma 2: a softcap, and a factor that is not 1/√d_k."""
    from transformers.models.gemma2 import Gemma2Config, modeling_gemma2

    draws = Random(sizes.seed)
    config = Gemma2Config(
        **sizes.settings(),
        query_pre_attn_scalar=draws.choice((1, 7, 224)),
        attn_logit_softcapping=draws.choice((0.5, 5.0, 50.0)),
    )
    return _run("Gemma 2", modeling_gemma2, modeling_gemma2.Gemma2Model(config), sizes)


def qwen_3(sizes: Sizes, eps: float = 0.0) -> list[Layer]:
    """Return the layers of a Qwen 3: RMSNorm of each q and k, here with unit gains, and ε under the root."""
    from transformers.models.qwen3 import Qwen3Config, modeling_qwen3

    config = Qwen3Config(**sizes.settings(), use_sliding_window=True, max_window_layers=1, rms_norm_eps=eps)
    model: Any = modeling_qwen3.Qwen3Model(config)
    rotate: Any = modeling_qwen3.apply_rotary_pos_emb
    norms = [(layer.self_attn.q_norm, layer.self_attn.k_norm) for layer in model.layers]
    before: dict[Any, Tensor] = {}
    rotations = []
    for pair in norms:
        for norm in pair:
            norm.weight.data.fill_(1.0)
            norm.register_forward_pre_hook(lambda norm, given: before.update({norm: given[0]}))
    model.rotary_emb.register_forward_hook(lambda module, given, made: rotations.append(made))
    layers = _run("Qwen 3", modeling_qwen3, model, sizes)
    ((cos, sin),) = rotations
    raw = [rotate(*(before[norm].transpose(1, 2) for norm in pair), cos, sin) for pair in norms]
    return [_unnormed(layer, Q[0], K[0]) for layer, (Q, K) in zip(layers, raw, strict=True)]


MODELS: Final[Mapping[str, Callable[[Sizes], list[Layer]]]] = MappingProxyType(
    {"gpt-oss": gpt_oss, "Gemma 2": gemma_2, "Qwen 3": qwen_3}
)


def layers_of(count: int, seed: int = 0) -> Iterator[Layer]:
    """Yield the layers of `count` models of each kind."""
    for make in MODELS.values():
        for at in range(count):
            yield from make(drawn(1000 * seed + at))


def _unnormed(layer: Layer, Q: Tensor, K: Tensor) -> Layer:
    return Layer(**{**vars(layer), "Q": Q, "K": K, "qk_norm": True})


@torch.no_grad()
def _run(name: str, modelling: ModuleType, model: Any, sizes: Sizes) -> list[Layer]:
    """Draw the weights, run the model once, and return what its attention was called with and what it returned."""
    generator = torch.Generator().manual_seed(sizes.seed)
    model = model.double().eval()
    for key, weights in model.named_parameters():
        if weights.dim() > 1:
            loud = sizes.loud if "q_proj" in key or "k_proj" in key else 1.0
            weights.normal_(0, loud / weights.shape[-1] ** 0.5, generator=generator)
        elif "norm" not in key:
            weights.normal_(0, 1, generator=generator)
        if "sinks" in key:
            weights.mul_(4).clamp_(-16, 16)
    X = torch.randn(1, sizes.n, model.config.hidden_size, generator=generator, dtype=torch.float64)
    calls: list[dict[str, Any]] = []
    own = modelling.eager_attention_forward

    def tapped(module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, **settings: Any) -> Any:
        output, weights = own(module, query, key, value, mask, **settings)
        calls.append({"given": (query, key, value), "made": (output, weights), **settings})
        return output, weights

    with mock.patch.object(modelling, "eager_attention_forward", tapped):
        returned = model(inputs_embeds=X, output_attentions=True, use_cache=False).attentions
    found = []
    for call, weights in zip(calls, returned, strict=True):
        if not torch.equal(call["made"][1], weights):
            raise AssertionError("what the model returns is what its attention made")
        Q, K, V = (tensor[0] for tensor in call["given"])
        sinks = call.get("s_aux")
        window = call["sliding_window"]
        found.append(
            Layer(
                name=f"{name}, {'causal' if window is None else f'window {window}'}, seed {sizes.seed}",
                Q=Q,
                K=K,
                V=V,
                scale=call["scaling"],
                window=window,
                softcap=call.get("softcap", 0.0),
                sinks=None if sinks is None else sinks.detach(),
                qk_norm=False,
                weights=weights[0],
                output=call["made"][0][0].transpose(0, 1),
                unit=2.0**-24 if sinks is None else 2.0**-53,
            )
        )
    return found
