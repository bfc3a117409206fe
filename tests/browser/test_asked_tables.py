"""The heads and numbers of every figure's table say where they come from; a table is one Tab stop."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_accessibility import PHONE, violations
from tests.browser.test_reasons import TIP, tip_text
from tests.checker import equations
from visualiser.locale import text
from visualiser.reasons.kinds import SECTIONS

TABLES = {
    "heat maps": ("n=9&h=3", "heat-maps"),
    "a row": ("n=9&h=2&row=4&mask=causal", "heat-maps"),
    "scores": ("n=9&h=2", "score-distribution"),
    "entropy": ("n=9&h=2&row=4", "entropy"),
    "gradient": ("n=9&h=2&row=4", "gradient"),
    "row weights": ("n=9&h=2&row=4&source=text&text=a+b+c+d+e+f", "row-weights"),
    "jacobian": ("n=9&h=2&row=4", "jacobian"),
    "a difference": ("n=9&h=2&pin=n%3D9%26h%3D2%26seed%3D4", "heat-maps"),
    "mechanisms": ("page=why&n=9&predict=false", "mechanism-maps"),
    "their scores": ("page=why&n=9&predict=false", "mechanism-scores"),
    "sweep": ("page=why&n=9&predict=false", "sweep"),
    "training": ("page=train&predict=false", "train-accuracy"),
    "training of heads": ("page=train&experiment=heads&predict=false", "heads-accuracy"),
    "boxes": ("page=anatomy&step=weights", "anatomy"),
    "a step": ("page=anatomy&step=weights&rows=all", "walk"),
    "a step of a text": ("page=anatomy&step=output&source=text&text=a+b+c&mechanism=additive", "walk"),
    "times": ("page=cost&predict=false", "cost-time"),
    "map": ("page=map&n=256&predict=false", "map"),
    "strips": ("page=map&n=256&predict=false", "strips"),
    "row of the map": ("page=map&n=256&row=7&predict=false", "row"),
}
"""A link and a figure for each kind of table."""


def opened(page: Page, name: str) -> Locator:
    """Open the table of a figure by its button and return it."""
    figure = page.locator(f"#figure-{name}")
    figure.locator(".behind table tbody tr").first.wait_for(state="attached")
    figure.locator(".behind summary").click()
    return figure.locator(".behind table")


@pytest.mark.parametrize("table", TABLES)
def test_a_number_of_a_table_has_its_formula_its_arithmetic_and_its_section(
    led_page: Callable[..., Page], table: str
) -> None:
    query, name = TABLES[table]
    page = led_page(query, painted=False)
    shown = opened(page, name)
    assert shown.locator("[tabindex='0']").count() == 1, "a table is one Tab stop"
    head = shown.locator("th.asked[scope=col]").first
    head.focus()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    last = shown.locator("tbody tr:first-child .asked").last
    expect(last).to_be_focused()
    made = page.locator("#reason p:not(.spoken)")
    expect(made).to_have_count(1)
    if "anatomy" not in query:  # whose arithmetic has the digits of its page: test_anatomy
        assert not [*equations.wrong(made.inner_text())]
    reason = tip_text(page)
    assert shown.locator("[tabindex='0']").count() == 1
    assert page.locator(f"{TIP} a").get_attribute("href") in SECTIONS.values()
    assert not violations(page, within=f"#figure-{name} .behind, {TIP}")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#reason p:not(.spoken)")).to_have_count(0)
    assert tip_text(page).split("\n")[0] == reason.split("\n")[0], "a head says the same formula"
    page.keyboard.press("Escape")
    expect(page.locator(TIP)).to_have_count(0)
    expect(shown).to_be_visible()


def test_a_pointer_and_a_finger_ask_a_cell_and_the_table_stays_open(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2")
    shown = opened(page, "entropy")
    shown.locator("tbody .asked").first.hover()
    expect(page.locator("#reason")).to_contain_text("/ 9 = ")
    assert tip_text(page)
    link = page.locator(f"{TIP} a")
    link.hover()
    link.dispatch_event("pointerdown")  # a click would leave for another host
    expect(shown).to_be_visible()
    page = open_page("n=9&h=2&lang=ko", **PHONE)
    shown = opened(page, "gradient")
    shown.locator("tbody .asked").first.tap()
    expect(page.locator("#reason")).to_contain_text("작은 것부터")
    assert page.locator(f"{TIP} a").text_content() == text("ko", "reason.section.attention")


def test_the_keyboard_keeps_its_cell_when_the_table_is_made_anew(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=3")
    shown = opened(page, "score-distribution")
    shown.locator("th.asked").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    before = shown.locator("tbody tr:first-child .asked").nth(1)
    expect(before).to_be_focused()
    old = before.text_content()
    page.locator("#new-draw").evaluate("(button) => button.click()")  # the focus stays
    expect(before).not_to_have_text(str(old))
    expect(before).to_be_focused()
