"""The Anatomy page is one screen: diagram, formula and the walk's present step; a step moves nothing else."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.boxes import SIZES, boxes, require_apart, require_inside, require_still, require_together
from tests.browser.walked import painted

PHONES = ((390, 844), (844, 390))
PARTS = (
    "#banner",
    "#insight",
    "#controls",
    "#figure-anatomy .halves",
    ".formulas",
    ".walk-bar",
    ".step-says",
    ".pieces",
)
STATES = {
    "first": "",
    "additive, whole": "mechanism=additive&step=tanh&rows=all",
    "normalised, a factor that grows": "qk_norm=true&log_n=true&step=normed_q&mask=causal",
    "normalised, additive, Korean": "mechanism=additive&qk_norm=true&step=normed_k&rows=all&lang=ko",
    "additive, a softcap, entmax": "mechanism=additive&qk_norm=true&softcap=2&normalisation=entmax&step=roots",
    "a sink and a softcap": "qk_norm=true&log_n=true&softcap=2&normalisation=sink&sink=-1.5&step=exponentials&rows=all",
    "gates, Korean": "qk_norm=true&softcap=2&normalisation=sigmoid&step=weights&mask=causal&lang=ko",
    "paper, Korean": "n=32&d_model=512&h=8&d_k=64&source=gaussian&step=weights&rows=all&lang=ko",
}

_FITTED = """() => {
  const bottom = Math.min(...[".stage", ".halves"]
    .map((part) => document.querySelector(`#figure-anatomy ${part}`).getBoundingClientRect().bottom));
  return [...document.querySelectorAll("#figure-anatomy .face")].every(
    (face) => face.getBoundingClientRect().bottom <= bottom);
}"""
"""The diagram has been drawn anew for the window's size; it follows the window by a frame or two."""

_OVERFLOWS = """() => [...document.querySelectorAll("#figure-anatomy [data-box]")].flatMap((box) => {
  const face = box.querySelector(".face").getBoundingClientRect();
  return [...box.querySelectorAll("text")].flatMap((line) => {
    const { left, right, top, bottom } = line.getBoundingClientRect();
    const out = Math.max(face.left - left, right - face.right, face.top - top, bottom - face.bottom);
    // a line's box is higher than its letters
    const most = Math.max(2, parseFloat(getComputedStyle(line).fontSize) / 10);
    return out > most ? [`${box.dataset.box}: ${line.textContent} reaches ${out} out`] : [];
  });
})"""

