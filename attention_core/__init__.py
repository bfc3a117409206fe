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
from attention_core.cancellation import checkpoint, stopping, stopping_each
from attention_core.canvas import Overview
from attention_core.compute import compute, compute_rows
from attention_core.config import BOUNDS, CHOICES, AttentionConfig, Bound
from attention_core.cost import CostConfig, CostPoint, measure_costs
from attention_core.cost_fit import CostRatio, PowerLaw, cost_ratio, power_law
from attention_core.draws import draw
from attention_core.errors import Cancelled, InvalidInput
from attention_core.histogram import ScoreHistogram
from attention_core.inputs import AttentionInputs
from attention_core.multi_head import MultiHeadAttention, multi_head_attention
from attention_core.numerics import SoftmaxAccuracy, softmax_accuracies
from attention_core.overview import attention_overview
from attention_core.result import AttentionResult
from attention_core.softmax import softmax_jacobian
from attention_core.sources import draw_inputs
from attention_core.statistics import (
    AttentionStatistics,
    Step,
    additive_attention_statistics,
    attention_passes,
    attention_statistics,
)
from attention_core.sweep import SweepConfig, SweepPoint, sweep
from attention_core.temperature import Temperature, temperature
from attention_core.text import tokens
from attention_core.tiles import additive_attention_tile, attention_tile
from attention_core.walk import Layer, Walk, layers, top_layer, walk

__all__ = [
    "BOUNDS",
    "CHOICES",
    "Attention",
    "AttentionConfig",
    "AttentionInputs",
    "AttentionResult",
    "AttentionStatistics",
    "Bound",
    "Cancelled",
    "CostConfig",
    "CostPoint",
    "CostRatio",
    "InvalidInput",
    "Layer",
    "MultiHeadAttention",
    "Overview",
    "PowerLaw",
    "ScoreHistogram",
    "SoftmaxAccuracy",
    "Step",
    "SweepConfig",
    "SweepPoint",
    "Temperature",
    "Walk",
    "additive_attention",
    "additive_attention_statistics",
    "additive_attention_tile",
    "attention_overview",
    "attention_passes",
    "attention_statistics",
    "attention_tile",
    "checkpoint",
    "compute",
    "compute_rows",
    "cost_ratio",
    "dot_product_attention",
    "draw",
    "draw_inputs",
    "layers",
    "measure_costs",
    "multi_head_attention",
    "power_law",
    "scaled_dot_product_attention",
    "softmax_accuracies",
    "softmax_jacobian",
    "stopping",
    "stopping_each",
    "sweep",
    "temperature",
    "tokens",
    "top_layer",
    "walk",
]
