"""The first heat maps are painted while gradio still mounts the page, where the page's own will stand, and the same."""

import contextlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests import draws
from tests.browser import drawn

STATES = 4
"""Random states of each size, of which a run takes one."""

SIZES = [(1280, 720), (1920, 1080), (1024, 640), (3840, 2160), (768, 1024), (390, 844), (844, 390)]

_PAINTED = "() => document.querySelector('#outline .outlined-page')?.dataset.painted !== undefined"
_SEEN = """(early) => {
  const root = early ? document.querySelector("#outline .outlined-page").painting : document;
  const boxes = (selector) => [...root.querySelectorAll(`#figure-heat-maps ${selector}`)]
    .filter((one) => one.checkVisibility())
    .map((one) => one.getBoundingClientRect())
    .map(({ left, top, width, height }) => [left, top, width, height].map((one) => Math.round(10 * one) / 10));
  const words = (selector) => [...root.querySelectorAll(`#figure-heat-maps ${selector}`)].map((one) => one.textContent);
  return {
    boxes: ["canvas.cells", ".panel-title", ".word", ".colour-bar", "h2", ".tools"].map(boxes),
    words: [".panel-title", ".word", ".colour-bar .name", ".ticks span", "h2"].map(words),
    cells: [...root.querySelectorAll("#figure-heat-maps canvas.cells")].map((one) => one.toDataURL()),
  };
}"""
"""Places, words and pixels of the heat maps."""
_FRAMES = """async (count) => {
  await window.headlight;
  for (let i = 0; i < count; i += 1) await new Promise(requestAnimationFrame);
}"""


@contextlib.contextmanager
def held(page: Page) -> Iterator[None]:
    """Hold gradio's own start back until the end of the block."""
    waiting: list[Route] = []
    page.route("**/assets/Blocks-*.js", lambda route: waiting.append(route))
    yield
    for route in waiting:
        route.continue_()
    page.unroute("**/assets/Blocks-*.js")


def link(draws: Random) -> str:
    """Return a random link whose heat maps may be painted early."""
    found: dict[str, Any] = {
        "lang": draws.choice(("en", "ko")),
        "h": draws.choice((1, 3, 8, 16)),
        "n": draws.choice((2, 7, 32, 64)),
        "d_k": draws.choice((1, 64, 512)),
        "mask": draws.choice(("none", "causal", "window")),
        "scaling": draws.choice(("sqrt_d_k", "none")),
        "mechanism": draws.choice(("dot_product", "additive")),
        "stage": draws.choice(("weights", "scores")),
        "colour_range": draws.choice(("quantile", "full", "per_head")),
        "source": draws.choice(("gaussian", "text")),
        "dtype": draws.choice(("float32", "float16")),
        "columns": draws.choice((0, 0, 2)),
        "normalisation": draws.choice(("softmax", "sink")),
        "__theme": draws.choice(("light", "dark")),
    }
    return "&".join(f"{name}={value}" for name, value in found.items())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")
def test_they_stand_where_the_pages_stand_and_show_the_same(
    open_page: Callable[..., Page], app_url: str, size: tuple[int, int]
) -> None:
    generator = Random(str(size))
    states = [link(generator) for _ in range(STATES)]
    phone = size[0] < 1000
    page = open_page(viewport={"width": size[0], "height": size[1]}, is_mobile=phone, has_touch=phone)
    for state in ("", *draws.chosen(states)):
        with held(page):
            page.goto(f"{app_url}?{state}", wait_until="commit")
            page.wait_for_function(_PAINTED)
            early = page.evaluate(_SEEN, True)
        drawn.wait_painted(page)
        page.locator("#outline").wait_for(state="detached")
        own = page.evaluate(_SEEN, False)
        assert early["words"] == own["words"], state
        assert early["cells"] == own["cells"], state
        for there, here in zip(early["boxes"], own["boxes"], strict=True):
            assert [pytest.approx(box, abs=0.6) for box in here] == there, state


@pytest.mark.parametrize(
    "state",
    [
        "predict=true",
        "pin=scaling%3Dnone",
        "row=3",
        "head=2",
        "present=1",
        "hide=controls",
        "focus=entropy",
        "lesson=first-look",
        "d_k=nine",
    ],
)
def test_where_something_else_may_stand_nothing_is_painted_early(
    open_page: Callable[..., Page], app_url: str, state: str
) -> None:
    page = open_page()
    with held(page):
        with page.expect_response("**/page/explore"):
            page.goto(f"{app_url}?{state}", wait_until="commit")
        page.evaluate(_FRAMES, 20)
        assert page.evaluate("() => document.querySelector('#outline .outlined-page').painting === undefined")
