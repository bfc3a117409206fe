"""The Map page's run for a visitor: begun, cancelled, dropped by the server, lost, refused."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, Route

from tests.browser import controls, mapped
from tests.browser.mapped import assert_painted, pooled, settled, view, wait
from tests.browser.visits import unroute
from visualiser.locale import number, text

LONG = "n=16384&h=4&d_k=64&page=map"
"""A map that takes long enough to be cancelled."""


def slower(route: Route) -> None:
    """Change the plan's time to nine seconds."""
    answer = route.fetch()
    seconds = re.compile(rb'("expected_seconds":)([\d.e-]+)')
    body = seconds.sub(lambda found: found[1] + b"9".ljust(len(found[2])), answer.body())
    route.fulfill(response=answer, body=body)


def test_long_work_waits_for_the_button(open_page: Callable[..., Page]) -> None:
    """With a plan of nine seconds the visitor is asked first; then the link is restored."""

    page = open_page("n=300&h=2&page=map&across=64", painted=False)
    wait(page, "across=64")
    page.route("**/page/map", slower)
    page.clock.install()
    page.reload()
    page.wait_for_function("() => /300/.test(document.getElementById('map-plan')?.textContent)")
    page.clock.fast_forward(5000)  # short work would have begun by itself
    assert page.locator("#run [data-run]").get_attribute("data-run") == "idle"
    assert page.locator("#figure-map").get_attribute("data-painted") is None
    assert re.search(r"\d s", page.locator("#map-plan").inner_text()), "the time is stated before anything begins"
    page.locator("#run-start").click()
    wait(page, "across=64")


def behind(before: int) -> Callable[[Route], None]:
    """Return a change of the plan: a second's work with so many runs, of at most nine, before it."""

    def changed(route: Route) -> None:
        answer = route.fetch()
        body = re.sub(
            rb'("expected_seconds":)([\d.e-]+)', lambda found: found[1] + b"1".ljust(len(found[2])), answer.body()
        )
        route.fulfill(response=answer, body=body.replace(b'"before":0', b'"before":%d' % before))

    return changed


@pytest.mark.parametrize(("before", "starts"), [(3, True), (9, False)])
def test_short_work_starts_unasked_behind_a_short_line(
    open_page: Callable[..., Page], before: int, starts: bool
) -> None:
    page = open_page("page=explore")
    page.route("**/page/map", behind(before))
    page.goto(page.url.split("?")[0] + "?n=300&h=2&page=map")
    page.wait_for_function("() => /300/.test(document.getElementById('map-plan')?.textContent)")
    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")  # after what the plan starts
    state = page.locator("#run [data-run]").get_attribute("data-run")
    assert (state != "idle") is starts
    if starts:
        wait(page)


def test_a_run_tells_how_long_it_takes_and_is_cancelled_in_the_middle(open_page: Callable[..., Page]) -> None:
    page = open_page(LONG, painted=False)
    page.wait_for_function("() => /16384/.test(document.getElementById('map-plan')?.textContent)")
    controls.begin(page)
    page.wait_for_function("() => document.querySelector('#run progress').value > 0.01")
    assert re.search(r"\d s", page.locator(".run .said").inner_text()), "the time that is left"
    page.wait_for_function("() => document.querySelectorAll('.map-heads button').length === 4")
    page.locator("#run-cancel").click()
    page.wait_for_function("() => document.querySelector('#run [data-run]').dataset.run === 'cancelled'")
    assert page.locator("#run-start").is_visible()
    assert page.locator("#figure-map").get_attribute("data-painted") is None, "a part is not the whole"
    opaque = page.evaluate(
        """() => { const canvas = document.querySelector(".map-cells canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 2);
          return data.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 255); }"""
    )
    assert opaque, "what came until then stays"


def test_a_sequence_beyond_the_pages_and_the_machines_limit_is_told_both(open_page: Callable[..., Page]) -> None:
    page = open_page("n=99999&h=16&d_model=1024&d_k=1024&page=map", painted=False)
    page.wait_for_function("() => /99999/.test(document.querySelector('.notices')?.innerText)")
    page.wait_for_function("() => /16384/.test(document.getElementById('map-over').textContent)")
    assert page.locator("#run-start").is_enabled()


