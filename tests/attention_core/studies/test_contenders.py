"""The four contenders agree with the core, and their gradients with float64."""

from types import SimpleNamespace

import pytest
import torch

from attention_core import (
    AttentionConfig,
    Cancelled,
    additive_attention,
    draw_inputs,
    scaled_dot_product_attention,
    stopping,
)
from attention_core.inputs.sources import additive_parameters
from attention_core.studies.contenders import CONTENDERS, draw_operands, prepared

HERE = torch.device("cpu")


def exact(name, operands):
    """Compute the formulas in float64."""
    x = {key: tensor.double() for key, tensor in vars(operands).items()}
    if name.startswith("additive"):
        hidden = ((x["Q"] @ x["W_q"]).unsqueeze(1) + x["K"] @ x["W_k"]).tanh()
        return (hidden @ x["w"]).softmax(-1) @ x["V"]
    return (x["Q"] @ x["K"].T / x["Q"].shape[-1] ** 0.5).softmax(-1) @ x["V"]


@pytest.mark.parametrize("name", CONTENDERS)
def test_the_output_is_that_of_float64(name):
    operands = draw_operands(13, 7, 3, HERE)
    torch.testing.assert_close(CONTENDERS[name].run(operands).double(), exact(name, operands), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", CONTENDERS)
def test_the_gradients_are_those_of_float64(name):
    operands = draw_operands(13, 7, 3, HERE)
    uses = CONTENDERS[name].uses
    doubled = {key: tensor.double().requires_grad_(key in uses) for key, tensor in vars(operands).items()}
    output = exact(name, SimpleNamespace(**doubled))
    expected = torch.autograd.grad(output.sum(), [doubled[key] for key in uses])
    ours = prepared(CONTENDERS[name], operands, True)()
    assert len(ours) == len(uses)
    for one, other in zip(ours, expected, strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-5)


def test_operands_are_those_of_head_1_in_every_other_experiment():
    config = AttentionConfig(n=13, h=1, d_k=7, tie=False, seed=3)
    inputs, operands = draw_inputs(config), draw_operands(13, 7, 3, HERE)
    W_q, W_k, w = additive_parameters(config)
    parameters = (W_q[0], W_k[0], w[0])
    for ours, theirs in zip(vars(operands).values(), (inputs.Q[0], inputs.K[0], inputs.V[0], *parameters), strict=True):
        assert torch.equal(ours, theirs)
    dot = scaled_dot_product_attention(inputs.Q[0], inputs.K[0], inputs.V[0]).output
    torch.testing.assert_close(CONTENDERS["fused"].run(operands), dot)
    additive = additive_attention(inputs.Q[0], inputs.K[0], inputs.V[0], *parameters).output
    torch.testing.assert_close(CONTENDERS["additive_naive"].run(operands), additive)


@pytest.mark.parametrize("name", CONTENDERS)
def test_a_call_can_be_stopped_before_its_backward(name, monkeypatch):
    call = prepared(CONTENDERS[name], draw_operands(13, 7, 3, HERE), True)
    backward, grad = [], torch.autograd.grad
    monkeypatch.setattr(torch.autograd, "grad", lambda *given: backward.append("one") or grad(*given))
    call()
    assert backward == ["one"]
    looks = []
    with stopping(lambda: looks.append("look") or False):
        call()
    assert looks[-1:] == ["look"]
    last = len(looks)
    with stopping(lambda: looks.append("look") or len(looks) == 2 * last), pytest.raises(Cancelled):
        call()
    assert backward == ["one", "one"]
