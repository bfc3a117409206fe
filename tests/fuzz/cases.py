"""The grammar: one request per number, drawn from ``Random(f"{seed} {number}")`` and so reproducible."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Final
from urllib.parse import quote

from tests.fuzz.draws import junk, often, one, words
from tests.fuzz.files import file, mutated, picture, sound, weights
from tests.fuzz.known import KNOWN
from tests.fuzz.links import link
from tests.raw_http import PREFIX, TAB, request
from visualiser.server.http.room_code import ALPHABET
from visualiser.server.rooms.codes import code_of
from visualiser.state import parameters

MEGABYTES: Final[Mapping[str, float]] = {
    "take-away": 400,
    "page": 64,
    "run": 64,
    "upload": 34,
    "picture": 34,
    "sound": 4,
}
"""Largest answer in megabytes by the first part of its route; `OTHERS` for the rest."""

OTHERS: Final = 8.0
QUESTIONS = ("curves", "tiles", "row", "figure", "csv", "npz", "forget")
KINDS = ("snippet", "rows", "cells", "npz", "html", "figure")
FIGURES = ("heat-maps", "entropy", "gradient", "jacobian", "row-weights", "score-distribution")
GRADIO = (
    *("config", "info", "upload", "file=/etc/passwd", "queue/join", "queue/data", "queue/status", "reset", "cancel"),
    *(
        "component_server",
        "stream/a/b",
        "heartbeat/a",
        "startup-events",
        "login_check",
        "token",
        "app_id",
        "dev/reload",
    ),
    *("deep_link", "proxy=http://127.0.0.1/", "api/attention", "run/attention", "call/attention", "upload_progress"),
)
OTHER_PATHS = (
    "/config",
    "/theme.css",
    "/static/img/logo.svg",
    "/openapi.json",
    "/monitoring",
    "/login",
    "/manifest.json",
)
ENDPOINTS = ("attention", "anatomy", "why", "cost", "train", "map", "nothing")


SECRET: Final = "a-secret-of-the-fuzzer-0"
"""Of the one room."""


@dataclass(frozen=True)
class Case:
    """A request as bytes; if given, `cut` limits the bytes sent and `leave` the seconds before the client leaves.
    `endpoint` is a queued call: its result is fetched as well."""

    route: str
    data: bytes
    method: str = "POST"
    cut: int | None = None
    leave: float | None = None
    endpoint: str | None = None
    odd: bool = False

    @property
    def most(self) -> float:
        """The largest size of the answer in bytes."""
        return 1e6 * MEGABYTES.get(self.route.removeprefix(f"{PREFIX}/").split("/")[0], OTHERS)


def case(seed: int, number: int) -> Case:
    """Return the request of this number; the first are those of finding 45."""
    if number < len(KNOWN):
        route, fields, endpoint = KNOWN[number]
        if endpoint is not None:
            return _called(endpoint, fields)
        if route.startswith("/"):
            return Case(route, request("HEAD", route), "HEAD")
        leave = 1.5 if route.startswith("run/") else None
        return Case(route, request("POST", f"{PREFIX}/{route}", _packed(fields)), leave=leave)
    random = Random(f"{seed} {number}")
    ours = (0.52, _question), (0.1, _run), (0.12, _upload), (0.12, _room)
    made = one(random, *ours, (0.1, _endpoint), (0.06, _document), (0.1, _other))
    return _odd(random, made) if often(random, 0.12) else made


def _question(random: Random) -> Case:
    """Return a request with a link and an immediate answer: a frame, a row, a page's answer or a file."""
    page = random.choice(parameters.PAGES)
    route = one(
        random,
        (3, lambda _: "page/explore"),
        (1, lambda _: "page/explore/row"),
        (3, lambda _: f"page/{page}"),
        (2, lambda drawn: f"page/{page}/{drawn.choice(QUESTIONS)}"),
        (3, lambda drawn: f"take-away/explore/{drawn.choice(KINDS)}"),
        (
            0.3,
            lambda drawn: f"{drawn.choice(('page', 'take-away'))}/{quote(words(drawn), errors='replace')}",
        ),
    )
    return _sent(random, route, _payload(random, page if route.startswith("page") else None))


