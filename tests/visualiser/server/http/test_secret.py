"""An app below a secret: nothing without it, and with it the addresses that the browser sees."""

import pytest
from starlette.types import Receive, Scope, Send

from tests.visualiser.server.asking import answer, scope
from visualiser.server.http.paths import route_path
from visualiser.server.http.secret import Outside, Secret

SECRET = "s3cr-et_"


async def told(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with what the app is told of its address."""
    headers = dict(scope["headers"])
    said = [route_path(scope), scope["root_path"], headers.get(b"x-forwarded-host", b"").decode()]
    said.append(headers.get(b"x-forwarded-proto", b"").decode())
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": " ".join(said).encode()})


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/why",
        "/gradio_api/headlight/page/explore",
        "/s3cr-et",
        "/s3cr-et_",
        "/s3cr-et_x/",
        "//s3cr-et_/",
        "/config",
    ],
)
async def test_there_is_nothing_without_the_secret(path: str) -> None:
    reply = await answer(Secret(told, SECRET), scope("GET", path))
    assert (reply.status, reply.body) == (401, b"")


async def test_with_it_the_app_answers_below_it() -> None:
    reply = await answer(Secret(told, SECRET), scope("POST", f"/{SECRET}/gradio_api/x"))
    assert reply.body.decode().split(" ") == ["/gradio_api/x", f"/{SECRET}", "", ""]


async def test_launch_may_ask_if_the_app_has_started() -> None:
    assert (await answer(Secret(told, SECRET), scope("GET", "/gradio_api/startup-events"))).status == 200


@pytest.mark.parametrize("name", ["x_forwarded_context", "x_proxycontextpath"])
async def test_what_jupyters_proxy_took_away_is_before_the_secret(name: str) -> None:
    asked = scope("GET", f"/{SECRET}/why", **{name: "/user/a/proxy/15000"})
    reply = await answer(Secret(told, SECRET), asked)
    assert reply.body.decode().split(" ")[:2] == ["/why", f"/user/a/proxy/15000/{SECRET}"]


async def test_a_host_that_its_proxy_does_not_tell_is_told_to_the_app_but_not_to_a_direct_visitor() -> None:
    outside = Outside()
    app = Secret(told, SECRET, outside)
    outside.origin = "https://x-15000.example"  # known when there is a port
    for host, expected in (("10.0.0.1:80", "x-15000.example https"), ("127.0.0.1:7860", " ")):
        asked = scope("GET", f"/{SECRET}/", host=host, x_forwarded_host="wrong.example" if expected != " " else "")
        reply = await answer(app, asked)
        assert reply.body.decode() == f"/ /{SECRET} {expected}"
