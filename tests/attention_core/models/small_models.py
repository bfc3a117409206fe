"""Small random models of transformers, each with the inputs of one run. Nothing is read from a disk or a network."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import torch
import transformers as hf
from torch import nn

N, VOCABULARY = 11, 29
"""Tokens of a text, and symbols that its tokens are drawn from."""
Run = tuple[Any, dict[str, Any]]
"""A model in evaluation, with eager attention, and the inputs of one run."""

_BERT: Final[dict[str, Any]] = {
    "vocab_size": VOCABULARY, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
    "intermediate_size": 17, "max_position_embeddings": 31,
}  # fmt: skip
_LLAMA: Final[dict[str, Any]] = {
    "vocab_size": VOCABULARY, "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 17, "max_position_embeddings": 31,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
_GPT_2: Final[dict[str, Any]] = {
    "vocab_size": VOCABULARY, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 31,
    "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
_BART: Final[dict[str, Any]] = {
    "vocab_size": VOCABULARY, "d_model": 24, "encoder_layers": 2, "decoder_layers": 3,
    "encoder_attention_heads": 3, "decoder_attention_heads": 3, "encoder_ffn_dim": 17, "decoder_ffn_dim": 17,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}  # fmt: skip
_VIT: Final[dict[str, Any]] = {
    "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 17,
    "image_size": 12, "patch_size": 4,
}  # fmt: skip
_WINDOWS: Final[dict[str, Any]] = {
    "image_size": 32, "patch_size": 4, "window_size": 2, "embed_dim": 12, "depths": [2, 2], "num_heads": [2, 3],
}  # fmt: skip
_MIXTURE: Final[dict[str, Any]] = {
    "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "moe_intermediate_size": 13,
    "first_k_dense_replace": 1, "experts_implementation": "eager",
}  # fmt: skip
_LATENT: Final[dict[str, Any]] = {
    **{name: one for name, one in _LLAMA.items() if name != "head_dim"}, "num_key_value_heads": 6,
    "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "v_head_dim": 6,
}  # fmt: skip


def text(n: int = N, padded: int = 0, seed: int = 0) -> dict[str, Any]:
    """Return the inputs of one text, of whose keys the last `padded` are padding."""
    ids = torch.randint(3, VOCABULARY, (1, n), generator=torch.Generator().manual_seed(seed))
    mask = torch.ones(1, n, dtype=torch.long)
    if padded:
        mask[:, -padded:] = 0
    return {"input_ids": ids, "attention_mask": mask}


def picture(size: int, seed: int = 0) -> dict[str, Any]:
    """Return one picture of three colours."""
    return {"pixel_values": torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(seed))}


def built(model: type[Any], config: Any, seed: int = 1) -> Any:
    """Return the model of a configuration with random weights loud enough that no row of attention is uniform."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):  # a class token's vector stays as transformers draws it
        torch.manual_seed(seed)
        made: nn.Module = model._from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for weights in made.parameters():
            if weights.dim() > 1:
                weights.normal_(0, 2 / weights.shape[-1] ** 0.5, generator=generator)
    return made


def of_text(model: str, config: str, **settings: Any) -> Callable[[], Run]:
    """Return what builds a model of one text."""
    return lambda: (built(getattr(hf, model), getattr(hf, config)(**settings)), text())


def _encoded_and_decoded(model: str, config: str, **settings: Any) -> Callable[[], Run]:
    make = of_text(model, config, **settings)
    return lambda: (make()[0], text() | {"decoder_input_ids": text(7, seed=1)["input_ids"]})


def _whisper() -> Run:
    config = hf.WhisperConfig(**_BART, num_mel_bins=5, max_source_positions=N, max_target_positions=13)
    sound = torch.randn(1, 5, 2 * N, generator=torch.Generator().manual_seed(0))
    return built(hf.WhisperModel, config), {"input_features": sound, "decoder_input_ids": text(7)["input_ids"]}


def _clip() -> Run:
    config = hf.CLIPConfig(text_config=_BERT | {"eos_token_id": 2}, vision_config=_VIT, projection_dim=5)
    return built(hf.CLIPModel, config), text() | picture(12)


def _llava() -> Run:
    config = hf.LlavaConfig(
        vision_config=hf.CLIPVisionConfig(**_VIT, projection_dim=5),
        text_config=hf.LlamaConfig(**_LLAMA),
        image_token_index=3,
        vision_feature_layer=-1,
    )
    ids = text()["input_ids"].clamp_min(4)
    ids[:, 1:10] = 3  # nine patches of the picture
    return built(hf.LlavaForConditionalGeneration, config), {"input_ids": ids} | picture(12)


