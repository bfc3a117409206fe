"""The stated memory of a pass, number by number. A slow test holds it against the real one, within a factor of 3."""

from typing import Any

import pytest
import torch

from attention_core.blocks.memory_bound import extra_bytes

LONG = {"batch": (8,), "n_q": 16384, "n_k": 16384, "d_k": 64}
SMALL = {"batch": (3,), "n_q": 31, "n_k": 17, "d_k": 5}
STATED: list[tuple[dict[str, Any], int]] = [
    (LONG, 24_944_640),
    (LONG | {"threads": 2}, 29_421_568),
    (LONG | {"masked": True, "histogram": 64, "overview": 256}, 45_744_432),
    (LONG | {"histogram": 40_000}, 188_522_800),
    (LONG | {"block": 64, "dtype": torch.bfloat16}, 29_050_880),
    (LONG | {"dtype": torch.float64, "n_hidden": 96}, 77_701_120),
    (LONG | {"n_hidden": 1024}, 104_112_128),
    (LONG | {"d_k": 4096}, 519_307_264),
    (SMALL, 34_999),
    (SMALL | {"d_k": 512}, 6_685_900),
    (SMALL | {"masked": True, "histogram": 8, "overview": 4, "n_hidden": 7, "dtype": torch.float16}, 4_827_434),
]


@pytest.mark.parametrize(("settings", "stated"), STATED)
def test_the_stated_bytes(settings: dict[str, Any], stated: int) -> None:
    assert extra_bytes(**settings) == stated
