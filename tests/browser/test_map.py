"""The Map page: overview, zooming and panning by every means, tiles, rows, strips."""

import math
from collections.abc import Callable

import pytest
import torch
from playwright.sync_api import Page

from tests.browser import controls, mapped
from tests.browser.mapped import QUERY, assert_painted, at, go, pooled, settled, view, wait, wheel
from visualiser.listed_statistics import ROW_FACTS, STRIPS, label
from visualiser.locale import number


@pytest.fixture(scope="module")
def dense() -> torch.Tensor:
    return mapped.weights()


@pytest.fixture(scope="module")
def shared(open_module_page: Callable[..., Page]) -> Page:
    page = open_module_page(QUERY, painted=False)
    wait(page)
    return page


@pytest.fixture
def shown(shared: Page) -> Page:
    """Return the page with everything in view and nothing chosen."""
    stage = shared.locator("#figure-map .stage")
    stage.focus()
    stage.press("Escape")
    stage.press("0")
    shared.locator('.map-heads button[data-head="1"]').click()
    shared.mouse.move(2, 2)
    wait(shared, *QUERY.split("&"))
    shared.wait_for_function("(query) => document.getElementById('figure-map').dataset.painted === query", arg=QUERY)
    return shared


def test_the_overview_holds_the_averages_of_whole_squares(shown: Page, dense: torch.Tensor) -> None:
    assert_painted(shown, view(QUERY), pooled(dense[0], 6, maximum=False), 6)
    assert "6 × 6" in shown.locator("#figure-map .colour-bar .name").inner_text()


def test_maximum_and_linear_are_shown_without_asking_the_server(shown: Page, dense: torch.Tensor) -> None:
    asked: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    controls.choose(shown, "pooling", "maximum")
    wait(shown, "pooling=maximum")
    assert_painted(shown, view(QUERY), pooled(dense[0], 6, maximum=True), 6)
    controls.choose(shown, "colour", "linear")
    wait(shown, "pooling=maximum", "colour=linear")
    assert_painted(shown, view(QUERY), pooled(dense[0], 6, maximum=True), 6, "linear")
    controls.choose(shown, "pooling", "average")
    controls.choose(shown, "colour", "log")
    wait(shown, *QUERY.split("&"))
    assert not [url for url in asked if "/page/" in url or "/run/" in url]


def test_a_chosen_cell_stays_chosen_in_another_head(shown: Page, dense: torch.Tensor) -> None:
    shown.locator(".map-heads button").nth(0).click()
    for name, value in (("query", 1003), ("key", 907)):
        shown.locator(f"#map-{name}").fill(str(value))
    shown.locator("#map-go").click()
    for head in (0, 1):
        shown.locator(".map-heads button").nth(head).click()
        place = f"head {head + 1} · query 1003 → key 907"
        shown.wait_for_function("(text) => document.querySelector('.map-chosen p').innerText.includes(text)", arg=place)
        assert number(float(dense[head, 1003, 907])) in shown.locator(".map-chosen p").inner_text()


def test_a_small_map_of_each_head_chooses_it(shown: Page, dense: torch.Tensor) -> None:
    buttons = shown.locator(".map-heads button")
    assert buttons.count() == 2
    buttons.nth(1).click()
    wait(shown, "head=2")
    assert [button.get_attribute("aria-pressed") for button in buttons.all()] == ["false", "true"]
    assert_painted(shown, view(QUERY), pooled(dense[1], 6, maximum=False), 6)


