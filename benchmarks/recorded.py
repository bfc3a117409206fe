"""The requests of one cold opening by a real browser: each as its bytes, with the request that led to it."""

import base64
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from tests.raw_http import request

DROPPED = ("host", "connection", "content-length", "cookie")
"""Headers that the replaying client writes itself or leaves out."""


@dataclass
class Asked:
    """A request of the opening; `after` is the index of the request whose answer it needs, None for the document."""

    path: str
    method: str
    headers: dict[str, str]
    body: bytes
    after: int | None = None
    finished: bool = False
    size: int = 0

    def written(self, tab: str, header: str) -> bytes:
        """Return its bytes for another tab."""
        headers = {name: tab if name.lower() == header.lower() else value for name, value in self.headers.items()}
        return request(self.method, self.path, self.body, headers)


@dataclass
class _Seen:
    """The data of the browser's events so far."""

    order: list[str] = field(default_factory=list)
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


def opening(browser: Browser, address: str, ready: str) -> list[Asked]:
    """Return the requests of a fresh profile's first visit, in the browser's order.

    Recording ends once `ready` (JavaScript) is true and the network is quiet. Endless streams and other hosts are left
    out.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        session, seen = context.new_cdp_session(page), _Seen()
        session.on("Network.requestWillBeSent", lambda event: _sent(seen, event))
        session.on("Network.requestWillBeSentExtraInfo", lambda event: _headers(seen, event))
        session.on("Network.loadingFinished", lambda event: _finished(seen, event))
        session.send("Network.enable")
        page.goto(address, wait_until="load")
        page.wait_for_function(ready, timeout=60_000)
        page.wait_for_timeout(1500)
    finally:
        context.close()
    return _requests(seen, address)


def _sent(seen: _Seen, event: dict[str, Any]) -> None:
    if event["requestId"] not in seen.sent:
        seen.order.append(event["requestId"])
    seen.sent[event["requestId"]] = event


def _headers(seen: _Seen, event: dict[str, Any]) -> None:
    seen.headers[event["requestId"]] = event["headers"]


def _finished(seen: _Seen, event: dict[str, Any]) -> None:
    seen.sizes[event["requestId"]] = int(event["encodedDataLength"])


def _requests(seen: _Seen, address: str) -> list[Asked]:
    host = urlsplit(address).netloc
    found: list[Asked] = []
    by_url: dict[str, int] = {}
    for name in seen.order:
        event = seen.sent[name]
        url = urlsplit(event["request"]["url"])
        if url.netloc != host or name not in seen.sizes or event.get("type") == "EventSource":
            continue
        given = seen.headers.get(name) or event["request"]["headers"]
        headers = {key: value for key, value in given.items() if key.lower() not in DROPPED and key[0] != ":"}
        entries = event["request"].get("postDataEntries", [])
        body = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
        path = url.path + (f"?{url.query}" if url.query else "")
        after = by_url.get(_initiator(event)) if found else None
        if found and after is None:
            after = 0
        by_url.setdefault(event["request"]["url"], len(found))
        found.append(Asked(path, event["request"]["method"], headers, body, after, True, seen.sizes[name]))
    return found


def _initiator(event: dict[str, Any]) -> str:
    """Return the script or document that led to this request."""
    initiator = event.get("initiator", {})
    if initiator.get("url"):
        return initiator["url"]
    stack = initiator.get("stack", {})
    while stack:
        for frame in stack.get("callFrames", []):
            if frame.get("url"):
                return frame["url"]
        stack = stack.get("parent", {})
    return ""
