"""Headlight in a frame of another site, such as a learning platform: the visitor still stays with one replica."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Page, Request

from tests.browser import mapped
from tests.deploy.asked import PREFIX
from tests.deploy.conftest import Site


@contextmanager
def platform(inside: str) -> Iterator[str]:
    """Yield the address of another site's page (localhost is not 127.0.0.1) that shows `inside` in a frame."""
    page = f'<!doctype html><iframe src="{inside}" style="width: 1300px; height: 860px"></iframe>'.encode()

    class Shows(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Shows)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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
    with platform(f"{site.secure.tls_url}?{mapped.QUERY}") as outside:
        page = open_another(ignore_https_errors=True)
        assert all(cookie.startswith("headlight=") for cookie in framed_map(page, outside))
        (kept,) = page.context.cookies(site.secure.tls_url)
        assert (kept.get("sameSite"), kept.get("secure"), kept.get("httpOnly")) == ("None", True, True)
        assert kept.get("partitionKey"), "each embedding site has its own"


def test_without_https_the_tab_s_name_holds_in_its_place(site: Site, open_another: Callable[..., Page]) -> None:
    for proxy in ("haproxy", "nginx"):
        with platform(f"{site.url(proxy)}?{mapped.QUERY}") as outside:
            assert set(framed_map(open_another(), outside)) == {""}, "a browser sends no such cookie to another site"
