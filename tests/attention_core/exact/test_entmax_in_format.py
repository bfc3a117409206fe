"""Every step of an entmax in a number format, against an emulation of the format from its definition."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import AttentionConfig, AttentionInputs, compute, compute_rows, format_loss
from attention_core.exact import formats
from attention_core.exact.entmax_in_format import entmax_in_format, entmax_steps, roots_jacobian, weighed_roots
from attention_core.treatments.softcap import Softcap
from tests.attention_core.exact.emulated import BITS, DTYPES, ROWS, close, over, rounded, same, times
from tests.draws import cases

WITH_KEYS = st.lists(st.booleans(), min_size=9, max_size=9)


@np.errstate(all="ignore")
def less(one: float, other: float, dtype: str) -> float:
    return rounded(float(np.float32(one) - np.float32(other)), dtype)


@np.errstate(all="ignore")
def thresholds(total: float, squares: float, k: int, dtype: str) -> list[float]:
    """Return τ_k of the sum and the sum of squares of the k largest.

    Torch's square root in float32 is the nearest number or one beside it: two more values.
    """
    mean, of_squares = rounded(over(total, k), dtype), rounded(over(squares, k), dtype)
    spread = rounded(times(less(of_squares, rounded(times(mean, mean), dtype), dtype), k), dtype)
    left = less(1.0, spread, dtype)
    share = rounded(over(left if math.isnan(left) else max(0.0, left), k), dtype)
    root = np.sqrt(np.float32(share))
    beside = [np.nextafter(root, np.float32(end)) for end in (-np.inf, np.inf)] if dtype == "float32" else []
    return [less(mean, rounded(float(one), dtype), dtype) for one in (root, *beside)]


@settings(max_examples=cases(300), deadline=None)
@given(rows=ROWS, dtype=DTYPES, subtract=st.booleans(), seen=WITH_KEYS)
def test_every_step_is_rounded_once(rows, dtype: str, subtract: bool, seen: list[bool]) -> None:
    allowed = torch.tensor(seen[: len(rows[0])])
    scores = torch.tensor(rows, dtype=torch.float32).to(getattr(torch, dtype)).masked_fill(~allowed, -math.inf)
    made = entmax_steps(scores, subtract)
    for r, row in enumerate(scores.float().tolist()):
        steps = {name: getattr(made, name)[r].float().tolist() for name in vars(made)}
        halved = [rounded(times(s, 0.5), dtype) for s in row]
        top = max(halved)
        shifted = [less(s, top, dtype) for s in halved] if subtract else halved
        assert all(same(a, b) for a, b in zip(steps["halved"], halved, strict=True))
        assert all(same(a, b) for a, b in zip(steps["shifted"], shifted, strict=True))
        ordered = sorted(shifted, key=lambda z: (not math.isnan(z), -z))
        assert all(same(a, b) for a, b in zip(steps["ordered"], ordered, strict=True))
        squares = [rounded(times(z, z), dtype) for z in ordered]
        for k in range(1, len(row) + 1):
            for name, terms in (("sums", ordered[:k]), ("squares", squares[:k])):
                total = sum(terms) if any(not math.isfinite(term) for term in terms) else math.fsum(terms)
                assert close(steps[name][k - 1], total, dtype), (name, k)
            found = thresholds(steps["sums"][k - 1], steps["squares"][k - 1], k, dtype)
            assert any(same(steps["thresholds"][k - 1], one) for one in found), k
        size = sum(tau <= z for tau, z in zip(steps["thresholds"], steps["ordered"], strict=True))
        (tau,) = steps["threshold"]
        assert same(tau, steps["thresholds"][max(0, size - 1)])
        for z, u, p in zip(shifted, steps["roots"], steps["weights"], strict=True):
            root = less(z, tau, dtype)
            assert same(u, root if math.isnan(root) else max(0.0, root))
            assert same(p, rounded(times(u, u), dtype))


@settings(max_examples=cases(150), deadline=None)
@given(rows=ROWS, dtype=DTYPES, subtract=st.booleans(), seed=st.integers(0, 99))
def test_the_order_of_keys_and_forbidden_ones_change_nothing(rows, dtype: str, subtract: bool, seed: int) -> None:
    scores = torch.tensor(rows, dtype=torch.float32).to(getattr(torch, dtype))
    made = entmax_in_format(scores, subtract)
    order = torch.randperm(scores.shape[1], generator=torch.Generator().manual_seed(seed))
    other = entmax_in_format(scores[:, order], subtract)
    assert torch.equal(other.weights.nan_to_num(9.0), made.weights[:, order].nan_to_num(9.0))
    wider = torch.cat([scores.new_full((len(scores), 3), -math.inf), scores], 1)
    more = entmax_in_format(wider, subtract).weights
    assert torch.equal(more[:, 3:].nan_to_num(9.0), made.weights.nan_to_num(9.0))
    assert ((more[:, :3] == 0) | more[:, :3].isnan()).all()
    ranked = made.weights.float().gather(-1, scores.float().sort(-1).indices)
    assert ((ranked.diff(dim=-1) >= 0) | ranked.diff(dim=-1).isnan()).all()
    if subtract and scores.isfinite().all():
        assert made.weights.isfinite().all()
        assert (made.weights.amax(-1) > 0).all()


@settings(max_examples=cases(150), deadline=None)
@given(rows=ROWS, dtype=DTYPES, subtract=st.booleans(), cap=st.sampled_from((0.0, 0.5, 3.0, 30.0)))
def test_statistics_are_those_of_the_weights_as_they_are(rows, dtype: str, subtract: bool, cap: float) -> None:
    curve, scaled = Softcap(cap) if cap else None, torch.tensor(rows, dtype=torch.float32)
    made = formats.weigh_in_format(scaled, None, 1.0, dtype, lambda masked: entmax_in_format(masked, subtract), curve)
    k = len(rows[0])
    found = weighed_roots(made.masked, made.weights, torch.tensor(k), made.scaled, curve)
    slopes = [[1.0] * k] * len(rows) if curve is None else curve.slope(made.scaled).tolist()
    names = ("top", "entropy", "jacobian_norm", "jacobian_trace", "support", "sum_of_squares")
    for r, p in enumerate(made.weights.double().tolist()):
        distribution = not any(map(math.isnan, p)) and abs(math.fsum(p) - 1) <= 0.01
        assert bool(found.broken[r]) is not distribution
        values = {name: float(getattr(found, name)[r]) for name in names}
        if not distribution:
            assert all(map(math.isnan, values.values()))
            continue
        assert float(found.excess[r]) == pytest.approx(abs(math.fsum(p) - 1), abs=1e-15)
        assert (values["top"], values["support"]) == (max(p), sum(w > 0 for w in p))
        assert values["sum_of_squares"] == pytest.approx(math.fsum(w * w for w in p), rel=1e-12)
        entropy = -math.fsum(w * math.log(w) for w in p if w)
        assert values["entropy"] == pytest.approx(min(entropy, math.log(k)), rel=1e-12, abs=1e-15)
        u = np.sqrt(p)
        J = (np.diag(u) - np.outer(u, u) / u.sum()) * np.array(slopes[r])
        norm, trace = min(math.sqrt(1 - 1 / k), np.linalg.norm(J)), min(math.sqrt(k) - 1 / math.sqrt(k), np.trace(J))
        assert values["jacobian_norm"] == pytest.approx(norm, rel=1e-9, abs=1e-12)
        assert values["jacobian_trace"] == pytest.approx(trace, rel=1e-9, abs=1e-12)
        own = roots_jacobian(torch.tensor(p, dtype=torch.float64)).numpy() * np.array(slopes[r])
        np.testing.assert_allclose(own, J, rtol=1e-9, atol=1e-12)


@settings(max_examples=cases(100), deadline=None)
@given(rows=ROWS, dtype=DTYPES, subtract=st.booleans())
def test_a_weight_of_0_is_lost_only_if_its_root_is_not_0(rows, dtype: str, subtract: bool) -> None:
    made = entmax_in_format(torch.tensor(rows, dtype=torch.float32).to(getattr(torch, dtype)), subtract)
    codes = formats.marks("weights", made.weights.float(), made.exponentials, dtype, True)
    tiny = 2.0 ** BITS[dtype][1]
    cells = (tensor.flatten().tolist() for tensor in (codes, made.weights, made.exponentials))
    for code, weight, root in zip(*cells, strict=True):
        if math.isnan(weight):
            wanted = "not_a_number"
        elif weight == 0:
            wanted = "lost" if root > 0 else None
        else:
            wanted = "subnormal" if weight < tiny else None
        assert (formats.MARKS[code - 1] if code else None) == wanted


def test_a_square_that_underflows_is_lost() -> None:
    """Of 400 equal keys τ is −1/20, near which float16 has steps of 2⁻¹⁵; 2⁻³⁰ is less than half its least number."""
    rows = torch.zeros(9, 401)
    rows[:, 400] = 2 * (-0.05 + torch.arange(-4, 5) * 2.0**-15)
    lost = {}
    for dtype in ("float16", "float32"):
        made = entmax_in_format(rows.to(getattr(torch, dtype)), True)
        codes = formats.marks("weights", made.weights.float(), made.exponentials, dtype, True)
        assert int(codes[:, :400].max()) == 0
        lost[dtype] = codes[:, 400] == formats.LOST
        assert (made.exponentials[:, 400] > 0)[lost[dtype]].all()
    assert (bool(lost["float16"].any()), bool(lost["float32"].any())) == (True, False)


@pytest.mark.parametrize(("score", "nan"), [(511.0, False), (512.0, True)])
def test_squares_leave_float16_above_a_score_of_512(score: float, nan: bool) -> None:
    row = torch.tensor([[score, 0.0, -3.0]]).half()
    assert entmax_in_format(row, False).weights.isnan().tolist() == [[nan] * 3]
    assert entmax_in_format(row, True).weights.tolist() == [[1.0, 0.0, 0.0]]


def test_without_the_maximum_subtracted_a_row_may_add_up_to_0() -> None:
    """1 less than a number above 2⁸ is that number in bfloat16: τ is the largest half score itself."""
    row = torch.tensor([[2000.0, 0.0]]).bfloat16()
    assert entmax_in_format(row, False).weights.tolist() == [[0.0, 0.0]]
    assert entmax_in_format(row, True).weights.tolist() == [[1.0, 0.0]]


@settings(max_examples=cases(100), deadline=None)
@given(score=st.floats(-7e4, 7e4, width=32), dtype=DTYPES, subtract=st.booleans())
def test_a_lone_key_has_what_its_three_roundings_leave_of_1(score: float, dtype: str, subtract: bool) -> None:
    """The threshold of one key is z − 1, and its weight (z − (z − 1))²: 1 with z = 0, and NaN where z² overflows."""
    row = torch.tensor([[-math.inf, score]]).to(getattr(torch, dtype))
    z = row[0, 1] / 2 - row[0, 1] / 2 if subtract else row[0, 1] / 2
    expected = (z - (z - 1)).clamp_min(0) ** 2 if z.square().isfinite() else z * torch.nan
    weight = entmax_in_format(row, subtract).weights[0, 1]
    assert weight.equal(expected) or (weight.isnan() and expected.isnan())
    assert weight == 1 or not subtract or row[0, 1].isinf()


def written_out(s: torch.Tensor, subtract: bool) -> torch.Tensor:
    """Return the authors' algorithm as a student writes it with half tensors, but for sums in float32."""
    half = s.dtype
    z = s / 2 - (s / 2).amax(-1, keepdim=True) if subtract else s / 2
    ordered = z.sort(-1, descending=True).values
    rho = torch.arange(1, z.shape[-1] + 1).to(half)  # so few are in every format
    mean = ordered.float().cumsum(-1).to(half) / rho
    mean_sq = (ordered**2).float().cumsum(-1).to(half) / rho
    ss = rho * (mean_sq - mean**2)
    tau = mean - torch.clamp((1 - ss) / rho, 0).sqrt()
    return torch.clamp(z - tau.gather(-1, (tau <= ordered).sum(-1, keepdim=True).clamp_min(1) - 1), 0) ** 2


