"""Public names of the package, and modules that it must not load."""

import math
import subprocess
import sys
import time

import pytest

import attention_core
import attention_core.language
from tests.signatures import defaults


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


def test_public_names_of_the_language_model_are_pinned():
    assert attention_core.language.__all__ == [
        "BEGINNING",
        "CONTEXT",
        "MEASURES",
        "NUMBERED",
        "SHOWN",
        "STATED",
        "WORDS",
        "Document",
        "Evaluation",
        "LanguageFile",
        "LanguageModel",
        "LanguagePass",
        "LayerPass",
        "Place",
        "Reading",
        "corpus",
        "documents",
        "evaluate",
        "induction_keys",
        "load",
        "read",
        "scores",
        "shipped",
    ]
    assert all(hasattr(attention_core.language, name) for name in attention_core.language.__all__)


def test_every_public_name_is_there():
    assert all(hasattr(attention_core, name) for name in attention_core.__all__)


def test_what_a_caller_leaves_out_is_pinned():
    """Notebooks leave these settings out; those of a config have tests of their own."""
    found = defaults(attention_core)
    configs = {name for name in found if name.endswith("Config")}
    assert configs == {"AttentionConfig", "CostConfig", "LengthsConfig", "SweepConfig"}
    assert found["multi_head_attention"].pop("attention") is attention_core.scaled_dot_product_attention
    assert found["measure_costs"].pop("clock") is time.perf_counter
    assert found["temperature"].pop("factors") == FACTORS
    assert {name: left_out for name, left_out in found.items() if name not in configs} == LEFT_OUT


FACTORS = tuple(2.0 ** (quarter / 4) for quarter in range(-48, 17))
MASKED = {"causal": False, "window": None, "mask": None}
SUMMED = {"histogram": None, "overview": None, "device": None, "block": None}
WEIGHED = {"softcap": None, "sink": None, "sigmoid": False}
WATCHED = {"progress": None, "cancelled": None}
LEFT_OUT = {
    "AttentionInputs": dict.fromkeys(("tokens", "X", "W_Q", "W_K", "W_V", "W_O", "trained", "line")),
    "AttentionStatistics": {"histogram": None, "overview": None},
    "Bound": {"step": 1},
    "Cancelled": {"done": None, "total": None},
    "CostPoint": {"seconds": None, "fastest": None, "bytes": None, "calls": 0, "skipped": None},
    "PowerLaw": {"error": math.nan},
    "RowStatistic": {
        "summed": None, "derived": None, "empty": 0.0, "over_rows": "mean", "public": True, "common": True,
    },
    "additive_attention": {"mask": None},
    "additive_attention_statistics": {**MASKED, **SUMMED, **WATCHED},
    "additive_attention_tile": {**MASKED, "stage": "weights"},
    "attention_overview": {"logsumexp": None, "scale": None, **MASKED, "device": None, "block": None, **WEIGHED},
    "attention_passes": {"scale": None, **MASKED, **SUMMED, **WEIGHED},
    "attention_statistics": {"scale": None, **MASKED, **SUMMED, **WEIGHED, **WATCHED},
    "attention_tile": {"scale": None, **MASKED, "stage": "weights", "softcap": None, "sigmoid": False},
    "compute": {"inputs": None, "device": "auto"},
    "compute_rows": {"inputs": None, "device": "auto"},
    "dot_product_attention": {"mask": None},
    "format_loss": {"device": "cpu"},
    "measure_costs": {"device": "cpu"},
    "multi_head_attention": {"mask": None},
    "scaled_dot_product_attention": {"mask": None, "scale": None},
    "temperature": {"most_queries": 64},
    "softmax_jacobian": {"beside": None},
    "tokens": {"split": "words"},
    "walk": {"head": 1},
}  # fmt: skip


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
