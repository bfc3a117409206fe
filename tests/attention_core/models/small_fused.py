"""A small random vision model as timm has them: its layers ask torch for fused attention by themselves."""

from collections.abc import Sequence
from typing import Any, Final

import torch
import torch.nn.functional as F
import transformers as hf
from PIL import Image
from torch import Tensor, nn
from transformers.modeling_outputs import BaseModelOutput

from tests.attention_core.models.small_models import built

H: Final = 3
D_K: Final = 5
SIDE: Final = 20
PATCH: Final = 4


class Attention(nn.Module):
    """`mask` is handed to torch as it is; `causal` in place of it."""

    def __init__(self) -> None:
        super().__init__()
        self.num_heads, self.scale = H, D_K**-0.5
        self.qkv, self.proj = nn.Linear(H * D_K, 3 * H * D_K), nn.Linear(H * D_K, H * D_K)
        self.mask: Tensor | None = None
        self.causal = False

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, H, D_K)).permute(2, 0, 3, 1, 4)
        made = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask, is_causal=self.causal)
        return self.proj(made.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(H * D_K), Attention()

    def forward(self, x: Tensor) -> Tensor:
        return x + self.attn(self.norm(x))


class FusedConfig(hf.PretrainedConfig):
    model_type = "fused"


class FusedModel(hf.PreTrainedModel):
    config_class = FusedConfig
    main_input_name = "pixel_values"

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.patches = nn.Conv2d(3, H * D_K, PATCH, PATCH)
        self.cls_token = nn.Parameter(torch.randn(1, 1, H * D_K))
        self.blocks = nn.ModuleList([Block(), Block()])
        self.post_init()

    def forward(self, pixel_values: Tensor, **_: Any) -> Any:
        x = self.patches(pixel_values).flatten(2).mT
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1)
        for block in self.blocks:
            x = block(x)
        return BaseModelOutput(last_hidden_state=x)


class Processor:
    """As timm's: it takes pictures of Pillow, and no word about their colours' axis."""

    def preprocess(self, images: Sequence[Image.Image], return_tensors: str) -> dict[str, Tensor]:
        sized = (one.resize((SIDE, SIDE)) for one in images)
        pixels = [torch.tensor(list(one.tobytes())).reshape(SIDE, SIDE, 3) for one in sized]
        return {"pixel_values": torch.stack(pixels).permute(0, 3, 1, 2) / 127.5 - 1}


def fused() -> FusedModel:
    return built(FusedModel, FusedConfig())
