"""The page is made once for each page and address, and never kept if people log in."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.alone import until
from tests.visualiser.server.asking import answer, scope
from visualiser import locale
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.fair_line import FairLine, Memory
from visualiser.server.http import documents as module
from visualiser.server.http.documents import KEPT_DOCUMENTS, Documents
from visualiser.state.parameters import PAGES

OPEN = SimpleNamespace(auth=None, auth_dependency=None)
CLOSED = SimpleNamespace(auth={"teacher": "secret"}, auth_dependency=None)
ASKED_FIRST = SimpleNamespace(auth=None, auth_dependency=lambda _: None)


class Gradio:
    """A stand-in for gradio: a document that holds the question and its address."""

    def __init__(self, status: int = 200) -> None:
        self.asked: list[str] = []
        self.status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        self.asked.append(scope["query_string"].decode())
        await asyncio.sleep(0)
        text = f"<head><base href='./'>{headers[b'host'].decode()} {scope['query_string'].decode()} "
        text += f"{headers.get(b'cookie', b'').decode()}</head>"
        start = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(text)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": start})
        await send({"type": "http.response.body", "body": text.encode()})


def asking(method: str = "GET", query: str = "", path: str = "/", app: object = OPEN, **headers: str) -> Scope:
    return scope(method, path, query, app=app, **headers)


async def test_it_is_made_once_for_a_whole_class() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    answers = await asyncio.gather(
        *(answer(documents, asking(query=f"n={n}&lang=ko", cookie=f"n={n}")) for n in range(2, 31))
    )
    assert gradio.asked == [""]
    assert {each.body for each in answers} == {answers[0].body}
    assert b"modulepreload" in answers[0].body.split(b"<base href='./'>")[1]
    assert b"n=" not in answers[0].body.replace(b"lang=", b"").split(b"school.example")[1]
    assert answers[0].headers["cache-control"] == "no-cache"
    assert int(answers[0].headers["content-length"]) == len(answers[0].body)


async def test_each_page_and_address_has_its_own() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    for page in PAGES:
        for host in ("a.example", "b.example"):
            received = await answer(documents, asking(query=f"page={page}", host=host))
            assert host.encode() in received.body
            assert (f"page={page}".encode() in received.body) == (page != PAGES[0])
    assert len(gradio.asked) == 2 * len(PAGES)
    await answer(documents, asking(x_forwarded_host="c.example"))
    await answer(documents, asking(x_forwarded_proto="https"))
    assert len(gradio.asked) == 2 * len(PAGES) + 2


async def test_a_page_that_does_not_exist_is_the_first_for_get_and_head() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    head = await answer(documents, asking("HEAD", "page=x"))
    whole = await answer(documents, asking("GET", "page=%ud800"))
    assert (head.status, head.body, head.headers) == (200, b"", whole.headers)
    assert gradio.asked == [""]


async def test_it_is_not_sent_again() -> None:
    documents = Documents(Gradio())
    whole = await answer(documents, asking())
    again = await answer(documents, asking(if_none_match=whole.headers["etag"]))
    assert (again.status, again.body) == (304, b"")


async def test_made_up_addresses_do_not_grow_memory() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    for number in range(3 * KEPT_DOCUMENTS):
        await answer(documents, asking(host="school.example"))  # a real visitor keeps coming
        await answer(documents, asking(host=f"{number}.example"))
    assert len(documents._kept) == KEPT_DOCUMENTS
    assert len(gradio.asked) == 3 * KEPT_DOCUMENTS + 1
    long = await answer(documents, asking(host="a" * 500))
    assert (long.status, json.loads(long.body)) == (400, {"message": locale.text("en", "error.bad_request")})
    assert len(documents._kept) == KEPT_DOCUMENTS
    assert len(gradio.asked) == 3 * KEPT_DOCUMENTS + 1


@pytest.mark.parametrize("app", [CLOSED, ASKED_FIRST])
async def test_where_people_log_in_gradio_answers_each_time(app: object) -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    for user in ("a", "b"):
        received = await answer(documents, asking(query="page=why", app=app, cookie=f"access-token={user}"))
        assert f"page=why access-token={user}".encode() in received.body
        assert b"modulepreload" in received.body
        assert "etag" not in received.headers
    assert not documents._kept


async def test_an_error_is_not_kept() -> None:
    gradio = Gradio(status=500)
    documents = Documents(gradio)
    for _ in range(2):
        assert (await answer(documents, asking())).status == 500
    assert len(gradio.asked) == 2
    assert not documents._kept


async def test_gradios_own_address_of_a_page_leads_to_ours() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    received = await answer(documents, asking(path="/map", query="n=4096&page=why&text=%ED%95%9C"))
    assert (received.status, received.headers["location"]) == (307, "./?page=map&n=4096&text=%ED%95%9C")
    assert gradio.asked == []


@pytest.mark.parametrize(
    ("path", "query", "wanted"),
    [
        ("/YDGWGH", "", "./?room=YDGWGH"),
        ("/ydgwgh", "lang=ko", "./?room=YDGWGH&lang=ko"),
        ("/ydg-wgh", "room=CCCCCC", "./?room=YDGWGH"),
        ("/YDG WGH", "", "./?room=YDGWGH"),
        ("/YDGWGH/", "", "../?room=YDGWGH"),
    ],
)
@pytest.mark.parametrize("app", [OPEN, CLOSED, ASKED_FIRST])
@pytest.mark.parametrize("root", ["", "/headlight"])
async def test_a_code_leads_into_its_room(path: str, query: str, wanted: str, app: object, root: str) -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    for method in ("GET", "HEAD"):
        received = await answer(documents, asking(method, query, f"{root}{path}", app, root_path=root))
        assert (received.status, received.headers["location"]) == (307, wanted)
    assert gradio.asked == []


@pytest.mark.parametrize(
    "path",
    ["/YDGWG", "/YDGWGHH", "/YDGWGA", "/YDGWGH.js", "/x/YDGWGH", "/YDGWGH/x", "/YDGWGH//", "/YDGWGH" + " " * 14 + "x"],
)
async def test_any_other_path_is_gradios(path: str) -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    assert (await answer(documents, asking(path=path))).status == 200
    assert len(gradio.asked) == 1
    assert (await answer(documents, asking("POST", path="/YDGWGH"))).status == 200
    assert len(gradio.asked) == 2


async def test_a_link_into_a_lesson_leads_to_the_page_of_its_step() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    received = await answer(documents, asking(query="lesson=saturation&step=2&lang=ko"))
    wanted = "?page=why&hide=temperature&lang=ko&lesson=saturation&step=2"
    assert (received.status, received.headers["location"]) == (307, wanted)
    assert gradio.asked == []
    assert (await answer(documents, asking(query=wanted[1:]))).status == 200
    assert gradio.asked == ["page=why"]


async def test_everything_else_passes() -> None:
    gradio = Gradio()
    documents = Documents(gradio)
    await answer(documents, asking("POST", "a=1"))
    await answer(documents, asking(path="/config", query="b=2"))
    assert gradio.asked == ["a=1", "b=2"]


class Slow(Gradio):
    """A stand-in that answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Semaphore(0)
        self.begun: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.append(dict(scope["headers"])[b"host"].decode())
        await self.may_answer.acquire()
        await super().__call__(scope, receive, send)


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> FairLine:
    """Return a new line with one place."""
    own = Admission(2**30, 2)
    own.pages = FairLine(1, Memory(0), each=1, longest=200, longest_each=200)
    monkeypatch.setattr(module, "admission", lambda: own)
    return own.pages