def _run(random: Random) -> Case:
    """Return a request for long work that is left soon, or a wish about a missing run."""
    if often(random, 0.3):
        name, wish = quote(words(random), errors="replace"), random.choice(("pause", "resume", "cancel", "stop", "%00"))
        return Case(f"runs/{name}/{wish}", request("POST", f"{PREFIX}/runs/{name}/{wish}", b"", _headers(random)))
    page = random.choice(("map", "map", "train", "cost", "why", "explore", words(random)))
    made = _sent(random, f"run/{quote(page, errors='replace')}", _payload(random, page if page.isascii() else None))
    return _with(made, leave=random.uniform(0.05, 0.8))


def _upload(random: Random) -> Case:
    name, content = file(random)
    if often(random, 0.3):  # as a frame's upload
        fields = {**_payload(random, None), "query": f"source=upload&{link(random)}"}
        route = random.choice(("page/explore", "page/explore/row", "run/map", "take-away/explore/npz"))
        made = _sent(random, route, fields, content)
        return _with(made, leave=0.5) if route.startswith("run/") else made
    route = "upload"
    if often(random, 0.4):
        route = random.choice(("picture", "sound", "weights"))
        if route == "weights":
            name, content = weights(random)
        else:
            content = picture(random) if route == "picture" else sound(random)
    query = f"name={quote(name, errors='replace')}&page={random.choice((*parameters.PAGES, 'x'))}&lang=ko"
    return Case(route, request("POST", f"{PREFIX}/{route}?{query}", content, _headers(random)))


def _endpoint(random: Random) -> Case:
    """Return a call of the API, with arguments of right and wrong types."""
    small = lambda: random.choice((2, 3, 4, 8, 16, 32))  # noqa: E731
    many = [small(), 8, 2, None, None, "dot_product", "none", 1.0, "causal", 1, "gaussian", "a b", "words", False]
    rights: dict[str, list[Any]] = {
        "attention": [*many, "float32", 0],
        "anatomy": [*many, 0, True, False, 1, 1, 0],
        "why": [small(), 0, 1, [1, 4], random.choice(("mechanisms", "qk_norm", "keys")), 8],
        "cost": ["n", [8, 16], 32, 8, 0],
        "train": ["reverse", "scaled", 4, 0.003, 1, 1, 0, "standard"],
        "map": [64, 64, 2, small(), False, "none", 1.0, "causal", 16, "gaussian", "float32", 0],
    }
    name = random.choice(ENDPOINTS)
    data: Any = list(rights.get(name, []))
    for at in range(len(data)):
        if often(random, 0.15):
            data[at] = junk(random)
    if often(random, 0.1):
        data = random.choice((data[:1], data * 2, junk(random)))
    return _called(name, data)


def _called(name: str, data: Any) -> Case:
    body = json.dumps({"data": data}).encode()
    sent = request("POST", f"/gradio_api/call/{name}", body, {"Content-Type": "application/json"})
    return Case(f"call/{name}", sent, endpoint=name)


def _document(random: Random) -> Case:
    path = random.choice(("/", "/", *(f"/{page}" for page in parameters.PAGES), "/?page=x"))
    query = quote(link(random), safe="=&%?+", errors="replace")
    method = random.choice(("GET", "GET", "HEAD", "OPTIONS", "POST"))
    return Case(path, request(method, f"{path}{'&' if '?' in path else '?'}{query}", b"", _headers(random)), method)


def _other(random: Random) -> Case:
    """Return a request to gradio's routes, open or closed, a static file or a missing address."""
    path = one(
        random,
        (3, lambda drawn: f"/gradio_api/{drawn.choice(GRADIO)}"),
        (1, lambda drawn: drawn.choice(OTHER_PATHS)),
        (1, lambda drawn: f"{PREFIX}/assets/{quote(words(drawn), errors='replace')}/js/../app.py"),
        (1, lambda drawn: f"{PREFIX}/{drawn.choice(('live', 'ready', 'nothing', 'frame/', '../frame'))}"),
        (1, lambda drawn: f"/{quote(words(drawn), errors='replace')}"),
    )
    method = random.choice(("GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"))
    body = json.dumps(junk(random)).encode() if method in ("POST", "PUT", "PATCH") else b""
    headers = {**_headers(random), "Content-Type": "application/json"}
    return Case(path, request(method, path, body, headers), method, leave=3.0)


