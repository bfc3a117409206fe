"""Share: the link, a QR code, a frame and a picture of the state on screen; in a Space an address that opens there."""

import io
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import controls, drawn
from tests.browser.served import FLEETING, serving
from visualiser import locale
from visualiser.server import sharing

HUB = "https://huggingface.co"
STATE = "n=9&h=2&scaling=none"


def shared(page: Page) -> Page:
    """Open the dialog, with its code."""
    controls.press(page, "#share-open")
    page.locator("#share-code").wait_for()
    return page


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    """Return a page with the dialog open."""
    return shared(open_module_page(f"{STATE}&__theme=light", permissions=["clipboard-read", "clipboard-write"]))


def clipboard(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def test_the_link_is_selected_and_copied_without_what_belongs_to_the_tab(page: Page, app_url: str) -> None:
    field = page.locator("#share-address")
    assert field.input_value() == f"{app_url}?{STATE}"
    page.locator("#share-copy").click()
    page.get_by_text(locale.text("en", "export.link_copied")).wait_for()
    assert clipboard(page) == field.input_value()
    assert field.evaluate("(one) => one.selectionEnd - one.selectionStart === one.value.length")
    expect(page.get_by_text(locale.text("en", "share.machine"))).to_be_visible()  # 127.0.0.1 is for nobody else


def modules(page: Page) -> list[list[int]]:
    """Return the code on screen as a matrix of 0 and 1, without its quiet zone."""
    svg = page.evaluate("async () => (await fetch(document.querySelector('#share-code').src)).text()")
    side = int(re.search(r'viewBox="0 0 (\d+) \1"', svg)[1])  # type: ignore[index]
    cells = page.evaluate(
        """async (side) => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 4 * side, height: 4 * side });
          const brush = canvas.getContext("2d");
          brush.drawImage(document.querySelector("#share-code"), 0, 0, 4 * side, 4 * side);
          const { data } = brush.getImageData(0, 0, 4 * side, 4 * side);
          const dark = (x, y) => (data[4 * ((4 * y + 2) * 4 * side + 4 * x + 2)] < 128 ? 1 : 0);
          return Array.from({ length: side }, (_, y) => Array.from({ length: side }, (_, x) => dark(x, y)));
        }""",
        side,
    )
    return [row[4:-4] for row in cells[4:-4]]


def test_the_code_on_screen_is_that_of_the_link(page: Page, app_url: str) -> None:
    import segno

    expected = segno.make(f"{app_url}?{STATE}", error="m", micro=False)
    assert modules(page) == [list(row) for row in expected.matrix]
    with page.expect_download() as download:
        page.locator("#share-code-save").click()
    assert download.value.suggested_filename == "headlight-qr.svg"


def frame_of(markup: str) -> dict[str, str | None]:
    """Return the attributes of the only element of this markup."""
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

    Reader().feed(markup)
    ((tag, attributes),) = found
    assert tag == "iframe"
    return attributes


def test_the_frame_follows_its_size_and_opens_the_state(page: Page, app_url: str) -> None:
    field = page.locator("#share-frame")
    given = frame_of(field.input_value())
    assert (given["src"], given["width"], given["height"]) == (f"{app_url}?{STATE}", "100%", "720")
    assert given["title"] == "Headlight: Explore"
    page.locator("#share-full").uncheck()
    page.locator("#share-width").fill("900")
    page.locator("#share-height").fill("99999")
    given = frame_of(field.input_value())
    assert (given["width"], given["height"]) == ("900", "4000")
    page.locator("#share-frame-copy").click()
    page.get_by_text(locale.text("en", "share.frame_copied")).wait_for()
    assert clipboard(page) == field.input_value()
    page.locator("#share-full").check()


def test_a_picture_carries_its_state(page: Page) -> None:
    page.locator("#share-figure").select_option("entropy")
    with page.expect_download() as download:
        page.locator("#share-png").click()
    assert download.value.suggested_filename == "headlight-entropy.png"
    picture = Image.open(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert f"?{STATE}" in str(picture.info)
    with page.expect_download() as download:
        page.locator("#share-svg").click()
    assert "n=9&amp;h=2" in Path(download.value.path()).read_text(encoding="utf-8")


def test_the_dialog_closes_by_keyboard_and_leaves_nothing(page: Page) -> None:
    page.keyboard.press("Escape")
    page.locator("#share").wait_for(state="detached")
    shared(page)
    page.locator("#share .close").click()
    page.locator("#share").wait_for(state="detached")
    shared(page)


def test_where_copying_is_refused_the_text_stays_selected(open_page: Callable[..., Page]) -> None:
    refused = """
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => { throw new Error("denied"); } } });
    document.execCommand = () => false;
    """
    page = shared(open_page("n=5&h=1&lang=ko", init_script=refused))
    page.locator("#share-frame-copy").click()
    page.get_by_text(locale.text("ko", "export.copy_by_hand")).wait_for()
    selected = "(one) => one === document.activeElement && one.selectionEnd === one.value.length"
    assert page.locator("#share-frame").evaluate(selected)


def test_a_link_too_long_for_a_code_says_so_and_can_be_copied(open_page: Callable[..., Page], app_url: str) -> None:
    page = open_page("source=text&h=1&text=" + "word%20" * 130, expected_errors=["422"])
    controls.press(page, "#share-open")
    came = len(page.locator("#share-address").input_value())
    page.get_by_text(locale.text("en", "error.qr_too_long", came=came, limit=sharing.ADDRESS)).wait_for()


def test_what_waits_for_a_prediction_is_no_picture_to_take(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&predict=true&n=8&seeds=1", painted=False)
    page.locator(".is-covered").first.wait_for(state="attached")
    shared(page)
    covered = page.evaluate("[...document.querySelectorAll('.is-covered')].map(({ id }) => id.replace('figure-', ''))")
    assert covered
    assert not set(covered) & set(page.locator("#share-figure option").evaluate_all("(all) => all.map((o) => o.value)"))
    words = page.locator("#share").inner_text()
    assert [name for name in covered if locale.text("en", f"figure.{name.replace('-', '_')}.title") not in words] == []


def test_a_picture_that_fails_is_not_called_saved(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=1", expected_errors=["net::ERR", "Failed to fetch"])
    page.route("**/plotly.min.js", lambda route: route.abort())
    shared(page)
    page.locator("#share-png").click()
    page.locator("#message .error:not([hidden])").wait_for(state="attached")
    status = page.locator("#share .said")
    expect(status).to_have_text(page.locator("#message .error").inner_text())
    expect(status).to_have_text(locale.text("en", "live.unanswered"))


@pytest.fixture
def space(chromium: Browser) -> Iterator[Page]:
    """Return Hugging Face's page of a Space, with the app in its frame: both hosts are played on this machine."""
    with serving(script=FLEETING, SPACE_ID="You/headlight") as app:
        context = chromium.new_context(locale="en-US", viewport={"width": 1360, "height": 900})
        context.set_default_timeout(60_000)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=HUB)

        def hub(route: Route) -> None:
            query = urlsplit(route.request.url).query
            script = "window.posted = []; addEventListener('message', ({ data }) => posted.push(data));"
            frame = f'<iframe src="https://you-headlight.hf.space/?{query}" width="1300" height="800"></iframe>'
            route.fulfill(content_type="text/html", body=f"<!doctype html><script>{script}</script>{frame}")

        def ours(route: Route) -> None:
            parts = urlsplit(route.request.url)
            asked = f"{app.url.rstrip('/')}{parts.path}{f'?{parts.query}' if parts.query else ''}"
            headers = {name: value for name, value in route.request.headers.items() if name not in ("host", "origin")}
            route.fulfill(response=route.fetch(url=asked, headers=headers))

        context.route(f"{HUB}/**", hub)
        context.route("https://you-headlight.hf.space/**", ours)
        page = context.new_page()
        page.goto(f"{HUB}/spaces/You/headlight?{STATE}")
        yield page
        context.unroute_all(behavior="ignoreErrors")
        context.close()


def test_in_a_space_the_copied_link_opens_there_with_the_state(space: Page) -> None:
    frame = space.frames[1]
    frame.locator(f'#insight[data-painted="{STATE}"]').wait_for(state="attached")
    field = frame.locator("#control-n input[type=number]")
    field.fill("11")
    field.press("Enter")
    state = STATE.replace("n=9", "n=11")
    frame.locator(f'#insight[data-painted="{state}"]').wait_for(state="attached")
    space.wait_for_function("(state) => window.posted.at(-1)?.queryString === state", arg=state)
    controls.press(frame, "#share-open")  # type: ignore[arg-type]
    address = frame.locator("#share-address").input_value()
    assert address == f"{HUB}/spaces/You/headlight?{state}"
    inner = frame_of(frame.locator("#share-frame").input_value())
    assert inner["src"] == f"https://you-headlight.hf.space/?{state}"  # Hugging Face's own page allows no frame
    space.goto(address)
    space.frames[1].locator(f'#insight[data-painted="{state}"]').wait_for(state="attached")


def test_nothing_of_the_dialog_is_loaded_before_it_opens(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=1")
    loaded = (
        "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\/share[./]/.test(name))"
    )
    assert page.evaluate(loaded) == []
    drawn.wait_painted(page)
    shared(page)
    assert len(page.evaluate(loaded)) == 3  # script, styles and code
