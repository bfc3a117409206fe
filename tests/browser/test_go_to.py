"""A page shows the state of any link, as a lesson or a teacher wants; what belongs to the tab stays in the address."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser import controls, drawn
from visualiser.state import share

GO = "async (link) => { (await window.headlight).act('ways.goTo', link); }"
SEARCH = "(wanted) => location.search === wanted"


def test_a_page_goes_to_a_link_and_the_tab_keeps_its_own(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&__theme=dark&__sign=abc&lang=ko")
    drawn.wait_painted(page, "n=9&lang=ko")
    page.evaluate(GO, "d_k=512&scaling=none&row=3&focus=entropy&lang=en")
    drawn.wait_painted(page, "d_k=512&scaling=none&lang=ko&row=3&focus=entropy")
    controls.wait_shown(page, d_k=512, scaling="none", row=3, tie=False, n=32)
    assert page.locator("#figure-entropy .is-focused, #figure-entropy.is-focused").count() == 1
    page.wait_for_function(SEARCH, arg="?d_k=512&scaling=none&lang=ko&row=3&focus=entropy&__theme=dark&__sign=abc")
    page.evaluate(GO, "h=2")
    drawn.wait_painted(page, "h=2&lang=ko")
    controls.wait_shown(page, h=2, d_k=256, tie=True, scaling="sqrt_d_k")
    page.evaluate(GO, "page=anatomy&seed=3&lang=en")
    page.locator("#anatomy.page").wait_for()
    page.locator("#insight[data-painted]").wait_for(state="attached")
    canonical = share.canonical(share.read("page=anatomy&seed=3&lang=ko", "en").state)
    page.wait_for_function(SEARCH, arg=f"?{canonical}&__theme=dark&__sign=abc")
    page.locator(controls.page_link("explore")).click()
    drawn.wait_painted(page, "h=2&lang=ko")


def test_each_link_that_comes_on_screen_is_told(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9")
    drawn.wait_painted(page, "n=9")
    page.evaluate(
        """async () => {
          window.heard = [];
          const { act } = await window.headlight;
          act("presence.onMove", (link) => window.heard.push(link));
        }"""
    )
    page.evaluate(GO, "n=10")
    drawn.wait_painted(page, "n=10")
    controls.write(page, "n", 12)
    drawn.wait_painted(page, "n=12")
    assert page.evaluate("window.heard") == ["n=9", "n=10", "n=12"]
    page.keyboard.press("p")
    drawn.wait_painted(page, "n=12&present=1")
    page.keyboard.press("p")
    drawn.wait_painted(page, "n=12")
    page.locator("#figure-entropy .enlarge").click()
    drawn.wait_painted(page, "n=12&focus=entropy")
    assert page.evaluate("window.heard")[3:] == ["n=12&present=1", "n=12", "n=12&focus=entropy"]