def _room(random: Random) -> Case:
    """Return a request of a teacher or a student of one room, with its code and secret right, wrong or missing."""
    act = random.choice(
        (
            *("", "state", "ask", "phase", "drop", "end", "qr", "clock", "advice"),
            *("answer", "offer", "place", "ticket", "exchange", "command", "shown", "revoke"),
            *("reach", "results", "stream", "message"),
        )
    )
    code = one(
        random,
        (8, lambda _: room_code()),
        (1, lambda drawn: "".join(drawn.choices(ALPHABET, k=6))),
        (1, lambda drawn: quote(words(drawn), errors="replace") or "x"),
    )
    path = f"room/{code}/{act}" if act not in ("", "message") else f"room/{code}" if act else "room"
    headers = _headers(random)
    if act in ("results",) or often(random, 0.6 if act != "answer" else 0.1):
        headers["X-Headlight-Secret"] = SECRET if often(random, 0.9) else random.choice(("", "x", "A" * 22, "é" * 30))
    if act in ("reach", "results", "stream", "message"):
        leave = 0.3 if act == "stream" else None
        return Case(path, request("GET", f"{PREFIX}/{path}", b"", headers), "GET", leave=leave)
    fields: dict[str, Any] = {
        "link": link(random, depth=1),
        "hovered": {"figure": "heat-maps", "row": 1, "column": 2},
        "lesson": {"name": "why", "step": 1},
        "locked": True,
        "call": True,
        "kind": random.choice(("choice", "curve")),
        "text": words(random),
        "answers": ["a", words(random), "c"],
        "x": [0, 0.5, 1],
        "prediction": {"page": "why", "name": "why_falls"},
        "phase": random.choice(("closed", "discuss", "reveal", "over")),
        "truth": random.choice((0, [0, 0.5, 1])),
        "left": random.choice((True, False)),
        "ticket": "A" * 22,
        "right": "B" * 22,
        "command": random.choice(("next", "back", "reveal", "jump")),
        "shown": {"lesson": "heads", "step": 1, "steps": 7, "note": words(random)},
        "seconds": random.choice((0, 30, 60, 600)),
        "because": {"en": words(random), "ko": words(random)},
        "from": {"lesson": "heads", "step": 1},
        "axes": {"x": [1, 2, 3], "low": 0, "high": 1, "log_x": True, "log_y": False},
        "figure": "entropy",
        "offer": "1763858000123",
        "address": f"http://127.0.0.1/?room={room_code()}",
        "question": "q",
        "round": random.choice((1, 2)),
        "answer": random.choice((0, 1, [0, 1, 0.5])),
        "state": {"link": link(random, depth=1)},
        "id": "q",
    }
    payload = {name: value for name, value in fields.items() if often(random, 0.6)}
    for name in list(payload):
        if often(random, 0.08):
            payload[name] = junk(random)
    if act == "" and often(random, 0.7):
        payload["question"] = {**fields, "phase": "open", "round": 1}
    body = json.dumps(payload).encode()
    if often(random, 0.06):
        body = mutated(random, body)
    return Case(path, request("POST", f"{PREFIX}/{path}", body, headers))


@cache
def room_code() -> str:
    """Return the code of the one room that all these requests are about."""
    return code_of(SECRET)


def _payload(random: Random, page: str | None) -> dict[str, Any]:
    """Return the JSON of a question: each field right, wrong or missing."""
    fields = {
        "query": lambda: link(random, page if page in parameters.PAGES else None),
        "previous": lambda: link(random),
        "known": lambda: [words(random) for _ in range(random.randrange(70))],
        "theme": lambda: random.choice(("dark", "light")),
        "columns": lambda: random.randrange(10),
        "address": lambda: f"http://127.0.0.1/{words(random)}",
        "row": lambda: random.randrange(-1, 40),
        "head": lambda: random.randrange(0, 9),
        "figure": lambda: random.choice(FIGURES),
        "light": lambda: often(random, 0.5),
        "beside": lambda: often(random, 0.5),
        "reveal": lambda: often(random, 0.5),
        "keep": lambda: often(random, 0.5),
        "id": lambda: words(random),
        "level": lambda: random.randrange(4),
        "tiles": lambda: [[0, 0], [random.randrange(3), 0]],
        "pooling": lambda: random.choice(("average", "maximum")),
        "prediction": lambda: {"name": random.choice(("why_falls", "largest", words(random))), "answer": junk(random)},
    }
    payload = {name: draw() for name, draw in fields.items() if name == "query" or often(random, 0.4)}
    for name in list(payload):
        if often(random, 0.06):
            payload[name] = junk(random)
    return payload


