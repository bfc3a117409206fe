"""Once the controls rest the picture matches them, however fast they moved and however slow the server is."""

import json
import struct
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, Request, Route

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.brought import explored
from tests.browser.comparison import assert_page_shows, query

SMALL = {"n": 12, "h": 3}
FRAMES = "**/headlight/page/explore"


def untied(d_k: int, **more: object) -> AttentionConfig:
    return AttentionConfig(**SMALL, d_k=d_k, **more)  # type: ignore[arg-type]


def assert_at_rest(page: Page, config: AttentionConfig) -> None:
    """Expect agreement of the picture, `data-painted`, both halves of the slider and, once written, the address."""
    assert_page_shows(page, config)
    controls.wait_shown(page, d_k=config.d_k, h=config.h, scaling=config.scaling)
    page.wait_for_function("(link) => location.search === `?${link}`", arg=query(config))
    assert drawn.wait_painted(page) == query(config)


@pytest.fixture(scope="module")
def shared(open_module_page: Callable[..., Page]) -> Page:
    """Return a page whose server is as quick as it is."""
    return open_module_page("n=12&h=3")


def test_a_fast_drag_of_the_mouse_ends_on_the_sliders_value(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    slider = controls.slider(page, "d_k")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 3, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 3, middle, steps=60)
    page.mouse.move(box["x"] + box["width"] * 0.4, middle, steps=40)
    page.mouse.up()
    rest = controls.shown(page)["d_k"]
    assert 12 < rest < 22
    assert_at_rest(page, untied(rest))


def test_a_burst_of_input_events_paints_the_last(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if sent.url.endswith("/page/explore") else None)
    controls.slider(page, "d_k").evaluate(
        """(slider) => { for (let place = 1; place <= 400; place += 1) {
          slider.value = place; slider.dispatchEvent(new Event("input", { bubbles: true })); } }"""
    )
    assert_at_rest(page, untied(16))  # two fifths of the way on a logarithmic slider
    assert len(asked) < 200  # one at a time, and only the newest waits


def test_a_held_key_ends_where_the_slider_does(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3&d_k=20&tie=false")
    controls.wait_shown(page, d_k=20)
    controls.slider(page, "d_k").focus()
    d_k = 20
    for _ in range(15):
        page.keyboard.down("ArrowRight")
        d_k = max(d_k + 1, round(d_k * 2**0.25))
    page.keyboard.up("ArrowRight")
    assert_at_rest(page, untied(d_k))


def test_typed_values_are_painted(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    controls.write(page, "d_k", 123)
    assert_at_rest(page, untied(123))
    controls.write(page, "d_k", 1)
    assert_at_rest(page, untied(1))


class Slow:
    """A slow server: holds back each update of Explore until it is released."""

    def __init__(self, page: Page) -> None:
        self.held: list[Route] = []
        self.asked: list[int] = []
        self.slow = True
        self.page = page
        page.route(FRAMES, self._hold)

    def _hold(self, route: Route) -> None:
        body = route.request.post_data_buffer or b""
        (length,) = struct.unpack_from("<I", body)
        link = parse_qs(json.loads(body[4 : 4 + length])["query"])
        self.asked.append(int(link["d_k"][0]))  # in the order in which they come
        if self.slow:
            self.held.append(route)
        else:
            route.continue_()

    def end(self) -> None:
        """Release everything, and hold nothing from now on."""
        self.slow = False
        for route in self.held:
            route.continue_()
        self.held.clear()

    def wait_held(self) -> Route:
        """Return the route of the request that is under way."""
        while not self.held:
            self.page.evaluate("new Promise(requestAnimationFrame)")
        return self.held.pop(0)


_MOVES = """(slider, places) => {
  for (const place of places) {
    slider.value = place;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""


def test_a_slow_answer_never_wins_over_a_newer_wish(open_page: Callable[..., Page]) -> None:
    page = open_page("n=12&h=3")
    ended: list[Request] = []
    page.on("requestfailed", lambda request: ended.append(request))
    slow = Slow(page)
    controls.slide(page, "d_k", 40)
    first = slow.wait_held()
    controls.slider(page, "d_k").evaluate(_MOVES, [565, 591, 613])  # d_k 50, 60, 70
    page.evaluate("new Promise(requestAnimationFrame)")
    assert not slow.held or first.request in ended, slow.asked  # one at a time: an old one is ended first
    first.continue_()
    slow.wait_held().continue_()
    controls.wait_shown(page, d_k=70)
    slow.end()
    assert_at_rest(page, untied(70))
    assert set(slow.asked) == {40, 70}  # 50 and 60 were never requested


def test_a_slider_does_not_jump_back_while_an_answer_is_under_way(open_page: Callable[..., Page]) -> None:
    page = open_page("n=12&h=3")
    drawn.take_clock(page)
    controls.slide(page, "d_k", 40)
    drawn.wait_painted(page, query(untied(40)))
    slow = Slow(page)
    # every value that either half of the slider takes from now on
    page.evaluate(
        """() => {
          window.seen = new Set();
          const look = () => {
            for (const input of document.querySelectorAll("#control-d_k input")) window.seen.add(Number(input.value));
            requestAnimationFrame(look);
          };
          window.begin = look;
        }"""
    )
    controls.slide(page, "d_k", 90)
    halves = [90, int(controls.slider(page, "d_k").input_value())]
    page.evaluate("window.begin()")
    held = slow.wait_held()
    page.clock.run_for(1500)  # longer than the page waits before it corrects its controls
    assert page.evaluate("[...window.seen]") == halves
    controls.choose(page, "scaling", "none")
    held.continue_()
    slow.end()
    assert_at_rest(page, untied(90, scaling="none"))
    assert page.evaluate("[...window.seen]") == halves


def test_a_lost_answer_is_not_asked_for_again_once_a_newer_one_was_painted(open_page: Callable[..., Page]) -> None:
    page = open_page("n=12&h=3", expected_errors=["net::ERR"])
    drawn.take_clock(page)
    slow = Slow(page)
    controls.slide(page, "d_k", 40)
    lost = slow.wait_held()
    controls.slide(page, "d_k", 90)
    lost.abort("connectionreset")
    slow.end()
    drawn.wait_painted(page, query(untied(90)))
    page.clock.run_for(1500)  # a retry of the lost request would come within the page's shortest pause
    assert_at_rest(page, untied(90))
    assert slow.asked[0] == 40
    assert set(slow.asked[1:]) == {90}
    assert page.locator("[data-error]").count() == 0