def test_a_visitor_who_comes_back_too_late_recomputes_with_one_click(open_page: Callable[..., Page]) -> None:
    query = "n=700&h=2&d_k=16&page=map"
    page = open_page(f"{query}&left=100&top=200&across=300", painted=False)
    wait(page, "across=300")
    with page.expect_request_finished(lambda request: request.url.endswith("/page/map/forget")):
        # leaving for another site drops the map, and the visitor may come back to the page as it was
        page.evaluate("() => { dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })); }")
    for name in ("query", "key"):
        page.locator(f"#map-{name}").fill("600")
    page.locator("#map-go").click()  # 32 cells across, far from what the browser has
    page.wait_for_selector("#map-again:visible")
    assert page.locator(".map-gone [role=alert]").inner_text() != ""
    page.locator("#map-again").click()
    wait(page, "across=32")
    link = settled(page)
    assert page.locator("#map-again").count() == 0 or not page.locator("#map-again").is_visible()
    exact = mapped.weights(query)[0]
    assert_painted(page, view(link, 700), exact, 1, scaled_by=exact[512:640, 512:640])


def test_a_tile_that_is_lost_is_fetched_again(open_page: Callable[..., Page]) -> None:
    query = "n=700&h=2&d_k=16&page=map"
    page = open_page(query, painted=False, expected_errors=["Failed to load resource", "ERR_FAILED"])
    wait(page)
    page.route("**/page/map/tiles", lambda route: route.abort())
    page.locator("#figure-map .stage").focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.wait_for_selector(".error:visible")
    before, _, _ = mapped.seen(page, mapped.View(262.5, 262.5, 175, 175), 3, n=700)
    assert (before[..., 3] == 255).all(), "the overview stretched, never a blank"
    unroute(page)
    link = settled(page)
    page.wait_for_selector(".error", state="hidden")
    exact = mapped.weights(query)[0]
    assert_painted(page, view(link, 700), exact, 1, scaled_by=exact[256:512, 256:512])


def test_while_other_settings_wait_for_the_button_the_old_map_s_words_say_so(open_page: Callable[..., Page]) -> None:
    page = open_page("n=300&h=2&d_k=16&page=map", painted=False)
    wait(page)
    page.route("**/page/map", slower)
    controls.write(page, "seed", 5)
    page.locator("#insight.is-stale").wait_for()
    for name in ("map", "strips"):
        page.locator(f"#figure-{name}.is-stale").wait_for()
    assert page.locator(".run .said").inner_text() == text("en", "map.not_computed")
    page.locator("#run-start").click()
    wait(page, "seed=5")
    page.locator("#insight:not(.is-stale)").wait_for()
    assert page.locator(".run .said").inner_text() == text("en", "run.ended")


def test_other_settings_are_computed_by_themselves_and_the_old_map_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("n=300&h=2&d_k=16&page=map", painted=False)
    wait(page)
    controls.write(page, "seed", 5)
    wait(page, "seed=5")
    exact = mapped.weights("n=300&h=2&d_k=16&seed=5&page=map")[0]
    pixels = pooled(exact, 2, maximum=False)
    assert_painted(page, mapped.View(0, 0, 300, 300), pixels, 2)
    assert not torch.allclose(exact, mapped.weights("n=300&h=2&d_k=16&page=map")[0])
    assert "is-stale" not in (page.locator("#figure-map").get_attribute("class") or "")


def test_own_tensors_may_have_fewer_queries_than_keys(open_page: Callable[..., Page], tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(1)
    Q, K = torch.randn(2, 61, 7, generator=generator), torch.randn(2, 131, 7, generator=generator)
    file = tmp_path / "own.npz"
    np.savez(file, Q=Q.numpy(), K=K.numpy())
    page = open_page("n=300&h=2&page=map", painted=False)
    wait(page)
    controls.choose(page, "source", "upload")
    page.locator("#upload-file").set_input_files(file)
    wait(page, "source=upload")
    exact = torch.softmax(Q.double() @ K.double().mT / math.sqrt(7), dim=-1)
    assert_painted(page, mapped.View(0, 0, 131, 61), exact[0], 1)
    page.locator("#map-query").fill("60")
    page.locator("#map-key").fill("130")
    page.locator("#map-go").click()
    page.wait_for_selector("#open-row:visible")
    assert page.locator(".map-chosen p").inner_text().endswith(number(float(exact[0, 60, 130])))


def test_a_long_text_is_mapped_but_stays_out_of_the_link(open_page: Callable[..., Page]) -> None:
    page = open_page("source=text&h=2&page=map&text=one+two+three", painted=False)
    wait(page)
    words = [f"w{i}" for i in range(400)]
    page.locator("#control-text").fill(" ".join(words))
    page.wait_for_function("() => /400/.test(document.getElementById('map-plan').textContent)")
    page.wait_for_selector('#map-query[max="399"]')
    page.wait_for_function("() => !document.getElementById('figure-map').classList.contains('is-stale')")
    assert "w399" not in settled(page)
    page.locator("#map-query").fill("399")
    page.locator("#map-key").fill("2")
    page.locator("#map-go").click()
    page.wait_for_selector("#open-row:visible")
    assert "“w399” → key 2 “w2”" in page.locator(".map-chosen p").inner_text()