@pytest.mark.parametrize("subtract", [True, False])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("scaling", ["none", "sqrt_d_k"])
def test_a_result_and_its_loss_by_hand(dtype: str, subtract: bool, scaling: str) -> None:
    if dtype == "float32" and subtract:
        return
    generator = torch.Generator().manual_seed(11)
    Q, K, V = (torch.randn(3, n, 29, generator=generator) * 2 for n in (5, 7, 7))
    config = AttentionConfig(
        source="upload", dtype=dtype, subtract_max=subtract, scaling=scaling, normalisation="entmax"
    )
    result = compute(config, AttentionInputs(Q, K, V))
    half = getattr(torch, dtype)
    scores = (Q.to(half).float() @ K.to(half).float().mT).to(half)
    p = written_out(scores * result.config.factor if scaling != "none" else scores, subtract).float()
    assert torch.equal(result.weights.nan_to_num(9.0), p.nan_to_num(9.0))
    output = (p @ V.to(half).float()).to(half).float()
    assert torch.equal(result.output.nan_to_num(9.0), output.nan_to_num(9.0))
    found = format_loss(result)
    assert found is not None
    sound = (p.double().sum(-1) - 1).abs() <= 0.01
    assert (found.rows, found.broken) == (15, int((~sound).sum()))
    assert (found.infinite, found.overflowed_rows, found.divided) == (0, 0, 0)
    assert found.not_a_number == int(p.isnan().sum())
    assert found.total_error == pytest.approx(float((p.double().sum(-1) - 1).abs()[sound].max()), abs=1e-12)
    exact = compute(
        AttentionConfig(source="upload", scaling=scaling, normalisation="entmax"), AttentionInputs(Q, K, V)
    ).weights
    assert found.weight == pytest.approx(float((p - exact).abs()[sound].max()), rel=1e-3, abs=1e-6)
    some = compute_rows(config, (3, 1), AttentionInputs(Q, K, V))
    torch.testing.assert_close(some.weights, p[:, [3, 1]], equal_nan=True, rtol=1e-2, atol=1e-6)


def test_rows_without_keys_and_broken_ones() -> None:
    """Under a causal mask of fewer keys than queries the first see none: weights 0, and no broken row."""
    Q = torch.tensor([[[1.0], [3000.0], [1.0]]])
    K = torch.tensor([[[1.0], [2.0]]])
    config = AttentionConfig(
        source="upload", dtype="float16", subtract_max=False, scaling="none", mask="causal", normalisation="entmax"
    )
    result = compute(config, AttentionInputs(Q, K, torch.ones(1, 2, 1)))
    assert result.weights[0, 0].tolist() == [0.0, 0.0]
    assert result.broken is not None
    assert result.broken.tolist() == [[False, True, False]]
    for name in ("entropy", "support", "jacobian_norm", "jacobian_trace", "largest_weight"):
        assert result.statistic(name).isnan().tolist() == [[False, True, False]]
        assert result.statistic(name)[0, 0] == 0
    assert result.jacobian(1, 1).isnan().all()
    assert not result.jacobian(1, 2).isnan().any()
    marks = result.marks("weights")
    assert marks is not None
    assert marks[0].tolist() == [[0, 0], [formats.NOT_A_NUMBER, 0], [0, 0]]
