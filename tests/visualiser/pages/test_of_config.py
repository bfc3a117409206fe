"""Endpoints of a configuration take its fields as they are declared, within their page's rules."""

import inspect
from dataclasses import dataclass
from typing import Any

import gradio as gr
import pytest

from attention_core import AttentionConfig
from attention_core.config import settings
from visualiser.pages import of_config as taking
from visualiser.pages import shell
from visualiser.pages.of_config import of_config
from visualiser.state import parameters


@of_config("anatomy", sources=("text", "gaussian", "model"), without=("dtype",))
def sized(config: AttentionConfig, head: int = 2) -> tuple[int, int, str, int, int]:
    """Return what came.

    Args:
        head: the head
    """
    return config.n, config.d_k, config.text, config.layer, head


def test_the_function_gets_the_configuration_and_its_own_arguments() -> None:
    assert sized(source="gaussian", d_k=5, layer=3) == (4, 5, parameters.beginning("anatomy").text, 3, 2)
    assert sized(7, 12, 3, source="gaussian", head=1) == (7, 4, parameters.beginning("anatomy").text, 1, 1)


def test_defaults_types_and_order_are_those_of_the_page() -> None:
    arguments = inspect.signature(sized).parameters
    published = [
        "n", "d_model", "h", "d_k", "tie", "mechanism", "scaling", "scale", "mask", "window", "source", "text", "split",
        "positions", "seed",
    ]  # fmt: skip
    assert list(arguments)[:15] == published
    assert list(arguments)[-2:] == ["layer", "head"]
    assert [arguments[name].default for name in ("n", "d_model", "window", "source")] == [4, 8, 1, "text"]
    assert (arguments["d_k"].default, arguments["d_k"].annotation) == (None, int | None)
    assert (arguments["text"].default, arguments["text"].annotation) == ("the cat sat down", str)
    explore: Any = inspect.signature(shell.ENDPOINTS["attention"].function).parameters
    assert (explore["text"].default, explore["text"].annotation) == (None, str | None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"source": "upload"}, "source must be text, gaussian or model here"),
        ({"source": "gaussian", "n": 65}, "n must be between 2 and 64, got 65"),
        ({"layer": 5}, "layer must be between 1 and 4, got 5"),
        ({"layer": 0}, "layer must be at least 1; got 0."),
        ({"mask": "big"}, "mask must be one of none, causal, window; got 'big'."),
    ],
)
def test_what_the_page_does_not_allow_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(gr.Error) as refused:
        sized(**given)
    assert refused.value.message == message


def test_sentences_have_the_ranges_and_choices_of_the_page() -> None:
    lines = (sized.__doc__ or "").splitlines()
    assert "    d_model: width of the activations, 2 to 512" in lines
    assert "    mask: keys that a query may attend to: none, causal or window" in lines
    assert "    source: source of Q, K and V: text, gaussian or model" in lines
    assert any(line.startswith("    layer: the layer, from 1, of a model") for line in lines)
    assert lines[-1] == "    head: the head"


def test_a_new_field_reaches_an_endpoint_behind_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Wider(AttentionConfig):
        temperature: int = 3

    monkeypatch.setattr(taking, "AttentionConfig", Wider)
    monkeypatch.setattr(taking, "settings", lambda: (*settings(), "temperature"))
    monkeypatch.setattr(taking, "MEANINGS", {**taking.MEANINGS, "temperature": "how warm it is"})
    monkeypatch.setattr(parameters, "beginning", lambda page: Wider())

    @of_config("explore", sources=("gaussian",))
    def endpoint(config: Any, own: int = 1) -> tuple[int, int]:
        """Return what came.

        Returns:
            both
        """
        return config.temperature, own

    assert list(inspect.signature(endpoint).parameters)[-2:] == ["temperature", "own"]
    assert "    temperature: how warm it is\n" in (endpoint.__doc__ or "")
    assert endpoint() == (3, 1)
    assert endpoint(temperature=5, own=2) == (5, 2)
