"""The norms of what heads add for a key, against float64."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import AttentionConfig, compute, draw_inputs


@pytest.mark.parametrize("source", ["gaussian", "text"])
def test_a_norm_is_that_of_the_value_through_the_head_s_part_of_w_o(source: str) -> None:
    config = AttentionConfig(n=7, h=3, d_k=5, d_model=15, source=source, seed=2)
    inputs, result = draw_inputs(config), compute(config)
    assert inputs.W_O is not None
    V, W_O = inputs.V.double().numpy(), inputs.W_O.double().numpy().reshape(3, 5, 15)
    np.testing.assert_allclose(result.value_norms, np.linalg.norm(V @ W_O, axis=-1), rtol=1e-5)
    assert result.has_projection


def test_values_without_a_w_o_of_their_own_have_their_own_norms() -> None:
    config = AttentionConfig(n=7, h=3, d_k=5, d_model=15)
    inputs = replace(draw_inputs(config), W_O=None)
    result = compute(config, inputs)
    assert not result.has_projection
    np.testing.assert_allclose(result.value_norms, np.linalg.norm(inputs.V.double(), axis=-1), rtol=1e-5)
