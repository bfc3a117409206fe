"""What a small window or a long text pushes aside stays in sight."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

WORDS = "one two three four five six seven eight nine ten eleven twelve"

CELLS = """() => [...document.querySelectorAll("#figure-heat-maps canvas.cells")].map((cells) => {
  const { left, top, width, bottom } = cells.getBoundingClientRect();
  return { left, top, width, bottom };
})"""

LOOKS = """() => {
  const [file, pin] = ["#upload-file", "#pin"].map((name) => document.querySelector(name));
  const [own, other] = [getComputedStyle(file, "::file-selector-button"), getComputedStyle(pin)];
  const names = ["borderRadius", "borderTopColor", "backgroundColor", "color", "fontSize"];
  return names.map((name) => [own[name], other[name]]);
}"""


@pytest.mark.parametrize("row", [0, 6, 11])
def test_the_chosen_token_of_twelve_is_in_sight(led_page: Callable[..., Page], row: int) -> None:
    page = led_page(f"page=anatomy&text={quote(WORDS)}&row={row}", painted=False)
    page.locator("#figure-walk[data-painted]").wait_for()
    chosen = page.locator(".walk .choose button[aria-pressed=true]", has_text=f"{row} {WORDS.split()[row]}")
    found = chosen.evaluate("""(button) => {
      const [list, own] = [button.parentElement, button].map((one) => one.getBoundingClientRect());
      return [own.left - list.left, list.right - own.right, button.parentElement.scrollWidth - list.width];
    }""")
    assert found[2] > 0, "the tokens find room; the test needs more of them"
    assert min(found[:2]) >= -1


def test_a_low_window_gives_its_height_to_the_maps_and_the_hover_text_stays_off_them(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("", viewport={"width": 640, "height": 360})
    cells = page.evaluate(CELLS)
    assert min(box["width"] for box in cells) >= 60
    assert max(box["bottom"] for box in cells) < 300
    page.mouse.move(cells[0]["left"] + 20, cells[0]["top"] + 20)
    tip = page.locator("#figure-heat-maps .tip")
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box
    assert box["y"] + box["height"] <= min(cell["top"] for cell in cells)


def test_the_button_for_a_file_looks_as_the_others(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    page.locator("#control-source label").last.click()
    looks = page.evaluate(LOOKS)
    assert [own for own, _ in looks] == [other for _, other in looks]
