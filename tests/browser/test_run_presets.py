"""Presets of Train and Cost keep their promises, and Cost's sliders are logarithmic."""

from collections.abc import Callable
from statistics import mean

import pytest
from playwright.sync_api import Page

from tests.browser import controls
from visualiser.locale import text
from visualiser.pages.cost.layout import PRESETS as COST
from visualiser.pages.train.layout import PRESETS as TRAIN
from visualiser.shipped import shipped


@pytest.mark.parametrize(
    ("name", "presets", "shown"), [("train", TRAIN, "heads-accuracy"), ("cost", COST, "cost-time")]
)
def test_the_menu_promises_and_brings_there(
    open_page: Callable[..., Page], name: str, presets: dict, shown: str
) -> None:
    page = open_page(f"page={name}", painted=False)
    page.locator("#origin").wait_for()
    page.locator("#menus .presets > summary").click()
    promises = page.locator("#menus .presets .promise").all_text_contents()
    assert len(promises) == len(presets) + 1
    first = {"train": "train_heads", "cost": "cost_memory"}[name]
    page.locator(f"#preset-{first}").click()
    page.locator(f"#figure-{shown} canvas").first.wait_for()
    assert page.locator(f"#figure-{shown} .brief").inner_text() == text("en", "run.preview"), "a result at once"
    page.locator("#predict-open").click()
    page.locator(".is-inviting #predict-reveal").wait_for()
    controls.press(page, "#reset")
    page.wait_for_function("() => !location.search.includes('predict')")
    page.locator("#origin").wait_for()


def test_what_trains_promise_is_what_was_measured() -> None:
    quality = {
        (entry["curve"]["mechanism"], entry["curve"]["d_k"]): mean(entry["accuracy"])
        for entry in shipped("train_quality").results
    }
    wide = (64, 256, 1024)
    for without in ("unscaled", "qk_norm_unscaled"):
        assert all(quality[without, d_k] < 0.3 for d_k in wide), "without a factor, it has learned little"
    assert all(quality[other, d_k] > 0.99 for other in ("scaled", "additive") for d_k in wide)
    heads = {entry["curve"]["h"]: mean(entry["accuracy"]) for entry in shipped("train_heads").results}
    assert round(100 * heads[1]) == 39
    assert heads[4] > 0.999


def test_what_cost_promises_is_what_was_measured() -> None:
    taken = {
        (entry["contender"], entry["size"]): entry["bytes"]
        for entry in shipped("cost").results
        if entry["passes"] == "forward"
    }
    assert taken["additive_naive", 1024] / taken["additive_naive", 128] == pytest.approx(64, rel=0.01)
    assert taken["fused", 1024] / taken["fused", 128] == pytest.approx(8, rel=0.01)


def test_most_of_costs_sliders_is_where_most_happens(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&varied=d_k&predict=false&d_k=16&n=64", painted=False)
    page.wait_for_selector("#control-n .log-slider")
    box = page.locator("#control-n input[type=number]")
    assert box.input_value() == "64"
    assert not page.locator("#control-d_k").is_visible(), "it is what is measured against"
    at = int(page.locator("#control-n input[type=range]").input_value())
    assert at == 200, "64 of 32 … 1024 is a fifth of the way, not a thirtieth"
    controls.slider(page, "n").press("PageUp")
    assert box.input_value() == "128"
    page.wait_for_function("() => location.search.includes('n=128')")
    controls.write(page, "n", 300)
    page.wait_for_function("() => location.search.includes('n=300')")
    controls.choose(page, "varied", "n")
    page.locator("#control-d_k .log-slider").wait_for()
    assert page.locator("#control-d_k input[type=number]").input_value() == "16"
    assert not page.locator("#control-n").is_visible()
