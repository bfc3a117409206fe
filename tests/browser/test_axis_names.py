"""Names of tokens beside the heat maps: all of them, apart from each other, and whole under the pointer."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boxes import boxes, require_inside

SENTENCE = [
    "the", "cat", "sat", "on", "the", "mat", "because", "the", "mat", "was", "warm", "and", "the", "cat", "was",
    "tired",
]  # fmt: skip
LONG = ["internationalization", "of", "counterrevolutionary", "misunderstandings", "notwithstanding"]
KOREAN = ["고양이가", "따뜻한", "매트", "위에", "앉아서", "잠들었고", "강아지는", "그", "옆에서", "기다렸다"]

_NAMES = """() => {
  const { living } = document.getElementById("figure-heat-maps");
  const words = [...document.querySelectorAll("#figure-heat-maps .chart-words > .word")].filter((one) =>
    one.classList.contains("upright") || one.classList.contains("end"));
  return words.map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect(); // a line is as high as its letters
    return { upright: one.classList.contains("upright"), text: one.textContent, whole: one.title || one.textContent,
      size: parseFloat(getComputedStyle(one).fontSize), box: [left, top, right, bottom] }; }); }"""


def names(page: Page, tokens: list[str], columns: int) -> list[dict]:
    """Return the names beside the maps; expect each token once beside each line of maps and below each column."""
    found = page.evaluate(_NAMES)
    for upright in (True, False):
        whole = [one["whole"] for one in found if one["upright"] is upright]
        assert len(whole) % len(tokens) == 0
        assert whole == tokens * (len(whole) // len(tokens)), whole
        assert whole
    assert sum(one["upright"] for one in found) == columns * len(tokens)
    return found


def require_legible(page: Page, found: list[dict], least: float) -> None:
    """Expect names inside the window, of this size at least, none over another and none over a map."""
    width, height = page.evaluate("() => [innerWidth, innerHeight]")
    maps = boxes(page, "#figure-heat-maps canvas.cells:not([hidden])")
    for i, one in enumerate(found):
        left, top, right, bottom = one["box"]
        assert one["size"] >= least
        assert left >= 0, one
        assert right <= width, one
        assert top >= 0, one
        assert bottom <= height, one
        for box in maps:
            assert right <= box.left + 1 or left >= box.right - 1 or top >= box.bottom - 1 or bottom <= box.top + 1, one
        for other in found[:i]:
            a, b = one["box"], other["box"]
            across = min(a[2], b[2]) - max(a[0], b[0])
            down = min(a[3], b[3]) - max(a[1], b[1])
            assert across <= 1 or down <= 1, f"{one} and {other} touch"


@pytest.mark.parametrize(
    ("query", "size", "least"),
    [
        ("h=8", (1280, 720), 12), ("h=8&row=3", (1280, 720), 12), ("h=8", (1366, 768), 12), ("h=8", (1920, 1080), 13),
        ("h=8", (2560, 1440), 13), ("h=8&present=1", (1280, 720), 18), ("h=8&present=1", (1920, 1080), 25),
        ("h=2", (1280, 720), 12), ("h=1", (390, 844), 11),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tokens", [SENTENCE, LONG * 3, KOREAN], ids=["sentence", "long", "korean"])
def test_all_names_of_tokens_are_there(
    led_page: Callable[..., Page], query: str, size: tuple[int, int], least: float, tokens: list[str]
) -> None:
    page = led_page(
        f"source=text&text={quote(' '.join(tokens))}&{query}", viewport={"width": size[0], "height": size[1]}
    )
    page.locator("#figure-heat-maps .word.upright").first.wait_for()
    columns = page.evaluate("document.getElementById('figure-heat-maps').living.across")
    found = names(page, tokens, columns)
    require_legible(page, found, least)
    require_inside(page, *boxes(page, "#figure-heat-maps canvas.cells:not([hidden])"))


def test_a_shortened_name_is_whole_under_the_pointer(led_page: Callable[..., Page]) -> None:
    tokens = LONG * 3
    query = f"source=text&text={quote(' '.join(tokens))}"
    page = led_page(query, viewport={"width": 1280, "height": 720})
    word = page.locator("#figure-heat-maps .word[title='internationalization']").first
    expect(word).to_be_visible()
    shown = word.inner_text()
    assert shown.endswith("…")
    assert "internationalization".startswith(shown[:-1])
    assert len(shown) >= 5
    # the pointer meets the name, not what lies over it
    assert word.evaluate(
        """(one) => { const { left, top, width, height } = one.getBoundingClientRect();
          return document.elementFromPoint(left + width / 2, top + height / 2) === one; }"""
    )


def test_more_tokens_than_lines_are_thinned(led_page: Callable[..., Page]) -> None:
    tokens = [f"w{i}" for i in range(100)]
    page = led_page(f"source=text&text={quote(' '.join(tokens))}", viewport={"width": 1280, "height": 720})
    page.locator("#figure-heat-maps .word.upright").first.wait_for()
    found = page.evaluate(_NAMES)
    assert 2 <= len([one for one in found if not one["upright"]]) < 2 * len(tokens)
    require_legible(page, found, 12)
