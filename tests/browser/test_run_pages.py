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
from tests.browser.brought import sized
from visualiser.locale import LANGUAGES, text
from visualiser.pages.cost.live import SHIPPED
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
def test_a_question_takes_the_place_of_empty_axes(open_page: Callable[..., Page], name: str) -> None:
    page = open_page(f"page={name}&predict=true", painted=False)
    page.locator(".is-inviting #predict-reveal").wait_for()
    for width, height in SIZES:
        sized(page, width, height)
        require_still(page)
        require_inside(page, *boxes(page, "#insight", "#predict", "#predict-reveal", "#predict-skip"))
        require_apart(*boxes(page, "#insight", "#predict"))
        for figure in PAGES[name]:
            assert not page.locator(f"{figure} .figure").is_visible(), (figure, width, height)
        assert page.locator(".tool.is-primary:visible").all_inner_texts() == [text("en", "predict.reveal")]


def test_settings_without_a_result_invite_to_run(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&widths=4&steps=50&seeds=1&mechanisms=scaled", painted=False)
    page.locator(".is-inviting #run-start").wait_for()
    assert page.locator(".invitation").inner_text() == text("en", "invitation.train")
    assert not page.locator("#figure-train-accuracy .figure").is_visible()
    assert not page.locator("#origin").is_visible()
    assert page.locator(".tool.is-primary:visible").all_inner_texts() == [text("en", "run.start")]
    page.locator("#run-start").click()
    page.locator("#run[data-run='ended']").wait_for()
    assert page.locator("#figure-train-accuracy .figure").is_visible()
    assert not page.locator("#origin").is_visible(), "this result is of this machine"
    assert not page.locator("#figure-train-accuracy .brief").inner_text()


@pytest.mark.parametrize("varied", SHIPPED)
def test_a_shipped_result_is_marked_until_a_run_replaces_it(open_page: Callable[..., Page], varied: str) -> None:
    page = open_page(f"page=cost&varied={varied}", painted=False)
    painted(page, "cost")
    preview = text("en", "run.preview")
    assert page.locator("#figure-cost-time .brief").inner_text() == preview
    assert page.locator("#origin").inner_text().startswith(preview)
    kept = shipped(SHIPPED[varied])
    assert kept.date in page.locator("#origin").inner_text()
    assert kept.machine in page.locator("#origin").inner_text()
    page.locator("#origin summary").click()
    assert kept.command in page.locator("#origin .sheet").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".tool.is-primary:visible").all_inner_texts() == [text("en", "run.here")]
    page.locator("#run-start").click()
    page.wait_for_function("() => !document.querySelector('#figure-cost-time .brief').textContent")
    page.locator("#run-cancel").dispatch_event("click")
    page.locator("#run[data-run='cancelled']").wait_for()
    assert not page.locator("#origin").is_visible()
    assert page.locator("#run-start").inner_text() == text("en", "run.start")


def test_predicting_again_hides_the_answer(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&predict=true", painted=False)
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


def test_predict_is_offered_and_a_question_is_closed_without_an_answer(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train", painted=False)
    painted(page, "train")
    figure, origin = page.locator("#figure-train-accuracy .figure"), page.locator("#origin")
    page.locator("#predict-open").click()
    page.locator(".is-inviting #predict-reveal").wait_for()
    page.wait_for_function("() => new URLSearchParams(location.search).get('predict') === 'true'")
    assert page.evaluate("document.activeElement.value") == page.locator("#predict input").first.input_value()
    assert not figure.is_visible()
    assert not page.locator("#run-start").is_visible(), "one thing is to be done"
    assert not page.locator("#predict-open").is_visible()
    page.locator("#predict-skip").click()
    origin.wait_for()
    assert figure.is_visible()
    assert not page.locator("#predict").is_visible()
    page.wait_for_function("() => document.activeElement.id === 'predict-open'")
    page.wait_for_function("() => !location.search.includes('predict')")


def test_a_verdict_is_closed_and_the_next_question_is_asked_anew(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&predict=true", painted=False)
    page.locator("#predict input").first.check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    page.locator("#predict-shut").click()
    page.locator("#predict").wait_for(state="hidden")
    assert page.locator("#figure-cost-time .figure").is_visible()
    page.locator("#predict-open").click()
    page.locator(".is-inviting #predict-reveal").wait_for()
    assert page.locator("#predict input:checked").count() == 0
    assert page.locator("#insight p:visible").count() > 0


def test_a_question_without_a_shipped_result_is_answered_by_a_run(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&widths=4&steps=50&seeds=1&mechanisms=scaled", painted=False)
    page.locator(".is-inviting #run-start").click()
    page.locator("#run[data-run=ended]").wait_for()
    figure = page.locator("#figure-train-accuracy .figure")
    table = page.locator("#figure-train-accuracy table").inner_text()
    page.locator("#predict-open").click()
    page.locator("#predict input:enabled:visible").nth(1).wait_for()  # it learns or it does not
    assert not figure.is_visible()
    assert page.locator(".tool.is-primary:visible").all_inner_texts() == [text("en", "predict.run")]
    page.locator("#predict-skip").click()
    figure.wait_for()
    assert page.locator("#figure-train-accuracy table").inner_text() == table, "the run of this visit is still there"
    page.locator("#predict-open").click()
    page.locator("#predict input:visible").first.check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    assert figure.is_visible()


def test_the_verdict_takes_the_focus_of_the_button_that_asked_for_it(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&predict=true", painted=False)
    page.locator("#predict input[value='additive']").check()
    page.locator("#predict-reveal").press("Enter")
    page.locator("#predict[data-verdict='false']").wait_for()
    assert page.evaluate("document.activeElement.className") == "predict-verdict"
