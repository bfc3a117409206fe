"""Train and Cost: everything that belongs together in one window, and one thing to do before there is a result."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.boxes import (
    SIZES,
    boxes,
    require_apart,
    require_inside,
    require_scrolled,
    require_still,
    require_together,
)
from visualiser.locale import LANGUAGES, text
from visualiser.shipped import shipped

PAGES = {
    "train": ("#figure-train-accuracy", "#figure-train-steps", "#figure-train-gradient"),
    "train&experiment=heads": ("#figure-heads-accuracy", "#figure-heads-mass", "#figure-heads-maps"),
    "cost": ("#figure-cost-time", "#figure-cost-memory"),
}
"""Each page's figures; the first is in sight on a phone, too, where the others are swiped to."""

DESKTOPS, STANDING = SIZES[:6], SIZES[6]
LOW = ((844, 390), (640, 360))
"""A phone that lies, and a laptop at 200 %: the page scrolls."""
BAR = 120
"""The height in pixels that the bar of controls may take from a phone."""


@pytest.fixture(scope="module", params=[(name, lang) for name in PAGES for lang in LANGUAGES], ids=" ".join)
def shown(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> Iterator[tuple[Page, str]]:
    """Open a page with its result, in each language."""
    name, lang = request.param
    page = open_module_page(f"page={name}&predict=false&lang={lang}", painted=False)
    painted(page, name)
    yield page, name
    page.close()


def painted(page: Page, name: str) -> None:
    for figure in PAGES[name]:
        page.locator(f"{figure}[data-painted]").wait_for()


def resize(page: Page, width: int, height: int, figure: str) -> None:
    """Give the window another size; wait until the page has been laid out and painted in it."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(
        """([selector, width, height]) => innerWidth === width && innerHeight === height && (() => {
          const canvas = document.querySelector(`${selector} canvas`);
          return Math.abs(canvas.width / devicePixelRatio - canvas.clientWidth) <= 1;
        })()""",
        arg=[figure, width, height],
    )


@pytest.mark.parametrize(("width", "height"), DESKTOPS)
def test_figures_run_and_sentence_stand_in_one_window(shown: tuple[Page, str], width: int, height: int) -> None:
    page, name = shown
    figures = PAGES[name]
    resize(page, width, height, figures[0])
    require_together(page, "#banner", "#insight", "#controls", "#run", *figures)
    require_together(page, "#run-start", *(f"{figure} .stage" for figure in figures))
    large, *small = boxes(page, *(f"{figure} .stage" for figure in figures))
    if name != "cost":
        assert all(large.width > one.width and large.height > 1.5 * one.height for one in small), "the asked curve"
    scrolled = page.evaluate(
        """() => { const { scrollHeight, clientHeight } = document.querySelector("#insight .insight");
          return scrollHeight - clientHeight; }"""
    )
    assert scrolled <= 1, "the sentence is read without scrolling"


@pytest.mark.parametrize(("width", "height"), LOW)
def test_a_low_window_scrolls_to_figures_of_a_legible_height(shown: tuple[Page, str], width: int, height: int) -> None:
    page, name = shown
    resize(page, width, height, PAGES[name][0])
    require_scrolled(page, 140, *PAGES[name])
    page.locator(PAGES[name][-1]).evaluate("(one) => one.scrollIntoView({ behavior: 'instant', block: 'end' })")
    require_inside(page, *boxes(page, "#controls", "#controls .one.is-shown"))


def test_a_phone_shows_one_figure_and_the_next_by_a_swipe(shown: tuple[Page, str]) -> None:
    page, name = shown
    large, *others = PAGES[name]
    resize(page, *STANDING, large)
    require_together(page, "#banner", "#insight", "#controls", "#run", large)
    (controls,) = boxes(page, "#controls")
    assert controls.height <= BAR
    for other in others:
        figure = page.locator(other)
        figure.scroll_into_view_if_needed()
        in_window(page, figure)
        (box,) = boxes(page, f"{other} .stage")
        require_inside(page, box)
        require_apart(box, controls)


def in_window(page: Page, figure: Locator) -> None:
    """Wait until a swipe has ended with the figure in the window."""
    page.wait_for_function(
        """(one) => { const { left, right } = one.getBoundingClientRect();
          return left > -1 && right < innerWidth + 1; }""",
        arg=figure.element_handle(),
    )


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_question_takes_the_place_of_empty_axes(
    open_page: Callable[..., Page], name: str, width: int, height: int
) -> None:
    page = open_page(f"page={name}", painted=False, viewport={"width": width, "height": height})
    page.locator(".is-inviting #predict-reveal").wait_for()
    require_still(page)
    found = boxes(page, "#insight", "#predict", "#run-start")
    require_inside(page, *found)
    require_apart(*found)
    for figure in PAGES[name]:
        assert not page.locator(f"{figure} .figure").is_visible()
    assert page.locator(".tool.is-primary:visible").count() >= 1


def test_settings_without_a_result_invite_to_run(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&predict=false&widths=4&steps=50&seeds=1&mechanisms=scaled", painted=False)
    page.locator(".is-inviting #run-start").wait_for()
    assert page.locator(".invitation").inner_text() == text("en", "invitation.train")
    assert not page.locator("#figure-train-accuracy .figure").is_visible()
    assert not page.locator("#origin").is_visible()
    page.locator("#run-start").click()
    page.locator("#run[data-run='ended']").wait_for()
    assert page.locator("#figure-train-accuracy .figure").is_visible()
    assert not page.locator("#origin").is_visible(), "this result is of this machine"
    assert not page.locator("#figure-train-accuracy .brief").inner_text()


def test_a_shipped_result_is_marked_until_a_run_replaces_it(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&predict=false", painted=False)
    painted(page, "cost")
    preview = text("en", "run.preview")
    assert page.locator("#figure-cost-time .brief").inner_text() == preview
    assert page.locator("#origin").inner_text().startswith(preview)
    page.locator("#origin summary").click()
    assert shipped("cost").machine in page.locator("#origin .sheet").inner_text()
    page.locator("#run-start").click()
    page.wait_for_function("() => !document.querySelector('#figure-cost-time .brief').textContent")
    page.locator("#run-cancel").dispatch_event("click")
    page.locator("#run[data-run='cancelled']").wait_for()
    assert not page.locator("#origin").is_visible()


def test_predicting_again_hides_the_answer(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train", painted=False)
    page.locator("#predict input[value='additive']").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict='false']").wait_for()
    assert page.locator("#figure-train-accuracy .figure").is_visible()
    page.locator("#predict-again").click()
    assert not page.locator("#figure-train-accuracy .figure").is_visible()
    page.locator("#predict input[value='unscaled']").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict='true']").wait_for()
    assert page.locator("#figure-train-accuracy .figure").is_visible()


def test_a_question_that_nobody_answered_folds_beside_the_result(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&widths=4&steps=50&seeds=1&mechanisms=scaled", painted=False)
    page.locator("#run-start").click()
    page.locator("#run[data-run=ended]").wait_for()
    assert page.locator("#predict").inner_text().split("\n\n") == [
        text("en", "predict.declined"),
        text("en", "predict.after_all"),
    ]
    page.locator("#predict-again").click()
    assert page.locator("#predict input:enabled:visible").count() == 2  # it learns or it does not
    assert not page.locator("#figure-train-accuracy .figure").is_visible()


def test_the_verdict_takes_the_focus_of_the_button_that_asked_for_it(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train", painted=False)
    page.locator("#predict input[value='additive']").check()
    page.locator("#predict-reveal").press("Enter")
    page.locator("#predict[data-verdict='false']").wait_for()
    assert page.evaluate("document.activeElement.className") == "predict-verdict"