def _sent(random: Random, route: str, payload: dict[str, Any], upload: bytes = b"") -> Case:
    body = _packed(payload, upload)
    if often(random, 0.06):
        body = _broken(random, body)
    return Case(route, request("POST", f"{PREFIX}/{route}", body, _headers(random)))


def _packed(payload: Any, upload: bytes = b"") -> bytes:
    text = json.dumps(payload).encode()
    return struct.pack("<I", len(text)) + text + upload


def _broken(random: Random, body: bytes) -> bytes:
    """Return a broken body: wrong length, empty, deep or wide JSON, or changed bytes."""
    deep = b"[" * 20_000 + b"]" * 20_000
    wide = b'{"query":"","known":[' + b"[]," * 30_000 + b"[]]}"
    return random.choice(
        (
            b"",
            body[:3],
            struct.pack("<I", random.randrange(2**32)) + body[4:],
            struct.pack("<I", len(deep)) + deep,
            struct.pack("<I", len(wide)) + wide,
            struct.pack("<I", 5) + b"\xff\xfe{}}",
            mutated(random, body),
        )
    )


def _headers(random: Random) -> dict[str, str]:
    found = {TAB: f"{random.randrange(16**16):016x}" if often(random, 0.9) else "x" * random.choice((0, 3, 4000))}
    if often(random, 0.1):
        found["Accept-Language"] = random.choice(("ko", "de-DE,ko;q=0.5", "", "\xff;q=x", ",".join(["en"] * 2000)))
    if often(random, 0.06):
        found["Origin"] = random.choice(("null", "https://evil.example", "http://127.0.0.1", "é", "http://[::1"))
    if often(random, 0.05):
        found["X-Forwarded-For"] = random.choice(("1.2.3.4", "a, b", "::1", "", "9" * 3000))
    if often(random, 0.05):
        found["Accept-Encoding"] = random.choice(("br", "zstd", "gzip;q=0", "*", "identity;q=0, *;q=0"))
    return found


def _odd(random: Random, made: Case) -> Case:
    """Return the request in an unusual form of HTTP, or with a client that leaves."""
    head, _, body = made.data.partition(b"\r\n\r\n")
    match random.randrange(6):
        case 0:
            return _with(made, leave=random.uniform(0.0, 0.05))
        case 1:
            return _with(made, cut=random.randrange(1, len(made.data)), leave=random.uniform(0.0, 0.1))
        case 2 if made.method == "POST":  # in chunks, some of them meaningless
            size = random.randint(1, max(1, len(body)))
            chunks = [body[at : at + size] for at in range(0, len(body), size)][:500]
            sent = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks if chunk)
            lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
            data = b"\r\n".join([*lines, b"Transfer-Encoding: chunked"]) + b"\r\n\r\n" + sent + b"0\r\n\r\n"
            return _with(made, data=data, odd=True)
        case 3:
            wrong = random.choice(
                (b"Content-Length: -1", b"Content-Length: 5\r\nContent-Length: 6", b"Transfer-Encoding: x")
            )
            return _with(made, data=head + b"\r\n" + wrong + b"\r\n\r\n" + body, odd=True, leave=1.0)
        case 4:
            many = b"".join(b"\r\nX-%d: %b" % (at, b"y" * 50) for at in range(random.choice((50, 500, 2000))))
            return _with(made, data=head + many + b"\r\n\r\n" + body, odd=True, leave=2.0)
        case _:
            method = random.choice((b"GET", b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"BREW"))
            data = method + b" " + made.data.partition(b" ")[2]
            return _with(made, data=data, odd=True, method=method.decode(), leave=3.0, endpoint=None)


def _with(made: Case, **changes: Any) -> Case:
    return Case(**{**vars(made), **changes})
