"""Origins that may make this server compute: its own, and those listed by its operator.

A browser sends the request of any page, from this machine's address, but names the page's origin. Programs name no
origin and may pass. No answer ever allows credentials: no other page needs to act as a visitor who has logged in.
"""

from typing import Final
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.locale import text
from visualiser.server import settings
from visualiser.server.http.kept_answers import header
from visualiser.state import share

_READS: Final = ("GET", "HEAD")


def is_foreign(scope: Scope, *, proxies: int = 0) -> bool:
    """True if the request comes from a page of another origin, as far as the browser tells.

    A proxy may have changed Host. The browser's own header, which no page can forge, still says "same-origin" then.
    """
    origin, site = header(scope, b"origin").lower(), header(scope, b"sec-fetch-site")
    if not origin:
        return site in ("cross-site", "same-site")
    if site == "same-origin":
        return False
    hosts = {header(scope, b"host")}
    if proxies:
        hosts.add(header(scope, b"x-forwarded-host").split(",")[0].strip())
    return _host(origin) not in {host.lower() for host in hosts if host}


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


class Origins:
    """ASGI: refuse computations for foreign pages, and let listed pages read the answers."""

    def __init__(self, app: ASGIApp, listed: frozenset[str] | None = None, proxies: int | None = None) -> None:
        self.app = app
        self.listed = settings.origins() if listed is None else listed
        self.proxies = settings.trusted_proxies() if proxies is None else proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        origin = header(scope, b"origin").lower()
        welcome = origin in self.listed
        method = scope["method"]
        if method == "OPTIONS":
            await self._preflight(scope, send, welcome)
        elif method not in _READS and not welcome and is_foreign(scope, proxies=self.proxies):
            lang = share.preferred_language(header(scope, b"accept-language") or None)
            refusal = JSONResponse({"message": text(lang, "error.foreign_origin")}, status_code=403)
            await refusal(scope, receive, send)
        else:
            await self.app(scope, receive, self._own(send, header(scope, b"origin") if welcome else ""))

    @staticmethod
    async def _preflight(scope: Scope, send: Send, welcome: bool) -> None:
        """Answer a browser's question before a foreign page's request. Our own pages need no preflight."""
        headers = [(b"vary", b"Origin"), (b"content-length", b"0")]
        if welcome:
            headers += [
                (b"access-control-allow-origin", header(scope, b"origin").encode("latin-1")),
                (b"access-control-allow-methods", b"GET, HEAD, POST"),
                (b"access-control-allow-headers", b"Content-Type, X-Headlight-Tab, X-Headlight-Secret, Last-Event-ID"),
                (b"access-control-max-age", b"600"),
            ]
        await send({"type": "http.response.start", "status": 204 if welcome else 403, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _own(self, send: Send, origin: str) -> Send:
        """Return `send` with our Access-Control headers, for the allowed `origin`, in place of gradio's."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [pair for pair in message["headers"] if not pair[0].lower().startswith(b"access-control-")]
                if self.listed:
                    headers.append((b"vary", b"Origin"))
                if origin:
                    headers += [
                        (b"access-control-allow-origin", origin.encode("latin-1")),
                        (b"access-control-expose-headers", b"Content-Disposition, Retry-After"),
                    ]
                message = {**message, "headers": headers}
            await send(message)

        return sent
