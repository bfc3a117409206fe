"""Small random vision-language models in folders, each with a tokenizer and a processor that are built here."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch
import transformers as hf

from attention_core.models.pictured.processor import telling
from tests.attention_core.models.small_folders import byte_level
from tests.attention_core.models.small_models import built

VOCABULARY: Final = 340
TEMPLATE: Final = (
    "{% for message in messages %}{{ message['role'] }}: {% for one in message['content'] %}"
    "{% if one['type'] == 'image' %}<image>{% else %}{{ one['text'] }}{% endif %}{% endfor %}{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}ok:{% endif %}"
)

_TEXT: Final[dict[str, Any]] = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 17, "max_position_embeddings": 2048,
    "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
_VISION: Final[dict[str, Any]] = {
    "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 17,
}  # fmt: skip


def tokenizer(*special: str) -> Any:
    """Return a tokenizer with the tokens of a picture."""
    made = byte_level()
    made.add_special_tokens({"additional_special_tokens": list(special)})
    return made


def _config(kind: str, **settings: Any) -> Any:
    return getattr(hf, kind)(**settings)


def _llava() -> tuple[Any, Any, Any]:
    """Pictures cut to their middle, a class token left out, a decoder of Llama."""
    words = tokenizer("<image>")
    pictures = hf.CLIPImageProcessorPil(size={"shortest_edge": 20}, crop_size={"height": 20, "width": 20})
    config = _config(
        "LlavaConfig",
        vision_config=hf.CLIPVisionConfig(**_VISION, image_size=20, patch_size=4),
        text_config=hf.LlamaConfig(**_TEXT), image_token_id=words.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    processor = telling(hf.LlavaProcessor)(
        pictures, words, patch_size=4, vision_feature_select_strategy="default", num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )  # fmt: skip
    return built(hf.LlavaForConditionalGeneration, config), processor, words


def _qwen() -> tuple[Any, Any, Any]:
    """Pictures of any size, four patches to a position, places in three directions."""
    words = tokenizer("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
    pictures = hf.Qwen2VLImageProcessorPil(patch_size=4, merge_size=2, size={"shortest_edge": 64, "longest_edge": 4096})
    ids = {
        f"{name}_token_id": words.convert_tokens_to_ids(f"<|{written}|>")
        for name, written in (
            ("image", "image_pad"), ("video", "video_pad"),
            ("vision_start", "vision_start"), ("vision_end", "vision_end"),
        )
    }  # fmt: skip
    text = {name: one for name, one in _TEXT.items() if name != "head_dim"}
    config = _config(
        "Qwen2VLConfig",
        text_config=text | {"rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 1e4}},
        vision_config={
            "depth": 2, "embed_dim": 24, "num_heads": 3, "mlp_ratio": 2, "hidden_size": 32, "patch_size": 4,
            "spatial_merge_size": 2, "temporal_patch_size": 2, "in_channels": 3,
        },
        **ids,
    )  # fmt: skip
    processor = telling(hf.Qwen2VLProcessor)(pictures, words, None)
    return built(hf.Qwen2VLForConditionalGeneration, config), processor, words


def _idefics() -> tuple[Any, Any, Any]:
    """Pictures cut into tiles, and the whole once more."""
    marks = [f"<row_{row}_col_{column}>" for row in (1, 2, 3) for column in (1, 2, 3)]
    words = tokenizer("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", *marks)
    pictures = hf.Idefics3ImageProcessorPil(size={"longest_edge": 48}, max_image_size={"longest_edge": 16})
    config = _config(
        "Idefics3Config",
        vision_config={**_VISION, "image_size": 16, "patch_size": 2}, text_config=hf.LlamaConfig(**_TEXT),
        scale_factor=2, image_token_id=words.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    processor = telling(hf.Idefics3Processor)(pictures, words, image_seq_len=16)
    return built(hf.Idefics3ForConditionalGeneration, config), processor, words


def _paligemma() -> tuple[Any, Any, Any]:
    """A prefix that reads itself both ways."""
    words = tokenizer("<image>")
    words.bos_token = "<|endoftext|>"
    pictures: Any = hf.SiglipImageProcessorPil(size={"height": 16, "width": 16})
    pictures.image_seq_length = 16
    processor = telling(hf.PaliGemmaProcessor)(pictures, words)
    config = _config(
        "PaliGemmaConfig",
        vision_config={
            **_VISION, "image_size": 16, "patch_size": 4, "projection_dim": 32, "model_type": "siglip_vision_model",
        },
        text_config={**_TEXT, "model_type": "gemma", "vocab_size": len(words)}, projection_dim=32, hidden_size=32,
        image_token_id=words.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    return built(hf.PaliGemmaForConditionalGeneration, config), processor, words


FAMILIES: Final[Mapping[str, Callable[[], tuple[Any, Any, Any]]]] = MappingProxyType(
    {"llava": _llava, "qwen2_vl": _qwen, "idefics3": _idefics, "paligemma": _paligemma}
)


def write(root: Path, name: str) -> Path:
    """Write a family's model, its tokenizer and its processor as a subfolder."""
    model, processor, words = FAMILIES[name]()
    folder = root / name
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    processor.image_processor.save_pretrained(folder)
    settings = {
        key: one for key, one in vars(processor).items() if isinstance(one, (int, str)) and key != "chat_template"
    }
    kept = {"processor_class": type(processor).__mro__[1].__name__, **settings}
    (folder / "processor_config.json").write_text(json.dumps(kept))
    if processor.chat_template:
        (folder / "chat_template.jinja").write_text(processor.chat_template)
    return folder


def coloured(rows: int, columns: int, seed: int = 0) -> torch.Tensor:
    """Return the pixels of a picture of noise."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (rows, columns, 3), generator=generator, dtype=torch.uint8)
