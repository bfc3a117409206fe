"""Tensors from outside: refusals in whole sentences."""

from typing import Any

import pytest
import torch

from attention_core import AttentionInputs, InvalidInput

H, N_Q, N_K, D_K, D_V = 3, 5, 7, 11, 13


def tensors(**changed) -> dict[str, Any]:
    shapes = {"Q": (H, N_Q, D_K), "K": (H, N_K, D_K), "V": (H, N_K, D_V)}
    return {name: torch.ones(changed.get(name, shape)) for name, shape in shapes.items()}


def test_what_fits_is_kept():
    given = tensors()
    inputs = AttentionInputs(**given, tokens=("the",) * N_K, W_O=torch.ones(H * D_V, 17))
    assert inputs.Q is given["Q"]
    assert inputs.tokens == ("the",) * N_K


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (tensors(K=(H, N_K, 2)), "shape", "K must be h = 3 × n_k × d_k = 11; got 3 × 7 × 2."),
        (tensors(K=(2, N_K, D_K)), "shape", "K must be h = 3 × n_k × d_k = 11; got 2 × 7 × 11."),
        (tensors(V=(H, 2, D_V)), "shape", "V must be h = 3 × n_k = 7 × d_v; got 3 × 2 × 13."),
        (tensors(Q=(N_Q, D_K)), "shape", "Q must be h × n_q × d_k; got 5 × 11."),
        (tensors(Q=(1, H, N_Q, D_K)), "shape", "Q must be h × n × d; got 1 × 3 × 5 × 11."),
        (tensors() | {"W_O": torch.ones(H, D_V)}, "shape", "W_O must be h·d_v = 39; got 13 × 3."),
        (tensors() | {"tokens": ("a", "b")}, "token_count", "tokens must be n_k = 7, one for each key; got 2."),
    ],
)
def test_what_does_not_fit_is_named(given, code, message):
    with pytest.raises(InvalidInput) as caught:
        AttentionInputs(**given)
    assert (caught.value.code, str(caught.value)) == (code, message)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_none_are_named_with_their_place(value):
    given = tensors()
    given["V"][1, 2, 3] = value
    with pytest.raises(InvalidInput) as caught:
        AttentionInputs(**given)
    assert str(caught.value) == f"V must be finite everywhere; V[1, 2, 3] is {value}."
    assert caught.value.details == {"field": "V", "index": "1, 2, 3", "value": str(value)}
