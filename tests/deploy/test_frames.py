"""Headlight in a frame of another site, such as a learning platform: the visitor still stays with one replica."""

from collections.abc import Callable

from playwright.sync_api import Page, Request

from tests.browser import mapped
from tests.browser.framed import platform
from tests.deploy.asked import PREFIX
from tests.deploy.conftest import Site


def framed_map(page: Page, outside: str) -> list[str]:
    """Compute a map in the frame and zoom into it; return the Cookie headers of the questions about it."""
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if f"{PREFIX}/page/map/tiles" in request.url else None)
    page.goto(outside)
    frame = page.frame_locator("iframe")
    frame.locator("#figure-map[data-painted]").wait_for()
    for name in ("query", "key"):
        frame.locator(f"#map-{name}").fill("960")
    frame.locator("#map-go").click()
    frame.locator("#figure-map[data-painted*='across=32']").wait_for()
    assert frame.locator(".error:visible").count() == 0
    assert asked
    return [request.all_headers().get("cookie", "") for request in asked]


def test_over_https_the_cookie_holds_in_the_frame(site: Site, open_another: Callable[..., Page]) -> None:
    with platform(site.secure.tls_url, mapped.QUERY) as outside:
        page = open_another(ignore_https_errors=True)
        assert all(cookie.startswith("headlight=") for cookie in framed_map(page, outside))
        (kept,) = page.context.cookies(site.secure.tls_url)
        assert (kept.get("sameSite"), kept.get("secure"), kept.get("httpOnly")) == ("None", True, True)
        assert kept.get("partitionKey"), "each embedding site has its own"


def test_without_https_the_tab_s_name_holds_in_its_place(site: Site, open_another: Callable[..., Page]) -> None:
    for proxy in ("haproxy", "nginx"):
        with platform(site.url(proxy), mapped.QUERY) as outside:
            assert set(framed_map(open_another(), outside)) == {""}, "a browser sends no such cookie to another site"
