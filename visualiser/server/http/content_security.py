"""Security headers: an answer may run no script but ours, ask no other host, and use no sensor.

A document lists the hash of each script written into it; documents are kept, so the hashes are computed once. gradio
writes styles into the page, so inline styles are allowed. Nothing needs 'unsafe-eval': see assets/first.
"""

import base64
import hashlib
import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.server import settings

_INLINE: Final = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)

_OFF: Final = (
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "encrypted-media",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
)
PERMISSIONS: Final = ", ".join([*(f"{name}=()" for name in _OFF), "clipboard-write=(self)", "fullscreen=(self)"])


def document_policy(document: bytes, ancestors: str | None = None) -> str:
    """Return the Content-Security-Policy of one of our pages."""
    hashes = " ".join(dict.fromkeys(f"'sha256-{_sha256(text)}'" for text in _INLINE.findall(document)))
    directives = {
        "default-src": "'none'",
        "script-src": f"'self' {hashes}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",  # a picture is fetched from the page before it is saved
        "frame-src": "'self'",  # a lesson's handout shows one state after the other in a frame
        "manifest-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'self'",
        "frame-ancestors": settings.frame_ancestors() if ancestors is None else ancestors,
    }
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def _sha256(text: bytes) -> str:
    return base64.b64encode(hashlib.sha256(_normal(text)).digest()).decode()


def _normal(text: bytes) -> bytes:
    """Return the text with line ends as a browser's parser normalises them."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


class ContentSecurity:
    """ASGI: give every answer its headers. An answer without a policy of its own may do nothing when opened alone."""

    def __init__(self, app: ASGIApp, ancestors: str | None = None) -> None:
        self.app = app
        framed = settings.frame_ancestors() if ancestors is None else ancestors
        self._headers = (
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"permissions-policy", PERMISSIONS.encode()),
        )
        self._policy = (b"content-security-policy", f"default-src 'none'; frame-ancestors {framed}".encode("latin-1"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in self._headers}
                headers = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in ours]
                headers += self._headers
                if not any(name.lower() == self._policy[0] for name, _ in headers):
                    headers.append(self._policy)
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, sent)
