"""Our entmax is that of its authors' package, and so is its gradient, to rounding."""

from dataclasses import replace

import pytest
import torch
from entmax import entmax15

from attention_core import AttentionConfig, compute
from attention_core.exact.entmax import entmax, entmax_jacobian
from tests.draws import cases
from tests.references.comparing import Compared
from tests.references.sparse_rows import KEYS, ROWS, compared_with_entmax, drawn, pulled_back

MOST, MOST_64 = 0.501, 16.0
"""Units of `Compared`, whose score counts as 1 here. Ours in float32 is rounded once; in float64 9.5 was measured, with
the rounding of the package's own sums."""


@pytest.fixture(scope="module")
def all_compared() -> list[Compared]:
    return list(compared_with_entmax(cases(20) // 2, 0))


@pytest.mark.slow
def test_weights_and_gradients_are_the_package_s(all_compared: list[Compared]) -> None:
    assert len(all_compared) >= 2 * 5 * len(ROWS) * len(KEYS)
    assert [one for one in all_compared if not (one.float64 or 0.0) <= MOST_64] == []
    assert [one for one in all_compared if not one.float32 <= MOST] == []


def test_the_support_is_the_package_s() -> None:
    """In float64, where a key at the edge of it may have 1e-17 in one of the two."""
    sparse = 0
    for name, row in drawn(3, 5):
        ours, theirs = entmax(row.double().unsqueeze(0))[0], entmax15(row.double(), -1)
        assert torch.equal(ours > 1e-15, theirs > 1e-15), name
        sparse += int((ours == 0).sum())
    assert sparse > 1000


def test_the_jacobian_and_autograd_agree_in_float64() -> None:
    for name, row in drawn(1, 7):
        wide = row.double()
        v = torch.randn(row.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        found = pulled_back(wide, v, lambda scores: entmax(scores.unsqueeze(0)).squeeze(0))
        torch.testing.assert_close(found, entmax_jacobian(wide) @ v, rtol=1e-12, atol=1e-14, msg=name)


def test_a_row_without_keys_has_no_gradient() -> None:
    scores = torch.tensor([[[0.3, -0.2, 0.1], [-torch.inf] * 3]], requires_grad=True)
    entmax(scores)[..., 0].sum().backward()
    assert scores.grad is not None
    assert scores.grad[0, 1].tolist() == [0.0] * 3
    assert scores.grad[0, 0].abs().min() > 0.1


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_an_experiment_has_the_package_s_weights_and_jacobian(mask: str) -> None:
    usual = AttentionConfig(n=23, h=3, d_k=13, tie=False, normalisation="entmax", mask=mask, window=3)
    for seed in range(4):
        for scaling, softcap in (("sqrt_d_k", 0.0), ("none", 3.0)):
            result = compute(replace(usual, seed=seed, scaling=scaling, softcap=softcap), device="cpu")
            masked = result.masked.double()
            torch.testing.assert_close(result.weights.double(), entmax15(masked, -1), rtol=0, atol=2.0**-25 + 1e-15)
            support = (entmax15(masked, -1) > 1e-15).sum(-1)
            assert torch.equal(result.support, support.float())
            scaled = result.scaled[1, 20].double().requires_grad_()
            capped = softcap * (scaled / softcap).tanh() if softcap else scaled
            row = capped if result.mask is None else capped.masked_fill(~result.mask[20], -torch.inf)
            for v in torch.eye(23, dtype=torch.float64)[::5]:
                (pulled,) = torch.autograd.grad(entmax15(row, -1), scaled, v, retain_graph=True)
                found = v @ result.jacobian(2, 20).double()
                # result.masked is rounded after a cap
                torch.testing.assert_close(found, pulled, rtol=2e-6, atol=1e-6 if softcap else 1e-7)
