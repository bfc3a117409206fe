"""Attention as in *Attention Is All You Need*, section 3.2, with every intermediate kept.

>>> result = compute(AttentionConfig(n=32, h=8, d_k=64, seed=0))
>>> tuple(result.weights.shape)
(8, 32, 32)
"""

from attention_core.attention import (
    Attention,
    additive_attention,
    dot_product_attention,
    scaled_dot_product_attention,
)
from attention_core.compute import compute, compute_rows
from attention_core.config import BOUNDS, CHOICES, AttentionConfig, Bound
from attention_core.draws import draw
from attention_core.errors import InvalidInput
from attention_core.inputs import AttentionInputs
from attention_core.multi_head import MultiHeadAttention, multi_head_attention
from attention_core.result import AttentionResult
from attention_core.softmax import softmax_jacobian
from attention_core.sources import draw_inputs
from attention_core.text import tokens

__all__ = [
    "BOUNDS",
    "CHOICES",
    "Attention",
    "AttentionConfig",
    "AttentionInputs",
    "AttentionResult",
    "Bound",
    "InvalidInput",
    "MultiHeadAttention",
    "additive_attention",
    "compute",
    "compute_rows",
    "dot_product_attention",
    "draw",
    "draw_inputs",
    "multi_head_attention",
    "scaled_dot_product_attention",
    "softmax_jacobian",
    "tokens",
]