def test_the_wheel_zooms_to_exact_tiles_around_the_pointer(shown: Page, dense: torch.Tensor) -> None:
    link = wheel(shown, 0.25, 0.5, -400)
    near = view(link)
    assert near.across == pytest.approx(375, abs=0.01)
    assert near.left + 0.25 * near.across == pytest.approx(375, abs=3), "what lay under the pointer stays there"
    assert near.top + 0.5 * near.across == pytest.approx(750, abs=3)
    level1 = pooled(dense[0], 2, maximum=False)
    # the window lies in queries 562 … 938 and keys 281 … 657: tiles (2, 1), (2, 2), (3, 1), (3, 2)
    assert_painted(shown, near, level1, 2, scaled_by=level1[256:512, 128:384])
    deep = view(wheel(shown, 0.5, 0.5, -400))
    assert deep.across == pytest.approx(93.75, abs=0.01)
    rows = slice(int(deep.top) // 128 * 128, (int(deep.top + deep.down) // 128 + 1) * 128)
    columns = slice(int(deep.left) // 128 * 128, (int(deep.left + deep.across) // 128 + 1) * 128)
    assert_painted(shown, deep, dense[0], 1, scaled_by=dense[0][rows, columns])
    assert shown.locator("#figure-map .colour-bar .name").inner_text() == "weight"


def test_the_tip_follows_what_lies_under_a_pointer_that_rests(shown: Page, dense: torch.Tensor) -> None:
    tip = shown.locator("#figure-map .tip")

    def assert_tip(link: str, x: float, y: float) -> None:
        near = view(link)
        query, key = int(near.top + y * near.down), int(near.left + x * near.across)
        assert tip.locator("span").inner_text() == f"head 1 · query {query} → key {key}"
        assert tip.locator("strong").inner_text() == number(float(dense[0, query, key]))

    assert_tip(wheel(shown, 0.31, 0.62, -400, -400), 0.31, 0.62)
    shown.mouse.down()
    before = shown.locator("#figure-map").get_attribute("data-painted")
    shown.mouse.move(*at(shown, 0.53, 0.4), steps=3)
    shown.mouse.up()
    shown.wait_for_function("(before) => document.getElementById('figure-map').dataset.painted !== before", arg=before)
    assert_tip(settled(shown), 0.53, 0.4)


def test_the_wheel_is_the_browser_s_where_there_is_nothing_left_to_zoom_out(shown: Page) -> None:
    """The page is one screen, so nothing moves; yet the map takes only those turns that it answers."""
    shown.evaluate("""() => { window.taken = [];
      addEventListener("wheel", (event) => window.taken.push(event.defaultPrevented)); }""")
    shown.mouse.move(*at(shown, 0.5, 0.5))
    before = shown.locator(".map-cells").bounding_box()
    shown.mouse.wheel(0, 120)
    shown.wait_for_function("() => window.taken.length === 1")
    assert view(settled(shown)).across == 1500
    assert shown.locator(".map-cells").bounding_box() == before
    shown.mouse.wheel(0, -120)
    shown.wait_for_function("() => window.taken.length === 2")
    assert shown.evaluate("window.taken") == [False, True]
    assert view(settled(shown)).across < 1500


def test_dragging_moves_the_window_with_the_pointer(shown: Page) -> None:
    before = view(go(shown, 700, 300))
    shown.mouse.move(*at(shown, 0.6, 0.6))
    shown.mouse.down()
    shown.mouse.move(*at(shown, 0.5, 0.55))
    shown.mouse.move(*at(shown, 0.35, 0.5))
    shown.mouse.up()
    after = view(settled(shown))
    assert after.across == before.across == 32
    assert after.left - before.left == pytest.approx(0.25 * 32, abs=0.06)
    assert after.top - before.top == pytest.approx(0.1 * 32, abs=0.06)
    assert shown.locator("#figure-row").get_attribute("data-painted") is None, "a drag is no click"


def test_two_fingers_zoom(shown: Page) -> None:
    before = view(go(shown, 700, 300))
    device = shown.context.new_cdp_session(shown)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        where = [dict(zip("xy", at(shown, *point), strict=True), id=i) for i, point in enumerate(points)]
        device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", (0.4, 0.5), (0.6, 0.5))
    for step in range(1, 6):
        touch("touchMove", (0.4 - 0.04 * step, 0.5), (0.6 + 0.04 * step, 0.5))
    touch("touchEnd")
    after = view(settled(shown))
    assert after.across == pytest.approx(before.across / 3, rel=0.05)
    assert after.left + after.across / 2 == pytest.approx(before.left + before.across / 2, abs=0.5)


def test_the_keyboard_goes_everywhere(shown: Page, dense: torch.Tensor) -> None:
    stage = shown.locator("#figure-map .stage")
    stage.focus()
    for _ in range(8):
        stage.press("+")
    assert view(settled(shown)).across == pytest.approx(1500 / 256, abs=0.01)
    stage.press("Home")
    assert (view(settled(shown)).left, view(settled(shown)).top) == (0, 0)
    stage.press("End")
    end = view(settled(shown))
    assert (end.left, end.top) == pytest.approx((1500 - end.across, 1500 - end.down), abs=0.01)
    stage.press("ArrowUp")
    stage.press("ArrowLeft")
    moved = view(settled(shown))
    assert (moved.left, moved.top) == pytest.approx((end.left - 1, end.top - 1), abs=0.02), "a cell at a time"
    row, column = int(moved.top + moved.down / 2), int(moved.left + moved.across / 2)
    spoken = shown.locator(".spoken:not(.summary)").inner_text()
    assert spoken.endswith(number(float(dense[0, row, column])))
    stage.press("Enter")
    shown.wait_for_selector("#figure-row[data-painted]")
    assert f"row={row}" in settled(shown).split("&")
    stage.press("Escape")
    assert "row" not in settled(shown)
    stage.press("-")
    assert view(settled(shown)).across == pytest.approx(2 * end.across, abs=0.02)


def test_a_typed_position_shows_its_cell(shown: Page, dense: torch.Tensor) -> None:
    link = go(shown, 1234, 567)
    found = view(link)
    assert (found.left, found.top, found.across) == (567.5 - 16, 1234.5 - 16, 32)
    chosen = shown.locator(".map-chosen").inner_text()
    assert "query 1234" in chosen
    assert number(float(dense[0, 1234, 567])) in chosen


def test_the_pointer_reads_true_values(shown: Page, dense: torch.Tensor) -> None:
    found = view(go(shown, 40, 900))
    shown.mouse.move(*at(shown, (907.5 - found.left) / 32, (31.5 - found.top) / 32))
    tip = shown.locator("#figure-map .tip")
    assert tip.locator("strong").inner_text() == number(float(dense[0, 31, 907]))
    assert tip.locator("span").inner_text() == "head 1 · query 31 → key 907"


def test_two_clicks_open_the_row_of_the_largest_weight_there(shown: Page, dense: torch.Tensor) -> None:
    """On the whole map a pixel stands for 36 weights, of which the largest is chosen."""
    square = dense[0, 600:606, 300:306]
    best = int(square.argmax())
    row, column = 600 + best // 6, 300 + best % 6
    place = at(shown, 303 / 1500, 603 / 1500)
    shown.mouse.click(*place)
    shown.wait_for_selector("#open-row:visible")
    chosen = shown.locator(".map-chosen p").inner_text()
    assert f"query {row} → key {column}" in chosen
    assert chosen.endswith(number(float(dense[0, row, column])))
    shown.mouse.click(*place)
    shown.wait_for_function(
        "(row) => document.getElementById('figure-row').dataset.painted?.includes(`row=${row}`)", arg=row
    )
    weights = dense[0, row]
    entropy = float(torch.special.entr(weights).sum())
    numbers = [value.inner_text() for value in shown.locator(".row-numbers dd").all()]
    squares, cubes = float((weights**2).sum()), float((weights**3).sum())
    norm = math.sqrt(squares - 2 * cubes + squares**2)
    assert numbers[1:] == [number(x) for x in (entropy, math.log(1500), math.exp(entropy), norm, float(weights.max()))]
    labels = [name.text_content() for name in shown.locator(".row-numbers dt").all()]
    assert labels[1:] == [label("en", each) for each in ROW_FACTS]
    titles = [title.inner_text() for title in shown.locator(".strip-title").all()]
    assert titles == [label("en", each) for each in STRIPS]
    top = weights.topk(10)
    keys = [button.inner_text() for button in shown.locator(".row-keys button").all()]
    assert keys == [
        f"{key}: {number(value)}" for key, value in zip(top.indices.tolist(), top.values.tolist(), strict=True)
    ]
    shown.locator(".row-keys button").first.click()
    key = int(top.indices[0])
    assert view(settled(shown)).left == pytest.approx(min(max(key - 15.5, 0), 1500 - 32))


_REACH = """(index) => {
  const canvas = document.querySelectorAll(".map-strips canvas")[index];
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  return Array.from({ length: height }, (_, y) => {
    let x = width;
    while (x > 0 && !data[4 * (y * width + x - 1) + 3]) x -= 1;
    return x / width;
  });
}"""
"""JavaScript for the coloured share of each line of pixels of a strip."""


def test_strips_stand_beside_the_map_and_hide_no_spike(shown: Page, dense: torch.Tensor) -> None:
    """Each line of pixels of the entropy strip ends at the largest entropy of its queries."""
    entropy = torch.special.entr(dense[0]).sum(-1)
    found = view(go(shown, 700, 300))
    for link in (found, view(QUERY)):
        if link.across == 1500:
            shown.locator("#map-all").click()
            shown.wait_for_function(
                "(query) => document.getElementById('figure-map').dataset.painted === query", arg=QUERY
            )
        reach = shown.evaluate(_REACH, 0)
        for pixel in range(0, len(reach), 7):
            first = math.floor(link.top + pixel * link.down / len(reach) + 1e-9)
            last = max(first + 1, math.ceil(link.top + (pixel + 1) * link.down / len(reach) - 1e-9))
            share = float(entropy[first:last].max()) / math.log(1500)
            assert reach[pixel] == pytest.approx(share, abs=0.03)
    tops = shown.evaluate("""[...document.querySelectorAll(".map-cells, .strip-cells")].map((part) => {
      const { top, height } = part.getBoundingClientRect();
      return [top, height];
    })""")
    assert all(lies == pytest.approx(tops[0], abs=1) for lies in tops)


def test_a_click_on_a_strip_opens_that_row(shown: Page) -> None:
    strip = shown.locator(".strip-cells").first
    found = strip.bounding_box()
    assert found is not None
    strip.click(position={"x": 20, "y": found["height"] * 0.4})
    shown.wait_for_selector("#figure-row[data-painted]")
    row = int(dict(pair.split("=") for pair in settled(shown).split("&"))["row"])
    assert row == pytest.approx(600, abs=3)
