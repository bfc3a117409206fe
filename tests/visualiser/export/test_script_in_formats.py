"""The script of every normalisation in every number format prints the page's numbers."""

import contextlib
import io
import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import CHOICES, AttentionConfig, compute
from visualiser.export import snippet

FORMATS = [
    (dtype, subtract)
    for dtype, subtract in itertools.product(CHOICES["dtype"], (True, False))
    if dtype != "float32" or not subtract
]
HEADINGS = {"sigmoid": "mean sum of the gates", "sink": "mean entropy, the sink included (nats)"}


def run(config: AttentionConfig) -> tuple[list[str], torch.Tensor]:
    """Return the lines that the script prints, and its scaled scores."""
    printed, names = io.StringIO(), dict[str, Any]()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet(config), "snippet", "exec"), names)  # noqa: S102
    return printed.getvalue().splitlines(), names["scaled"].float()


def apart(config: AttentionConfig, ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """Return how far printed numbers may be apart: nearly nothing unless a processor rounds a score the other way.

    The script adds in another order. Then a few scores, in a half format alone, are the next number of the format.
    """
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    if config.dtype == "float32" or same.all():
        return 3e-5
    unit = torch.finfo(getattr(torch, config.dtype)).eps
    sums = 1e-6 * float(theirs[theirs.isfinite()].abs().max())  # of float32: all that is left of a score near 0
    assert ((ours - theirs).abs() <= unit * ours.abs().maximum(theirs.abs()) + sums)[~same].all()
    assert int((~same).sum()) <= 1 + same.numel() // 100
    return unit / 8


@pytest.mark.slow
@pytest.mark.night(but=4)
@pytest.mark.parametrize(("dtype", "subtract"), FORMATS)
@pytest.mark.parametrize("name", CHOICES["normalisation"])
def test_the_script_prints_the_numbers_of_the_page(name: str, dtype: str, subtract: bool) -> None:
    draws, broken = random.Random(f"{name} {dtype} {subtract}"), 0
    for number in range(16):
        config = AttentionConfig(
            n=draws.choice((2, 5, 11, 40)), h=2, d_k=draws.choice((1, 7, 64, 512)), tie=False,
            seed=draws.randrange(10**6), source=draws.choice(("gaussian", "text")),
            mechanism=draws.choice(CHOICES["mechanism"]), scaling="custom",
            scale=draws.choice((0.0, 0.1, 1.0, 1.0, 16.0)), mask=draws.choice(CHOICES["mask"]), window=2,
            dtype=dtype, subtract_max=subtract, normalisation=name, sink=draws.choice((0.0, -3.3, 12.0)),
            softcap=draws.choice((0.0, 0.0, 3.0, 50.0)), qk_norm=draws.random() < 0.3, log_n=draws.random() < 0.3,
        )  # fmt: skip
        result = compute(config, device="cpu")
        broken += result.broken is not None
        lines, scaled = run(config)
        may = apart(config, scaled, result.scaled.float())
        assert HEADINGS.get(name, "mean entropy (nats)") in lines[0]
        first = result.statistic("mass" if name == "sigmoid" else "entropy")
        for head, line in enumerate(lines[1:]):
            largest = float(result.largest_weight[head].nan_to_num(-1.0).max())
            expected = [
                float(first[head].double().nanmean()),
                float(result.score_variance[head]),
                float(result.jacobian_norm[head].double().nanmean()),
                math.nan if largest < 0 else largest,
            ]
            found = [float(one) for one in line.split()[1:]]
            np.testing.assert_allclose(found, expected, rtol=may, atol=2e-6, err_msg=f"{number} {config}")
    assert broken or (dtype, subtract) != ("float16", False) or name == "sigmoid"
