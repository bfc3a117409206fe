"""A normalisation is one value: what it lacks is refused by name."""

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
from attention_core.blocks.row_statistics import ROW_STATISTICS
from attention_core.normalisations import NORMALISATIONS, Normalisation
from attention_core.result import compute as computing


def even(
    config: AttentionConfig, masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None
) -> Float[Tensor, "*batch n_q n_k"]:
    return masked.isfinite().to(masked.dtype)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"even": Normalisation(weights=even)}
    monkeypatch.setattr(normalisations, "NORMALISATIONS", {**NORMALISATIONS, **more})


def config(name: str, **settings: object) -> AttentionConfig:
    found = AttentionConfig(n=13, h=3, d_k=7, tie=False, **settings)  # pyright: ignore[reportArgumentType]
    object.__setattr__(found, "normalisation", name)
    return found


EVERY = "softmax, sink, sigmoid, entmax"
REFUSED: dict[str, tuple[str, Callable[[AttentionConfig], object]]] = {
    "statistics": (
        f"{EVERY} to have statistics of its rows",
        lambda config: compute(config).entropy,
    ),
    "jacobian": (
        f"{EVERY} to have a Jacobian here",
        lambda config: compute(config).jacobian(1, 0),
    ),
    "format": (
        f"{EVERY} in a number format or without the maximum subtracted",
        lambda config: compute(_with(config, dtype="bfloat16")),
    ),
    "unsubtracted": (
        f"{EVERY} in a number format or without the maximum subtracted",
        lambda config: compute(_with(config, subtract_max=False)),
    ),
    "walk": (f"{EVERY} to be walked through", lambda config: walk(layers(config, 1)[0], 0)),
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
        "choices": re.split(" (?:to|in) ", sentence)[0],
    }


def test_a_long_sequence_is_streamed_by_a_law_of_sums_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
    with pytest.raises(
        InvalidInput, match=r"^normalisation must be one of softmax, sink, sigmoid for more than 0 scores; got 'even'"
    ):
        compute(config("even"))
    with pytest.raises(InvalidInput, match="softmax, sink, sigmoid for more than 0 scores; got 'entmax'"):
        compute(config("entmax"))


def test_an_unknown_normalisation_is_an_error_by_name() -> None:
    with pytest.raises(KeyError, match="third"):
        compute(config("third"))


def test_a_softmax_is_refused_by_what_acts_on_its_scores() -> None:
    capped = AttentionConfig(n=13, h=3, d_k=7, tie=False, softcap=2.5)
    result = compute(capped)
    with pytest.raises(InvalidInput, match=r"^softcap must be 0 to follow a factor; got 2\.5\.$") as refusal:
        temperature(result)
    assert refusal.value.details == {"field": "softcap", "value": 2.5, "choices": "0"}


def test_each_statistic_that_rows_lack_is_refused_by_name() -> None:
    had = {name: one.statistics for name, one in NORMALISATIONS.items()}
    plain = tuple(name for name, each in ROW_STATISTICS.items() if each.common)
    assert had["softmax"] == plain
    assert had["sink"] == (*plain, "sink_weight")
    assert had["sigmoid"] == ("sum_of_squares", "jacobian_norm", "jacobian_trace", "largest_weight", "mass")
    assert had["entmax"] == (*plain[1:], "support")
    for name, there in had.items():
        result = compute(config(name))
        for asked in ROW_STATISTICS:
            if asked in there:
                assert result.statistic(asked).isfinite().all()
                continue
            with pytest.raises(InvalidInput, match=f"^statistic must be one of {', '.join(there)}; got {asked}.$"):
                result.statistic(asked)


def test_the_softmax_has_every_part() -> None:
    result = compute(AttentionConfig(n=13, h=3, d_k=7, tie=False))
    torch.testing.assert_close(result.weights, result.masked.softmax(-1), rtol=0, atol=0)
    torch.testing.assert_close(result.jacobian(2, 5), softmax_jacobian(result.weights[1, 5]), rtol=1e-4, atol=1e-7)
