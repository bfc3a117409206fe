"""Present mode, hidden parts and one large figure: what a class sees, and that it never gets stuck."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls, drawn
from tests.browser.boxes import boxes, require_apart, require_scrolled
from tests.browser.brought import explored, sized
from visualiser.locale import text
from visualiser.state.parameters import PAGES

SIZES = [(1280, 720), (1024, 768), (1920, 1080)]

TYPE = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const words = walker.currentNode.data.trim();
    const holder = walker.currentNode.parentElement;
    // indices and exponents are smaller by nature; signs without a size are for readers of the plain text
    if (!words || holder.closest("script, style, .silent, .spoken, .off-screen")) continue;
    if (holder.closest("sub, sup, .index, :is(msub, msup, msubsup) > :not(:first-child)")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { width, height } = range.getBoundingClientRect();
    const hidden = !holder.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (hidden || width < 2 || height < 2) continue;
    const style = getComputedStyle(holder);
    if (style.clipPath !== "none") continue;
    const drawing = holder.closest("svg");
    found.push([words, parseFloat(style.fontSize) * (drawing?.getScreenCTM()?.a ?? 1)]);
  }
  return found;
}"""

BOXES = """(selectors) => selectors.map((selector) => {
  const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
  return [left, top, right, bottom];
})"""

HEARD = """(key) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  document.body.dispatchEvent(event);
  return event.defaultPrevented;
}"""


def link(page: Page) -> str:
    return page.evaluate("location.search")


def wait_link(page: Page, query: str) -> None:
    page.wait_for_function("(wanted) => location.search === wanted", arg=query)


def seen(page: Page, *selectors: str) -> list[bool]:
    return [page.locator(selector).is_visible() for selector in selectors]


@pytest.fixture(scope="module")
def shared(open_module_page: Callable[..., Page]) -> Page:
    """Return a page that tests bring to their state."""
    return open_module_page("present=1")


