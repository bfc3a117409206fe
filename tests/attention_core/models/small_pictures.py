"""Small random vision models in folders, with the settings of their pictures. Nothing is fetched."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import transformers as hf

from tests.attention_core.models.small_models import built

_SIZES: Final = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 17}
_TEXT: Final = _SIZES | {"vocab_size": 31, "max_position_embeddings": 13}
_SIDE: Final = {"image_size": 20, "patch_size": 4}


def _of(model: str, config: str, **settings: Any) -> Callable[[], Any]:
    return lambda: built(getattr(hf, model), getattr(hf, config)(**settings))


def _square(side: int, kind: str = "ViTImageProcessorPil") -> Callable[[], Any]:
    return lambda: getattr(hf, kind)(size={"height": side, "width": side})


def _cropped(shortest: int, side: int) -> Callable[[], Any]:
    return lambda: hf.CLIPImageProcessorPil(size={"shortest_edge": shortest}, crop_size={"height": side, "width": side})


def _compared(model: str, config: str, **vision: Any) -> Callable[[], Any]:
    return _of(model, config, vision_config=_SIZES | vision, text_config=_TEXT)


VISION: Final[Mapping[str, tuple[Callable[[], Any], Callable[[], Any]]]] = MappingProxyType(
    {
        "vit": (_of("ViTForImageClassification", "ViTConfig", **_SIZES, **_SIDE), _square(20)),
        "deit": (_of("DeiTModel", "DeiTConfig", **_SIZES, **_SIDE), _square(20)),
        "dinov2": (
            _of("Dinov2WithRegistersModel", "Dinov2WithRegistersConfig", **_SIZES, image_size=21, patch_size=7,
                num_register_tokens=3),
            lambda: hf.BitImageProcessorPil(size={"shortest_edge": 35}, do_center_crop=False),
        ),
        "dinov3": (_of("DINOv3ViTModel", "DINOv3ViTConfig", **_SIZES, **_SIDE), _square(20)),
        "clip": (_compared("CLIPModel", "CLIPConfig", **_SIDE), _cropped(24, 20)),
        "clip_tower": (_of("CLIPVisionModel", "CLIPVisionConfig", **_SIZES, **_SIDE), _cropped(24, 20)),
        "siglip": (
            _compared("SiglipModel", "SiglipConfig", image_size=23, patch_size=4),
            _square(23, "SiglipImageProcessorPil"),
        ),
        "beit": (_of("BeitModel", "BeitConfig", **_SIZES, **_SIDE), _square(20, "BeitImageProcessorPil")),
        "swin": (
            _of("SwinModel", "SwinConfig", image_size=40, patch_size=2, embed_dim=12, depths=[2, 2], num_heads=[2, 3],
                window_size=4),
            _square(40),
        ),
    }
)  # fmt: skip
"""What builds a model, and its image processor."""


def write(root: Path, name: str, model: Any = None, processor: Any = None) -> Path:
    """Write a model and its image processor as a subfolder; those of `VISION` unless others are given."""
    build, prepare = VISION.get(name, (None, None))
    made: tuple[Any, Any] = (
        build() if model is None and build else model,
        prepare() if processor is None and prepare else processor,
    )
    for one in made:
        one.save_pretrained(root / name)
    return root / name
