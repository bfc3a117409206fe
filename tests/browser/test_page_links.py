"""The pages' names are links: each leads, in this tab and in another, to the state with which its page would open."""

import random
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls, drawn
from tests.browser.in_class import follows, opened, shows
from tests.visualiser.state.some_states import some_state
from visualiser.locale import text
from visualiser.state import share
from visualiser.state.parameters import PAGES

WIDE = {"viewport": {"width": 1280, "height": 720}}


def hrefs(page: Page) -> dict[str, dict[str, str]]:
    """Return the parameters of each page's link."""
    found = page.locator("#control-page a").evaluate_all("(links) => links.map((a) => [a.dataset.page, a.href])")
    return {name: dict(parse_qsl(urlsplit(href).query)) for name, href in found}


def leads_to(link: str) -> str:
    """Return the state of a link or an address as the page writes it."""
    return share.canonical(share.read(link.rpartition("?")[2].replace("__theme=dark", ""), "en").state)


@pytest.mark.parametrize("name", PAGES)
def test_each_link_leads_where_a_press_leads(name: str, open_page: Callable[..., Page]) -> None:
    draw = random.Random(name)
    to = draw.choice([one for one in PAGES if one != name])
    link = share.canonical(some_state(name, draw))
    page = open_page(f"{link}&__theme=dark", painted=False, **WIDE)
    page.locator("#insight[data-painted]").wait_for(state="attached")
    number = draw.randrange(100, 999)
    control = "text" if name == "model" else "seed"  # a trained model draws nothing
    controls.write(page, control, number)
    painted = page.locator("#insight")
    expect(painted).to_have_attribute("data-painted", re.compile(rf"(^|&){control}={number}(&|$)"))
    found = hrefs(page)
    assert list(found) == list(PAGES)
    here = dict(parse_qsl(painted.get_attribute("data-painted") or ""))
    assert found[name] == {**here, "__theme": "dark"}
    assert {one: query.get("page", "explore") for one, query in found.items()} == {one: one for one in PAGES}
    page.locator(controls.page_link(to)).click()
    page.locator(f"#{to}.page").wait_for()
    assert leads_to(page.url) == leads_to(urlencode(found[to]))


@pytest.mark.parametrize("pressed", [{"button": "middle"}, {"modifiers": ["ControlOrMeta"]}], ids=["middle", "key"])
def test_another_tab_opens_it_and_this_page_stays(open_page: Callable[..., Page], pressed: dict[str, Any]) -> None:
    page = open_page("n=9&d_k=32", **WIDE)
    drawn.wait_painted(page, "n=9&d_k=32")
    for step in range(2):
        with page.context.expect_page() as opening:
            page.locator(controls.page_link("why")).click(**pressed)
        other = opening.value
        other.locator("#insight[data-painted]").wait_for(state="attached")
        assert leads_to(other.url) == leads_to(urlencode(hrefs(page)["why"]))
        other.close()
        if step == 0:
            controls.slide(page, "n", 12)
            drawn.wait_painted(page, "n=12&d_k=32")
            assert hrefs(page)["why"]["n"] == "12"
    assert page.locator("#explore.page").count() == 1


def test_the_keyboard_reaches_them_and_the_present_page_is_told(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9", **WIDE)
    nav = page.get_by_role("navigation", name=text("en", "control.page.label"))
    assert nav.get_by_role("link").count() == len(PAGES)
    assert nav.locator("[aria-current=page]").get_attribute("data-page") == "explore"
    page.locator(controls.page_link("explore")).focus()
    page.keyboard.press("Enter")  # this very page: nothing is loaded
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.page") == PAGES[1]
    assert page.evaluate("performance.getEntriesByType('navigation').length && document.activeElement.tabIndex") == 0
    page.keyboard.press("Enter")
    page.locator(f"#{PAGES[1]}.page").wait_for()
    expect(page.locator("#control-page [aria-current=page]")).to_have_attribute("data-page", PAGES[1])


def test_while_a_class_is_held_no_tab_leads_past_it(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False, **WIDE)
    follows(student)
    shows(student, "n=8")
    link = student.locator(controls.page_link("why"))
    # another tab takes no part: it would go to the class's page, and not to the one that was asked for
    assert hrefs(student)["why"] == {"n": "8", "lang": "en", "page": "why"}
    teacher.locator("#room-lock").click()
    student.locator("#class[data-mode=held]").wait_for()
    assert student.locator("#control-page a[href]").count() == 0
    tabs = len(student.context.pages)
    notice = student.locator("#class .class-said")
    for press in (
        lambda: link.click(modifiers=["ControlOrMeta"]),
        lambda: link.press("Enter"),
        lambda: link.click(),
    ):
        press()
        expect(notice).to_have_text(text("en", "room.held"))
    assert len(student.context.pages) == tabs
    follows(student)
    teacher.locator("#room-lock").click()
    student.locator("#class[data-mode=following]").wait_for()
    assert hrefs(student)["why"]["page"] == "why"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_no_name_is_cut_beside_the_way_back(open_page: Callable[..., Page], lang: str) -> None:
    """On every page, whose name is the widest there, at every width of a laptop's window."""
    page = open_page(f"n=8&h=2&hide=mask&lang={lang}", viewport={"width": 1280, "height": 640})
    expect(page.locator("#way-back")).to_be_visible()
    for width in (1280, 1279, 1150, 1100, 1099, 1060, 1024):
        page.set_viewport_size({"width": width, "height": 640})
        for name in PAGES:
            over = page.locator("#control-page").evaluate(
                """(place, name) => {
                  for (const link of place.querySelectorAll("a")) {
                    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
                    else link.removeAttribute("aria-current");
                  }
                  return place.scrollWidth - place.clientWidth;
                }""",
                name,
            )
            assert over <= 1, (width, name)
