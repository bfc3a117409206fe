"""The walk's arithmetic and order, each module alone in the browser that runs it."""

from typing import Any

import pytest

from attention_core import AttentionConfig, layers
from attention_core.result.walk import weighing_of
from tests.browser.modules import Module
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.tensors import tensors, tree

TEXT = {"source": "text", "text": "one two three four two", "d_model": 6, "h": 3, "d_k": 7}


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


CHECK = """(m, walked) => {
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
}"""


@pytest.mark.parametrize(
    "config",
    [
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
    ],
)
@pytest.mark.parametrize("number", [1, 2])
def test_the_arithmetic_gives_every_number_of_every_tensor(
    module: Module, config: AttentionConfig, number: int
) -> None:
    worst = module("pages/anatomy/arithmetic", CHECK, walked(config, number, 3, 2))
    assert set(weighing_of(config).formulas) <= worst.keys()
    assert ("capped" in worst) == (config.softcap > 0)
    assert ("normed_q" in worst) == config.qk_norm
    assert {"Q", "scores", "masked", "weights", "weighted", "head", "concatenation", "output"} <= worst.keys()
    assert {name: error for name, error in worst.items() if not isinstance(error, float | int) or error > 2e-6} == {}


def test_the_arithmetic_is_written_as_one_would_write_it(module: Module) -> None:
    given = {
        "tensors": {
            "Q": {"values": [2, -3], "rows": 1, "columns": 2, "block": [1, 1]},
            "K": {"values": [0.5, 4], "rows": 1, "columns": 2, "block": [1, 1]},
            "scores": {"values": [-11], "rows": 1, "columns": 1, "block": [1, 1]},
            "scaled": {"values": [-5.5], "rows": 1, "columns": 1, "block": [1, 1]},
        },
        "sizes": {"n": 1, "d_model": 2, "d_k": 2, "d_v": 2, "h": 1, "h·d_v": 2},
        "row": 0, "head": 1, "layer": 1, "mechanism": "dot_product", "scaling": "custom", "factor": 0.5,
    }  # fmt: skip
    written = "(m, walked) => ['scores', 'scaled', 'Q'].map((name) => m.arithmetic(walked, name, 0, 0))"
    scores, scaled, Q = module("pages/anatomy/arithmetic", written, given)
    assert scores == {"written": "2 × 0.5 + (−3) × 4", "value": -11, "terms": 2}
    assert scaled == {"written": "(−11) × 0.5", "value": -5.5}
    assert Q == {"note": "anatomy.drawn_number", "value": 2}


def test_a_mean_of_a_block_has_no_arithmetic(module: Module) -> None:
    pooled = {"values": [1.0], "rows": 2, "columns": 2, "block": [2, 2]}
    given = {"tensors": {"W_O": pooled}, "sizes": {}, "layer": 1}
    assert module("pages/anatomy/arithmetic", "(m, walked) => m.arithmetic(walked, 'W_O', 0, 0)", given) is None


def test_the_steps_go_through_one_row_and_then_through_all(module: Module) -> None:
    steps = ["input", "scores", "output"]
    way = """(m, steps) => {
      const found = [{ step: steps[0], rows: "one" }];
      for (let next = found[0]; next; next = m.beside(steps, next, 1)) if (next !== found[0]) found.push(next);
      const back = [found.at(-1)];
      for (let next = m.beside(steps, back[0], -1); next; next = m.beside(steps, next, -1)) back.push(next);
      return [found, back.reverse()];
    }"""
    forward, back = module("pages/anatomy/steps", way, steps)
    assert forward == [{"step": step, "rows": rows} for rows in ("one", "all") for step in steps]
    assert back == forward


def test_a_part_of_a_tensor_keeps_the_place_of_each_number(module: Module) -> None:
    tensor = {"values": list(range(12)), "rows": 3, "columns": 4, "block": [1, 1]}
    cut = "(m, [tensor, piece]) => m.cut(tensor, piece)"
    middle = module("pages/anatomy/matrix", cut, [tensor, {"row": 1, "columns": [2, 4]}])
    assert middle["lines"] == [[{"row": 1, "column": 2, "value": 6}, {"row": 1, "column": 3, "value": 7}]]
    assert middle["true"] == {"rows": 1, "columns": 2}
    upright = module("pages/anatomy/matrix", cut, [tensor, {"turned": True}])
    assert upright["true"] == {"rows": 4, "columns": 3}
    assert upright["lines"][3][1] == {"row": 1, "column": 3, "value": 7}


def test_the_places_of_a_drawn_curve_are_the_axis_own(module: Module) -> None:
    places = "(m, [low, high, log, given]) => given.map((v) => m.axis(low, high, log).place(v))"
    assert module("asking/predict_curve", places, [1, 1000, True, [1, 10, 1000]]) == pytest.approx([0, 1 / 3, 1])
    assert module("asking/predict_curve", places, [-1, 3, False, [-1, 0, 3]]) == pytest.approx([0, 0.25, 1])
    back = "(m, given) => given.map((place) => m.axis(1, 1000, true).value(place))"
    assert module("asking/predict_curve", back, [0, 0.5, 1]) == pytest.approx([1, 1000**0.5, 1000])
