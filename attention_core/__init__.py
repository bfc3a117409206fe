"""Attention of *Attention Is All You Need*, section 3.2, with every intermediate kept.

>>> result = compute(AttentionConfig(n=32, h=8, d_k=64, seed=0))
>>> tuple(result.weights.shape)
(8, 32, 32)
"""

from attention_core.blocks.histogram import ScoreHistogram
from attention_core.blocks.overview import attention_overview
from attention_core.blocks.overview_accumulator import Overview
from attention_core.blocks.row_statistics import ROW_STATISTICS, RowStatistic
from attention_core.blocks.statistics import (
    AttentionStatistics,
    Step,
    additive_attention_statistics,
    attention_passes,
    attention_statistics,
)
from attention_core.blocks.tiles import additive_attention_tile, attention_tile
from attention_core.cancellation import checkpoint, stopping, stopping_each
from attention_core.config import BOUNDS, CHOICES, AttentionConfig, Bound
from attention_core.errors import Cancelled, InvalidInput
from attention_core.exact.attention import (
    Attention,
    additive_attention,
    dot_product_attention,
    scaled_dot_product_attention,
)
from attention_core.exact.jacobian import softmax_jacobian
from attention_core.exact.multi_head import MultiHeadAttention, multi_head_attention
from attention_core.inputs.random_streams import draw
from attention_core.inputs.sources import draw_inputs
from attention_core.inputs.tensors import AttentionInputs
from attention_core.result.compute import compute, compute_rows
from attention_core.result.result import STAGES, AttentionResult
from attention_core.result.walk import Layer, Walk, layers, top_layer, walk
from attention_core.studies.cost import CostConfig, CostPoint, measure_costs
from attention_core.studies.cost_fit import CostRatio, PowerLaw, cost_ratio, power_law
from attention_core.studies.lengths import LengthPoint, LengthsConfig, lengths
from attention_core.studies.numerics import SoftmaxAccuracy, softmax_accuracies
from attention_core.studies.precision import FormatLoss, format_loss
from attention_core.studies.sweep import SweepConfig, SweepPoint, sweep
from attention_core.studies.temperature import Temperature, temperature
from attention_core.text import tokens

__version__ = "0.1.0"

__all__ = [
    "BOUNDS",
    "CHOICES",
    "ROW_STATISTICS",
    "STAGES",
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
    "FormatLoss",
    "InvalidInput",
    "Layer",
    "LengthPoint",
    "LengthsConfig",
    "MultiHeadAttention",
    "Overview",
    "PowerLaw",
    "RowStatistic",
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
    "format_loss",
    "layers",
    "lengths",
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
