"""A few lines at the very start of the page, before gradio's own scripts.

gradio inserts `launch(head=…)` only after it has chosen a language and loaded its translations, too late for a link's
``lang=``. This middleware puts a short script first: it makes the browser report the link's language (gradio then picks
its labels from it), and names plotly.js and our modules as preloads, so that they travel while gradio is still
starting. It touches the HTML of the page itself and nothing else.
"""

import json
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.live import assets
from visualiser.locale import LANGUAGES

_BASE = re.compile(rb"<base[^>]*>")

_SCRIPT = """<script>
(() => {
  const asked = new URLSearchParams(location.search).get("lang");
  const lang = %s.includes(asked) ? asked : null;
  if (lang) {
    Object.defineProperty(navigator, "language", { get: () => lang });
    Object.defineProperty(navigator, "languages", { get: () => [lang] });
  }
})();
</script>"""


def html() -> str:
    """What goes in after ``<base>``."""
    base = "gradio_api/headlight/assets"
    modules = [name for name in assets.scripts() if name.startswith("js/")]
    preloads = [f'<link rel="modulepreload" href="{base}/{assets.version()}/{name}">' for name in modules]
    preloads.append(f'<link rel="preload" as="script" href="{base}/{assets.plotly_version()}/plotly.min.js">')
    return _SCRIPT % json.dumps(list(LANGUAGES)) + "".join(preloads)


class FirstBytes:
    """ASGI middleware that inserts `html()` into the page at ``/``."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in ("/", "") or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        start: Message = {}
        chunks: list[bytes] = []

        async def hold(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            chunks.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = b"".join(chunks)
            headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
            if dict(headers).get(b"content-type", b"").startswith(b"text/html"):
                # <base> decides what relative addresses mean, so ours come after it.
                body = _BASE.sub(lambda found: found[0] + html().encode(), body, count=1)
            headers.append((b"content-length", str(len(body)).encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, hold)
