"""The record of a layer by itself."""

import pytest
import torch

from attention_core.models import CapturedLayer


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_cell_that_a_mask_let_through_is_told_from_one_that_it_did_not(dtype: torch.dtype) -> None:
    """A mask is added to a score, so in half precision what stands there is not the least number itself."""
    least = torch.finfo(dtype).min
    mask = torch.tensor([0.0, least, least, float("-inf"), 0.0], dtype=dtype)
    scores = mask + torch.tensor([-100.0, 90.0, -90.0, 90.0, 0.0], dtype=dtype)
    layer = CapturedLayer("a#1", 0, "self", None, None, None, None, None, scores[None, None], scores[None, None])
    assert layer.allowed.tolist() == [[[True, False, False, False, True]]]
