"""The six pages behind each proxy, at / and below a sub-path, in a browser."""

from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page

from tests.browser import drawn, mapped
from tests.browser.test_train import PAUSE_WHEN_RUNNING
from tests.deploy.asked import TRAINING
from tests.deploy.conftest import Site
from visualiser.locale import text
from visualiser.state.parameters import PAGES

SMALL = {"explore": "n=8&h=2", "map": "n=300&h=1&d_k=8&page=map"}
"""The query of a page whose default takes long."""


@pytest.mark.parametrize(
    ("proxy", "path", "pages"),
    [
        ("haproxy", "", PAGES),
        ("nginx", "/headlight", PAGES),
        # with the other proxy, one page represents all
        ("haproxy", "/headlight", PAGES[:1]),
        ("nginx", "", PAGES[:1]),
    ],
)
def test_the_six_pages_open_and_paint(
    site: Site, proxy: str, path: str, pages: Sequence[str], open_behind: Callable[..., Page]
) -> None:
    url = site.url(proxy, path)
    page = open_behind(url, SMALL["explore"])
    drawn.wait_painted(page)
    for name in pages[1:]:
        page.goto(f"{url}?{SMALL.get(name, f'page={name}&predict=false')}")
        page.locator("[data-painted]:visible").first.wait_for()
        assert page.locator(".error:visible").count() == 0
    addresses = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    # an image within a style sheet (gradio's mark of a chosen radio) is listed by some Chromium, and asked of nobody
    assert [address for address in addresses if not address.startswith((url, "data:"))] == []


@pytest.mark.parametrize(("proxy", "path"), [("haproxy", ""), ("nginx", "/headlight")])
def test_a_map_computes_and_zooms(site: Site, proxy: str, path: str, open_behind: Callable[..., Page]) -> None:
    page = open_behind(site.url(proxy, path), mapped.QUERY)
    mapped.wait(page)
    for name in ("query", "key"):
        page.locator(f"#map-{name}").fill("960")
    page.locator("#map-go").click()
    mapped.wait(page, "across=32")
    link = mapped.settled(page)
    exact = mapped.weights(mapped.QUERY)[0]
    mapped.assert_painted(page, mapped.view(link), exact, 1, scaled_by=exact[896:1024, 896:1024])


@pytest.mark.parametrize(("proxy", "path"), [("nginx", ""), ("haproxy", "/headlight")])
def test_a_training_runs_pauses_and_goes_on(
    site: Site, proxy: str, path: str, open_behind: Callable[..., Page]
) -> None:
    page = open_behind(site.url(proxy, path), TRAINING)
    page.locator("#figure-train-accuracy[data-painted*='page=train']").wait_for()
    page.evaluate(PAUSE_WHEN_RUNNING)
    page.locator("#run-start").click()
    page.locator("#run[data-run='paused']").wait_for()
    assert page.locator("#run-pause").inner_text() == text("en", "run.resume")
    page.locator("#run-pause").click()
    page.locator("#run[data-run='ended']").wait_for()
    assert page.locator(".error:visible").count() == 0
