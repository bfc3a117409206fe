"""While a page asks, nothing that answers is in sight: no ink of a covered panel, no number of its axes, no words."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

SIZES = ((1280, 720), (1920, 1080), (1024, 640), (844, 390), (390, 844))

PAINTED = """() => ["sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics"].every((name) => {
  const root = document.getElementById(`figure-${name}`);
  if (root?.dataset.painted === undefined) return false;
  const { area, canvas } = root.living;
  const drawn = area && area.clientWidth >= 40 && area.clientHeight >= 40;
  return !drawn || canvas.width === Math.round(area.clientWidth * devicePixelRatio);
})"""

INK = """() => {
  const { panels, canvas } = document.getElementById("figure-sweep").living;
  const { outer } = panels[0];
  const scale = canvas.width / canvas.clientWidth;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const count = { kept: 0, covered: 0 };
  for (let i = 3; i < data.length; i += 4) {
    if (!data[i]) continue;
    const [x, y] = [((i >> 2) % canvas.width) / scale, Math.floor((i >> 2) / canvas.width) / scale];
    const kept = x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom;
    count[kept ? "kept" : "covered"] += 1;
  }
  return count;
}"""
"""Count the painted pixels of the sweep inside its first panel with its words, and outside."""

WORDS = """() => {
  const { panels, area } = document.getElementById("figure-sweep").living;
  const { outer } = panels[0];
  const { left, top } = area.getBoundingClientRect();
  const seen = [...area.querySelectorAll(".word")].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }));
  const outside = seen.filter((one) => {
    const box = one.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2 - left, (box.top + box.bottom) / 2 - top];
    return x < outer.left || x > outer.right || y < outer.top || y > outer.bottom;
  });
  return [seen.length, outside.map((one) => one.textContent)];
}"""
"""Return the number of words of the sweep in sight, and those that stand outside its first panel."""

SEEN = """() => [...document.querySelectorAll(".figure-place.is-covered:not(#figure-sweep)")].flatMap((root) =>
  [...root.querySelectorAll(`canvas, .word, .stage svg, .marker, .tip, .chart-legend, .legends, .bars *, .brief,
    .summary, table, .panel-title, .tick`)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width && height; })
    .filter((one) => !(one instanceof HTMLCanvasElement) || one.getContext("2d")
      .getImageData(0, 0, one.width, one.height).data.some(Boolean))
    .map((one) => `${root.id} ${one.className?.baseVal ?? one.className} ${one.textContent}`))"""
"""Return what is in sight of covered figures; a canvas without ink shows nothing."""


@pytest.fixture(scope="module", params=["", "&present=1", "&lang=ko"], ids=["page", "present", "korean"])
def asking(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> Page:
    return open_module_page(f"page=why&n=13&seeds=2&predict=true{request.param}", painted=False)


def sized(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=list(size))
    page.wait_for_function(PAINTED)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_of_the_answer_is_in_sight(asking: Page, size: tuple[int, int]) -> None:
    sized(asking, size)
    asking.locator("#predict-reveal").wait_for()
    ink = asking.evaluate(INK)
    assert ink["covered"] == 0
    assert ink["kept"] > 0, "the variance stays to reason from"
    count, outside = asking.evaluate(WORDS)
    assert outside == []
    assert count > 0
    assert asking.locator("#figure-sweep .chart-legend .entry").count() == 4, "what the first panel shows is named"
    covers = asking.locator(".prediction-cover")
    assert covers.count() == 5
    assert all("?" in words for words in covers.all_inner_texts())
    assert asking.locator(".figure-place.is-covered").count() == 5
    assert asking.evaluate(SEEN) == []


def test_what_was_covered_is_there_once_it_is_revealed(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seeds=2&predict=true", painted=False)
    sized(page, (1280, 720))
    page.locator("#predict input[value=unscaled]").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict=true]").wait_for()
    page.wait_for_function(f"() => ({INK})().covered > 1000")
    _, outside = page.evaluate(WORDS)
    assert any("10" in word for word in outside), "the axes have their numbers"
    assert page.locator("#figure-sweep .chart-legend .entry").count() == 6
    assert page.locator(".is-covered").count() == 0


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=str)
@pytest.mark.parametrize(
    "link",
    [
        "n=24&h=4&source=structured&row=3&predict=true&question=narrow_head",
        "n=700&h=4&d_k=16&page=map&predict=true&question=narrow_head",
    ],
)
def test_covered_figures_of_the_other_pages_show_nothing(
    open_page: Callable[..., Page], link: str, size: tuple[int, int]
) -> None:
    page = open_page(link, painted=False, viewport={"width": size[0], "height": size[1]})
    page.locator("#predict-reveal").wait_for()
    page.locator(".figure-place.is-covered").first.wait_for(state="attached")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.is-covered')].every(({ dataset }) => dataset.painted !== undefined)"
    )
    assert page.evaluate(SEEN) == []