READ: Final[Mapping[str, Callable[[], Run]]] = MappingProxyType(
    {
        "BERT": of_text("BertModel", "BertConfig", **_BERT),
        "DistilBERT": of_text(
            "DistilBertModel", "DistilBertConfig", vocab_size=VOCABULARY, dim=24, n_layers=2, n_heads=3, hidden_dim=17
        ),
        "ALBERT": of_text("AlbertModel", "AlbertConfig", **_BERT, embedding_size=7),
        "ModernBERT": of_text(
            "ModernBertModel", "ModernBertConfig", **_BERT, local_attention=4, pad_token_id=0, eos_token_id=2,
            bos_token_id=1, cls_token_id=1, sep_token_id=2,
        ),
        "GPT-2": of_text("GPT2LMHeadModel", "GPT2Config", **_GPT_2),
        "OPT": of_text(
            "OPTForCausalLM", "OPTConfig", vocab_size=VOCABULARY, hidden_size=24, num_hidden_layers=2, ffn_dim=17,
            num_attention_heads=3, word_embed_proj_dim=24,
        ),
        "Llama": of_text("LlamaForCausalLM", "LlamaConfig", **_LLAMA),
        "Qwen 3": of_text(
            "Qwen3ForCausalLM", "Qwen3Config", **_LLAMA, use_sliding_window=True, sliding_window=4, max_window_layers=1
        ),
        "Qwen 3 Next": of_text(
            "Qwen3NextForCausalLM", "Qwen3NextConfig", **_LLAMA | {"num_hidden_layers": 4}, linear_num_value_heads=4,
            linear_num_key_heads=2, linear_key_head_dim=8, linear_value_head_dim=8, num_experts=4,
            num_experts_per_tok=2, moe_intermediate_size=13, shared_expert_intermediate_size=13,
            experts_implementation="eager",
        ),
        "Gemma 2": of_text(
            "Gemma2ForCausalLM", "Gemma2Config", **_LLAMA, sliding_window=4, attn_logit_softcapping=2.0,
            query_pre_attn_scalar=7,
        ),
        "Gemma 3": of_text(
            "Gemma3ForCausalLM", "Gemma3TextConfig", **_LLAMA | {"num_hidden_layers": 6}, sliding_window=4
        ),
        "Gemma 4": of_text(
            "Gemma4ForCausalLM", "Gemma4TextConfig", **_LLAMA, sliding_window=4, global_head_dim=8,
            vocab_size_per_layer_input=VOCABULARY, hidden_size_per_layer_input=5, num_kv_shared_layers=0,
        ),
        "gpt-oss": of_text(
            "GptOssForCausalLM", "GptOssConfig", **_LLAMA, sliding_window=4, num_local_experts=4,
            num_experts_per_tok=2, experts_implementation="eager",
        ),
        "DeepSeek V3": of_text("DeepseekV3ForCausalLM", "DeepseekV3Config", **_LATENT | _MIXTURE),
        "DeepSeek V3.2": of_text(
            "DeepseekV32ForCausalLM", "DeepseekV32Config", **_LATENT | _MIXTURE, index_topk=3, index_head_dim=8,
            index_n_heads=2,
        ),
        "T5": _encoded_and_decoded(
            "T5ForConditionalGeneration", "T5Config", vocab_size=VOCABULARY, d_model=24, d_kv=8, d_ff=17,
            num_layers=2, num_heads=3, decoder_start_token_id=0,
        ),
        "BART": _encoded_and_decoded("BartModel", "BartConfig", **_BART, max_position_embeddings=31),
        "Whisper": _whisper,
        "ViT": lambda: (built(hf.ViTModel, hf.ViTConfig(**_VIT)), picture(12)),
        "CLIP": _clip,
        "Swin": lambda: (built(hf.SwinModel, hf.SwinConfig(**_WINDOWS)), picture(32)),
        "LLaVA": _llava,
    }
)  # fmt: skip
"""Families that hand their queries, keys and values over."""

SEEN: Final[Mapping[str, Callable[[], Run]]] = MappingProxyType(
    {
        "GPT-J": of_text("GPTJForCausalLM", "GPTJConfig", **_GPT_2, rotary_dim=4),
        "GPT-Neo": of_text(
            "GPTNeoForCausalLM", "GPTNeoConfig", vocab_size=VOCABULARY, hidden_size=24, num_layers=2, num_heads=3,
            window_size=4, attention_types=[[["global", "local"], 1]], max_position_embeddings=31, bos_token_id=1,
            eos_token_id=2,
        ),
        "BLOOM": of_text(
            "BloomForCausalLM", "BloomConfig", vocab_size=VOCABULARY, hidden_size=24, n_layer=2, n_head=3
        ),
        "MPNet": of_text("MPNetModel", "MPNetConfig", **_BERT),
        "DeBERTa-v2": of_text(
            "DebertaV2Model", "DebertaV2Config", **_BERT, relative_attention=True, pos_att_type=["p2c", "c2p"]
        ),
        "Falcon": of_text(
            "FalconForCausalLM", "FalconConfig", vocab_size=VOCABULARY, hidden_size=24, num_hidden_layers=2,
            num_attention_heads=3, bos_token_id=1, eos_token_id=2,
        ),
        "Swin v2": lambda: (built(hf.Swinv2Model, hf.Swinv2Config(**_WINDOWS)), picture(32)),
    }
)  # fmt: skip
"""Families that attend by themselves: their scores and weights are seen, and nothing else."""
