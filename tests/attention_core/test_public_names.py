"""Public names of the package, and modules that it must not load."""

import subprocess
import sys

import pytest

import attention_core


def test_public_names_are_pinned():
    assert attention_core.__all__ == [
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
        "InvalidInput",
        "Layer",
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


def test_every_public_name_is_there():
    assert all(hasattr(attention_core, name) for name in attention_core.__all__)


_FRESH = """
import sys
import torch
from attention_core import AttentionConfig, InvalidInput, compute, scaled_dot_product_attention
compute(AttentionConfig(n=5)).entropy
print(sorted({"gradio", "plotly", "visualiser", "beartype"} & set(sys.modules)))
try:
    scaled_dot_product_attention(torch.zeros(3, 5), torch.zeros(2, 7), torch.zeros(2, 5))
except InvalidInput as error:
    print(error)
"""


@pytest.mark.slow
def test_a_fresh_interpreter_loads_no_page_and_checks_shapes_by_itself():
    """Neither gradio nor plotly is loaded; without the tests' type checker a wrong shape gets a sentence."""
    run = subprocess.run([sys.executable, "-c", _FRESH], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "K must be n_k × d_k = 5; got 2 × 7."]
