"""Small random models in folders, with tokenizers that are built here. Nothing is fetched."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tests.attention_core.models.pieces import VOCABULARY, Pieces
from tests.attention_core.models.small_models import built

TRAINED_ON: Final = "The keys to the cabinet are naïve; the cat sees 고양이 and 강아지 and says: 'ok'.\n" * 3
CONTEXT: Final = 64

_SIZES: Final = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 17}
_BERT: Final = _SIZES | {"max_position_embeddings": CONTEXT}
_LLAMA: Final = _SIZES | {
    "hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0,
    "bos_token_id": 1, "eos_token_id": 2, "max_position_embeddings": CONTEXT,
}  # fmt: skip
_BART: Final[dict[str, Any]] = {
    "d_model": 24, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 3,
    "decoder_attention_heads": 3, "encoder_ffn_dim": 17, "decoder_ffn_dim": 17, "max_position_embeddings": CONTEXT,
}  # fmt: skip


_PADDING: Final = VOCABULARY["<pad>"]


def byte_level() -> Any:
    """Return a tokenizer as GPT-2's: pieces of bytes, no special token around a text."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [TRAINED_ON],
        trainers.BpeTrainer(
            vocab_size=300, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet, show_progress=False
        ),
    )
    return hf.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|endoftext|>")


def word_pieces() -> Any:
    """Return a tokenizer as BERT's: lower case, unknown words, [CLS] before a text and [SEP] behind it."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.train_from_iterator(
        [TRAINED_ON], trainers.WordPieceTrainer(vocab_size=90, special_tokens=special, show_progress=False)
    )
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    return hf.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def with_blanks() -> Any:
    """Return a tokenizer as Llama 2's: ▁ for a blank and before a text, bytes for what it does not know, <s> first."""
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    made = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    made.train_from_iterator(
        TRAINED_ON.replace("고양이 and 강아지", "").split(),
        trainers.BpeTrainer(vocab_size=310, special_tokens=special, show_progress=False),
    )
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return hf.PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


def _model(kind: str, config: str, **settings: Any) -> Callable[[], Any]:
    return lambda: built(getattr(hf, kind), getattr(hf, config)(**{"vocab_size": 320} | settings))


def _steered(make: Callable[[], Any], **settings: Any) -> Callable[[], Any]:
    """Return what builds a model with such settings of its writing."""

    def made() -> Any:
        model = make()
        model.generation_config.update(**settings)
        return model

    return made


MODELS: Final[Mapping[str, Callable[[], Any]]] = MappingProxyType(
    {
        "gpt2": _model(
            "GPT2LMHeadModel", "GPT2Config", n_embd=24, n_layer=2, n_head=3, n_positions=CONTEXT, bos_token_id=0,
            eos_token_id=0,
        ),
        "bert": _model("BertForMaskedLM", "BertConfig", **_BERT),
        "roberta": _model("RobertaModel", "RobertaConfig", **_BERT, pad_token_id=1),
        "llama": _model("LlamaForCausalLM", "LlamaConfig", **_LLAMA),
        "cohere": _model("CohereForCausalLM", "CohereConfig", **_LLAMA),
        "glm": _model("GlmForCausalLM", "GlmConfig", **_LLAMA, partial_rotary_factor=0.5),
        "neox": _model(
            "GPTNeoXForCausalLM", "GPTNeoXConfig", **_BERT | {"hidden_size": 48}, rotary_pct=0.25
        ),
        "deepseek": _model(
            "DeepseekV3ForCausalLM", "DeepseekV3Config",
            **{key: one for key, one in _LLAMA.items() if key != "head_dim"} | {"num_key_value_heads": 6},
            q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=4, qk_nope_head_dim=8, v_head_dim=6, n_routed_experts=4,
            num_experts_per_tok=2, n_group=2, topk_group=1, moe_intermediate_size=13, first_k_dense_replace=1,
        ),
        "gptj": _model(
            "GPTJForCausalLM", "GPTJConfig", n_embd=24, n_layer=2, n_head=3, n_positions=CONTEXT, rotary_dim=4
        ),
    }
)  # fmt: skip
"""Models of one text."""

PAIRS: Final[Mapping[str, Callable[[], Any]]] = MappingProxyType(
    {
        "t5": _model(
            "T5ForConditionalGeneration", "T5Config", d_model=24, d_kv=8, d_ff=17, num_layers=2, num_heads=3,
            decoder_start_token_id=0,
        ),
        "bart": _model("BartForConditionalGeneration", "BartConfig", **_BART),
        "mbart": _steered(
            _model("MBartForConditionalGeneration", "MBartConfig", **_BART, decoder_start_token_id=2),
            forced_bos_token_id=40,
        ),
        "marian": _steered(
            _model(
                "MarianMTModel", "MarianConfig", **_BART, vocab_size=len(VOCABULARY), decoder_start_token_id=_PADDING,
                pad_token_id=_PADDING, eos_token_id=0,
            ),
            bad_words_ids=[[_PADDING]],
        ),
    }
)  # fmt: skip
"""Models with a decoder beside their encoder."""

HEARD: Final = 100
"""Positions of a sound: two seconds."""
_WHISPER: Final[dict[str, Any]] = {
    "num_mel_bins": 8, "max_source_positions": HEARD, "max_target_positions": CONTEXT, "decoder_start_token_id": 3,
    "eos_token_id": 0, "pad_token_id": 0, "bos_token_id": 0,
} | {name: one for name, one in _BART.items() if name != "max_position_embeddings"}  # fmt: skip


def write_whisper(root: Path, name: str = "whisper", positions: int = HEARD, **settings: Any) -> Path:
    """Write a small speech model with the settings of its features."""
    sizes: dict[str, Any] = {**_WHISPER, "max_source_positions": positions}
    config = hf.WhisperConfig(vocab_size=320, **sizes)
    model = built(hf.WhisperForConditionalGeneration, config)
    model.save_pretrained(root / name)
    byte_level().save_pretrained(root / name)
    path = root / name / "generation_config.json"
    rules = {"suppress_tokens": [7, 8], "begin_suppress_tokens": [9], "forced_decoder_ids": [[1, 5], [2, 6]]}
    path.write_text(json.dumps(json.loads(path.read_text()) | rules))
    features = {
        "feature_size": 8,
        "sampling_rate": 16000,
        "hop_length": 160,
        "n_fft": 400,
        "chunk_length": positions // 50,
    }
    made = {"feature_extractor_type": "WhisperFeatureExtractor", "return_attention_mask": False} | features | settings
    (root / name / "preprocessor_config.json").write_text(json.dumps(made))
    return root / name


def reloaded(path: Path) -> Any:
    """Return a model as transformers loads it, with eager attention."""
    kind = getattr(hf, json.loads((path / "config.json").read_text())["architectures"][0])
    return kind.from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()


def write(root: Path, name: str, model: Any = None, tokenizer: Any = None) -> Path:
    """Write a model and its tokenizer as a subfolder; `name` is one of `MODELS` or `PAIRS` if no model is given."""
    ({**MODELS, **PAIRS}[name]() if model is None else model).save_pretrained(root / name)
    usual = Pieces() if name == "marian" else byte_level()
    (usual if tokenizer is None else tokenizer).save_pretrained(root / name)
    return root / name
