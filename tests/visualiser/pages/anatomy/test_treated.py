"""QK-norm and a factor that grows with ln n on the Anatomy page: boxes, steps, sentences, formulas, endpoint."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core import AttentionConfig, layers
from tests.visualiser.pages.anatomy.test_live import TEXT, asked
from visualiser.locale import number
from visualiser.pages.anatomy import endpoint as anatomy_endpoint
from visualiser.pages.anatomy import facts, sentences
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.subject import Subject
from visualiser.state import share


def test_qk_norm_puts_a_box_behind_q_and_k_and_two_steps_behind_the_values() -> None:
    for mechanism, next_step in (("dot_product", "scores"), ("additive", "hidden_q")):
        config = AttentionConfig(n=5, d_model=21, h=3, mechanism=mechanism, qk_norm=True)
        found, plain = (walk_steps.boxes(replace(each, layer=2)) for each in (config, replace(config, qk_norm=False)))
        assert found.keys() - plain.keys() == {"norm_q", "norm_k"}
        assert (found["norm_k"]["step"], found["norm_k"]["numbers"]) == ("normed_k", "5 × 7")
        there = walk_steps.steps(replace(config, layer=2))
        at = there.index("values")
        assert there[at : at + 4] == ("values", "normed_q", "normed_k", next_step)
        assert found["compare"]["title"] == f"compare_{mechanism}_normed"
    assert asked("step=normed_q")["state"]["controls"]["step"] == "scores"
    assert asked("step=normed_q&mechanism=additive")["state"]["controls"]["step"] == "hidden_q"


@pytest.mark.parametrize(
    ("scaling", "made"),
    [("sqrt_d_k", "1/√d_k · ln n / ln 32"), ("none", "ln n / ln 32"), ("d_k", "1/d_k · ln n / ln 32"),
     ("custom&scale=0.3", "0.3 · ln n / ln 32")],
)  # fmt: skip
def test_a_factor_that_grows_stands_in_its_box_in_its_step_and_in_its_formula(scaling: str, made: str) -> None:
    query = f"log_n=true&step=scaled&source=gaussian&n=5&d_k=3&scaling={scaling}"
    walked, config = asked(query)["walk"], share.read(f"page=anatomy&{query}").state.config
    base, growth = replace(config, log_n=False).factor, math.log(5) / math.log(32)
    assert walked["boxes"]["scale"]["factor"] == f"{made} = {number(base * growth)}"
    assert f"multiplied by {number(base * growth)} = {number(base)} · {number(growth)}" in walked["sentences"][0]
    assert walked["formulas"].keys() == {"scaled"}
    assert walked["formulas"]["scaled"][0].endswith(" · ln n / ln 32")
    assert walked["log_n"] == 32
    np.testing.assert_allclose(
        walked["tensors"]["scaled"]["values"], walked["tensors"]["scores"]["values"] * base * growth, rtol=1e-6
    )
    assert "factor" not in asked(query.replace("log_n=true", "log_n=false"))["walk"]["boxes"]["scale"]
    assert "formulas" not in asked(f"{query}&mechanism=additive")["walk"]


def test_the_steps_of_qk_norm_say_the_mean_of_squares_its_root_and_the_length() -> None:
    query = f"text={TEXT}&qk_norm=true&row=2&head=2"
    layer = layers(share.read(f"page=anatomy&{query}").state.config, 1)[0]
    for step, vectors in (("normed_q", layer.attention.Q), ("normed_k", layer.attention.K)):
        square = float(vectors[1, 2].square().mean())
        found = asked(f"{query}&step={step}")
        (sentence,) = found["walk"]["sentences"]
        for value in (square, math.sqrt(square), math.sqrt(vectors.shape[-1])):
            assert re.search(rf"\b{re.escape(number(value))}\b", sentence)
        normed = vectors[1, 2] / math.sqrt(square)
        assert ", ".join(number(float(value)) for value in normed) in found["figures"]["summaries"]["walk"]
        assert found["walk"]["formulas"]["scores"][0] == "q̂ᵢ · k̂ⱼ"
    zero = replace(
        facts.facts(Subject(layer, heads=layer.config.h), 2, 2, "normed_q", "one"),
        squares={"normed_q": 0.0, "normed_k": 1.0},
    )
    assert [sentence.key for sentence in sentences.step_sentences(zero)] == ["anatomy.one.normed_q_zero"]
    assert all(
        "q̂" not in formula for formula, _ in asked(f"{query}&qk_norm=false")["walk"].get("formulas", {}).values()
    )


def test_the_endpoint_gives_projections_and_what_is_compared() -> None:
    values = {"h": 3, "d_model": 6, "d_k": 5, "seed": 2}
    for mechanism in ("dot_product", "additive"):
        found = anatomy_endpoint.anatomy(
            **values, mechanism=mechanism, qk_norm=True, log_n=True, layer=2, head=3, row=1
        )
        q, k = np.array(found["q"]), np.array(found["k"])
        normed_k = k / np.sqrt((k**2).mean(-1, keepdims=True))
        np.testing.assert_allclose(np.array(found["normed_q"]), q / np.sqrt((q**2).mean()), rtol=1e-5)
        np.testing.assert_allclose(np.array(found["normed_k"]), normed_k, rtol=1e-5)
        assert found["shapes"]["norm_q"] == [4, 5]
        assert found["factor"] == pytest.approx(
            1.0 if mechanism == "additive" else 5**-0.5 * math.log(4) / math.log(32)
        )
        np.testing.assert_allclose(found["scaled"], np.multiply(found["scores"], found["factor"]), rtol=1e-5)
        if mechanism == "dot_product":
            np.testing.assert_allclose(found["scores"], normed_k @ np.array(found["normed_q"]), rtol=1e-4, atol=1e-5)
    usual = anatomy_endpoint.anatomy(**values)
    assert (usual["normed_q"], usual["normed_k"]) == (None, None)
    assert usual["scores"] == pytest.approx((np.array(usual["k"]) @ usual["q"]).tolist(), rel=1e-4)
