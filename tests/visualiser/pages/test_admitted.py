"""Endpoints for programs: wrong values are refused in words, calls take their turn, and their cost is known."""

import inspect
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from attention_core import AttentionConfig
from attention_core.studies.tensor_memory import TensorMemory
from tests.alone import alone
from visualiser.pages import admitted, shell
from visualiser.pages.train import endpoint as train_endpoint
from visualiser.server.admission import cost
from visualiser.server.admission.clients import Client
from visualiser.server.admission.entry import Admission


def called(name: str, *given: Any) -> Any:
    """Call an endpoint as gradio does and return its answer."""
    found = shell.ENDPOINTS[name]
    request: Any = SimpleNamespace(client=SimpleNamespace(host="192.0.2.7"), headers={"x-headlight-tab": "a-tab-0001"})
    return alone(admitted.admitted(found.function, found.price, run=found.run)(request, *given))


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("cost", ("n", "0"), "sizes must be a list of whole numbers or null; got '0'"),
        ("cost", ("n", ["0"]), "sizes must be a list of whole numbers or null; got ['0']"),
        ("why", (5, 0, 1, 3), "d_ks must be a list of whole numbers or null; got 3"),
        ("attention", ("many",), "n must be a whole number; got 'many'"),
        ("attention", (True,), "n must be a whole number; got True"),
        ("train", (7,), "task must be a text; got 7"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_words(name: str, given: tuple, message: str) -> None:
    with pytest.raises(gr.Error) as refused:
        called(name, *given)
    assert refused.value.message == message


@pytest.mark.parametrize(("given", "name"), [((1, "x", 0), "head"), ((1, 1, "x"), "row"), (("x", 1, 0), "layer")])
def test_a_layer_a_row_or_a_head_that_is_a_text_is_refused_in_words(given: tuple, name: str) -> None:
    state = (4, 8, 2, None, None, "dot_product", "sqrt_d_k", 1.0, "none", 1, "text", "a b c d", "words", False, 0)
    with pytest.raises(gr.Error) as refused:
        called("anatomy", *state, "softmax", 0.0, False, False, 0.0, "lighthouse", "", "tones", "headlight", *given)
    assert refused.value.message == f"{name} must be a whole number; got 'x'"


def test_a_call_answers_and_gives_its_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Admission(2**30, 2)
    monkeypatch.setattr(admitted, "admission", lambda: own)
    assert called("attention", 7.0)["n"] == 7
    for line in (own.small, own.light, own.heavy, own.runs):
        assert (line.working, line.waiting, line.memory.taken) == (0, 0, 0)


def test_a_program_with_too_many_calls_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Admission(2**30, 2)
    monkeypatch.setattr(admitted, "admission", lambda: own)
    config = AttentionConfig(n=7)
    price = cost.attention(cost.Sized(config, cost.shape_of(config)))
    held = [own.enter(Client("192.0.2.7", "a-tab-0001"), price) for _ in range(own.light.longest_each + 1)]
    with pytest.raises(gr.Error, match="busy"):
        called("attention", 7)
    for ticket in held:
        ticket.leave()


def test_one_address_has_so_many_calls_under_way_and_keeps_no_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(admitted._calls, "192.0.2.7", admitted.CALLS_EACH)
    with pytest.raises(gr.Error, match="64 calls from this address"):
        called("attention", 7)
    monkeypatch.setitem(admitted._calls, "192.0.2.7", admitted.CALLS_EACH - 1)
    assert called("attention", 7)["n"] == 7
    assert admitted._calls["192.0.2.7"] == admitted.CALLS_EACH - 1
    assert shell.CALLS_AT_ONCE >= 8 * admitted.CALLS_EACH


def test_every_endpoint_has_its_price() -> None:
    large = {"n": 512, "h": 16, "d_k": 1024, "layer": 4, "tie": None, "source": "gaussian"}
    for name in shell.ENDPOINTS:
        assert priced(name, **large).memory >= cost.SMALL.memory
    for name in ("attention", "anatomy", "map"):
        assert priced(name, **large).memory > priced(name, n=8, h=1, d_k=4, tie=None, source="gaussian").memory


def priced(name: str, **given: object) -> cost.Cost:
    """Return the cost of a program's call with default values for its other parameters."""
    function, price = shell.ENDPOINTS[name].function, shell.ENDPOINTS[name].price
    named = {parameter.name: parameter.default for parameter in inspect.signature(function).parameters.values()}
    return price(named | {key: value for key, value in given.items() if key in named})


@pytest.mark.slow
def test_a_programs_training_and_measurement_cost_what_they_hold() -> None:
    with TensorMemory() as memory:
        train_endpoint.train(d_k=1024, steps=1, seeds=20)
    assert memory.peak <= priced("train", d_k=1024, steps=1, seeds=20).memory <= 2 * memory.peak
    # Q, K, V and two parameters are drawn before any contender is left out
    assert priced("cost", sizes=[4096], d_k=4096).memory > 4 * 5 * 4096**2
    assert priced("train", d_k=1024, seeds=21) == priced("cost", sizes=[4097]) == cost.SMALL


def test_a_call_that_is_as_long_as_a_page_s_run_waits_in_the_line_of_runs() -> None:
    assert {name for name, found in shell.ENDPOINTS.items() if found.run} == {"cost", "heads", "map", "train"}
