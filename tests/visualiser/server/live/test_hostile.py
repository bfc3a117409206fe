"""Hostile requests to the routes: each is answered in words, takes little, and the next is served."""

import json
import struct
import threading
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.alone import alone
from tests.visualiser.conftest import parts, wrapped
from visualiser import locale
from visualiser.pages.explore import price as explore_price
from visualiser.server.admission.clients import Client
from visualiser.server.admission.entry import Admission
from visualiser.server.http import assets
from visualiser.server.http.static_files import StaticFiles
from visualiser.server.live.body import BODY_LIMIT, HEADER_LIMIT
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.routes import PREFIX, OwnRoutes
from visualiser.state import share
from visualiser.upload import FILE_LIMIT

ROUTES_WITH_A_BODY = ("page/explore", "page/explore/row", "take-away/explore/npz")


NO_REQUESTS = {
    "nothing": b"",
    "half a length": b"\x01\x00",
    "a length and nothing": b"\xff\xff\xff\xff",
    "a length beyond the body": b'\xff\xff\xff\x7f{"query": "n=',
    "a length that cuts the JSON": struct.pack("<I", 5) + b'{"query": ""}',
    "no JSON": wrapped(b"\x89PNG\r\n\x1a\n"),
    "no UTF-8": wrapped(b'{"query": "\xff\xfe"}'),
    "a list": wrapped(b"[1, 2, 3]"),
    "a number": wrapped(b"17"),
    "lists nested 200,000 deep": wrapped(b"[" * 200_000),
    "objects nested 50,000 deep": wrapped(b'{"a":' * 50_000),
    "a number of 100,000 digits": wrapped(b'{"row": ' + b"9" * 100_000 + b"}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES_WITH_A_BODY)
@pytest.mark.parametrize("body", NO_REQUESTS.values(), ids=NO_REQUESTS.keys())
def test_what_is_no_request_is_refused(client: TestClient, route: str, body: bytes) -> None:
    answer = client.post(f"{PREFIX}/{route}", content=body)
    assert answer.status_code == 400
    assert answer.json() == {"message": locale.text("en", "error.bad_request")}


def test_a_length_of_thousands_of_digits_is_read_as_none(client: TestClient) -> None:
    answer = client.post(f"{PREFIX}/page/explore", content=b"abc", headers={"content-length": "0" * 5000 + "3"})
    assert (answer.status_code, answer.json()) == (400, {"message": locale.text("en", "error.bad_request")})


@pytest.mark.slow
@pytest.mark.night(but=2)
@pytest.mark.parametrize("depth", [100, 300, 600, 900, 950, 975, 990, 1000, 2000])
def test_json_of_any_depth_is_an_answer_or_a_refusal(client: TestClient, depth: int) -> None:
    for inner in (b"1", b'"\\ud800"'):
        body = wrapped(b'{"query": "", "x": ' + b"[" * depth + inner + b"]" * depth + b"}")
        assert client.post(f"{PREFIX}/page/explore", content=body).status_code in (200, 400)


@pytest.mark.parametrize("route", ROUTES_WITH_A_BODY)
def test_more_json_than_any_page_sends_is_not_parsed(client: TestClient, route: str) -> None:
    answer = client.post(f"{PREFIX}/{route}", content=wrapped({"query": "", "x": "x" * HEADER_LIMIT}))
    came = len(json.dumps({"query": "", "x": "x" * HEADER_LIMIT}))
    message = locale.text("en", "error.body_too_large", came=came, limit=HEADER_LIMIT)
    assert (answer.status_code, answer.json()) == (413, {"message": message})


FOREIGN = "page=map&n=16384&h=16&d_k=1024&tie=false"


@pytest.mark.parametrize("query", [FOREIGN, "n=8&pin=" + FOREIGN.replace("=", "%3D").replace("&", "%26")])
def test_a_route_has_its_own_pages_bounds_whatever_page_a_link_or_its_pin_names(query: str) -> None:
    state = PageRequest(query, query, frozenset(), b"", "en", "light", 0, "", {}, "explore").reading.state
    pinned = share.pinned_state(state)
    for page, config in ((one.page, one.config) for one in (state, pinned or state)):
        assert (page, config.n <= 512, config.h <= 16, config.d_k <= 1024) == ("explore", True, True, True)


@pytest.mark.night(but=1)
@pytest.mark.slow
@pytest.mark.parametrize("page", ["why", "anatomy", "cost", "train", "map"])
def test_a_page_answers_a_link_that_names_another_page(client: TestClient, page: str) -> None:
    for query in ("", "page=nope", "page=explore&n=5", FOREIGN):
        found = parts(client.post(f"{PREFIX}/page/{page}", content=wrapped({"query": query, "light": True})))
        assert found[0]["part"] == "state"
        assert found[0]["controls"]["page"] == page
        assert "error" not in [part["part"] for part in found]


def test_the_heavy_are_known_by_their_values_and_not_by_a_word_in_the_link() -> None:
    plain, encoded = (
        PageRequest(
            f"{name}&n=512&h=16&d_k=1024", None, frozenset(), b"", "en", "light", 0, "", {}, "explore"
        ).reading.state
        for name in ("mechanism=additive", "%6dechanism=%61dditive")
    )
    assert plain == encoded
    assert plain.config.mechanism == "additive"


@pytest.mark.parametrize(("size", "own_thread"), [(200_000, True), (2_000, True), (400, False)])
def test_large_json_is_read_and_written_beside_the_loop(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, size: int, own_thread: bool
) -> None:
    threads: dict[str, set[threading.Thread]] = {"loads": set(), "dumps": set(), "loop": set()}

    def noting(name: str) -> Any:
        plain = getattr(json, name)

        def noted(given: Any, *more: Any, **options: Any) -> Any:
            if len(given if name == "loads" else repr(given)) > size:
                threads[name].add(threading.current_thread())
            return plain(given, *more, **options)

        return noted

    async def here(scope: Any, receive: Any, send: Any) -> None:
        threads["loop"].add(threading.current_thread())
        await app(scope, receive, send)

    body = wrapped({"query": "n=7&h=3", "x": "x" * size})
    for name in ("loads", "dumps"):
        monkeypatch.setattr(json, name, noting(name))
    with TestClient(here) as client:  # type: ignore[arg-type]
        assert client.post(f"{PREFIX}/page/explore", content=body).status_code == 200
    assert [len(found) for found in threads.values()] == [1, 1, 1]
    assert threads["loads"] == threads["dumps"]
    assert (threads["loads"] != threads["loop"]) == own_thread


HEAVIEST = "n=512&h=16&d_k=1024&tie=false"
LINES = {
    HEAVIEST: "heavy",
    f"{HEAVIEST}&mechanism=additive": "heavy",
    "%6e=%3512&%68=16&d%5Fk=1024&tie=false&mechanism=%61dditive": "heavy",
    f"{HEAVIEST}&pin=n%3D8": "heavy",
    f"n=8&pin={quote(HEAVIEST, safe='')}": "heavy",
    f"n=8&pin={quote(f'{HEAVIEST}&mechanism=%61dditive', safe='')}": "heavy",
    "n=512&h=1&d_k=512&tie=false&mechanism=additive": "heavy",  # by its seconds alone
    "n=400&h=8": "heavy",  # by its memory alone
    "": "small",
    "n=128&h=8": "small",
    "n=128&h=8&pin=n%3D128": "light",
    "n=256&h=8": "light",
    "n=256&h=8&mask=causal": "light",
}


@pytest.mark.parametrize(("query", "line"), LINES.items())
def test_the_line_is_that_of_the_decoded_values(query: str, line: str) -> None:
    asked = PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {"light": True}, "explore")
    lines = Admission(2**30, 2)
    ticket = lines.enter(Client("192.0.2.7"), explore_price.frame(asked))
    names = ("small", "light", "heavy")
    assert [getattr(lines, name).working for name in names] == [int(name == line) for name in names]
    ticket.leave()


@pytest.mark.night
@pytest.mark.slow
def test_half_a_surrogate_pair_anywhere_is_answered(client: TestClient) -> None:
    for payload in (
        {"query": "n=\ud800"}, {"query": "pin=n%3D7\udfff"}, {"query": "", "known": ["\ud800"]},
        {"query": "", "address": "http://x/\ud800", "figure": "\udc00", "\ud800": 1},
    ):  # fmt: skip
        assert client.post(f"{PREFIX}/page/explore", content=wrapped(payload)).status_code == 200
        assert client.post(f"{PREFIX}/take-away/explore/html", content=wrapped(payload)).status_code == 200
        assert client.post(f"{PREFIX}/take-away/explore/figure", content=wrapped(payload)).status_code == 422


def test_a_refusal_speaks_the_visitors_language(client: TestClient) -> None:
    answer = client.post(f"{PREFIX}/page/explore", content=b"", headers={"accept-language": "ko-KR,ko;q=0.9"})
    assert answer.json() == {"message": locale.text("ko", "error.bad_request")}


@pytest.mark.parametrize("row", [-1, 1_000_000, 1.5, "3", None, [0], {"a": 1}])
def test_a_row_that_is_none_is_refused(client: TestClient, row: object) -> None:
    answer = client.post(f"{PREFIX}/page/explore/row", content=wrapped({"query": "", "row": row}))
    assert answer.status_code == 400


def test_a_row_beyond_the_last_is_refused_in_words(client: TestClient) -> None:
    answer = client.post(f"{PREFIX}/page/explore/row", content=wrapped({"query": "n=7", "row": 7}))
    (error,) = parts(answer)
    assert error["part"] == "error"
    assert "7" in error["message"]


@pytest.mark.parametrize(
    ("route", "limit"), [(f"{route}", BODY_LIMIT) for route in ROUTES_WITH_A_BODY] + [("upload", FILE_LIMIT)]
)
def test_an_endless_body_is_read_to_its_limit_and_no_further(app: FastAPI, route: str, limit: int) -> None:
    piece = bytes(2**20)
    sent, answered = 0, []

    async def receive() -> dict[str, Any]:
        nonlocal sent
        sent += len(piece)
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        answered.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": f"{PREFIX}/{route}", "raw_path": b"", "root_path": "", "query_string": b"name=a.npz&lang=en",
        "headers": [(b"accept-language", b"en")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    alone(app(scope, receive, send))  # type: ignore[arg-type]
    assert limit < sent <= limit + len(piece)
    assert answered[0]["status"] == 413
    received = json.loads(b"".join(message.get("body", b"") for message in answered[1:]))
    key = "upload_too_large" if route == "upload" else "body_too_large"
    assert received == {"message": locale.text("en", f"error.{key}", came=sent, limit=limit)}


@pytest.mark.slow
def test_a_link_of_a_thousand_parameters_is_read_as_far_as_a_page_has_any(client: TestClient) -> None:
    many = "n=9&h=2&" + "&".join(f"unknown{i}={i}" for i in range(1000))
    cells, panels = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": many, "previous": many})))
    assert (cells["query"], panels["part"]) == ("n=9&h=2", "panels")
    pinned = "pin=" + many.replace("=", "%3D").replace("&", "%26")
    cells, _ = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": pinned})))
    assert cells["query"] == "pin=n%3D9%26h%3D2"
    assert client.post(f"{PREFIX}/take-away/explore/rows", content=wrapped({"query": many})).status_code == 200


NUMBERS = {
    "n=1e309": "n=512",
    "n=-inf": "n=2",
    "n=nan": "",
    "n=0x10": "",
    "n=7;h=2": "",
    "seed=99999999999999999999": "seed=2147483647",
    "scaling=custom&scale=inf": "scaling=custom&scale=16",
    "d_k=__import__('os')": "",
    "row=-1&head=99": "head=8&row=0",
}


@pytest.mark.slow
@pytest.mark.night(but=3)
@pytest.mark.parametrize(("query", "shown"), NUMBERS.items())
def test_a_number_that_is_none_or_outside_is_replaced_with_a_notice(client: TestClient, query: str, shown: str) -> None:
    cells, _ = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": query})))
    assert cells["query"] == shown
    assert cells["notices"]


@pytest.mark.slow
def test_ten_thousand_tokens_are_cut_to_what_a_page_shows(client: TestClient) -> None:
    query = "source=text&h=2&text=" + "a+" * 10_000
    cells, _ = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": query})))
    assert cells["shape"] == [2, 512, 512]
    assert len(cells["notices"]) == 1
    assert "512" in cells["notices"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["\ud800", "\udfff a", "\x00", "\u202e\u2066", "a" * 60_000, "<script>alert(1)</script>"]
)
def test_any_text_makes_a_picture_or_a_sentence(client: TestClient, text: str) -> None:
    payload = {"query": f"source=text&h=1&text={text}", "previous": f"text={text}"}
    for part in parts(client.post(f"{PREFIX}/page/explore", content=wrapped(payload))):
        assert part["part"] in ("cells", "panels")


@pytest.mark.slow
def test_wishes_of_the_wrong_kind_are_left_out(client: TestClient) -> None:
    payload = {"query": "n=7&h=3", "known": [[[]], None, 3] * 15_000, "columns": -4, "theme": ["dark"], "previous": 5}
    cells, _ = parts(client.post(f"{PREFIX}/page/explore", content=wrapped(payload)))
    plain, _ = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": "n=7&h=3"})))
    assert cells == plain
    odd = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": "n=7&h=3", "columns": True})))
    assert odd[0] == plain


def test_only_what_there_is_can_be_taken_away(client: TestClient) -> None:
    for kind in ("nope", "..", "%2e%2e%2fapp.py", "figure/x"):
        assert client.post(f"{PREFIX}/take-away/explore/{kind}", content=wrapped({"query": ""})).status_code == 404
    answer = client.post(f"{PREFIX}/take-away/explore/figure", content=wrapped({"query": "", "figure": "../../app.py"}))
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("figure cannot be ../../app.py; choose one of: heat-maps, ")
    assert client.get(f"{PREFIX}/page/explore").status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "../../app.py",
        "%2e%2e/%2e%2e/app.py",
        "{version}/../../../app.py",
        "{version}/%2e%2e/%2e%2e/app.py",
        "{version}/js/%2e%2e/%2e%2e/app.py",
        "{version}//etc/passwd",
        "{version}/js/..%5c..%5capp.py",
        "{version}/js/main.js%00.css",
        "{version}/JS/MAIN.JS",
        "0000000000000000/js/main.js",
        "{version}/plotly.min.js",
    ],
)
def test_no_path_leads_to_a_file_that_is_no_asset(app: FastAPI, path: str) -> None:
    client = TestClient(StaticFiles(app))
    answer = client.get(f"{PREFIX}/assets/" + path.format(version=assets.version()))
    assert answer.status_code == 404
    assert b"import" not in answer.content
    known = client.get(f"{PREFIX}/assets/{assets.version()}/js/main.js")
    assert known.content == (assets.ROOT / "js" / "main.js").read_bytes()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "nothing", 404),
        ("POST", "take-away/explore/a/b", 404),
        ("DELETE", "page/explore", 405),
        ("GET", "upload", 405),
    ],
)
def test_a_route_that_is_none_or_by_another_method_is_refused_in_words(method: str, path: str, status: int) -> None:
    inner = FastAPI()
    inner.add_middleware(OwnRoutes)
    with TestClient(inner) as client:
        answer = client.request(method, f"{PREFIX}/{path}", headers={"Accept-Language": "ko"})
    assert (answer.status_code, answer.json()) == (status, {"message": locale.text("ko", "error.bad_request")})
