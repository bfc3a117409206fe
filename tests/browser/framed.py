"""A page of another origin with the app in a frame, as a learning platform or slides have it."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Frame, Page

NO_STORAGE = """
for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
}
Object.defineProperty(document, "cookie", {
  get() { throw new DOMException("denied", "SecurityError"); },
  set() { throw new DOMException("denied", "SecurityError"); },
});
"""
"""A frame of another site without storage, as a browser that blocks all of it has."""


@contextmanager
def platform(app_url: str, query: str = "") -> Iterator[str]:
    """Serve pages with the app at `query` in a frame: `?query=…` names another, and `sandbox=…` is the frame's."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
            sandbox = f'sandbox="{escape(asked["sandbox"][0])}"' if "sandbox" in asked else ""
            address = escape(f"{app_url}?{asked.get('query', [query])[0]}")
            body = f"<!doctype html><iframe {sandbox} src='{address}' width=1300 height=800></iframe>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        # another name of this machine is another origin, and another site
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def inner(page: Page) -> Frame:
    """Return the frame of the app."""
    (frame,) = page.frames[1:]
    return frame
