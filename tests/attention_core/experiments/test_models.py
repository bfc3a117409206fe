"""The stacked models against the same formulas one seed and one example at a time."""

import pytest
import torch

from attention_core import InvalidInput, multi_head_attention
from attention_core.experiments import QUALITY_CHOICES, HeadsCurve, HeadsExperiment, QualityCurve
from attention_core.experiments.heads_model import heads_loss, initial_heads, readings
from attention_core.experiments.models import answers, initial, loss
from attention_core.experiments.named import named_held_out
from attention_core.experiments.seed_stack import learned
from attention_core.experiments.tasks import TASKS, held_out
from tests.attention_core import oracles

SEEDS = (2, 5)
D_K = 7


def normed(vectors):
    """Return each row over the root of its mean square, in float64."""
    wide = vectors.double()
    return wide / (wide**2).mean(-1, keepdim=True).sqrt()


def compatibility(mechanism, parameters):
    if mechanism == "qk_norm_unscaled":
        return lambda Q, K: oracles.dot(*(normed(torch.as_tensor(vectors)).numpy() for vectors in (Q, K)))
    if mechanism != "additive":
        return oracles.dot
    w, eye = parameters["w"].double().numpy(), torch.eye(D_K).numpy()
    return oracles.additive(eye, eye, w)


@pytest.mark.parametrize("mechanism", QUALITY_CHOICES["mechanism"])
@pytest.mark.parametrize("task", TASKS)
def test_answers_against_one_example_at_a_time(task, mechanism):
    parameters = initial(TASKS[task], QualityCurve(mechanism, D_K), "standard", SEEDS)
    batch = held_out(task, SEEDS, 3)
    result = answers(parameters, mechanism, batch)
    for s in range(2):
        own = {name: value[s] for name, value in parameters.items()}
        for b in range(3):
            n = b if batch.queries.shape[1] > 1 else 0
            x_q, x_k = batch.queries[s, n], batch.keys[s, n]
            if "queries" in own:
                x_q, x_k = own["queries"][x_q], own["keys"][x_k]
            values = own["values"][batch.values[s, b]] @ own["W_V"]
            scale = D_K**-0.5 if mechanism == "scaled" else 1.0
            _, weights, output = oracles.attention(
                x_q @ own["W_Q"], x_k @ own["W_K"], values, compatibility(mechanism, own), scale
            )
            assert torch.allclose(result.weights[s, n].double(), weights, atol=2e-6)
            assert torch.allclose(result.logits[s, b].double(), output @ own["W_C"].double(), atol=2e-5)


def test_an_unknown_mechanism_is_refused_by_name():
    message = r"^mechanism must be one of scaled, unscaled, additive, qk_norm_unscaled; got 'cosine'\.$"
    with pytest.raises(InvalidInput, match=message):
        initial(TASKS["recall"], QualityCurve("cosine", D_K), "standard", SEEDS)
    parameters = initial(TASKS["recall"], QualityCurve("scaled", D_K), "standard", SEEDS)
    with pytest.raises(InvalidInput, match=message):
        answers(parameters, "cosine", held_out("recall", SEEDS, 1))


def test_what_mechanisms_and_widths_share_is_the_same():
    wide = initial(TASKS["recall"], QualityCurve("additive", 29), "standard", SEEDS)
    narrow = initial(TASKS["recall"], QualityCurve("unscaled", D_K), "standard", SEEDS)
    assert set(wide) - set(narrow) == {"w"}
    for name, value in narrow.items():
        assert torch.equal(value, wide[name][..., :D_K] if name in ("W_Q", "W_K") else wide[name]), name


@pytest.mark.parametrize("task", ["recall", "reverse"])
def test_seeds_draw_the_parameters_that_the_shipped_results_began_with(task):
    parameters = initial(TASKS[task], QualityCurve("additive", D_K), "standard", SEEDS)
    first = {name: values[1].flatten()[0].item() for name, values in parameters.items()}
    assert first == pytest.approx(
        {
            "W_Q": 0.060816, "W_K": -0.213934, "values": 1.772956, "W_V": -0.087065, "W_C": -0.106997,
            "queries": -0.557123, "keys": -0.113441, "w": 0.506576,
        },
        abs=1e-6,
    )  # fmt: skip


def test_unscaled_scores_have_variance_d_k_at_the_start():
    """Footnote 4, and 1 for scaled ones; additive ones stay below 1 because |tanh| < 1 and w ~ N(0, 1/d_k).

    Of random directions cos² θ has the mean 1/d_k, so d_k · cos θ has the variance of unscaled scores.
    """
    seeds, d_k = tuple(range(20)), 64
    variance = {}
    for mechanism in QUALITY_CHOICES["mechanism"]:
        parameters = initial(TASKS["reverse"], QualityCurve(mechanism, d_k), "standard", seeds)
        weights = answers(parameters, mechanism, held_out("reverse", seeds, 1)).weights
        scores = weights.double().log()  # up to a constant per row
        variance[mechanism] = scores.var(-1).mean().item()
    assert variance["scaled"] == pytest.approx(1, rel=0.15)
    assert variance["unscaled"] == pytest.approx(d_k, rel=0.15)
    assert variance["qk_norm_unscaled"] == pytest.approx(d_k, rel=0.15)
    assert 0.1 < variance["additive"] < 1


