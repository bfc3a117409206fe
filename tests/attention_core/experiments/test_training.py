"""The descent against torch's own single-tensor Adam, number by number."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attention_core.experiments.training import descent, looks

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("steps", [1, 7, 10, 149, 150, 600, 3000])
def test_looks_at_start_and_end_and_never_far_apart(steps):
    found = looks(steps)
    assert (found[0], found[-1]) == (0, steps)
    apart = [b - a for a, b in itertools.pairwise(found)]
    assert all(1 <= gap <= 25 for gap in apart)
    assert len(found) >= min(steps + 1, 8)


def test_descent_is_adam_with_fresh_batches():
    start = torch.randn(3, 5, generator=torch.Generator().manual_seed(1))
    targets = [torch.full((3, 5), float(i)) for i in range(8)]
    ours = {"x": start.clone().requires_grad_()}
    seen = {}
    for step in descent(ours, lambda now, target: (now["x"] - target).square().sum(), iter(targets), 0.05, 6):
        assert ours["x"].grad is not None
        seen[step] = (ours["x"].detach().clone(), ours["x"].grad.clone())
    x, m, v = start.double(), torch.zeros(3, 5).double(), torch.zeros(3, 5).double()
    for step in range(7):
        gradient = 2 * (x - targets[step])
        if step in seen:
            assert torch.allclose(seen[step][0].double(), x, rtol=1e-5, atol=1e-6)
            assert torch.allclose(seen[step][1].double(), gradient, rtol=1e-5, atol=1e-5)
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
        x = x - 0.05 * (m / (1 - 0.9 ** (step + 1))) / ((v / (1 - 0.99 ** (step + 1))).sqrt() + 1e-8)
    assert sorted(seen) == list(range(7))
    assert torch.equal(ours["x"], seen[6][0])  # the last look is at the trained model


@pytest.mark.slow
def test_each_step_is_the_one_of_torchs_optimiser_bit_by_bit():
    start = {name: torch.randn(3, 5, generator=torch.Generator().manual_seed(seed)) for seed, name in enumerate("xyz")}
    ours, theirs = ({name: value.clone().requires_grad_() for name, value in start.items()} for _ in range(2))

    def loss(now, target):
        return (now["x"] * now["y"] - target).square().sum()  # without z

    targets = [torch.full((3, 5), float(i)) for i in range(8)]
    assert sorted(descent(ours, loss, iter(targets), 0.05, 7)) == list(range(8))
    adam = torch.optim.Adam(list(theirs.values()), lr=0.05, betas=(0.9, 0.99), fused=True)
    for target in targets[:7]:
        adam.zero_grad()
        loss(theirs, target).backward()
        adam.step()
    for name in "xyz":
        assert torch.equal(ours[name], theirs[name]), name
    assert torch.equal(ours["z"], start["z"])


@pytest.mark.night
@pytest.mark.slow
def test_training_loads_no_compiler():
    code = """
import sys
from attention_core.experiments.curves import train
from attention_core.experiments.quality import QualityExperiment
steps = [snapshot.step for snapshot in train(QualityExperiment(d_k=(4,), seeds=1, steps=20))]
print(steps[-1], "torch._dynamo" in sys.modules)
"""
    output = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert output.split() == ["20", "False"]
