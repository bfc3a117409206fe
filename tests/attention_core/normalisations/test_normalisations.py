"""A normalisation is one value: what it lacks is refused by name; its law of sums serves memory and passes."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import (
    AttentionConfig,
    InvalidInput,
    compute,
    layers,
    normalisations,
    softmax_jacobian,
    temperature,
    walk,
)
from attention_core.cached import cached_property
from attention_core.config import CHOICES, settings
from attention_core.exact.row_sums import SummedRows
from attention_core.normalisations import NORMALISATIONS, Normalisation
from attention_core.result import compute as computing

SINK = 0.5
"""b: the logarithm of what the sink adds to each row's denominator."""


class SunkRows(SummedRows):
    """Rows of e^s / (e^b + Σ e^s): the sink takes the rest of the weight."""

    @property
    def logsumexp(self) -> Float[Tensor, "*rows"]:
        return torch.logaddexp(super().logsumexp, torch.tensor(SINK, dtype=torch.float64))

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        return (self.sums.largest - self.logsumexp).exp()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        return self.top * (self.sums.gap + (1 + self.sums.first) * (self.logsumexp - self.sums.largest))


def sunk(
    masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None
) -> Float[Tensor, "*batch n_q n_k"]:
    beside = masked.new_full((*masked.shape[:-1], 1), SINK)
    return torch.cat([masked, beside], -1).softmax(-1)[..., :-1]


def even(
    masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None
) -> Float[Tensor, "*batch n_q n_k"]:
    return masked.isfinite().to(masked.dtype)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"sink": Normalisation(weights=sunk, rows=SunkRows), "even": Normalisation(weights=even)}
    monkeypatch.setattr(normalisations, "NORMALISATIONS", {**NORMALISATIONS, **more})


def config(name: str, **settings: object) -> AttentionConfig:
    found = AttentionConfig(n=13, h=3, d_k=7, tie=False, **settings)  # pyright: ignore[reportArgumentType]
    object.__setattr__(found, "normalisation", name)
    return found


REFUSED: dict[str, tuple[str, Callable[[AttentionConfig], object]]] = {
    "statistics": ("softmax, sink to have statistics of its rows", lambda config: compute(config).entropy),
    "jacobian": ("softmax to have a Jacobian here", lambda config: compute(config).jacobian(1, 0)),
    "format": (
        "softmax in a number format or without the maximum subtracted",
        lambda config: compute(_with(config, dtype="bfloat16")),
    ),
    "unsubtracted": (
        "softmax in a number format or without the maximum subtracted",
        lambda config: compute(_with(config, subtract_max=False)),
    ),
    "walk": ("softmax to be walked through", lambda config: walk(layers(config, 1)[0], 0)),
    "temperature": ("softmax to follow a factor", lambda config: temperature(compute(config))),
}


def _with(base: AttentionConfig, **changed: object) -> AttentionConfig:
    found = replace(base, normalisation="softmax", **changed)
    object.__setattr__(found, "normalisation", base.normalisation)
    return found


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_normalisation_lacks_is_refused_by_name(name: str) -> None:
    sentence, asked = REFUSED[name]
    with pytest.raises(InvalidInput, match=rf"^normalisation must be one of {sentence}; got 'even'\.$") as refusal:
        asked(config("even"))
    assert refusal.value.code == "unknown_choice"
    assert refusal.value.details == {
        "field": "normalisation",
        "value": "even",
        "choices": sentence.partition(" ")[0] if not sentence.startswith("softmax,") else "softmax, sink",
    }


def test_a_long_sequence_is_streamed_by_a_law_of_sums_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
    with pytest.raises(
        InvalidInput, match=r"^normalisation must be one of softmax, sink for more than 0 scores; got 'even'"
    ):
        compute(config("even"))


@pytest.mark.parametrize("mask", CHOICES["mask"])
def test_one_law_of_sums_serves_memory_and_passes(monkeypatch: pytest.MonkeyPatch, mask: str) -> None:
    whole = compute(config("sink", mask=mask, window=2))
    monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
    passed = compute(config("sink", mask=mask, window=2))
    p = whole.weights.double()
    exponentials = whole.masked.double().exp()
    torch.testing.assert_close(
        p, exponentials / (exponentials.sum(-1, keepdim=True) + math.exp(SINK)), rtol=1e-6, atol=1e-9
    )
    assert (p.sum(-1) < 0.99).all()
    for result in (whole, passed):
        torch.testing.assert_close(result.largest_weight.double(), p.amax(-1), rtol=1e-6, atol=0)
        torch.testing.assert_close(result.entropy.double(), torch.special.entr(p).sum(-1), rtol=2e-6, atol=0)
    cells = passed.tile(slice(2, 11), slice(1, 12))
    torch.testing.assert_close(cells, whole.weights[:, 2:11, 1:12], rtol=1e-5, atol=1e-9)


def test_an_unknown_normalisation_is_an_error_by_name() -> None:
    with pytest.raises(KeyError, match="third"):
        compute(config("third"))


def test_a_field_with_one_choice_is_no_setting() -> None:
    assert CHOICES["normalisation"] == tuple(NORMALISATIONS) == ("softmax",)
    assert "normalisation" not in settings()
    assert "normalisation" not in AttentionConfig().chosen
    assert "normalisation" not in repr(AttentionConfig())
    named = re.escape("normalisation must be one of softmax; got 'sink'.")
    with pytest.raises(InvalidInput, match=f"^{named}$"):
        AttentionConfig(normalisation="sink")


def test_the_softmax_has_every_part() -> None:
    result = compute(AttentionConfig(n=13, h=3, d_k=7, tie=False))
    torch.testing.assert_close(result.weights, result.masked.softmax(-1), rtol=0, atol=0)
    torch.testing.assert_close(result.jacobian(2, 5), softmax_jacobian(result.weights[1, 5]), rtol=1e-4, atol=1e-7)
