"""Only listed modules compute a softmax themselves; every other one asks the normalisation of a config."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

OF_A_SOFTMAX = {
    *("softmax", "log_softmax", "logsumexp", "masked_softmax", "zero_where", "softmax_steps", "softmax_jacobian"),
    *("row_sums", "jacobian_of_scores", "SummedRows", "weigh_in_format", "weighed_rows", "statistics_of"),
}
"""Calls whose result is a softmax's, or is made of its sums."""

MODULES = {
    "attention_core/exact/softmax.py": "the softmax",
    "attention_core/exact/jacobian.py": "its Jacobian",
    "attention_core/exact/formats.py": "its steps in a number format",
    "attention_core/exact/sunk_rows.py": "a softmax with one more outcome",
    "attention_core/exact/weighed_rows.py": "the rows of its weights in a number format",
    "attention_core/blocks/weighing.py": "its sums in a pass",
    "attention_core/normalisations/softmax.py": "the softmax as a value",
    "attention_core/normalisations/sink.py": "a softmax with one more outcome",
    "attention_core/result/compute.py": "asks before it streams and before a number format",
    "attention_core/sharded/block.py": "asks",
    "attention_core/studies/temperature.py": "asks",
    "attention_core/studies/numerics.py": "studies softmaxes of scores that it is given",
    "attention_core/studies/score_gradient.py": "is defined by equation 1",
    "attention_core/studies/sweep.py": "is defined by equation 1",
    "attention_core/studies/contenders.py": "is defined by equation 1",
    "attention_core/experiments/measures.py": "trains models of equation 1",
    "attention_core/experiments/heads_model.py": "trains models of equation 1",
    "attention_core/experiments/models.py": "trains models of equation 1",
    "attention_core/changes/attending.py": "the shipped model's own, before a change puts another in its place",
    "attention_core/models/kernels.py": "writes torch's fused attention out, which hands no weights over",
    "attention_core/models/recorder.py": "asks a changed call for what a model's own becomes",
    "attention_core/learned/says.py": "the words after a token, of a model's last layer",
}
"""Why each of these may."""


def calls(source: str) -> set[str]:
    """Return the names of the functions that a source calls."""
    called = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in called}


@pytest.mark.slow
@pytest.mark.parametrize("package", ["attention_core", "visualiser"])
def test_only_listed_modules_compute_a_softmax(package: str) -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / package).rglob("*.py")
        if calls(path.read_text(encoding="utf-8")) & OF_A_SOFTMAX
    }
    assert found == {module for module in MODULES if module.startswith(package)}


def test_a_softmax_is_found_however_it_is_called() -> None:
    assert calls("import torch\nx.softmax(-1)\ntorch.softmax(x, -1)\nmasked_softmax(x)") >= {
        "softmax",
        "masked_softmax",
    }
