"""The script of every normalisation in every number format prints the page's numbers."""

import contextlib
import io
import itertools
import math
import random

import numpy as np
import pytest

from attention_core import CHOICES, AttentionConfig, compute
from visualiser.export import snippet

FORMATS = [
    (dtype, subtract)
    for dtype, subtract in itertools.product(CHOICES["dtype"], (True, False))
    if dtype != "float32" or not subtract
]
APART = {"float32": 3e-5, "float16": 2.0**-13, "bfloat16": 2.0**-10}
"""Relative. In the script a processor may add in another order, so that a score is rounded to a half format the other
way: a quarter of the format's unit."""

HEADINGS = {"sigmoid": "mean sum of the gates", "sink": "mean entropy, the sink included (nats)"}


def run(config: AttentionConfig) -> list[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet(config), "snippet", "exec"), {})  # noqa: S102
    return printed.getvalue().splitlines()


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
        lines = run(config)
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
            np.testing.assert_allclose(found, expected, rtol=APART[dtype], atol=2e-6, err_msg=f"{number} {config}")
    assert broken or (dtype, subtract) != ("float16", False) or name == "sigmoid"
