"""No page shows a person a symbol in the letters of a link: d_k, e^H, √d_k."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

PAGES = ("explore", "why", "anatomy", "train", "cost", "model", "map&n=300")

RAW = """() => {
  for (const menu of document.querySelectorAll("details")) menu.open = true;
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const apart = parentElement.closest("textarea, script, style, svg, .plain, .silent, .spoken");
    if (apart || !parentElement.checkVisibility()) continue;
    if (/(^|[^A-Za-z0-9_.=&?])[A-Za-z](_|\\^)[A-Za-z(]|√[A-Za-z0-9]|ᵀ|ᴴ/u.test(data)) found.push(data);
  }
  return found; }"""


@pytest.fixture(scope="module", params=["en", "ko"])
def tab(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> tuple[Page, str]:
    """Return an empty tab and its language."""
    return open_module_page(url="about:blank", painted=False), request.param


@pytest.mark.parametrize("name", PAGES)
def test_symbols_are_typeset(tab: tuple[Page, str], app_url: str, name: str) -> None:
    page, lang = tab
    page.goto(f"{app_url}?page={name}&lang={lang}")
    # a question stands in place of the sentences: they are there, and hidden
    page.locator("#insight[data-painted]").wait_for(state="attached")
    assert page.evaluate(RAW) == []
    page.evaluate("document.querySelector('h1').append(' d_k and e^H ')")
    assert page.evaluate(RAW) == [" d_k and e^H "], "the search finds what it should"


def test_a_letter_that_a_visitor_typed_is_no_symbol(open_page: Callable[..., Page]) -> None:
    page = open_page("source=text&text=n+H+Q&row=2", painted=False)
    page.locator("#figure-heat-maps[data-painted]").wait_for()
    page.locator("#insight[data-painted]").wait_for()
    cells = "() => [...document.querySelectorAll('#figure-heat-maps td.plain')].map((cell) => cell.innerHTML)"
    assert page.evaluate(cells) == ["n", "H", "Q"]


LINES = """() => {
  const found = [];
  for (const one of document.querySelectorAll(".unbroken")) {
    if (!one.textContent.includes("/") || !one.checkVisibility()) continue;
    const narrow = document.createElement("div");
    narrow.style.width = "1px";
    one.before(narrow);
    narrow.append(one.cloneNode(true));
    const { height } = narrow.firstChild.getBoundingClientRect();
    found.push([one.textContent, Math.round(height / (1.4 * parseFloat(getComputedStyle(one).fontSize)))]);
    narrow.remove();
  }
  return found; }"""
"""How many lines each quotient of a page takes where there is no room."""


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_quotient_stays_on_one_line(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"page=why&predict=false&lang={lang}", painted=False)
    page.locator("#insight[data-painted]").wait_for()
    found = dict(page.evaluate(LINES))
    assert "1/√d_k" in " ".join(found)
    assert {text: lines for text, lines in found.items() if lines > 1} == {}
    page.add_style_tag(content=".unbroken { white-space: normal !important; }")
    assert max(count for _, count in page.evaluate(LINES)) > 1, "the count finds what it should"
