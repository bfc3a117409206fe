"""What lessons say beside their figures: computed by the core, at the settings that the lesson names."""

import json
from typing import Any

import pytest
import torch

from attention_core import AttentionConfig, compute
from attention_core.studies.score_gradient import score_gradient
from visualiser.asset_folder import ASSETS
from visualiser.shipped import shipped


def lesson(name: str) -> dict[str, Any]:
    return json.loads((ASSETS / "lessons" / f"{name}.json").read_text(encoding="utf-8"))


def weights(**settings: Any) -> torch.Tensor:
    return compute(AttentionConfig(**settings), device="cpu").weights.float()


@pytest.mark.parametrize("d_k", [64, 512])
def test_subtracting_the_maximum_changes_no_scaled_weight_in_float32_and_mends_the_unscaled_ones(d_k: int) -> None:
    """The teacher's note of the lesson on saturation."""
    note = lesson("saturation")["note"]["en"]
    assert "float32 maps of scaled scores agree with and without it; without scaling exp overflows in float32" in note
    scaled = [weights(d_k=d_k, tie=False, subtract_max=way) for way in (True, False)]
    torch.testing.assert_close(*scaled, rtol=1e-5, atol=1e-7)
    plain, subtracted = (weights(d_k=512, tie=False, scaling="none", subtract_max=way) for way in (False, True))
    assert plain.isnan().any()
    assert not subtracted.isnan().any()


def test_subtracting_the_maximum_makes_numbers_of_what_was_nan_in_float16() -> None:
    """Step 7: no exponential overflows; float64, the exact arithmetic beside it, has the same weights either way."""
    step = lesson("saturation")["steps"][6]
    assert "what was NaN is a number again. In exact arithmetic no weight changes" in step["text"]["en"]
    given = {"d_k": 512, "tie": False, "scaling": "none", "dtype": "float16"}
    plain, subtracted = (weights(**given, subtract_max=way) for way in (False, True))
    assert plain.isnan().any()
    assert not subtracted.isnan().any()
    scores = compute(AttentionConfig(d_k=512, tie=False, scaling="none"), device="cpu").masked.double()
    exact = [(scores - shift).exp() for shift in (0.0, scores.amax(-1, keepdim=True))]
    torch.testing.assert_close(*(one / one.sum(-1, keepdim=True) for one in exact), rtol=1e-12, atol=0.0)


def test_the_gradient_at_the_correct_key_has_its_weight_as_a_factor() -> None:
    """Step 5 names the loss ½‖o − v_t‖² / d_v; a cross-entropy of the weights would tell a wrong row."""
    assert "½‖o − v_t‖² / d_v" in lesson("saturation")["steps"][4]["text"]["en"]
    draw = torch.Generator().manual_seed(0)
    scores = 30 * torch.randn(7, 11, dtype=torch.float64, generator=draw)
    V = torch.randn(11, 13, dtype=torch.float64, generator=draw)
    t = torch.randint(11, (7,), generator=draw)
    s = scores.clone().requires_grad_()
    apart = s.softmax(-1) @ V - V[t]
    (0.5 * apart.square().sum(-1) / 13).sum().backward()
    assert s.grad is not None
    at_t, p_t = s.grad.gather(-1, t[:, None])[:, 0], scores.softmax(-1).gather(-1, t[:, None])[:, 0]
    torch.testing.assert_close(at_t, -p_t * apart.detach().square().sum(-1) / 13)
    wrong = scores.argmax(-1) != t
    assert wrong.any()
    assert (at_t[wrong].abs() <= p_t[wrong] * apart.detach().square().sum(-1)[wrong]).all()
    assert torch.allclose(score_gradient(scores, V @ V.mT / 13, t), s.grad)
    gradient = scores.softmax(-1) - torch.nn.functional.one_hot(t, 11)  # the gradient of −ln p_t
    assert (gradient.gather(-1, t[:, None])[:, 0][wrong].abs() >= 0.5).all()


def test_every_seed_gives_the_marked_answer_on_the_heads_divergence() -> None:
    """A mean that its seeds do not decide would mark an answer by chance."""
    question = lesson("heads")["steps"][6]["question"]
    (h,) = {side["where"]["is"] for side in (question["truth"]["of"], question["truth"]["over"])}
    (curve,) = (found for found in shipped("train_heads").results if found["curve"]["h"] == h)
    ratios = [after / before for before, after in zip(curve["start_divergence"], curve["divergence"], strict=True)]
    ratios.append(sum(curve["divergence"]) / sum(curve["start_divergence"]))
    marked = {
        at
        for ratio in ratios
        for at, answer in enumerate(question["answers"])
        if answer.get("from", float("-inf")) <= ratio < answer.get("below", float("inf"))
    }
    assert len(marked) == 1
