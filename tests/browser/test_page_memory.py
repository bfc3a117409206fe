"""Another page changes nothing of this one: each keeps its state in the tab, and takes what was changed elsewhere."""

import importlib
import random
from collections.abc import Callable
from itertools import permutations
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from attention_core.config import CHOICES
from tests.browser import controls, drawn
from tests.browser.modules import Module
from visualiser.state import parameters, share
from visualiser.state.link_values import offered, written_as
from visualiser.state.parameters import PAGES

PAIRS = list(permutations(PAGES, 2))
NUMBERS = ("n", "d_model", "h", "d_k", "window", "seed")
STAYS = ["pin", "row", "head", "present", "hide", "focus"]
LINKS = "(m, cases) => cases.map(([left, to, links, reach]) => m.linkTo(left, to, links, reach))"


def keeps(page: str) -> list[str]:
    """Return the names that stay with a page, as assets/js/page/ways.js puts them together."""
    layout = importlib.import_module(f"visualiser.pages.{page}.layout")
    return [*parameters.own(page), *STAYS, *layout.settings().get("leaves", ())]


def some_state(page: str, draw: random.Random) -> share.State:
    """Return a state of a page: some settings within its own ranges, the others at its defaults."""
    bounds = parameters.bounds(page)
    pairs: dict[str, Any] = {
        name: draw.randint(int(bounds[name].minimum), int(bounds[name].maximum))
        for name in NUMBERS
        if draw.random() < 0.4
    }
    pairs |= {name: draw.choice(offered(page, name)) for name in CHOICES if draw.random() < 0.4}
    for name, own in parameters.own(page).items():
        if own.choices and not own.many and draw.random() < 0.4:
            pairs[name] = draw.choice(own.choices)
    pairs |= {"row": draw.randint(0, 1), "pin": "h=2", "lang": draw.choice(["en", "ko"])} if draw.random() < 0.5 else {}
    return share.read(urlencode(pairs), "en", page).state


def left(state: share.State, arrived: share.State) -> dict[str, Any]:
    """Return a page as it is left."""
    values, before = (
        {name: written_as(value) for name, value in share.as_values(one).items()} for one in (state, arrived)
    )
    link = share.canonical(state)
    return {"page": state.page, "link": link, "values": values, "arrived": before, "keeps": keeps(state.page)}


def test_a_trained_head_goes_along_with_its_model_its_layer_and_its_text(module: Module) -> None:
    """It does on a first visit, and later once it has changed; a visit alone changes nothing of a remembered page."""
    trained, reach = ("explore", "anatomy", "map"), parameters.reach()
    state = "source=model&layer=2&head=3&text=Anna+sees+Ben"
    states = {page: share.read(state, "en", page).state for page in trained}
    for here, there in permutations(trained, 2):
        (link,) = module("link/tab_memory", LINKS, [[left(states[here], states[here]), there, {}, reach]])
        found = opened(there, link)
        kept = (found.config.source, found.config.model, found.config.layer, found.config.text, found.view.head)
        assert kept == ("model", "headlight", 2, "Anna sees Ben", 3)
        remembered = {there: "source=model&model=headlight-one-layer&text=Clara"}
        same, other = module(
            "link/tab_memory",
            LINKS,
            [
                [left(states[here], states[here]), there, remembered, reach],
                [left(states[here], share.read("source=model", "en", here).state), there, remembered, reach],
            ],
        )
        assert opened(there, same).config.text == "Clara"
        assert opened(there, same).config.model == "headlight-one-layer"
        moved = share.read(other, "en", there).state
        assert (moved.config.text, moved.view.head) == ("Anna sees Ben", 3)
    # the text with which a page begins is in none of its links
    plain = share.read("source=model", "en", "anatomy").state
    (link,) = module("link/tab_memory", LINKS, [[left(plain, plain), "explore", {}, reach]])
    assert opened("explore", link).config.text == "the cat sat down"
    # a page without models drops the source alone
    (link,) = module("link/tab_memory", LINKS, [[left(states["map"], states["map"]), "why", {}, reach]])
    assert "source" not in dict(pair.split("=") for pair in link.split("&"))


def opened(page: str, link: str) -> share.State:
    """Return the state of a page that a link opens; nothing may have been out of range."""
    reading = share.read(link, "en", page)
    assert reading.notices == (), (page, link)
    return reading.state


def test_every_page_comes_back_as_it_was_from_every_other(module: Module) -> None:
    draw = random.Random(10)
    there = [(some_state(one, draw), other) for one, other in PAIRS for _ in range(12)]
    reach = parameters.reach()
    out = module("link/tab_memory", LINKS, [[left(state, state), other, {}, reach] for state, other in there])
    visited = [opened(other, link) for (_, other), link in zip(there, out, strict=True)]
    cases = [
        [left(other, other), state.page, {state.page: share.canonical(state)}, reach]
        for (state, _), other in zip(there, visited, strict=True)
    ]
    back = module("link/tab_memory", LINKS, cases)
    for (state, other), link in zip(there, back, strict=True):
        assert share.canonical(opened(state.page, link)) == share.canonical(state), (state.page, other)


def test_what_is_changed_elsewhere_comes_along_if_the_page_has_the_value(module: Module) -> None:
    reach = parameters.reach()
    remembered = {"explore": "d_k=512&scaling=none&mask=causal&row=5"}

    def home(page: str, before: str, after: str) -> str:
        left_page = left(share.read(after, "en", page).state, share.read(before, "en", page).state)
        (link,) = module("link/tab_memory", LINKS, [[left_page, "explore", remembered, reach]])
        return share.canonical(opened("explore", link))

    def same(link: str) -> str:
        return share.canonical(share.read(link, "en", "explore").state)

    rest = "scaling=none&mask=causal&row=5"
    assert home("why", "d_k=512", "d_k=512") == same(f"d_k=512&{rest}")
    assert home("why", "d_k=512", "d_k=128&seeds=3") == same(f"d_k=128&{rest}")
    assert home("why", "d_k=512", "d_k=512&scaling=sqrt_d_k") == same("d_k=512&mask=causal&row=5")
    assert home("map", "seed=0", "seed=7&n=4000") == same(f"d_k=512&seed=7&{rest}")
    assert home("anatomy", "", "d_k=3&mask=none&lang=ko") == same(f"d_k=512&{rest}&lang=ko")


def turn(page: Page, to: str) -> None:
    page.locator(controls.page_link(to)).click()
    page.locator(f"#{to}.page").wait_for()
    page.locator("#insight[data-painted]").wait_for(state="attached")


@pytest.mark.parametrize("storage", [True, False])
def test_by_way_of_other_pages_in_a_browser(open_page: Callable[..., Page], storage: bool) -> None:
    """Finding 3; without storage, as in a sandboxed frame, the frame's name remembers."""
    forbid = (
        """Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("SecurityError"); } });"""
    )
    link = "d_k=512&scaling=none&mask=causal&row=5"
    page = open_page(link, init_script="" if storage else forbid)
    drawn.wait_painted(page, link)
    turn(page, "why")
    turn(page, "anatomy")
    turn(page, "explore")
    drawn.wait_painted(page, link)
    controls.wait_shown(page, d_k=512, scaling="none", mask="causal", row=5, tie=False)
    turn(page, "why")
    controls.reveal(page, "#control-seed input").fill("3")
    page.wait_for_function("() => document.querySelector('#insight').dataset.painted.includes('seed=3')")
    turn(page, "explore")
    drawn.wait_painted(page, "d_k=512&scaling=none&mask=causal&seed=3&row=5")
