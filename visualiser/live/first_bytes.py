"""A few lines at the very start of the page, before gradio's own scripts.

gradio inserts `launch(head=…)` only after it has chosen a language and loaded its translations, too late for a link's
``lang=``. This middleware puts a short script first: it makes the browser report the link's language (gradio then picks
its labels from it), and names plotly.js and our modules as preloads, so that they travel while gradio is still
starting. It touches the HTML of the page itself and nothing else.
"""

import json
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.live import assets
from visualiser.locale import LANGUAGES
from visualiser.parameters import PAGES

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

_OTHER_PAGE = """<script>
{
  let config;
  Object.defineProperty(window, "gradio_config", {
    configurable: true,
    get: () => config,
    set: (given) => {
      config = given;
      if (given?.page?.[%(page)s]) given.page[""] = given.page[%(page)s];
    },
  });
}
</script>"""
"""gradio's server reads the page from ``?page=``, its script from the path: under ours it has to find the same one."""


def html(page: str) -> str:
    """What goes in after ``<base>``: of our modules, those that all pages share and those of this one."""
    base = "gradio_api/headlight/assets"
    modules = [name for name in assets.scripts() if re.fullmatch(rf"js/({page}/)?[^/]+", name)]
    preloads = [f'<link rel="modulepreload" href="{base}/{assets.version()}/{name}">' for name in modules]
    preloads.append(f'<link rel="preload" as="script" href="{base}/{assets.plotly_version()}/plotly.min.js">')
    other = _OTHER_PAGE % {"page": json.dumps(page)} if page != PAGES[0] else ""
    return _SCRIPT % json.dumps(list(LANGUAGES)) + other + "".join(preloads)


def asked_page(query: Mapping[str, str]) -> str:
    """The page that a link names, the first one where it names none that exists."""
    return query["page"] if query.get("page") in PAGES else PAGES[0]


class FirstBytes:
    """ASGI middleware that inserts `html()` into the page at ``/``.

    gradio reads `page` from the query itself and fails for a name that it does not know: it only hears names it does.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in ("/", "") or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        page = asked_page(dict(pairs))
        # gradio's own name for the first page is the empty one
        kept = [pair for pair in pairs if pair[0] != "page"] + [("page", page)] * (page != PAGES[0])
        scope = {**scope, "query_string": urlencode(kept).encode()}
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
                body = _BASE.sub(lambda found: found[0] + html(page).encode(), body, count=1)
            headers.append((b"content-length", str(len(body)).encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, hold)