@pytest.mark.parametrize(
    ("initialisation", "mechanism", "factors"),
    [
        ("small_projections", "unscaled", {"W_Q": 81**-0.25, "W_K": 81**-0.25}),
        ("large_projections", "scaled", {"W_Q": 3.0, "W_K": 3.0}),
        ("large_w", "additive", {"w": 9.0}),
        ("large_w", "scaled", {}),
    ],
)
def test_an_initialisation_changes_one_scale_and_nothing_else(initialisation, mechanism, factors):
    curve = QualityCurve(mechanism, 81)
    usual = initial(TASKS["noisy"], curve, "standard", SEEDS)
    other = initial(TASKS["noisy"], curve, initialisation, SEEDS)
    for name, value in usual.items():
        assert torch.allclose(other[name], value * factors.get(name, 1.0), rtol=1e-6), name


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("initialisation", ["small_projections", "large_projections"])
def test_no_start_changes_the_scores_of_normed_queries_and_keys(task, initialisation):
    curve, batch = QualityCurve("qk_norm_unscaled", D_K), held_out(task, SEEDS, 3)
    starts = (initial(TASKS[task], curve, name, SEEDS) for name in ("standard", initialisation))
    usual, other = (answers(parameters, curve.mechanism, batch).weights for parameters in starts)
    assert torch.allclose(usual, other, atol=2e-6)


@pytest.mark.parametrize("task", TASKS)
def test_gradients_reach_w_q_and_w_k_through_the_norm(task):
    """Against float64 and another formula. Lengths make no difference, so no gradient lies along them."""
    curve, batch = QualityCurve("qk_norm_unscaled", D_K), held_out(task, SEEDS, 3)
    drawn = initial(TASKS[task], curve, "standard", SEEDS)
    parameters = learned(drawn)
    loss(parameters, curve.mechanism, batch).backward()
    wide = {name: value.double().requires_grad_() for name, value in drawn.items()}
    total = torch.zeros((), dtype=torch.float64)
    for s in range(len(SEEDS)):
        own = {name: value[s] for name, value in wide.items()}
        for b in range(3):
            n = b if batch.queries.shape[1] > 1 else 0
            x_q, x_k = batch.queries[s, n], batch.keys[s, n]
            if "queries" in own:
                x_q, x_k = own["queries"][x_q], own["keys"][x_k]
            scores = normed(x_q.double() @ own["W_Q"]) @ normed(x_k.double() @ own["W_K"]).T
            logits = scores.softmax(-1) @ own["values"][batch.values[s, b]] @ own["W_V"] @ own["W_C"]
            total = total + torch.nn.functional.cross_entropy(logits, batch.target[s, b]) / 3
    total.backward()
    for name in ("W_Q", "W_K"):
        found, expected = parameters[name].grad, wide[name].grad
        assert found is not None
        assert expected is not None
        assert found.flatten(1).norm(dim=1).min() > 1e-3, name
        assert torch.allclose(found.double(), expected, rtol=1e-4, atol=1e-6), name
        along = (expected * wide[name]).sum((1, 2)).abs() / (expected * wide[name]).abs().sum((1, 2))
        assert along.max() < 1e-12, name


@pytest.mark.parametrize("mlp", [False, True])
def test_heads_against_multi_head_attention(mlp):
    experiment = HeadsExperiment(h=(3,), m=2, d_model=21, classes=5, mlp=mlp, mlp_width=13)
    curve = HeadsCurve(3, 7)
    parameters = initial_heads(experiment, SEEDS)
    batch = named_held_out(SEEDS, 2, 5, 4)
    result = readings(parameters, curve, batch)
    for s in range(2):
        own = {name: value[s] for name, value in parameters.items()}
        W_K, W_V = (own[name].view(21, 3, 7).transpose(0, 1) for name in ("W_K", "W_V"))
        W_Q = own["W_Q"].view(42, 3, 7).transpose(0, 1)
        for b in range(4):
            X = own["positions"] + own["values"][batch.values[s, b]]
            asked = own["positions"][batch.named[s, b]].flatten()
            # multi_head_attention has one width for both sides: the keys' rows get zeros below
            wide = torch.cat([X, torch.zeros(8, 21)], -1)
            expected = multi_head_attention(
                asked[None],
                wide,
                W_Q,
                torch.cat([W_K, torch.zeros(3, 21, 7)], 1),
                torch.cat([W_V, torch.zeros(3, 21, 7)], 1),
                own["W_O"],
            )
            output = expected.output[0]
            if mlp:
                output = (output @ own["W_1"] + own["b_1"][0]).relu()
            assert torch.allclose(result.weights[s, b], expected.weights[:, 0], atol=2e-6)
            assert torch.allclose(result.logits[s, b].flatten(), output @ own["W_C"], atol=2e-5)


def test_no_model_reaches_anothers_gradient():
    """A seed's gradient is that of its own mean loss, whatever the other seeds."""
    curve, batch = QualityCurve("additive", D_K), held_out("recall", SEEDS, 5)
    both = learned(initial(TASKS["recall"], curve, "standard", SEEDS))
    loss(both, "additive", batch).backward()
    alone = learned(initial(TASKS["recall"], curve, "standard", SEEDS[1:]))
    own = held_out("recall", SEEDS[1:], 5)
    logits = answers(alone, "additive", own).logits
    torch.nn.functional.cross_entropy(logits.flatten(0, 2), own.target.flatten()).backward()
    for name, value in both.items():
        stacked, single = value.grad, alone[name].grad
        assert stacked is not None
        assert single is not None
        assert torch.allclose(stacked[1:], single, rtol=1e-4, atol=1e-7), name


def test_the_loss_of_the_heads_is_the_sum_of_their_means():
    experiment, curve = HeadsExperiment(h=(2,), m=3, d_model=22, classes=5), HeadsCurve(2, 11)
    batch = named_held_out(SEEDS, 3, 5, 7)
    parameters = initial_heads(experiment, SEEDS)
    logits = readings(parameters, curve, batch).logits.log_softmax(-1)
    right = logits.gather(-1, batch.target.unsqueeze(-1))
    assert torch.allclose(heads_loss(parameters, curve, batch), -right.mean((1, 2, 3)).sum())
