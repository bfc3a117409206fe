"""A link to an own file that was never given: the controls of every page still work."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls
from visualiser.state.parameters import PAGES

# common to all pages, or no choice here: the file is missing
ELSEWHERE = ("lang", "source")


@pytest.mark.parametrize("name", PAGES)
def test_the_controls_work(name: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"page={name}&source=upload&nobody=1", painted=False)
    # the page is open once the address bar has its own link, without unknown names
    page.wait_for_function("() => !location.search.includes('nobody')")
    others = "".join(f":not(#control-{each})" for each in ELSEWHERE)
    free = page.locator(f"[id^=control-]{others}").filter(visible=True).locator("input[type=radio]:not(:checked)").first
    control = free.locator("xpath=ancestor::*[starts-with(@id, 'control-')][1]").get_attribute("id")
    assert control
    control, choice = control.removeprefix("control-"), free.get_attribute("value")
    controls.choose(page, control, str(choice))
    page.wait_for_function("(moved) => location.search.includes(moved)", arg=f"{control}={choice}")
