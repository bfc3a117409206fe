"""The stated memory of a pass, number by number. A slow test holds it against the real one, within a factor of 3."""

from typing import Any

import pytest
import torch

from attention_core.blocks.memory_bound import extra_bytes

LONG = {"batch": (8,), "n_q": 16384, "n_k": 16384, "d_k": 64}
SMALL = {"batch": (3,), "n_q": 31, "n_k": 17, "d_k": 5}
STATED: list[tuple[dict[str, Any], int]] = [
    (LONG, 28_024_832),
    (LONG | {"threads": 2}, 32_960_512),
    (LONG | {"masked": True, "histogram": 64, "overview": 256}, 48_824_624),
    (LONG | {"histogram": 40_000}, 191_602_992),
    (LONG | {"block": 64, "dtype": torch.bfloat16}, 32_131_072),
    (LONG | {"dtype": torch.float64, "n_hidden": 96}, 78_159_872),
    (LONG | {"n_hidden": 1024}, 107_192_320),
    (LONG | {"d_k": 4096}, 521_928_704),
    (SMALL, 51_615),
    (SMALL | {"d_k": 512}, 6_687_760),
    (SMALL | {"masked": True, "histogram": 8, "overview": 4, "n_hidden": 7, "dtype": torch.float16}, 4_844_050),
]


@pytest.mark.parametrize(("settings", "stated"), STATED)
def test_the_stated_bytes(settings: dict[str, Any], stated: int) -> None:
    assert extra_bytes(**settings) == stated
