"""A layer of a trained model on Explore: opened by a link, moved by its controls, and left again."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from playwright.sync_api import Page

from attention_core import AttentionConfig, AttentionResult, compute
from attention_core.config import REPEATING_TEXT
from attention_core.learned import layer_inputs, shipped_model
from tests.browser import controls, drawn
from tests.browser.comparison import assert_result
from visualiser import locale
from visualiser.state.view import View

TEXT = REPEATING_TEXT.replace(" ", "+")
LINK = f"source=model&text={TEXT}&layer=2"


def computed(layer: int = 2, model: str = "headlight", **config: Any) -> AttentionResult:
    """Return the core's result for a layer that reads the text."""
    inputs = layer_inputs(shipped_model(model).run(REPEATING_TEXT), layer)
    return compute(AttentionConfig(source="model", model=model, layer=layer, **config), inputs, device="cpu")


def visible(page: Page) -> list[str]:
    """Return the names of the controls above the fold."""
    found = page.locator("#controls .one, #controls [id^=control-]").evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.id)"
    )
    return [name.removeprefix("control-") for name in found if name.startswith("control-")]


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    page = open_page(LINK)
    drawn.wait_painted(page, LINK)
    return page


def test_a_link_opens_it_with_the_controls_that_have_a_meaning(page: Page) -> None:
    found = computed()
    torch.testing.assert_close(
        found.weights, shipped_model("headlight").run(REPEATING_TEXT).layers[1].weights, rtol=1e-5, atol=1e-6
    )
    assert_result(page, found, View())
    assert visible(page) == ["scale", "normalisation", "source", "model", "layer", "text"]
    label = page.locator("#control-scale [data-testid=block-info]")
    assert label.inner_text() == locale.text("en", "control.scale.trained")
    assert controls.slider(page, "layer").get_attribute("max") == "2"
    assert "Layer 2 of Headlight's language model" in page.locator("#arithmetic").inner_text()


def test_its_controls_move_it(page: Page) -> None:
    controls.slide(page, "layer", 1)
    drawn.wait_painted(page, f"source=model&text={TEXT}")
    assert_result(page, computed(layer=1), View())
    controls.slide(page, "scale", 0.5)
    drawn.wait_painted(page, f"scale=0.5&source=model&text={TEXT}")
    assert_result(page, computed(layer=1, scale=0.5), View())
    controls.choose(page, "model", "headlight-one-layer")
    drawn.wait_painted(page, f"scale=0.5&source=model&text={TEXT}&model=headlight-one-layer")
    assert_result(page, computed(layer=1, scale=0.5, model="headlight-one-layer"), View())
    assert controls.slider(page, "layer").get_attribute("max") == "1"


def test_leaving_it_leaves_nothing_of_it(page: Page) -> None:
    controls.choose(page, "source", "gaussian")
    drawn.wait_painted(page, f"text={TEXT}")
    assert_result(page, compute(AttentionConfig(), device="cpu"), View())
    label = page.locator("#control-scale [data-testid=block-info]")
    assert label.text_content() == locale.text("en", "control.scale.label")
    controls.wait_shown(page, source="gaussian", scaling="sqrt_d_k", mask="none", n=32)
    controls.choose(page, "source", "model")
    drawn.wait_painted(page, LINK)  # the layer is still the one that was chosen


def test_what_was_set_before_it_is_there_after_it(open_page: Callable[..., Page]) -> None:
    page = open_page("d_k=128&scaling=none&seed=7")
    drawn.wait_painted(page, "d_k=128&scaling=none&seed=7")
    controls.choose(page, "source", "model")
    drawn.wait_painted(page, "source=model")
    page.wait_for_timeout(1200)  # the controls rest, and take what the server has read
    controls.choose(page, "source", "gaussian")
    drawn.wait_painted(page, "d_k=128&scaling=none&seed=7")
