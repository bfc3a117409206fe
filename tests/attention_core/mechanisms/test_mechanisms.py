"""A mechanism is one value; an unknown one is an error by name everywhere, never a dot product."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from attention_core import (
    AttentionConfig,
    AttentionInputs,
    InvalidInput,
    compute,
    draw,
    layers,
    mechanisms,
    walk,
)
from attention_core.config import CHOICES, SCALED, of_every_choice
from attention_core.mechanisms import MECHANISMS
from attention_core.result import compute as computing
from attention_core.result import moments


def unknown() -> AttentionConfig:
    """Return a config with a third choice that has no value."""
    config = AttentionConfig(n=5, h=3, d_k=7)
    object.__setattr__(config, "mechanism", "third")
    return config


@pytest.mark.parametrize(
    "asked",
    [
        compute,
        lambda config: config.factor,
        lambda config: layers(config, 1),
        moments.predicted_moments,
        mechanisms.of,
    ],
)
def test_an_unknown_mechanism_is_an_error_by_name(asked: Callable[[AttentionConfig], object]) -> None:
    with pytest.raises(KeyError, match=r"^'third'$"):
        asked(unknown())


def test_an_unknown_mechanism_is_not_streamed_as_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
    with pytest.raises(KeyError, match=r"^'third'$"):
        compute(unknown())


def test_a_choice_without_an_entry_is_an_error_at_import() -> None:
    named = re.escape(str(sorted(CHOICES["mechanism"])))
    with pytest.raises(TypeError, match=rf"^mechanism has the choices {named}; the table has \['x'\]\.$"):
        of_every_choice("mechanism", {"x": 1})
    assert tuple(MECHANISMS) == CHOICES["mechanism"] == tuple(SCALED)


def test_a_mechanism_without_a_walk_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = layers(AttentionConfig(n=5, h=3, d_k=7), 1)[0]
    monkeypatch.setattr(
        mechanisms, "MECHANISMS", {**MECHANISMS, "dot_product": replace(MECHANISMS["dot_product"], walk=None)}
    )
    with pytest.raises(
        InvalidInput, match=r"^mechanism must be one of additive.* to be walked through; got 'dot_product'\.$"
    ):
        walk(layer, 0)


def test_a_walk_has_a_formula_for_each_of_its_tensors() -> None:
    walk = MECHANISMS["additive"].walk
    assert walk is not None
    with pytest.raises(TypeError, match=r"it lacks \['hidden_q', 'terms'\]$"):
        replace(walk, formulas={name: one for name, one in walk.formulas.items() if name not in ("hidden_q", "terms")})


@pytest.mark.parametrize("name", CHOICES["mechanism"])
def test_a_mechanism_whose_scores_depend_on_the_seed_of_given_tensors_says_so(name: str) -> None:
    Q, K, V = (draw(0, which, 3 * 5, 7).view(3, 5, 7) for which in "QKV")
    inputs = AttentionInputs(Q=Q, K=K, V=V)
    one, other = (compute(AttentionConfig(source="upload", mechanism=name, seed=seed), inputs) for seed in (1, 2))
    assert MECHANISMS[name].drawn is not torch.equal(one.scores, other.scores)


@pytest.mark.parametrize("name", CHOICES["mechanism"])
def test_a_mechanism_of_products_says_so(name: str) -> None:
    result = compute(AttentionConfig(n=11, h=3, d_k=7, mechanism=name, scaling="none"))
    assert torch.allclose(result.scores, result.Q @ result.K.mT) is MECHANISMS[name].products


@pytest.mark.parametrize("name", CHOICES["mechanism"])
@pytest.mark.parametrize("dtype", CHOICES["dtype"])
def test_scores_whole_in_blocks_and_walked_through_are_the_same(name: str, dtype: str) -> None:
    """All computations of a mechanism's scores agree, in the config's precision if it matters."""
    config = AttentionConfig(n=11, h=3, d_k=7, mechanism=name, dtype=dtype, scaling="d_k")
    mechanism, result = mechanisms.of(config), compute(config)
    parameters = mechanism.rounded(config, torch.device("cpu"))
    found = mechanism.scores(result.Q, result.K, parameters)
    rounded = found.to(getattr(torch, dtype)).float()
    torch.testing.assert_close(rounded, result.scores, rtol=1e-5, atol=1e-5)
    blocks = mechanism.blocks(result.Q, result.K, parameters, config.factor)
    block = torch.empty(5, 4)
    blocks.block((2,), slice(3, 7), slice(6, 11), block)
    torch.testing.assert_close(block.mT, (found * config.factor)[2, 3:7, 6:11], rtol=1e-5, atol=1e-5)
    assert config.factor == (1 / 7 if SCALED[name] else 1.0)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_step_states_the_shapes_of_its_parameters(name: str) -> None:
    config = AttentionConfig(n=5, h=3, d_k=7, mechanism=name)
    one = mechanisms.of(config)
    assert one.walk is not None
    parameters = one.parameters(config, 1)
    stated = {key: one.walk.formulas[key] for key in parameters}
    shapes = {key: value.shape[1:] for key, value in parameters.items()}
    assert stated == {key: f"{key}: {' × '.join('d_k' for _ in shape)}" for key, shape in shapes.items()}
    assert all(size == config.d_k for shape in shapes.values() for size in shape)