@pytest.fixture(scope="module")
def korean(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("present=1&lang=ko")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_type_is_large_enough_for_the_last_row(shared: Page, korean: Page, lang: str) -> None:
    page = korean if lang == "ko" else shared
    explored(page, "present=1&lang=ko&h=16&d_k=512&scaling=none" if lang == "ko" else "present=1")
    for width, height in SIZES:
        sized(page, width, height)
        written = page.evaluate(TYPE)
        assert len(written) > 40
        assert [(words, size) for words, size in written if size < 0.024 * height - 0.01] == [], (width, height)


@pytest.mark.parametrize("h", [1, 8, 16])
def test_everything_is_in_sight_on_explore(shared: Page, h: int) -> None:
    explored(shared, f"present=1&h={h}")
    for width, height in SIZES:
        sized(shared, width, height)
        require_all_in_sight(shared, width, height, h)


def require_all_in_sight(page: Page, width: int, height: int, h: int) -> None:
    """Fail unless sentences, controls and figures stand in the window, apart and of a legible size."""
    names = ["#insight", "#controls", *(f"#figure-{name}" for name in drawn.FIGURES[:4])]
    boxes = page.evaluate(BOXES, names)
    for name, (left, top, right, bottom) in zip(names, boxes, strict=True):
        assert left >= 0, name
        assert top >= 0, name
        assert right <= width, name
        assert bottom <= height, name
        assert right - left > 150, name
        assert bottom - top > (20 if name == "#insight" else 60), name
    for i, (left, top, right, bottom) in enumerate(boxes):
        for j in range(i):
            apart = left >= boxes[j][2] or right <= boxes[j][0] or top >= boxes[j][3] or bottom <= boxes[j][1]
            assert apart, (names[i], names[j])
    cells = page.locator("#figure-heat-maps canvas.cells:visible")
    assert cells.count() == h
    assert page.evaluate("document.documentElement.scrollHeight") == height
    assert page.evaluate(
        "(() => { const s = document.querySelector('#insight .insight'); "
        "return s.scrollHeight <= s.clientHeight + 1; })()"
    )


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_both_axes_of_the_entropy_have_a_title(shared: Page, korean: Page, lang: str) -> None:
    page = korean if lang == "ko" else shared
    explored(page, "present=1&lang=ko" if lang == "ko" else "present=1")
    for size in [(1280, 720), (1366, 768), (1920, 1080)]:
        sized(page, *size)
        require_titles(page, lang)


def require_titles(page: Page, lang: str) -> None:
    """Fail unless both axes of the entropy are named, apart from each other."""
    titles = page.locator("#figure-entropy .word.title")
    texts = titles.all_text_contents()
    left = {text(lang, f"figure.entropy.{key}") for key in ("y", "y_short")}
    assert any(any(one.startswith(wanted) for wanted in left) for one in texts), texts
    assert any("eᴴ" in one for one in texts), texts
    rooms = [titles.nth(i).bounding_box() for i in range(titles.count())]
    for i, one in enumerate(rooms):
        for other in rooms[:i]:
            assert one is not None
            assert other is not None
            level = abs(one["y"] - other["y"]) < one["height"] / 2
            apart = one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
            assert not level or apart, texts


def test_only_what_a_lesson_moves_is_left(shared: Page) -> None:
    page = shared
    explored(page, "present=1")
    shown = [
        name
        for name in (*controls.SLIDERS, *controls.RADIOS, *controls.FLAGS, *controls.NUMBERS)
        if page.locator(f"#control-{name}").is_visible()
    ]
    assert shown == ["d_k", "h", "scaling", "normalisation", "mechanism", "mask", "stage"]
    assert seen(page, "#masthead", "#control-page", "#menus", "#pin", "#figure-entropy .hint", "footer") == [False] * 6
    assert seen(page, "#way-back", "#insight", "#figure-entropy") == [True] * 3


def test_lines_are_thicker_on_a_projector(shared: Page) -> None:
    page = shared
    explored(page, "")
    sized(page, 1360, 900)
    ink = """() => {
      const canvas = document.querySelector("#figure-entropy canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let dashed = 0; // the ceiling, #d55e00
      for (let i = 0; i < data.length; i += 4) dashed += data[i] > 190 && data[i + 2] < 60 && data[i + 3] > 128;
      return dashed / canvas.width;
    }"""
    before = page.evaluate(ink)
    page.keyboard.press("p")
    page.locator("html.presenting").wait_for()
    page.wait_for_function(f"(before) => ({ink})() > 1.3 * before", arg=before)
    assert before > 0.5
    page.keyboard.press("Escape")
    page.locator("html:not(.presenting)").wait_for()


def test_the_button_presents_and_the_link_says_so(shared: Page) -> None:
    page = shared
    explored(page, "n=16")
    button = page.locator("#present-start")
    expect(button).to_be_visible()
    button.click()
    expect(page.locator("html")).to_have_class("presenting")
    wait_link(page, "?n=16&present=1")
    drawn.wait_painted(page, "n=16&present=1")
    page.locator("#way-back").click()
    expect(page.locator("html")).not_to_have_class("presenting")
    wait_link(page, "?n=16")
    assert seen(page, "#way-back", "#present-start", "#control-page") == [False, True, True]


@pytest.mark.parametrize("key", ["p", "P"])
def test_the_key_presents_and_escape_leaves(shared: Page, key: str) -> None:
    page = shared
    explored(page, "")
    for _ in range(2):
        page.keyboard.press(key)
        expect(page.locator("html")).to_have_class("presenting")
        wait_link(page, "?present=1")
        page.keyboard.press("Escape")
        expect(page.locator("html")).not_to_have_class("presenting")
        wait_link(page, "")
    page.keyboard.press(key)
    page.keyboard.press(key)
    expect(page.locator("html")).not_to_have_class("presenting")


def test_the_key_is_a_letter_where_one_types(shared: Page) -> None:
    page = shared
    explored(page, "source=text&n=8")
    controls.box(page, "text").press("End")
    controls.box(page, "text").press("p")
    controls.box(page, "d_k").press("p")
    for keys in ("Control+p", "Alt+p", "Shift+P"):
        page.evaluate("addEventListener('keydown', (event) => event.preventDefault(), { once: true })")
        page.keyboard.press(keys)
    page.locator("#insight").click()
    expect(page.locator("html")).not_to_have_class("presenting")
    assert controls.box(page, "text").input_value().endswith("p")


def test_digits_in_a_box_are_typed_while_it_is_presented(shared: Page) -> None:
    page = shared
    explored(page, "present=1")
    controls.write(page, "d_k", 128)
    wait_link(page, "?d_k=128&present=1")
    controls.wait_shown(page, d_k=128)
    expect(page.locator("html")).to_have_class("presenting")


@pytest.mark.parametrize("query", ["", "present=1"])
def test_a_slide_clicker_is_left_alone(shared: Page, query: str) -> None:
    page = shared
    explored(page, query)
    wait_link(page, f"?{query}" if query else "")  # the address follows when the controls rest
    page.locator(f"#figure-score-distribution[data-rested='{query}']").wait_for(state="attached")
    before = page.evaluate("document.documentElement.outerHTML.length")
    for key in ("PageUp", "PageDown", ".", "b"):
        assert page.evaluate(HEARD, key) is False, key
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.outerHTML.length") == before, key
        assert link(page) == (f"?{query}" if query else ""), key


def test_escape_first_releases_a_locked_row(shared: Page) -> None:
    page = shared
    explored(page, "present=1&row=3")
    page.locator("#figure-heat-maps .stage").focus()
    page.keyboard.press("Escape")
    drawn.wait_painted(page, "present=1")
    expect(page.locator("html")).to_have_class("presenting")
    page.keyboard.press("Escape")
    expect(page.locator("html")).not_to_have_class("presenting")


def test_what_a_link_hides_is_out_of_sight_and_no_number_changes(open_page: Callable[..., Page]) -> None:
    page = open_page("hide=mask,entropy,insight,menus,tools")  # as it is opened; other tests bring it to their look
    hidden = ("#control-mask", "#figure-entropy", "#insight", "#menus", "#figure-heat-maps .hint")
    assert seen(page, *hidden) == [False] * 5
    assert seen(page, "#control-h", "#figure-gradient", "#way-back", "#figure-heat-maps .enlarge") == [True] * 4
    page.locator("#way-back").click()
    assert seen(page, "#control-mask", "#figure-entropy", "#insight", "#menus") == [True] * 4
    wait_link(page, "")


def test_an_unknown_name_is_told_in_the_visitors_language(open_page: Callable[..., Page]) -> None:
    page = open_page("hide=mask,<img>&focus=nothing&lang=ko")
    notices = page.locator("#message .notices li").all_inner_texts()
    assert len(notices) == 2
    assert all("무시합니다" in one for one in notices)
    assert "<img>" in notices[0]
    wait_link(page, "?lang=ko&hide=mask")


@pytest.mark.parametrize("also", ["", "present=1&", "present=1&focus=heat-maps&", "focus=gradient&"])
def test_nobody_gets_stuck_if_everything_is_hidden(shared: Page, also: str) -> None:
    names = "controls,insight,masthead,menus,page,lang,heat-maps,score-distribution,entropy,gradient,jacobian,stage,pin"
    page = shared
    explored(page, f"{also}hide={names},way-back,banner,present")
    back = page.locator("#way-back")
    expect(back).to_be_visible()
    box = back.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 20
    back.click()
    wait_link(page, "")
    assert seen(page, "#controls", "#insight", "#figure-heat-maps", "#figure-entropy", "#control-page") == [True] * 5


@pytest.mark.parametrize("figure", drawn.FIGURES)
def test_one_figure_is_shown_large(shared: Page, figure: str) -> None:
    page = shared
    sized(page, 1280, 720)
    explored(page, f"focus={figure}")
    ((left, top, right, bottom),) = page.evaluate(BOXES, [f"#figure-{figure}"])
    assert right - left > 900
    assert bottom - top > 500
    assert seen(page, *(f"#figure-{name}" for name in drawn.FIGURES)) == [name == figure for name in drawn.FIGURES]
    assert seen(page, "#controls", "#insight", "#way-back") == [True] * 3
    page.locator(f"#figure-{figure} .enlarge").click()
    assert seen(page, *(f"#figure-{name}" for name in drawn.FIGURES[:4])) == [True] * 4
    wait_link(page, "")


def test_a_figures_button_enlarges_it_and_escape_gives_all_back(shared: Page) -> None:
    page = shared
    explored(page, "present=1")
    button = page.locator("#figure-entropy .enlarge")
    page.locator("#figure-entropy").hover()
    button.click()
    wait_link(page, "?present=1&focus=entropy")
    assert seen(page, "#figure-entropy", "#figure-heat-maps") == [True, False]
    expect(button).to_have_attribute("aria-pressed", "true")
    controls.slide(page, "h", 3)
    drawn.wait_painted(page, "h=3&present=1&focus=entropy")
    page.keyboard.press("Escape")
    wait_link(page, "?h=3")
    assert seen(page, "#figure-entropy", "#figure-heat-maps") == [True, True]


def test_a_look_goes_along_to_other_pages_and_languages(open_page: Callable[..., Page]) -> None:
    page = open_page("hide=mask,sweep&present=1&focus=entropy")
    page.evaluate("headlight.then((page) => page.act('ways.leaveFor', 'why'))")
    page.wait_for_url("**page=why*")
    page.locator("html.presenting").wait_for()
    expect(page.locator("#way-back")).to_be_visible()
    page.locator("#figure-mechanism-scores[data-painted]").wait_for()
    wait_link(page, "?page=why&present=1&hide=mask%2Csweep&focus=entropy")
    expect(page.locator("#way-back")).to_be_visible()
    assert seen(page, "#figure-sweep") == [False]
    page.evaluate("headlight.then((page) => page.act('controls.heard', 'lang', ['ko']))")
    page.wait_for_url("**lang=ko*")
    page.locator("html.presenting[lang=ko]").wait_for()


def test_a_preset_keeps_the_look(shared: Page) -> None:
    page = shared
    explored(page, "hide=mask")
    page.evaluate("document.getElementById('preset-unscaled_512').click()")
    page.wait_for_function("() => /d_k=512.*hide=mask/.test(location.search)")
    assert seen(page, "#control-mask") == [False]


def test_it_works_inside_a_frame_that_may_not_fill_the_screen(open_page: Callable[..., Page], app_url: str) -> None:
    page = open_page(url="about:blank", painted=False)
    frame = f'<iframe id="slide" src="{app_url}" width="1000" height="640" allow=""></iframe>'
    page.route(f"{app_url}slide.html", lambda route: route.fulfill(body=frame, content_type="text/html"))
    page.goto(f"{app_url}slide.html")
    slide = page.frame_locator("#slide")
    slide.locator("#figure-entropy[data-painted]").wait_for()
    slide.locator("#present-start").click()
    expect(slide.locator("html")).to_have_class("presenting")
    expect(slide.locator("#way-back")).to_be_visible()
    slide.locator("#way-back").click()
    expect(slide.locator("html")).not_to_have_class("presenting")


def test_the_way_back_works_without_a_server(open_page: Callable[..., Page]) -> None:
    page = open_page("present=1&hide=mask", expected_errors=["Failed to load resource", "ERR_"])
    page.context.set_offline(True)
    page.locator("#way-back").click()
    expect(page.locator("html")).not_to_have_class("presenting")
    expect(page.locator("#control-mask")).to_be_visible()
    page.context.set_offline(False)
    wait_link(page, "")


@pytest.fixture(scope="module", params=PAGES)
def presented(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> Page:
    """Open each page as it is presented without its sentences."""
    page = open_module_page(f"page={request.param}&present=1&hide=insight,nothing", painted=False)
    page.wait_for_function("() => !location.search.includes('nothing')")  # the server has read it
    return page


def test_the_way_back_covers_no_button(presented: Page) -> None:
    """Without the sentences, as in a lesson, figures reach the corner in which it stands."""
    page = presented
    sized(page, 1280, 720)
    page.locator("#insight[data-painted]").wait_for(state="attached")
    covered = page.evaluate(
        """() => {
          const box = (one) => one.getBoundingClientRect();
          const back = box(document.getElementById("way-back"));
          const over = ({ left, right, top, bottom }) =>
            left < back.right && right > back.left && top < back.bottom && bottom > back.top;
          return [...document.querySelectorAll(".enlarge")].filter((one) => over(box(one))).map(({ title }) => title);
        }"""
    )
    assert covered == []


def test_every_page_is_presented_and_keeps_the_look(presented: Page) -> None:
    page, name = presented, presented.evaluate("document.querySelector('.page').id")
    own = "" if name == "explore" else f"page={name}&"
    wait_link(page, f"?{own}present=1&hide=insight")
    expect(page.locator("html")).to_have_class("presenting")
    assert seen(page, "#way-back", "#insight", "#control-page", "#control-seed") == [True, False, False, False]
    page.keyboard.press("Escape")
    wait_link(page, f"?{own}hide=insight")
    assert seen(page, "#way-back", "#insight", "#control-page", "#present-start") == [True, False, True, True]


def test_a_list_of_ticks_hides_each_part_and_follows_the_link(presented: Page) -> None:
    page = presented
    look = {"present": 0, "hide": ["tools", "nothing"], "focus": ""}
    page.evaluate("(look) => headlight.then((page) => page.act('presenter.wish', look))", look)
    page.wait_for_function("() => location.search.endsWith('hide=tools')")  # the server has read it
    page.locator(".menu.takes > summary").click()
    page.locator(".shaping > summary").click()
    ticks = {
        str(label.get_attribute("title")).removeprefix("hide = "): label.locator("input")
        for label in page.locator(".shaping label").all()
    }
    assert {name for name, tick in ticks.items() if not tick.is_checked()} == {"tools"}
    ticks["tools"].check()
    page.wait_for_function("() => !location.search.includes('hide')")
    ticks["controls"].uncheck()
    page.wait_for_function("() => location.search.includes('hide=controls')")
    expect(page.locator("#controls")).to_be_hidden()
    page.locator("#way-back").click()
    page.wait_for_function("() => !location.search.includes('hide')")
    assert ticks["controls"].is_checked()
    page.close()


@pytest.mark.parametrize(
    ("query", "figures"),
    [
        ("", ("heat-maps", "score-distribution")),
        ("present=1", ("heat-maps", "score-distribution")),
        ("page=why&predict=false&n=13&seeds=2", ("sweep",)),
        ("page=train&predict=false", ("train-accuracy", "train-steps")),
        ("page=cost&predict=false&present=1", ("cost-time", "cost-memory")),
    ],
)
def test_figures_take_the_width_of_hidden_controls(
    shared: Page, open_page: Callable[..., Page], query: str, figures: tuple[str, ...]
) -> None:
    if "page=" in query:
        page = open_page(f"{query}&hide=controls", painted=False)
    else:
        page = shared
        explored(page, f"{query}&hide=controls")
    sized(page, 1280, 720)
    for name in figures:
        page.locator(f"#figure-{name}[data-painted]").wait_for()
    found = [page.locator(f"#figure-{name}").bounding_box() for name in figures]
    assert all(found)
    assert min(box["x"] for box in found if box) < 40
    assert max(box["x"] + box["width"] for box in found if box) > 1240
    assert found[0] is not None
    assert found[0]["width"] > 600
    assert found[0]["height"] > 200


def test_controls_hidden_one_by_one_leave_their_width(shared: Page) -> None:
    page = shared
    explored(page, "n=9")
    sized(page, 1280, 720)
    names: list[str] = page.locator("#controls [id^=control-]").evaluate_all(
        "(all) => all.map((one) => one.id.slice('control-'.length))"
    )
    assert len(names) > 12
    explored(page, f"n=9&hide={','.join(names)}")
    assert not page.locator("#controls").is_visible()
    box = page.locator("#figure-heat-maps").bounding_box()
    assert box
    assert box["x"] < 40
    assert box["width"] > 800


@pytest.mark.parametrize(
    ("hidden", "left"),
    [
        ("score-distribution,entropy,gradient", "heat-maps"),
        ("heat-maps", "entropy"),
    ],
)
def test_a_figure_takes_the_width_of_hidden_neighbours(shared: Page, hidden: str, left: str) -> None:
    page = shared
    explored(page, f"n=9&hide={hidden}")
    sized(page, 1280, 720)
    box = page.locator(f"#figure-{left}").bounding_box()
    assert box
    assert box["width"] > 900
    assert box["x"] + box["width"] > 1250


@pytest.mark.parametrize("size", [(640, 360), (844, 390)])
def test_a_low_window_presents_heads_of_a_legible_size(open_page: Callable[..., Page], size: tuple[int, int]) -> None:
    page = open_page("present=1", viewport={"width": size[0], "height": size[1]})
    for h in (8, 16):
        explored(page, f"present=1&h={h}")
        require_scrolled(page, 140, *(f"#figure-{name}" for name in drawn.FIGURES[:4]))
        cells = boxes(page, "#figure-heat-maps canvas.cells")
        assert len(cells) == h
        assert min(one.width for one in cells) >= 60
        require_apart(*cells, *boxes(page, "#figure-heat-maps .panel-title"))
