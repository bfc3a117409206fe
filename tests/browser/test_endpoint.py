"""The endpoint /attention: a program gets the same numbers that `compute` returns and the page draws."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Page

from attention_core import BOUNDS, CHOICES, AttentionConfig, compute
from tests.browser import drawn
from tests.browser.comparison import query
from visualiser import locale
from visualiser.state.parameters import PAGES


@pytest.fixture(scope="module")
def client(app_url: str) -> Iterator[Client]:
    client = Client(app_url, verbose=False)
    yield client
    client.close()


STATES: list[dict[str, Any]] = [
    {},
    {"n": 12, "h": 3, "d_k": 7, "scaling": "none", "seed": 5},
    {"n": 13, "h": 2, "mechanism": "additive", "mask": "causal"},
    {"h": 2, "d_model": 64, "source": "text", "text": "the cat, the <b>고양이</b>", "mask": "window", "window": 2},
    {"n": 11, "h": 5, "scaling": "custom", "scale": 0.25, "dtype": "bfloat16"},
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: query(AttentionConfig(**state))[:40] or "defaults")
def test_a_program_gets_the_numbers_of_compute_and_of_the_page(
    client: Client, open_page: Callable[..., Page], state: dict[str, Any]
) -> None:
    answer = client.predict(**state, api_name="/attention")
    config = AttentionConfig(**state)
    result = compute(config, device="cpu")
    assert (answer["n"], answer["h"], answer["d_k"]) == (config.n, config.h, config.d_k)
    assert (answer["d_model"], answer["tie"]) == (config.d_model, config.tie)
    assert answer["entropy_ceiling"] == pytest.approx(float(result.ceiling.max()))
    per_head = {
        "entropy": result.entropy.mean(-1),
        "effective_keys": result.entropy.exp().mean(-1),
        "score_mean": result.score_mean,
        "score_variance": result.score_variance,
        "jacobian_norm": result.jacobian_norm.mean(-1),
        "jacobian_trace": result.jacobian_trace.mean(-1),
        "largest_weight": result.weights.amax((-2, -1)),
    }
    for name, numbers in per_head.items():
        assert answer[name] == pytest.approx(numbers.tolist(), rel=1e-5, abs=1e-7), name
    if config.source == "gaussian" and config.mechanism == "dot_product":
        assert answer["predicted_score_variance"] == pytest.approx(config.d_k * config.factor**2)
    else:
        assert answer["predicted_score_variance"] is None

    page = open_page(query(config))
    head, *_ = drawn.table(page, "heat-maps")[1]
    lines = drawn.table(page, "heat-maps")[1][1:]
    column = head.index("mean entropy (nats)")
    assert [line[column] for line in lines] == [locale.number(entropy) for entropy in answer["entropy"]]
    column = head.index(locale.text("en", "table.largest_weight"))
    assert [line[column] for line in lines] == [locale.number(weight) for weight in answer["largest_weight"]]
    shown = drawn.trace(page, "score-distribution", kind="mean")["x"][0]
    assert math.isclose(shown, sum(answer["score_mean"]) / config.h, rel_tol=1e-4, abs_tol=1e-6)


def test_every_page_has_one_and_gradio_adds_none(client: Client) -> None:
    described: Any = client.view_api(return_format="dict", print_info=False)
    assert set(described["named_endpoints"]) == {"/attention", *(f"/{page}" for page in PAGES[1:]), "/heads"}
    assert described["unnamed_endpoints"] == {}
    for endpoint in described["named_endpoints"].values():
        assert len(endpoint["description"]) > 20
        assert all(one["python_type"]["description"] or one["label"] for one in endpoint["parameters"])


def test_it_is_typed_and_documented(client: Client) -> None:
    described: Any = client.view_api(return_format="dict", print_info=False)
    endpoint = described["named_endpoints"]["/attention"]
    assert endpoint["description"].startswith("Return per-head entropy")
    types = {one["parameter_name"]: one["python_type"]["type"] for one in endpoint["parameters"]}
    whole, number, choice, flag = "int", "float", "str", "bool"
    assert types == {
        **dict.fromkeys(("n", "d_model", "h", "window", "seed"), whole),
        **dict.fromkeys(("mechanism", "scaling", "mask", "source", "split", "dtype", "normalisation"), choice),
        "d_k": "None | int",
        "tie": "None | bool",
        "text": "None | str",
        **dict.fromkeys(("scale", "sink", "softcap"), number),
        "positions": flag,
        **dict.fromkeys(("pictures", "target", "sound"), "str"),
        "model": "str",
        "layer": "int",
        "subtract_max": flag,
        "qk_norm": flag,
        "log_n": flag,
    }
    defaults = {one["parameter_name"]: one["parameter_default"] for one in endpoint["parameters"]}
    wanted = AttentionConfig()
    for name in set(types) - {"d_k", "tie", "text"}:
        assert defaults[name] == getattr(wanted, name), name


REFUSED: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"h": 17}, ("h", "17", str(BOUNDS["h"].maximum))),
    ({"h": 0}, ("h", "0")),
    ({"d_model": 1025}, ("d_model", "1025")),
    ({"d_k": 1025}, ("d_k", "1025")),
    ({"n": 513}, ("n", "513", "512")),
    ({"n": -1}, ("n", "-1")),
    ({"n": "many"}, ("n", "many")),
    ({"n": 2.5}, ("n", "2.5")),
    ({"n": [2]}, ("n",)),
    ({"d_k": 0}, ("d_k", "0")),
    ({"scale": 1e300, "scaling": "custom"}, ("scale", "1e+300")),
    ({"mechanism": "import os"}, ("mechanism", "import os", *CHOICES["mechanism"])),
    ({"source": "upload"}, ("source", "gaussian", "text")),
    ({"source": "text", "text": ""}, ("text",)),
    ({"source": "text", "text": "a " * 10_000}, ("512",)),
    ({"seed": -1}, ("seed", "-1")),
]


@pytest.mark.parametrize(("bad", "named"), REFUSED, ids=lambda value: str(value)[:30])
def test_a_bad_argument_is_refused_in_words_and_the_next_call_is_served(
    client: Client, bad: dict[str, Any], named: tuple[str, ...]
) -> None:
    with pytest.raises(AppError) as caught:
        client.predict(**bad, api_name="/attention")
    for word in named:
        assert word in str(caught.value)
    assert client.predict(n=7, h=2, api_name="/attention")["n"] == 7
