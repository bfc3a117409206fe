"""Pages of other origins may not make this server compute; programs and the own page may."""

import pytest
from starlette.responses import PlainTextResponse

from tests.visualiser.server.asking import answer, scope
from visualiser.locale import texts
from visualiser.server.http.origins import Origins

PERMISSIVE = {
    "Access-Control-Allow-Origin": "https://evil.example",
    "Access-Control-Allow-Credentials": "true",
    "X-Kept": "1",
}
BEHIND = PlainTextResponse("computed", headers=PERMISSIVE)
STRICT = Origins(BEHIND, frozenset(), 0)
LISTING = Origins(BEHIND, frozenset({"https://slides.example"}), 0)
PROXIED = Origins(BEHIND, frozenset(), 1)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://school.example:8080"},
        {"origin": "http://school.example.evil.example"},
        {"origin": "http://[broken"},
        {"origin": "https://evil.example", "sec_fetch_site": "cross-site"},
        {"origin": "https://evil.example", "sec_fetch_site": "none"},
        {"origin": "https://evil.example", "x_forwarded_host": "evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_a_foreign_page_is_refused(method: str, headers: dict[str, str]) -> None:
    received = await answer(
        STRICT, scope(method, "/gradio_api/headlight/page/explore", accept_language="en", **headers)
    )
    assert received.status == 403
    assert texts("en")["error.foreign_origin"].encode() in received.body
    assert not [name for name in received.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://school.example"},
        {"origin": "https://school.example"},
        {"origin": "HTTP://School.Example", "sec_fetch_site": "same-origin"},
        {"origin": "https://public.example", "sec_fetch_site": "same-origin"},  # a proxy changed Host
        {"sec_fetch_site": "none"},
    ],
)
async def test_programs_and_the_own_page_go_on(headers: dict[str, str]) -> None:
    received = await answer(STRICT, scope("POST", "/gradio_api/headlight/page/explore", **headers))
    assert (received.status, received.body, received.headers["x-kept"]) == (200, b"computed", "1")
    assert not [name for name in received.headers if name.startswith("access-control")]


async def test_a_forwarded_host_counts_where_a_proxy_is_trusted() -> None:
    asked = scope("POST", origin="https://public.example", x_forwarded_host="public.example, inner")
    assert (await answer(PROXIED, asked)).status == 200
    assert (await answer(STRICT, asked)).status == 403


async def test_a_listed_page_may_ask_and_read_without_credentials() -> None:
    received = await answer(LISTING, scope("POST", origin="https://slides.example", sec_fetch_site="cross-site"))
    assert received.status == 200
    assert received.headers["access-control-allow-origin"] == "https://slides.example"
    assert "access-control-allow-credentials" not in received.headers
    assert received.headers["vary"] == "Origin"
    assert (await answer(LISTING, scope("POST", origin="https://other.example"))).status == 403


async def test_before_it_asks_a_listed_page_hears_what_it_may() -> None:
    def asked(origin: str):
        return scope("OPTIONS", origin=origin, access_control_request_method="POST")

    received = await answer(LISTING, asked("https://slides.example"))
    assert (received.status, received.headers["access-control-allow-methods"]) == (204, "GET, HEAD, POST")
    assert received.headers["access-control-allow-origin"] == "https://slides.example"
    for refused in (await answer(LISTING, asked("null")), await answer(STRICT, asked("https://slides.example"))):
        assert refused.status == 403
        assert not [name for name in refused.headers if name.startswith("access-control")]


async def test_reading_is_free_but_gives_other_pages_nothing() -> None:
    received = await answer(STRICT, scope("GET", "/", origin="https://evil.example", sec_fetch_site="cross-site"))
    assert received.status == 200
    assert not [name for name in received.headers if name.startswith("access-control")]
