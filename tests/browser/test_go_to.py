"""A page shows the state of any link, as a lesson or a teacher wants; what belongs to the tab stays in the address."""

import random
from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser import controls, drawn
from tests.browser.modules import Module
from tests.browser.test_page_memory import some_state
from visualiser.state import share
from visualiser.state.parameters import PAGES

GO = "async (link) => { (await window.headlight).act('ways.goTo', link); }"
READ = """(m, cases) => cases.map(([link, of]) => {
  const lang = new URLSearchParams(link).get("lang") ?? undefined;
  return m.query({ ...m.read(link, of), lang });
})"""
SEARCH = "(wanted) => location.search === wanted"


def test_the_values_of_a_link_are_those_that_the_server_reads(module: Module) -> None:
    draw = random.Random(12)
    states = [some_state(page, draw) for page in PAGES for _ in range(40)]
    defaults = {page: share.as_values(share.beginning(page)) for page in PAGES}
    cases = [[share.canonical(state), defaults[state.page]] for state in states]
    links = module("link/values", READ, cases)
    for state, link in zip(states, links, strict=True):
        assert share.canonical(share.read(link, "en", state.page).state) == share.canonical(state), state.page


def test_what_belongs_to_the_tab_is_kept_apart(module: Module) -> None:
    def asked(name: str, *given: object) -> object:
        return module("link/address", f"(m, given) => m.{name}(...given)", list(given))

    link = "?d_k=512&pin=%3Fd_k%3D8&room=CDF346&__sign=a%2Bb&step=2"
    assert asked("ofTab", link) == {"room": "CDF346", "step": "2", "__sign": "a+b"}
    assert asked("ofState", link) == "d_k=512&pin=%3Fd_k%3D8"
    walked = "page=anatomy&step=output&lesson=heads&step=3"
    assert asked("ofState", walked) == "page=anatomy&step=output"
    assert asked("ofTab", walked) == {"lesson": "heads", "step": "3"}
    assert asked("joined", "page=anatomy&step=output", {"step": "3"}) == "page=anatomy&step=output&step=3"
    assert asked("ofState", "?pin=?d_k=8") == "pin=?d_k=8"
    assert asked("joined", "page=why&room=FFFFFF", {"__theme": "dark"}) == "page=why&__theme=dark"


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