_LEAST_TYPE = """() => Math.min(...[
  ...document.querySelectorAll("#figure-anatomy text:not(:empty), .formulas math, .tensor td")]
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("page=anatomy", painted=False)


def open_at(page: Page, app_url: str, state: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{app_url}?page=anatomy{'&' if state else ''}{state}")
    painted(page)


@pytest.mark.parametrize("state", STATES)
def test_diagram_formula_and_step_are_on_one_screen(page: Page, app_url: str, state: str) -> None:
    open_at(page, app_url, STATES[state], 1280, 720)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        if (width, height) in PHONES:
            one_panel_and_a_sign_of_the_other(page)
            continue
        page.wait_for_function(_FITTED)
        require_together(page, *PARTS)
        drawn = boxes(page, "#figure-anatomy .face", ".formulas math")
        require_inside(page, *drawn)
        require_apart(*drawn)
        for one in boxes(page, "#figure-anatomy rect"):
            assert one.cut <= 0, f"{one} is cut off"
        for title in page.locator(".half figcaption").all():
            assert title.evaluate("(one) => one.scrollWidth <= one.clientWidth")
        if page.locator("#predict-reveal:visible").count():
            require_apart(*boxes(page, "#predict-reveal", "#predict legend"))
        page.wait_for_function(f"() => !({_OVERFLOWS})().length")
        assert page.evaluate(_LEAST_TYPE) >= 8, "no number is smaller than this"


def one_panel_and_a_sign_of_the_other(page: Page) -> None:
    """Fail unless the walk is in the window, the diagram reaches into it, and a swipe brings it there."""
    (controls,) = require_together(page, "#banner", "#insight", "#figure-walk", "#controls")[-1:]
    width, height = page.evaluate("() => [innerWidth, innerHeight]")
    assert width > height or height - controls.top <= 120, "one control at a time, below"
    (beside,) = boxes(page, "#figure-anatomy")
    assert 10 < width - beside.left < width / 3, "a strip of the next panel tells that it exists"
    page.locator("#figures").evaluate("(panels) => panels.scrollTo({ left: panels.scrollWidth, behavior: 'instant' })")
    page.wait_for_function(_FITTED)
    require_inside(page, *boxes(page, "#figure-anatomy .halves", ".formulas", "#figure-anatomy .face"))
    require_still(page)
    page.locator("#figures").evaluate("(panels) => panels.scrollTo({ left: 0, behavior: 'instant' })")


@pytest.mark.parametrize(("width", "height"), [(1024, 640), (1280, 720), (390, 844)])
def test_a_step_moves_nothing_and_scrolls_nothing(page: Page, app_url: str, width: int, height: int) -> None:
    """From the first step of one query to the last of all: only the tensors and what is asked about them change."""
    open_at(page, app_url, "", width, height)
    moves = (*PARTS[:-1], "#step-back", "#step-next", "#figure-anatomy .face", ".formulas math")
    before = boxes(page, *moves)
    (pieces,) = boxes(page, ".pieces")
    steps = 2 * page.locator("#control-step option").count() - 1
    for at in range(steps):
        shown = page.locator("#figure-walk").get_attribute("data-painted")
        page.locator("#step-next").click()
        page.wait_for_function("(shown) => document.getElementById('figure-walk').dataset.painted !== shown", arg=shown)
        assert boxes(page, *moves) == before, f"after {at + 1} steps"
        (now,) = boxes(page, ".pieces")
        assert (now.left, now.top, now.right) == (pieces.left, pieces.top, pieces.right)
        require_still(page)
    assert page.locator("#step-next").is_disabled()
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]


def test_tensors_that_do_not_fit_scroll_in_their_own_box(page: Page, app_url: str) -> None:
    open_at(page, app_url, "n=8&d_model=16&h=2&text=a%20b%20c%20d%20e%20f%20g%20h&step=output&rows=all", 1024, 640)
    box = page.locator(".pieces")
    inner, room = box.evaluate("(one) => [one.scrollHeight, one.clientHeight]")
    assert inner > room
    assert box.get_attribute("tabindex") == "0", "the keyboard reaches what scrolls"
    page.locator(".is-result td[data-row]").last.evaluate("(cell) => cell.focus()")
    assert box.evaluate("(one) => one.scrollTop") > 0
    require_together(page, *PARTS)
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]


def test_who_says_what_a_box_shows_reaches_it(page: Page, app_url: str) -> None:
    """WCAG 2.5.3: the name of a box holds what is printed in it, in full and short."""
    for state, width, height in ((STATES["first"], 1280, 720), (STATES["additive, whole"], 1024, 640)):
        open_at(page, app_url, state, width, height)
        rule = {"runOnly": ["label-content-name-mismatch"], "rules": {"label-content-name-mismatch": {"enabled": True}}}
        found = Axe().run(page, options=rule).response
        assert [node["target"] for one in found["violations"] for node in one["nodes"]] == []
        (box,) = page.get_by_role("button", name="SoftMax").all()
        assert box.get_attribute("data-box") == "softmax"


def test_the_first_move_is_named_and_stands_out(page: Page, app_url: str) -> None:
    open_at(page, app_url, "", 1280, 720)
    assert "press Next" in page.locator("#insight").inner_text()
    assert page.locator(".is-primary:visible:enabled").all_inner_texts() == ["Next"]
    page.locator("#step-next").click()
    painted(page, "page=anatomy&step=queries")
    assert "press Next" not in page.locator("#insight").inner_text()
