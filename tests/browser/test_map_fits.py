"""The Map fits: its figure into every window in one frame, its sequence into the machine, its sinks above its cells."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import draws
from tests.browser import controls, mapped
from tests.browser.boxes import SIZES, boxes, require_apart, require_inside
from visualiser.locale import number, text
from visualiser.state import share

_WATCH = """() => {
  const seen = [];
  globalThis.painted = seen;
  const channel = new MessageChannel();
  let begun = "";
  const size = () => `${innerWidth} × ${innerHeight}`;
  // a message that is sent before a frame is painted comes after it
  channel.port1.onmessage = () => {
    const widths = [".map-cells", ".map-heads", ".strip-cells"]
      .map((part) => document.querySelector(part).getBoundingClientRect().width.toFixed(1));
    if (size() === begun) seen.push([begun, widths.join(" ")]);
  };
  const frame = () => {
    begun = size();
    channel.port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  frame();
}"""
_FRAMES = (
    "(count) => new Promise((done) => { const next = () => (count-- ? requestAnimationFrame(next) : done()); next(); })"
)

FITTED = "(size) => document.getElementById('figure-map').dataset.fitted === size"

STATES = ("n=300&h=8&row=200", "n=300&h=8&present=1", "n=300&h=16&mask=causal&lang=ko&d_k=16", "n=600&h=1")


@pytest.mark.parametrize("state", STATES)
def test_no_frame_shows_the_map_at_another_size_than_its_windows(open_page: Callable[..., Page], state: str) -> None:
    """What the fit itself changes is fitted at once: the first frame of a new window is the last one, too."""
    page = open_page(f"page=map&{state}", painted=False, viewport={"width": 1920, "height": 1080})
    mapped.wait(page)
    page.wait_for_selector("#insight[data-painted]")
    if "row=" in state:
        page.wait_for_selector("#figure-row[data-painted]")
    page.evaluate(_WATCH)
    draws = Random(state)
    # where the width bounds the map, the small maps of the heads lose room as it grows
    jumps = [(1160, 720), (2560, 1440), (1160, 620), (1920, 1080), (640, 360), (3840, 2160)]
    jumps += draws.choices((*SIZES, (640, 360), (1024, 768)), k=6)
    for width, height in jumps:
        page.evaluate("painted.length = 0")
        page.set_viewport_size({"width": width, "height": height})
        fitted = f"{width} × {height}"
        page.wait_for_function(
            "(fitted) => painted.some(([size]) => size === fitted)"
            " && document.getElementById('figure-map').dataset.fitted === fitted",
            arg=fitted,
        )
        page.evaluate(_FRAMES, 4)
        seen = page.evaluate("painted")
        assert len({widths for size, widths in seen if size == fitted}) == 1, f"{fitted}: {seen}"


def require_whole(page: Page, *, least: float = 100) -> None:
    """Fail unless the map stands in its place, as large as its canvas and its fitted window say."""
    found = page.evaluate(
        """() => { const parts = [".map-cells", ".map-cells canvas", ".map-across", "#figures"];
          const [cells, canvas, across, figures] = parts
            .map((part) => document.querySelector(part).getBoundingClientRect());
          const { fitted } = document.getElementById("figure-map").dataset;
          const { width } = document.querySelector(".map-cells canvas");
          return { fitted, window: `${innerWidth} × ${innerHeight}`, cells: cells.width, canvas: canvas.width,
            pixels: width / devicePixelRatio,
            inside: cells.right <= figures.right && across.bottom <= figures.bottom }; }"""
    )
    assert found["fitted"] == found["window"]
    assert found["inside"], found
    assert found["cells"] >= least
    assert found["cells"] == pytest.approx(found["canvas"], abs=1) == pytest.approx(found["pixels"], abs=1)


def tokens(page: Page) -> int:
    """Return the number of tokens of the map on screen."""
    return 1 + int(page.locator("#map-key").get_attribute("max") or 0)


def require_cut_notice(page: Page, lang: str = "en") -> tuple[int, int]:
    """Fail unless the line over the map tells what is missing, with both numbers; return shown and asked tokens."""
    asked, there = share.read(page.evaluate("location.search.slice(1)")).state.config.n, tokens(page)
    over = page.locator("#map-over")
    if there == asked:
        assert over.is_hidden()
    else:
        sentences = [text(lang, f"map.cut_{why}", n=there, asked=asked, longest=60) for why in ("memory", "time")]
        shown = over.inner_text().replace("\n", "")
        assert any(shown.startswith(one) for one in sentences), (shown, sentences)
        figure, line, cells = boxes(page, "#figure-map", "#map-over", ".map-cells")
        require_inside(page, line)
        require_apart(line, cells, *boxes(page, ".map-tools", ".map-heads button"))
        assert figure.left <= line.left
        assert line.right <= figure.right
        assert line.bottom <= cells.top
    return there, asked


@pytest.mark.parametrize(
    ("lang", "first", "others"),
    [("en", (1280, 720), [(390, 844), (1920, 1080)]), ("ko", (390, 844), [(1280, 720), (1920, 1080)])],
)
def test_what_does_not_fit_is_drawn_as_far_as_it_does_and_said_over_the_map(
    open_page: Callable[..., Page], lang: str, first: tuple[int, int], others: list[tuple[int, int]]
) -> None:
    width, height = first
    page = open_page(
        f"page=map&d_k=1024&h=16&tie=false&lang={lang}", painted=False, viewport={"width": width, "height": height}
    )
    mapped.wait(page)
    there, asked = require_cut_notice(page, lang)
    assert (asked, 300 < there < 1500) == (4096, True)
    assert text(lang, "map.cut_more").split("d_k")[0] in page.locator("#map-over").inner_text()
    assert page.locator("#map-plan").inner_text().startswith(text(lang, "map.plan", n=there, seconds=1.0)[:8])
    require_whole(page)
    for width, height in others:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(FITTED, arg=f"{width} × {height}")
        page.evaluate(_FRAMES, 3)
        assert require_cut_notice(page, lang) == (there, asked)
        require_whole(page)
    page.locator("#figure-map .saves summary").click()
    with page.expect_download() as saved:
        page.locator("#figure-map .saves [data-format=svg]").click()
    assert page.locator("#map-over").inner_text().replace("\n", "")[:20] in saved.value.path().read_text(), (
        "so does its picture"
    )
    if lang == "ko":
        return
    controls.slide(page, "h", 1)
    mapped.wait(page, "h=1")
    assert require_cut_notice(page, lang)[0] == 4096 or require_cut_notice(page, lang)[0] > 8 * there


def test_the_preset_that_does_not_fit_comes_along_and_is_drawn(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator("#menus .presets > summary").click()
    page.locator("#preset-unscaled_512").click()
    controls.wait_shown(page, d_k=512, scaling="none")
    page.locator(controls.page_link("map")).click()
    page.wait_for_selector("#figure-map")
    page.wait_for_function("() => document.getElementById('map-plan')?.textContent")
    controls.begin(page)
    mapped.wait(page, "d_k=512", "scaling=none")
    there, asked = require_cut_notice(page)
    assert asked == 4096
    assert there < asked
    assert page.locator("#control-n input[type=number]").input_value() == "4096", "the wish stays"


def test_while_a_run_tells_the_time_that_is_left_the_plan_tells_none(open_page: Callable[..., Page]) -> None:
    page = open_page("n=16384&h=4&d_k=64&page=map", painted=False)
    seconds = re.compile(r"about [\d.]+ s", re.IGNORECASE)
    page.wait_for_function("() => /16384/.test(document.getElementById('map-plan')?.textContent)")
    controls.begin(page)
    page.wait_for_function("() => / s /.test(document.querySelector('.run .said').textContent)")
    words = page.evaluate("() => [...document.querySelectorAll('#run p')].map((one) => one.textContent + one.title)")
    assert len(seconds.findall(" ".join(words))) == 1, words
    page.locator("#run-cancel").click()
    page.wait_for_function("() => document.querySelector('#run [data-run]').dataset.run === 'cancelled'")
    assert seconds.search(page.locator("#map-plan").inner_text()), "and tells it again once nothing runs"


def test_a_map_that_waits_for_its_button_says_so_where_it_will_stand(open_page: Callable[..., Page]) -> None:
    page = open_page("page=explore")

    def slower(route: Any) -> None:
        answer = route.fetch()
        body = re.sub(
            rb'("expected_seconds":)([\d.e-]+)', lambda found: found[1] + b"9".ljust(len(found[2])), answer.body()
        )
        route.fulfill(response=answer, body=body)

    page.route("**/page/map", slower)
    page.goto(page.url.split("?")[0] + "?n=300&h=2&page=map")
    over = page.locator("#map-over")
    over.wait_for()
    assert over.inner_text() == text("en", "map.waits", start=text("en", "map.start"))
    page.locator("#run-start").click()
    mapped.wait(page)
    assert over.is_hidden()


SEEN = {
    "en": {"width": 1280, "height": 720},
    "ko": {"width": 1280, "height": 720},
    "wide": {"width": 1920, "height": 1080},
    "phone": {"width": 390, "height": 844},
    "dark": {"width": 1280, "height": 720},
    "present": {"width": 1280, "height": 720},
    "present-wide": {"width": 1920, "height": 1080},
}


@pytest.mark.parametrize("seen", SEEN)
def test_sinks_are_marked_above_the_map_apart_from_everything(open_page: Callable[..., Page], seen: str) -> None:
    lang = "ko" if seen == "ko" else "en"
    link = f"page=map&n=300&h=8&lang={lang}&head=4" + ("&present=1" if "present" in seen else "")
    scheme = "dark" if seen == "dark" else "light"
    page = open_page(link, painted=False, viewport=SEEN[seen], color_scheme=scheme)
    mapped.wait(page)
    share_of_key = float(mapped.weights("page=map&n=300&h=8")[3, :, 0].mean())
    label = text(lang, "figure.map.sink", key=0, share=100 * share_of_key)
    assert page.locator(".sink-name").all_inner_texts() == [label]
    marks = boxes(page, ".sink-mark", ".sink-name")
    cells, *others = boxes(
        page, ".map-cells", ".map-rows span", ".map-columns span", ".map-heads button", ".map-tools", "#insight"
    )
    require_inside(page, *marks)
    require_apart(*marks, cells, *others)
    mark, name = marks
    assert abs(mark.bottom - cells.top) <= 3, "at the map's edge"
    assert mark.left == pytest.approx(cells.left + 0.5 / 300 * cells.width, abs=1)
    assert name.left - mark.right < name.height
    # whoever hears the figure hears the sink
    assert number(100 * share_of_key) in page.locator("#figure-map .summary").inner_text()
    if seen != "en":
        return
    page.locator(".map-heads button").nth(1).click()
    mapped.wait(page, "head=2")
    assert page.locator(".sink-mark").count() == 0, "this head has none"
    page.locator(".map-heads button").nth(3).click()
    mapped.wait(page, "head=4")
    assert page.locator(".sink-mark").count() == 1
    mapped.go(page, 150, 150)
    assert page.locator(".sink-mark").count() == 0, "it is out of sight"


def test_a_question_about_sinks_hides_them(open_page: Callable[..., Page]) -> None:
    page = open_page("page=map&n=300&h=4&head=4&predict=true&question=sink_weight", painted=False)
    page.wait_for_selector("#figure-map[data-painted]")
    assert page.locator(".sink-mark").count() == 0


def test_a_picture_has_the_marks_of_the_sinks(open_page: Callable[..., Page]) -> None:
    page = open_page("page=map&n=200&h=4&head=4", painted=False)
    mapped.wait(page)
    share_of_key = float(mapped.weights("page=map&n=200&h=4")[3, :, 0].mean())
    page.locator("#figure-map .saves summary").click()
    with page.expect_download() as saved:
        page.locator("#figure-map .saves [data-format=svg]").click()
    svg = saved.value.path().read_text()
    assert text("en", "figure.map.sink", key=0, share=100 * share_of_key) in svg


LONGEST = 4
"""Maps that one sequence of moves computes."""


def test_after_any_moves_the_figure_shows_what_the_link_says_and_fits_its_place(open_page: Callable[..., Page]) -> None:
    """Presets before and after the Map, other settings, other windows while it runs: in any order."""
    for seed in draws.chosen(range(3)):
        require_fit_after_moves(open_page, Random(seed))


def require_fit_after_moves(open_page: Callable[..., Page], draws: Random) -> None:
    """Make moves, and fail unless the figure fits after each few."""
    page = open_page("page=map&n=400&h=4", painted=False)
    written: dict[str, Any] = {}

    def preset() -> None:
        page.locator(controls.page_link("explore")).click()
        page.wait_for_selector("#figure-heat-maps[data-painted]")
        name = draws.choice(("base", "scaled_512", "unscaled_512", "causal"))
        page.locator("#menus .presets > summary").click()
        page.locator(f"#preset-{name}").click()
        wanted: dict[str, Any] = {"base": {"mask": "none"}, "causal": {"mask": "causal"}}.get(name, {"d_k": 512})
        controls.wait_shown(page, **wanted)
        page.locator(controls.page_link("map")).click()
        page.wait_for_selector("#figure-map")
        page.wait_for_function("() => document.getElementById('map-plan')?.textContent")

    def setting() -> None:
        name, value = draws.choice((("seed", draws.randrange(1, 99)), ("n", draws.choice((300, 555, 1500)))))
        controls.write(page, name, value)
        written[name] = value

    def window() -> None:
        width, height = draws.choice(SIZES)
        page.set_viewport_size({"width": width, "height": height})

    def head() -> None:
        page.evaluate("document.querySelectorAll('.map-heads button')[1]?.click()")

    for _ in range(LONGEST):
        written.clear()
        page.set_viewport_size({"width": 1280, "height": 720})  # where every control is in sight
        moves = [draws.choice((preset, setting, setting)), *draws.choices((window, head), k=3)]
        for move in moves:
            move()
        page.wait_for_function(
            """(written) => { const { painted, wanted, fitted } = document.getElementById("figure-map").dataset;
              const start = document.getElementById("run-start");
              const idle = document.querySelector("#run [data-run]")?.dataset.run;
              if (idle === "idle" && !document.getElementById("map-over").hidden) start.click();
              const asks = new URLSearchParams(painted);
              return painted !== undefined && painted === wanted && location.search.slice(1) === painted
                && Object.entries(written).every(([name, value]) => asks.get(name) === String(value))
                && fitted === `${innerWidth} × ${innerHeight}`
                && !document.getElementById("figure-map").classList.contains("is-stale"); }""",
            arg=written,
        )
        page.evaluate(_FRAMES, 3)
        link = mapped.settled(page)
        state = share.read(link).state
        require_whole(page)
        there, asked = require_cut_notice(page)
        assert there <= asked
        assert page.locator(".map-heads button").count() == state.config.h
        pressed = page.locator(".map-heads button[aria-pressed=true]")
        assert pressed.count() == 1
        assert pressed.inner_text().strip() == str(state.view.head)
        assert page.locator("#figure-map").evaluate("(one) => one.classList.contains('has-mask')") is (
            state.config.mask != "none"
        )
        assert (asked, state.config.d_k) == (
            int(page.locator("#control-n input[type=number]").input_value()),
            int(page.locator("#control-d_k input[type=number]").input_value()),
        )
