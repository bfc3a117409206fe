"""An unknown mechanism is an error by name on every page, in files and prices, and never a dot product."""

from collections.abc import Callable

import pytest

from attention_core import CHOICES, AttentionConfig, compute
from attention_core.mechanisms import MECHANISMS
from visualiser.drawing.cells import quantity
from visualiser.export.script import snippet
from visualiser.locale import LANGUAGES, texts
from visualiser.pages.anatomy import steps
from visualiser.pages.anatomy.price import layer_cost
from visualiser.pages.explore.sentences import insight
from visualiser.pages.uses import unused, uses
from visualiser.server.admission import cost
from visualiser.state import share
from visualiser.state.view import View


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
        lambda config: layer_cost(config, 1),
        lambda config: steps.steps(config, 1),
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
@pytest.mark.parametrize("name", CHOICES["mechanism"])
def test_every_mechanism_has_its_words(lang: str, name: str) -> None:
    keys = {f"choice.mechanism.{name}", f"figure.stage.scores_{name}", f"insight.scores.{name}"}
    if name in steps.WALKED:
        keys |= {f"anatomy.{how}" for how in (f"one.scores_{name}", f"all.scores_{name}", f"half.{name}")}
        keys |= {f"anatomy.box.{box}" for box in (*MECHANISMS[name].walk.boxes, f"compare_{name}")}  # pyright: ignore[reportOptionalMemberAccess]
    assert keys - texts(lang).keys() == set()


def test_anatomy_takes_a_link_to_a_mechanism_that_it_walks_through_and_refuses_others() -> None:
    assert share.read("page=anatomy&mechanism=additive").state.config.mechanism == "additive"
    reading = share.read("page=anatomy&mechanism=third")
    assert reading.state.config.mechanism == "dot_product"
    assert any("third" in notice for notice in reading.notices)


def test_controls_are_read_by_the_choices_that_say_so() -> None:
    read, sizes = uses(), ["h", "d_k", "tie", "d_model"]
    assert read["mechanism"].items() >= {"dot_product": ["scaling", "scale"], "additive": []}.items()
    assert read["scaling"] == {"sqrt_d_k": [], "none": [], "d_k": [], "custom": ["scale"]}
    assert read["mask"].items() >= {"none": [], "causal": [], "window": ["window"]}.items()
    drawn = {name: ["n", *sizes] for name in ("gaussian", "structured")}
    written = {"text": ["text", "split", "positions", *sizes]}
    assert read["source"].items() >= {**drawn, **written, "upload": []}.items()


def test_controls_that_the_first_choices_do_not_read_are_hidden_at_first() -> None:
    assert unused("explore") == {"scale", "window", "text", "split", "positions"}
    assert unused("map") == {"scale", "window", "text", "split", "positions"}
    assert unused("anatomy") == {"scale", "window", "n"}
