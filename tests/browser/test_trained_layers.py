"""A layer of a trained model on Anatomy and on the Map, in a real browser, against the model's own run."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import shipped_model
from tests.browser import controls, mapped, walked
from visualiser.locale import number, text

SENTENCE = "Anna sees Ben . Anna"
LONGER = " ".join(["the keys to the cabinet are old .", "Anna Miller sees Ben Taylor ."] * 3)
ANATOMY = f"page=anatomy&source=model&layer=2&head=3&row=5&text={quote(SENTENCE)}"
MAP = f"page=map&source=model&layer=2&text={quote(LONGER)}"


def shown(page: Page) -> list[str]:
    """Return the controls in sight, folded ones unfolded."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#controls [id^=control-]")].filter((one) => one.offsetParent)
          .map((one) => one.id.replace("control-", ""))"""
    )


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_anatomy_walks_from_the_queries_to_the_heads(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"{ANATOMY}&step=scaled&lang={lang}", painted=False)
    walked.painted(page)
    walk = page.locator("#figure-walk")
    expect(walk).to_contain_text(text(lang, "anatomy.one.scaled_trained", trained=0.25))
    # the first step is the query itself; the last one the heads side by side, behind which nothing is fed in
    steps = page.locator("#control-step option")
    assert [steps.nth(at).get_attribute("value") for at in (0, -1)] == ["queries", "concatenation"]
    page.locator("#control-step").select_option("concatenation")
    walked.painted(page, None)
    expect(walk.locator("#step-next")).to_be_enabled()  # from one query to all of them
    expect(page.locator("#feed")).to_be_hidden()
    expect(page.locator('#figure-anatomy [data-box="linear_o"]')).to_have_count(0)
    formula = page.locator("#figure-anatomy .formulas")
    expect(formula).not_to_contain_text("W")
    expect(formula).to_contain_text("0.25")


def test_anatomy_has_the_models_numbers_and_its_controls(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{ANATOMY}&step=weights", painted=False)
    walked.painted(page)
    own = shipped_model("headlight").run(SENTENCE).layers[1].weights[2, 5]
    expect(page.locator("#figure-walk .pieces .is-result")).to_contain_text(number(float(own.max())))
    there = shown(page)
    assert {"source", "model", "layer", "text", "scale"} <= set(there)
    assert not {"mechanism", "scaling", "mask", "h", "d_k", "n"} & set(there)
    expect(page.locator("#control-scale")).to_contain_text(text("en", "control.scale.trained"))
    assert page.locator("#control-layer input[type=range]").get_attribute("max") == "2"
    # another layer, by its control; then a drawn source again, with the layers that the page draws
    before = page.locator("#figure-walk").get_attribute("data-painted")
    controls.slide(page, "layer", 1)
    page.wait_for_function("(was) => document.getElementById('figure-walk').dataset.painted !== was", arg=before)
    assert "layer=" not in walked.painted(page)
    controls.choose(page, "source", "text")
    page.wait_for_function("() => !document.getElementById('figure-walk').dataset.painted.includes('model')")
    assert page.locator("#control-layer input[type=range]").get_attribute("max") == "4"
    assert "mechanism" in shown(page)


def test_the_map_of_a_trained_layer_has_its_weights(open_page: Callable[..., Page]) -> None:
    page = open_page(MAP, painted=False)
    mapped.wait(page)
    own = shipped_model("headlight").run(LONGER).layers[1].weights
    expect(page.locator(".map-heads button")).to_have_count(4)
    for head, query, key in ((1, 40, 0), (3, 36, 29)):
        page.locator(f'.map-heads button[data-head="{head}"]').click()
        mapped.go(page, query, key)
        place = f"head {head} · query {query}"
        page.wait_for_function("(text) => document.querySelector('.map-chosen p').innerText.includes(text)", arg=place)
        expect(page.locator(".map-chosen p")).to_contain_text(number(float(own[head - 1, query, key])))
    assert not {"n", "h", "d_k", "scaling", "mask", "split"} & set(shown(page))
    expect(page.locator("#control-text")).to_have_value(LONGER)
    expect(page.locator("#control-scale")).to_contain_text(text("en", "control.scale.trained"))


def test_a_trained_head_goes_along_from_page_to_page(open_page: Callable[..., Page]) -> None:
    page = open_page(ANATOMY, painted=False)
    walked.painted(page)
    page.locator('nav a[data-page="map"]').click()
    link = mapped.wait(page)
    for part in ("source=model", "layer=2", "head=3", "text=Anna+sees+Ben+.+Anna"):
        assert part in link.split("&")
    expect(page.locator('.map-heads button[data-head="3"]')).to_have_attribute("aria-pressed", "true")
