"""The policy names each script in a document, and every answer has a policy."""

import base64
import hashlib

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.visualiser.server.asking import answer, scope
from visualiser.server.http.content_security import ContentSecurity, document_policy

DOCUMENT = b"""<script>first();\r\n</script><script type="module" crossorigin src="./a.js"></script>
<script data-mode>
 second()
</script><p>third()</p>"""


def named(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_each_inline_script_is_named_by_its_hash() -> None:
    directives = dict(part.split(" ", 1) for part in document_policy(DOCUMENT, "*").split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["frame-ancestors"] == "*"
    scripts = directives["script-src"].split()
    assert scripts == ["'self'", named("first();\n"), named("\n second()\n")]
    assert "unsafe" not in directives["script-src"]


async def test_an_answer_keeps_the_policy_it_has_and_no_other_header_twice() -> None:
    given = {"Content-Security-Policy": "default-src 'self'", "Referrer-Policy": "unsafe-url", "X-Kept": "1"}
    received = await answer(ContentSecurity(PlainTextResponse("", headers=given), "*"), scope())
    assert received.headers["content-security-policy"] == "default-src 'self'"
    assert received.headers["referrer-policy"] == "no-referrer"
    assert received.headers["x-kept"] == "1"


async def test_an_answer_without_one_may_do_nothing() -> None:
    received = await answer(ContentSecurity(PlainTextResponse(""), "'self'"), scope())
    assert received.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'self'"
    assert received.headers["x-content-type-options"] == "nosniff"


async def test_what_is_no_request_passes() -> None:
    heard: list[str] = []

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        heard.append(scope["type"])

    await answer(ContentSecurity(behind, "*"), {**scope(), "type": "lifespan"})
    assert heard == ["lifespan"]
