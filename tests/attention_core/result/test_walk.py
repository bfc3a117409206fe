"""The walk through Figure 2: its layers equal `multi_head_attention` and `compute`; its steps lead to them."""

import itertools
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch

from attention_core import (
    AttentionConfig,
    InvalidInput,
    additive_attention,
    compute,
    layers,
    multi_head_attention,
    top_layer,
    walk,
)
from attention_core.inputs.tensors import AttentionInputs, Trained
from attention_core.learned import layer_inputs, shipped_model
from attention_core.result.walk import brought_layer
from tests.attention_core.normalisations import oracles

TEXT = {"source": "text", "text": "one two three four two", "d_model": 6, "h": 3, "d_k": 7, "seed": 11}
CONFIGS = [
    AttentionConfig(**TEXT),
    AttentionConfig(**TEXT, scaling="none", mask="causal"),
    AttentionConfig(**TEXT, mechanism="additive", mask="window", window=1),
    AttentionConfig(n=5, d_model=6, h=3, d_k=7, scaling="custom", scale=0.25),
]


def close(came: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(came, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("config", CONFIGS)
def test_the_first_layer_is_what_compute_finds(config: AttentionConfig) -> None:
    (layer,) = layers(config, 1)
    result = compute(config)
    for name in ("Q", "K", "V", "scores", "scaled", "masked", "weights", "concatenation"):
        close(getattr(layer.attention, name), getattr(result, name))
    close(layer.attention.heads, result.output)
    close(layer.output, result.projection)


@pytest.mark.parametrize("config", CONFIGS)
def test_a_later_layer_is_fed_with_the_output_below_and_has_parameters_of_its_own(config: AttentionConfig) -> None:
    first, second, third = layers(config, 3)
    assert second.X is first.output
    assert third.X is second.output
    assert second.W_Q is not None
    assert third.W_Q is not None
    assert not torch.equal(second.W_Q, third.W_Q)
    assert first.W_O is not None
    assert second.W_O is not None
    assert not torch.equal(first.W_O, second.W_O)
    assert second.W_K is not None
    assert second.W_V is not None
    assert second.X is not None
    Q, K, V = (second.X @ W for W in (second.W_Q, second.W_K, second.W_V))
    if config.mechanism == "additive":
        mask = (torch.arange(5) - torch.arange(5).unsqueeze(-1)).abs() <= 1
        heads = additive_attention(Q, K, V, **second.parameters, mask=mask).output
    else:
        allowed = torch.ones(5, 5).tril() if config.mask == "causal" else torch.ones(5, 5)
        heads = (Q @ K.mT * config.factor).masked_fill(allowed == 0, -torch.inf).softmax(-1) @ V
    close(second.output, torch.cat(list(heads), dim=-1) @ second.W_O)


def test_a_layer_is_multi_head_attention() -> None:
    (layer,) = layers(CONFIGS[0], 1)
    assert layer.X is not None
    assert layer.W_Q is not None
    assert layer.W_K is not None
    assert layer.W_V is not None
    assert layer.W_O is not None
    whole = multi_head_attention(layer.X, layer.X, layer.W_Q, layer.W_K, layer.W_V, layer.W_O)
    for name in ("Q", "K", "V", "scores", "scaled", "weights", "heads", "concatenation", "output"):
        close(getattr(layer.attention, name), getattr(whole, name))


def test_where_q_and_k_are_drawn_only_the_first_layer_has_no_activations() -> None:
    first, second = layers(CONFIGS[3], 2)
    assert first.X is None
    assert first.W_Q is None
    assert first.W_V is None
    assert second.X is not None
    assert second.W_Q is not None


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("row", "head"), [(0, 1), (3, 2), (4, 3)])
def test_the_steps_of_a_query_add_up_to_its_attention(config: AttentionConfig, row: int, head: int) -> None:
    layer = layers(config, 2)[1]
    steps, attention = walk(layer, row, head), layer.attention
    own = head - 1
    close(steps.terms.sum(-1), attention.scores[own, row])
    close(steps.shifted, attention.masked[own] - attention.masked[own].amax(-1, keepdim=True))
    assert steps.exponentials.max() == 1
    close(steps.exponentials / steps.sums, attention.weights[own])
    close(steps.weighted.sum(0), attention.heads[own, row])
    if config.mechanism == "additive":
        W_q, W_k, w = (layer.parameters[name][own] for name in ("W_q", "W_k", "w"))
        assert list(steps.own) == ["hidden_q", "hidden_k", "hidden", "tanh", "terms"]
        close(steps.own["hidden"], attention.Q[own, row] @ W_q + attention.K[own] @ W_k)
        close(steps.own["tanh"], steps.own["hidden"].tanh())
        close(steps.terms, w * steps.own["tanh"])
    else:
        assert list(steps.own) == ["terms"]
        assert layer.parameters == {}
        close(steps.terms, attention.Q[own, row] * attention.K[own])


@pytest.mark.parametrize("mechanism", ["dot_product", "additive"])
@pytest.mark.parametrize("source", ["text", "gaussian"])
def test_the_steps_of_normalised_queries_and_keys_lead_from_the_projections_to_the_scores(
    mechanism: str, source: str
) -> None:
    config = AttentionConfig(
        n=5, h=3, d_model=7, d_k=11, source=source, text="a b c d e", mechanism=mechanism, qk_norm=True, log_n=True
    )
    layer = layers(config, 2)[1]
    steps, attention = walk(layer, 3, 2), layer.attention
    for name, projected in (("q", attention.Q[1]), ("k", attention.K[1])):
        squares, root, normed = (steps.normed[f"{kind}_{name}"] for kind in ("squares", "root", "normed"))
        close(squares, projected.square().sum(-1, keepdim=True) / 11)
        close(root.square(), squares)
        close(normed * root, projected)
        close(normed.norm(dim=-1), torch.full((5,), 11**0.5))
    close(steps.terms.sum(-1), attention.scores[1, 3])
    close(attention.scaled, attention.scores * config.factor)
    if mechanism == "dot_product":
        close(steps.terms, steps.normed["normed_q"][3] * steps.normed["normed_k"])
    else:
        close(steps.own["hidden_q"], steps.normed["normed_q"] @ layer.parameters["W_q"][1])
    assert walk(layers(replace(config, qk_norm=False), 1)[0], 0).normed == {}


def test_a_query_of_zeros_stays_zero_in_the_walk() -> None:
    (layer,) = layers(AttentionConfig(n=4, h=1, d_k=3, qk_norm=True), 1)
    Q = layer.attention.Q.clone()
    Q[0, 2] = 0
    steps = walk(replace(layer, attention=replace(layer.attention, Q=Q)), 2)
    assert steps.normed["squares_q"][2].item() == steps.normed["root_q"][2].item() == 0
    assert steps.normed["normed_q"][2].tolist() == steps.terms[0].tolist() == [0, 0, 0]


WEIGHINGS = {
    "softmax": ("maximum", "shifted", "exponentials", "sums"),
    "sink": ("maximum", "shifted", "exponentials", "sunk", "sums", "missing"),
    "sigmoid": ("lowered", "mass"),
    "entmax": ("halved", "threshold", "roots"),
}


def exact_weighing(name: str, masked: list[float], sink: float) -> dict[str, list[oracles.Real]]:
    """Return the numbers of one row from their definitions in mpmath; −∞ marks a forbidden key."""
    s = [mpmath.mpf(score) for score in masked]
    if name == "sigmoid":
        lowered = [x - mpmath.log(len(s)) for x in s]
        return {"lowered": lowered, "mass": [mpmath.fsum(1 / (1 + mpmath.exp(-x)) for x in lowered)]}
    if name == "entmax":
        halves, roots = [x / 2 for x in s], oracles.exact(name, masked, [], sink).roots
        best = max(range(len(s)), key=lambda key: s[key])
        return {"halved": halves, "threshold": [halves[best] - roots[best]], "roots": roots}
    most = max(*s, mpmath.mpf(sink)) if name == "sink" else max(s)
    powers = [mpmath.exp(x - most) for x in s]
    found = {"maximum": [most], "shifted": [x - most for x in s], "exponentials": powers}
    beside = mpmath.exp(mpmath.mpf(sink) - most) if name == "sink" else mpmath.mpf(0)
    total = mpmath.fsum([*powers, beside])
    return found | {"sunk": [beside], "sums": [total], "missing": [beside / total]}


@pytest.mark.slow
@pytest.mark.parametrize("name", WEIGHINGS)
@pytest.mark.parametrize(("mechanism", "source", "mask", "softcap", "sink"), [
    ("dot_product", "text", "none", 0.0, 0.5), ("dot_product", "text", "causal", 1.5, -3.0),
    ("additive", "text", "window", 0.25, 2.0), ("dot_product", "gaussian", "causal", 0.0, 8.0),
])  # fmt: skip
def test_the_way_from_masked_scores_to_weights_is_that_of_the_normalisation(
    name: str, mechanism: str, source: str, mask: str, softcap: float, sink: float
) -> None:
    config = AttentionConfig(
        n=5, h=3, d_model=7, d_k=11, source=source, text="a b c d e", scaling="custom", scale=1.7,
        mechanism=mechanism, mask=mask, window=1, softcap=softcap, sink=sink, normalisation=name,
    )  # fmt: skip
    layer = layers(config, 2)[1]
    attention = layer.attention
    for head, row in itertools.product((1, 3), range(5)):
        steps = walk(layer, row, head)
        assert tuple(steps.weighing) == WEIGHINGS[name]
        masked = attention.masked[head - 1, row]
        allowed = masked.isfinite()
        if softcap:
            assert steps.capped is not None
            bent = softcap * np.tanh(attention.scaled[head - 1].double().numpy() / softcap)
            np.testing.assert_allclose(steps.capped.numpy(), bent, rtol=1e-6, atol=1e-7)
            assert torch.equal(steps.capped[row][allowed], masked[allowed])
        else:
            assert steps.capped is None
            assert torch.equal(attention.scaled[head - 1, row][allowed], masked[allowed])
        expected = exact_weighing(name, masked.tolist(), sink)
        for tensor, values in steps.weighing.items():
            true = np.array([float(value) for value in expected[tensor]])
            np.testing.assert_allclose(steps.weighing[tensor][row].numpy(), true, rtol=1e-6, atol=3e-7, err_msg=tensor)
            assert len(values) == 5, "all queries"
        true = [float(p) for p in oracles.exact(name, masked.tolist(), [], sink).p]
        np.testing.assert_allclose(attention.weights[head - 1, row].numpy(), true, rtol=2e-6, atol=1e-9)
        close(steps.weighted.sum(0), attention.heads[head - 1, row])


def test_exponentials_are_refused_by_name_of_weights_that_have_none() -> None:
    config = AttentionConfig(n=5, h=3, d_k=7)
    for name in ("sigmoid", "entmax"):
        steps = walk(layers(replace(config, normalisation=name), 1)[0], 0)
        for tensor in ("maximum", "shifted", "exponentials", "sums"):
            refused = rf"^normalisation must be one of softmax, sink to have `{tensor}`; got '{name}'\.$"
            with pytest.raises(InvalidInput, match=refused):
                getattr(steps, tensor)
    sunk = walk(layers(replace(config, normalisation="sink", sink=1.0), 1)[0], 0)
    close(sunk.exponentials.sum(-1, keepdim=True) + (1 - sunk.maximum).exp(), sunk.sums)
    close(sunk.shifted, sunk.weighing["shifted"])


@pytest.mark.parametrize(("row", "head", "field"), [(5, 1, "row"), (-1, 1, "row"), (0, 4, "head"), (0, 0, "head")])
def test_a_query_or_head_that_is_not_there_is_refused(row: int, head: int, field: str) -> None:
    (layer,) = layers(CONFIGS[0], 1)
    with pytest.raises(InvalidInput) as refusal:
        walk(layer, row, head)
    assert (refusal.value.code, refusal.value.details["field"]) == ("out_of_range", field)


def test_the_top_layer_is_the_last_of_all() -> None:
    config = AttentionConfig(n=5, h=3, d_model=7, d_k=11, source="text", text="a b c d e", mechanism="additive")
    top, last = top_layer(config, 3), layers(config, 3)[-1]
    assert top.number == 3
    assert torch.equal(top.output, last.output)
    assert torch.equal(top.parameters["W_q"], last.parameters["W_q"])


def given(
    seed: int, h: int = 3, n: int = 5, d_k: int = 7, d_v: int = 2, trained: Trained | None = None
) -> AttentionInputs:
    generator = torch.Generator().manual_seed(seed)
    Q, K, V = (torch.randn(h, n, width, generator=generator) for width in (d_k, d_k, d_v))
    return AttentionInputs(Q, K, V, trained=trained)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("settings", "trained"),
    [
        ({}, Trained(0.4)),
        ({"scale": 2.5}, Trained(0.4, "causal", softcap=1.5)),
        ({"softcap": 0.7, "qk_norm": True}, Trained(0.4, "window", 2, sink=0.3)),
        ({"normalisation": "sigmoid", "mask": "causal", "log_n": True}, Trained(-1.3, "causal")),
    ],
)
def test_a_brought_layer_is_what_compute_finds(seed: int, settings: dict, trained: Trained) -> None:
    config, inputs = AttentionConfig(source="model", layer=2, **settings), given(seed, trained=trained)
    layer, result = brought_layer(config, inputs), compute(config, inputs)
    assert layer.config == result.config
    assert (layer.config.h, layer.config.n, layer.config.d_k) == (3, 5, 7)
    for name in ("scores", "scaled", "masked", "weights", "concatenation"):
        close(getattr(layer.attention, name), getattr(result, name))
    close(layer.attention.heads, result.output)
    assert (layer.number, layer.X, layer.W_Q, layer.W_O) == (2, None, None, None)
    assert layer.output.shape == (5, 3 * 2)
    assert torch.equal(layer.output, layer.attention.concatenation)
    steps = walk(layer, 4, 3)
    close(steps.weighted.sum(0), layer.attention.heads[2, 4])
    close(steps.terms.sum(-1), layer.attention.scores[2, 4])


def test_a_layer_of_the_shipped_model_has_its_weights() -> None:
    run = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben")
    for number, found in enumerate(run.layers, 1):
        config = AttentionConfig(source="model", layer=number)
        layer = brought_layer(config, layer_inputs(run, number))
        close(layer.attention.weights, found.weights)
        assert layer.config.factor == pytest.approx(0.25)
        assert layer.config.mask == "causal"


def test_cross_attention_and_scores_that_overflow_are_refused() -> None:
    inputs = given(0)
    cross = AttentionInputs(inputs.Q[:, :4], inputs.K, inputs.V)
    with pytest.raises(InvalidInput, match=r"^Q and K must be of one sequence to be walked through; got 4 and 5\.$"):
        brought_layer(AttentionConfig(source="model"), cross)
    large = AttentionInputs(inputs.Q * 1e25, inputs.K * 1e25, inputs.V)
    with pytest.raises(InvalidInput, match="some overflowed"):
        brought_layer(AttentionConfig(source="model"), large)
