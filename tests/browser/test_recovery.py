"""Recovery: after a refused or lost answer the controls work and the figures tell the truth."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route

from attention_core import AttentionConfig
from tests.browser import controls, mapped
from tests.browser.test_cost import painted as costs_painted
from tests.browser.test_run_lost import SENTENCES
from tests.browser.test_server_gone import FRAMES, NETWORK, assert_recovered
from tests.browser.visits import unroute
from visualiser.locale import text
from visualiser.server.live import parts

UNPROCESSABLE = "status of 422"
RUNS = "#run[data-run={}]"


def reopened(page: Page, query: str) -> None:
    """Visit another link with the routes of this page, and wait for the first sentence about a failure."""
    page.goto(f"{page.url.split('?')[0]}?{query}")
    page.locator("#message .error:visible").wait_for()


def lost(route: Route) -> None:
    """Answer as a proxy without a server behind it."""
    route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")


def test_a_first_answer_that_is_refused_leaves_the_controls_alive(open_page: Callable[..., Page]) -> None:
    page = open_page("page=map&source=text&text=cat", painted=False, expected_errors=[UNPROCESSABLE])
    page.locator("#message .error:visible").wait_for()
    assert page.locator("#map-plan").inner_text() == ""
    controls.reveal(page, "#control-seed input").fill("5")
    page.wait_for_function("() => document.getElementById('map-plan').textContent")
    page.locator("#message .error").wait_for(state="hidden")
    page.wait_for_function("() => location.search.includes('seed=5')")


def test_a_first_answer_that_is_lost_brings_the_controls_with_it(open_page: Callable[..., Page]) -> None:
    page = open_page(expected_errors=NETWORK)
    page.route(FRAMES, lost)
    reopened(page, "n=12&h=3&d_k=40&tie=false")
    page.wait_for_function("() => document.querySelector('#control-d_k input[type=range]')")
    page.evaluate("() => window.dispatchEvent(new Event('online'))")  # the link is asked again, not the defaults
    unroute(page)
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=40))
    controls.wait_shown(page, n=12, h=3, d_k=40)


def test_what_was_measured_here_speaks_of_the_present_after_a_recovery(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&predict=false&varied=d_k&n=32", painted=False, expected_errors=NETWORK)
    costs_painted(page)
    page.locator("#run-start").click()
    page.locator(RUNS.format("running")).wait_for()
    page.locator("#run-cancel").dispatch_event("click")
    page.locator(RUNS.format("cancelled")).wait_for()
    page.route("**/page/cost", lost)
    page.set_viewport_size({"width": 600, "height": 900})  # asks for the narrow figures
    page.locator("#figure-cost-time[data-error]").wait_for()
    unroute(page)
    page.locator("#message .error").wait_for(state="hidden")
    page.wait_for_function("() => document.querySelectorAll('[data-error], .is-stale').length === 0")


def test_a_control_moved_during_a_short_run_begins_the_next_one(open_page: Callable[..., Page]) -> None:
    page = open_page("n=300&h=2&d_k=16&page=map", painted=False)
    mapped.wait(page)
    page.route("**/run/map", lambda _: None, times=1)  # never answered
    controls.reveal(page, "#control-seed input").fill("5")
    page.locator("#run [data-run=waiting]").wait_for()
    controls.reveal(page, "#control-seed input").fill("6")
    mapped.wait(page, "seed=6")


def test_a_run_that_never_began_leaves_the_map_as_it_is(open_page: Callable[..., Page]) -> None:
    page = open_page("n=700&h=2&d_k=16&page=map", painted=False, expected_errors=[UNPROCESSABLE])
    mapped.wait(page)
    page.route("**/run/map", lambda route: route.fulfill(status=422, json={"message": "Not now."}))
    page.locator("#run-start").click()
    page.locator("#run [data-run=failed]").wait_for()
    for name in ("query", "key"):
        page.locator(f"#map-{name}").fill("600")
    page.locator("#map-go").click()
    mapped.wait(page, "across=32")


def wait_error(page: Page, sentence: str) -> None:
    """Wait until this is the error on the page."""
    page.wait_for_function("(text) => document.querySelector('#message .error').textContent === text", arg=sentence)


@pytest.mark.parametrize(("status", "more"), [(503, {"retry": 61}), (408, {})])
def test_a_refusal_that_passes_is_not_the_end(open_page: Callable[..., Page], status: int, more: dict) -> None:
    page = open_page("n=12&h=3", expected_errors=[*NETWORK, "status of 408"])
    page.route(FRAMES, lambda route: route.fulfill(status=status, json={"message": "Not now.", **more}))
    controls.slide(page, "d_k", 40)
    wait_error(page, "Not now.")
    unroute(page)
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=40))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_without_a_server_nothing_to_take_away_is_promised(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"n=12&h=3&lang={lang}", expected_errors=NETWORK)
    page.route("**/take-away/*/*", lost)
    controls.press(page, "#take-npz")
    wait_error(page, text(lang, "live.unanswered"))
    busy = {"message": "This page asks again by itself.", "retry": 61}
    page.route("**/take-away/*/*", lambda route: route.fulfill(status=503, json=busy))
    controls.press(page, "#take-npz")
    wait_error(page, text(lang, "live.busy"))


def test_before_and_after_a_map_there_is_nothing_to_take_away(open_page: Callable[..., Page]) -> None:
    page = open_page("n=8", painted=False)
    page.route("**/run/map", lambda _: None)
    page.goto(f"{page.url.split('?')[0]}?n=300&h=2&d_k=16&page=map")
    page.locator("#run [data-run=waiting]").wait_for()
    controls.press(page, "#take-rows")
    wait_error(page, text("en", "map.none_yet"))
    page.unroute("**/run/map")  # not `unroute`: the request is held, and continues
    mapped.wait(page)
    gone = parts.failure("The map is gone.", gone=True)
    page.route("**/page/map/csv", lambda route: route.fulfill(body=gone))
    controls.press(page, "#take-rows")
    page.locator("#map-again:visible").wait_for()
    assert page.evaluate(SENTENCES).count("The map is gone.") == 1
    page.locator("#map-again").click()
    page.locator("#map-again").wait_for(state="hidden")
    mapped.wait(page)