@pytest.mark.parametrize("path", ["/", "/config"])
async def test_made_up_addresses_of_one_visitor_wait_for_themselves(line: FairLine, path: str) -> None:
    gradio = Slow()
    documents = Documents(gradio)
    rude = [asyncio.create_task(answer(documents, asking(path=path, host=f"{n}.example"))) for n in range(100)]
    await until(lambda: line.waiting == 99)
    polite = {**asking(path=path, host="school.example"), "client": ("198.51.100.1", 4711)}
    served = asyncio.create_task(answer(documents, polite))
    await until(lambda: line.waiting == 100)
    for _ in range(3):
        gradio.may_answer.release()
    assert (await served).status == 200
    assert len(gradio.begun) <= 4
    for _ in rude:
        gradio.may_answer.release()
    assert {response.status for response in await asyncio.gather(*rude)} == {200}
    assert (line.working, line.waiting) == (0, 0)


async def test_who_leaves_the_line_has_no_page_made(line: FairLine) -> None:
    gradio = Slow()
    documents = Documents(gradio)
    first = asyncio.create_task(answer(documents, asking()))
    await until(lambda: line.working == 1)
    gone = asyncio.Event()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    second = asyncio.create_task(documents(asking(host="b.example"), receive, send))
    await until(lambda: line.waiting == 1)
    gone.set()
    await second
    assert line.waiting == 0
    gradio.may_answer.release()
    await first
    assert gradio.begun == ["school.example"]


async def test_a_full_line_says_so(line: FairLine) -> None:
    line.longest_each = 0
    received = await answer(Documents(Gradio()), asking(accept_language="ko"))
    assert (received.status, json.loads(received.body)["message"]) == (503, locale.text("ko", "error.busy"))
