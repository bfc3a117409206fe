"""An unknown mechanism or normalisation is an error by name on every page, and never a dot product or a softmax."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from attention_core import AttentionConfig, AttentionResult, InvalidInput, compute, normalisations
from attention_core.config import SCALED
from attention_core.exact.mask_choices import MASKS
from attention_core.mechanisms import MECHANISMS
from attention_core.normalisations import NORMALISATIONS
from visualiser.drawing.cells import quantity
from visualiser.drawing.saturation import threshold
from visualiser.export.script import snippet
from visualiser.figures import entropy, gradient, heat_maps, jacobian
from visualiser.locale import LANGUAGES, required_texts, texts
from visualiser.maps.geometry import options
from visualiser.pages.anatomy import steps
from visualiser.pages.anatomy.price import layer_cost
from visualiser.pages.explore.reasons import reasons
from visualiser.pages.explore.sentences import insight
from visualiser.pages.uses import unused_controls, uses
from visualiser.server.admission import cost
from visualiser.state import share
from visualiser.state.view import View

FIGURES = (heat_maps, entropy, gradient, jacobian)


def unknown(config: AttentionConfig) -> AttentionConfig:
    """Return the config with a mechanism that passed validation but has no value."""
    object.__setattr__(config, "mechanism", "third")
    return config


def shown(words: Callable[..., object]) -> Callable[[AttentionConfig], object]:
    """Apply `words` to a result whose mechanism is then renamed."""

    def about(config: AttentionConfig) -> object:
        result = compute(AttentionConfig(n=5, h=3, d_k=7))
        unknown(result.config)
        return words(result, View(stage="scores"))

    return about


@pytest.mark.parametrize(
    "asked",
    [
        snippet,
        lambda config: cost.attention(cost.Sized(config, cost.shape_of(config))),
        layer_cost,
        steps.steps,
        shown(quantity),
        shown(insight),
    ],
)
def test_an_unknown_mechanism_is_an_error_by_name(asked: Callable[[AttentionConfig], object]) -> None:
    with pytest.raises(KeyError, match="third"):
        asked(unknown(AttentionConfig(n=5, h=3, d_k=7)))


def test_an_unknown_scaling_is_an_error_by_name_in_a_script() -> None:
    config = AttentionConfig(n=5, h=3, d_k=7)
    object.__setattr__(config, "scaling", "third")
    with pytest.raises(KeyError, match="third"):
        snippet(config)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("walked", [True, False])
def test_a_mechanism_without_its_words_is_an_error_at_load_by_name(
    monkeypatch: pytest.MonkeyPatch, lang: str, walked: bool
) -> None:
    third = MECHANISMS["dot_product"] if walked else replace(MECHANISMS["dot_product"], walk=None)
    monkeypatch.setattr(required_texts, "MECHANISMS", {**MECHANISMS, "third": third})
    monkeypatch.setattr(required_texts, "SCALED", {**SCALED, "third": True})
    with pytest.raises(KeyError) as failure:
        texts.__wrapped__(lang)  # unkept
    missing = str(failure.value)
    assert missing.startswith(f"'{lang}.json lacks ")
    for key in (
        "choice.mechanism.third",
        "figure.stage.scores_third",
        "insight.scores.third",
        "reason.made.scaled.third",
    ):
        assert key in missing
    assert ("anatomy.one.scores_third" in missing) == walked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_mask_without_its_words_is_an_error_at_load_by_name(monkeypatch: pytest.MonkeyPatch, lang: str) -> None:
    monkeypatch.setattr(required_texts, "MASKS", {**MASKS, "third": MASKS["causal"]})
    with pytest.raises(KeyError, match=r"choice\.mask\.third, insight\.mask\.third, insight\.mask\.third_more"):
        texts.__wrapped__(lang)


@pytest.mark.parametrize(
    "words",
    [
        *(lambda result, figure=figure: figure.summary(result, View()) for figure in FIGURES),
        *(lambda result, figure=figure: figure.table(result, View()) for figure in FIGURES),
        insight,
        lambda result: reasons(result, View()),
        lambda result: threshold(result, View()),
        lambda result: snippet(result.config),
        lambda result: options(result.config),
    ],
)
def test_words_of_a_softmax_are_refused_to_other_weights_that_have_every_statistic(
    monkeypatch: pytest.MonkeyPatch, words: Callable[[AttentionResult], object]
) -> None:
    like = replace(NORMALISATIONS["softmax"], softmax=False)
    monkeypatch.setattr(normalisations, "NORMALISATIONS", {**NORMALISATIONS, "third": like})
    result = compute(AttentionConfig(n=5, h=3, d_k=7))
    words(result)
    object.__setattr__(result.config, "normalisation", "third")
    assert result.entropy.isfinite().all()
    with pytest.raises(InvalidInput, match=r"^normalisation must be one of softmax.* here; got 'third'\.$"):
        words(result)


def test_anatomy_takes_a_link_to_a_mechanism_that_it_walks_through_and_refuses_others() -> None:
    assert share.read("page=anatomy&mechanism=additive").state.config.mechanism == "additive"
    reading = share.read("page=anatomy&mechanism=third")
    assert reading.state.config.mechanism == "dot_product"
    assert any("third" in notice for notice in reading.notices)


MODEL = ["text", "target", "model", "layer"]


def test_controls_are_read_by_the_choices_that_say_so() -> None:
    read, sizes = uses(), ["h", "d_k", "tie", "d_model"]
    assert read["mechanism"].items() >= {"dot_product": ["scaling", "scale", "log_n"], "additive": []}.items()
    assert read["scaling"] == {"sqrt_d_k": [], "none": [], "d_k": [], "custom": ["scale"]}
    assert read["mask"].items() >= {"none": [], "causal": [], "window": ["window"]}.items()
    drawn, ours = {name: ["n", *sizes] for name in ("gaussian", "structured")}, ["mechanism", "scaling", "seed"]
    others = {"text": ["text", "split", "positions", *sizes], "upload": []}
    assert read["source"] == {**{name: names + ours for name, names in (drawn | others).items()}, "model": MODEL}
    assert uses("anatomy")["source"]["model"] == ["text", "target", "model"]


def test_controls_that_the_first_choices_do_not_read_are_hidden_at_first() -> None:
    of_others = {"text", "target", "split", "positions", "model", "layer"}
    assert unused_controls("explore") == {"scale", "sink", "window"} | of_others
    assert unused_controls("map") == unused_controls("explore")
    assert unused_controls("anatomy") == {"scale", "sink", "window", "n", "target", "model"}
