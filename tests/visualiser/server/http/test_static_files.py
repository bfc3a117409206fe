"""Static files come from memory: fetched from gradio once, compressed, tagged, immutable if their name is hashed."""

import asyncio

import brotli
import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.visualiser.server.asking import answer, scope
from visualiser.server.http import assets
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.static_files import StaticFiles, own_files, pack

SCRIPT = b"export const attention = (Q, K, V) => softmax(Q * K) * V;\n" * 31


class Gradio:
    """A stand-in for gradio: answers every path that holds "core" with a script, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(f"{scope['method']} {scope['path']}")
        assert not [name for name, _ in scope["headers"] if name in (b"accept-encoding", b"range", b"cookie")]
        await asyncio.sleep(0)
        found = "core" in scope["path"]
        headers = [(b"content-type", b"text/javascript")]
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
        await send({"type": "http.response.body", "body": SCRIPT if found else b"no"})


async def test_gradio_is_asked_once_however_many_ask() -> None:
    gradio = Gradio()
    files = StaticFiles(gradio)
    asked = [scope(path="/assets/core-Bdx9080F.js", accept_encoding="br, gzip", cookie="a=b") for _ in range(7)]
    answers = await asyncio.gather(*(answer(files, one) for one in asked))
    assert gradio.asked == ["GET /assets/core-Bdx9080F.js"]
    for response in answers:
        assert (response.status, response.headers["content-encoding"]) == (200, "br")
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["vary"] == "Accept-Encoding"
        assert int(response.headers["content-length"]) == len(response.body) < len(SCRIPT)
        assert brotli.decompress(response.body) == SCRIPT


async def test_head_and_not_modified_have_no_body() -> None:
    files = StaticFiles(Gradio())
    path = "/static/js/core.js"
    head = await answer(files, scope("HEAD", path))
    whole = await answer(files, scope("GET", path))
    assert (head.status, head.body, head.headers) == (200, b"", whole.headers)
    assert whole.body == SCRIPT
    assert whole.headers["cache-control"] == "no-cache"
    same = await answer(files, scope("GET", path, if_none_match=f'"other", {whole.headers["etag"]}'))
    assert (same.status, same.body, same.headers["etag"]) == (304, b"", whole.headers["etag"])
    assert (await answer(files, scope("GET", path, if_none_match='W/"other"'))).status == 200


async def test_styles_are_immutable_under_the_hash_that_gradio_writes() -> None:
    files = StaticFiles(Gradio())
    path = "/static/core.css"
    assert (await answer(files, scope(path=path, query=f"v={'0' * 64}"))).headers["cache-control"].endswith("immutable")
    assert (await answer(files, scope(path=path, query="v=1"))).headers["cache-control"] == "no-cache"


async def test_what_is_not_there_is_not_kept() -> None:
    gradio = Gradio()
    files = StaticFiles(gradio)
    for _ in range(2):
        received = await answer(files, scope(path="/assets/gone-Bdx9080F.js"))
        assert (received.status, received.body) == (404, b"no")
    assert len(gradio.asked) == 2
    assert not files._kept
    assert not files._asking


@pytest.mark.parametrize(("root", "path"), [("/lab", "/lab/assets/core-1.js"), ("/lab", "/assets/core-1.js")])
async def test_a_proxy_may_leave_the_sub_path_on_or_take_it_off(root: str, path: str) -> None:
    gradio = Gradio()
    files = StaticFiles(gradio)
    assert (await answer(files, scope(path=path, root_path=root))).body == SCRIPT
    assert (await answer(files, scope(path="/assets/core-1.js", root_path=""))).body == SCRIPT
    assert len(gradio.asked) == 1


async def test_everything_else_passes() -> None:
    gradio = Gradio()
    files = StaticFiles(gradio)
    for method, path in [("POST", "/assets/core.js"), ("GET", "/config"), ("GET", "/staticcore"), ("GET", "/")]:
        await answer(files, scope(method, path))
    assert gradio.asked == ["POST /assets/core.js", "GET /config", "GET /staticcore", "GET /"]


async def test_our_own_files_need_no_gradio() -> None:
    gradio = Gradio()
    path = f"{PREFIX}/assets/{assets.version()}/js/main.js"
    received = await answer(StaticFiles(gradio), scope(path=path, accept_encoding="br"))
    assert brotli.decompress(received.body) == (assets.ROOT / "js" / "main.js").read_bytes()
    assert received.headers["cache-control"].endswith("immutable")
    assert received.headers["content-type"] == "text/javascript; charset=utf-8"
    assert gradio.asked == []


def test_packing_leaves_nothing_of_ours_to_compress() -> None:
    pack()
    for kept in own_files().values():
        assert kept.packed.kept("br") is not None
        assert kept.packed.kept("gzip") is not None


@pytest.mark.parametrize(
    "alias", ["/assets/x/../core-1.js", "/assets/./core-1.js", "/assets//core-1.js", "/assets/core-1.js/"]
)
async def test_another_name_of_a_file_is_no_file(alias: str) -> None:
    gradio = Gradio()
    files = StaticFiles(gradio)
    assert (await answer(files, scope(path=alias))).status == 404
    assert gradio.asked == []


async def test_large_bodies_leave_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transport copies what it cannot send at once: 4 MB for each client that reads nothing."""
    monkeypatch.setitem(globals(), "SCRIPT", bytes(range(256)) * 4000)
    sizes: list[int] = []

    async def send(message: Message) -> None:
        sizes.append(len(message.get("body", b"")))

    files = StaticFiles(Gradio())
    for _ in range(2):  # from gradio, then from memory
        await files(scope(path="/assets/core-Bdx9080F.js", accept_encoding="identity"), receive_nothing, send)
    assert max(sizes) <= 2**16
    assert sum(sizes) == 2 * len(SCRIPT)
    received = await answer(files, scope(path="/assets/core-Bdx9080F.js", accept_encoding="identity"))
    assert received.body == SCRIPT


async def receive_nothing() -> Message:
    await asyncio.Event().wait()
    raise AssertionError
