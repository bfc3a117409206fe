"""The walk's arithmetic, written by a script, against every tensor that Python sends."""

from typing import Any

import pytest

from attention_core import AttentionConfig, layers
from attention_core.result.walk import weighing_of
from tests.in_node import in_node
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.tensors import tensors, tree

TEXT = {"source": "text", "text": "one two three four two", "d_model": 6, "h": 3, "d_k": 7}
CONFIGS = [
    AttentionConfig(**TEXT),
    AttentionConfig(**TEXT, scaling="d_k", mask="causal"),
    AttentionConfig(**TEXT, mechanism="additive", mask="window", window=1),
    AttentionConfig(n=5, d_model=6, h=3, d_k=7, scaling="custom", scale=0.3),
    AttentionConfig(**TEXT, qk_norm=True, log_n=True),
    AttentionConfig(**TEXT, qk_norm=True, mechanism="additive", mask="causal"),
    AttentionConfig(**TEXT, normalisation="sink", sink=0.7, softcap=1.5, mask="causal"),
    AttentionConfig(**TEXT, normalisation="sink", sink=-4.0, mechanism="additive"),
    AttentionConfig(**TEXT, normalisation="sigmoid", softcap=0.5, mask="window", window=1, qk_norm=True),
    AttentionConfig(**TEXT, normalisation="entmax", scaling="none", softcap=2.0),
    AttentionConfig(**TEXT, normalisation="entmax", mechanism="additive", mask="causal"),
]
CASES = [(config, number) for config in CONFIGS for number in (1, 2)]

WORST = """(m, walks) => walks.map((walked) => {
  for (const tensor of Object.values(walked.tensors)) tensor.values = tensor.values.map(Number);
  const worst = {};
  for (const [name, tensor] of Object.entries(walked.tensors)) {
    if (name.startsWith("all_") || name === "tanh_all") continue;
    worst[name] = 0;
    for (let row = 0; row < tensor.rows; row += 1) for (let column = 0; column < tensor.columns; column += 1) {
      const value = tensor.values[row * tensor.columns + column];
      const made = m.arithmetic(walked, name, row, column);
      if (!made) { worst[name] = "nothing"; continue; }
      if (made.value !== value) worst[name] = Math.max(worst[name], Math.abs(made.value - value));
    }
  }
  return worst;
})"""


def walked(config: AttentionConfig, number: int, row: int, head: int) -> dict[str, Any]:
    layer = layers(config, number)[-1]
    sent = tree(tensors(layer, row, head))
    for tensor in sent.values():  # JSON has no infinity; JavaScript turns the string back into a number
        tensor["values"] = [str(value).replace("inf", "Infinity") for value in tensor["values"].flatten().tolist()]
    return {
        "tensors": sent, "sizes": walk_steps.sizes(config), "row": row, "head": head, "layer": number,
        "mechanism": config.mechanism, "scaling": config.scaling, "factor": config.factor,
        "normalisation": config.normalisation, "sink": config.sink, "softcap": config.softcap,
        **({"log_n": 32} if config.log_n else {}),
    }  # fmt: skip


@pytest.mark.slow
def test_the_arithmetic_gives_every_number_of_every_tensor() -> None:
    walks = [walked(config, number, 3, 2) for config, number in CASES]
    for (config, number), worst in zip(CASES, in_node("pages/anatomy/arithmetic", WORST, walks), strict=True):
        case = (config, number)
        assert set(weighing_of(config).formulas) <= worst.keys(), case
        assert ("capped" in worst) == (config.softcap > 0), case
        assert ("normed_q" in worst) == config.qk_norm, case
        names = {"Q", "scores", "masked", "weights", "weighted", "head", "concatenation", "output"}
        assert names <= worst.keys(), case
        # NaN, which JSON writes as null, is no number
        far = {name: error for name, error in worst.items() if not isinstance(error, float | int) or error > 2e-6}
        assert far == {}, case
