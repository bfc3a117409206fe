"""Several replicas: a visitor stays with one; the wrong one says so; if one is killed the others go on."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls, drawn, mapped
from tests.browser.test_train import PAUSE_WHEN_RUNNING
from tests.deploy.asked import PREFIX, TRAINING, cookie, sent, tell, training
from tests.deploy.conftest import PROXIES, Site
from visualiser.locale import text

NETWORK = ["Failed to load resource", "ERR_"]


def tab(number: int) -> dict[str, str]:
    """Return the header with which a page names its tab."""
    return {"X-Headlight-Tab": f"tab-of-the-test-{number:04}"}


def a_tab_of(site: Site, url: str, replica: int) -> dict[str, str]:
    """Return the header of a tab that this proxy sends to this replica; about half of all tabs are."""
    return next(tab(number) for number in range(64) if site.serving(url, tab(number)) == replica)


@pytest.mark.parametrize("proxy", PROXIES)
def test_visitors_are_spread_and_each_stays_with_a_replica(site: Site, proxy: str) -> None:
    url = site.url(proxy)
    newcomers = (cookie(url) for _ in range(64))
    found: dict[int, dict[str, str]] = {}
    while len(found) < 2:
        visitor = next(newcomers)
        found[site.serving(url, visitor)] = visitor
    for replica, visitor in found.items():
        assert [site.serving(url, visitor) for _ in range(2)] == [replica] * 2


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_tab_without_cookies_stays_with_a_replica_by_its_token(site: Site, proxy: str) -> None:
    url = site.url(proxy)
    found = {replica: a_tab_of(site, url, replica) for replica in (0, 1)}
    for replica, visitor in found.items():
        assert [site.serving(url, visitor) for _ in range(2)] == [replica] * 2


def test_a_wish_and_a_map_question_that_reach_the_wrong_replica_are_answered_truly(site: Site) -> None:
    right, wrong = site.replicas[0].url, site.replicas[1].url
    with training(right) as (run, parts, _):
        assert tell(wrong, run, "pause") == (404, text("en", "error.no_such_run"))
        assert tell(right, run, "cancel") == (204, "")
        assert [part["part"] for part in parts][-1:] != ["ended"]
    payload = {"query": "page=map&n=64&h=1&d_k=4", "known": []}
    with sent(right, f"{PREFIX}/run/map", payload) as answer:
        (name,) = {part["id"] for part in answer.parts() if "id" in part}
    question = payload | {"id": name, "head": 1, "level": 0, "tiles": [[0, 0]]}
    with sent(right, f"{PREFIX}/page/map/tiles", question) as answer:
        assert [part["part"] for part in answer.parts()] == ["tile"]
    with sent(wrong, f"{PREFIX}/page/map/tiles", question) as answer:
        (part,) = answer.parts()
    assert (part["part"], part["gone"], part["message"]) == ("error", True, text("en", "error.map_gone_elsewhere"))


def assert_said_to_be_gone_and_computed_anew(page: Page) -> None:
    """Assert that a page reports the loss of its map with its replica, and that one button computes it on the other."""
    for name in ("query", "key"):
        page.locator(f"#map-{name}").fill("960")
    page.locator("#map-go").click()
    page.locator("#map-again:visible").wait_for()
    assert page.locator(".map-gone [role=alert]").inner_text() == text("en", "error.map_gone_elsewhere")
    page.locator("#map-again").click()
    mapped.wait(page, "across=32")


def test_when_a_replica_is_killed_everything_goes_on_with_the_other(
    site: Site, open_behind: Callable[..., Page]
) -> None:
    url = site.url("haproxy")
    page = open_behind(url, TRAINING, expected_errors=NETWORK)
    page.locator("#figure-train-accuracy[data-painted*='page=train']").wait_for()
    (kept,) = [one for one in page.context.cookies() if one.get("name") == "headlight"]
    number = site.serving(url, {"Cookie": f"headlight={kept.get('value')}"})
    map_page, explore = page.context.new_page(), page.context.new_page()
    map_page.goto(f"{url}?{mapped.QUERY}")
    mapped.wait(map_page)
    explore.goto(f"{url}?n=12&h=3")
    drawn.wait_painted(explore)
    page.evaluate(PAUSE_WHEN_RUNNING)
    page.locator("#run-start").click()
    page.locator("#run[data-run='paused']").wait_for()
    visitor = a_tab_of(site, site.url("nginx"), number)
    site.kill(number)
    try:
        page.locator("#run[data-run='lost']").wait_for()
        page.locator(".run .said", has_text=text("en", "run.lost")).wait_for()
        controls.slide(explore, "d_k", 40)
        drawn.wait_painted(explore, "n=12&h=3&d_k=40")
        explore.locator(".error:visible").wait_for(state="hidden")
        assert_said_to_be_gone_and_computed_anew(map_page)
        page.locator("#run-start").click()
        page.locator("#run[data-run='running'], #run[data-run='ended']").wait_for()  # it may have ended
        # nginx has no health checks: the first request finds out, and no visitor notices
        assert site.serving(site.url("nginx"), visitor) == 1 - number
    finally:
        site.start(number)
