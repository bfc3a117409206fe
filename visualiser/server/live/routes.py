"""Plain HTTP routes beside gradio's own: binary updates, long runs and exports.

Each takes its turn by its cost (`visualiser.server.admission`), keeps its place until the answer has left, and stops
when its visitor leaves. `runs` remembers long runs while they last.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from functools import wraps
from urllib.parse import quote

import numpy as np
from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from attention_core import InvalidInput
from visualiser import models
from visualiser.locale import LANGUAGES, text
from visualiser.server.admission import cost as prices
from visualiser.server.admission.clients import client_of
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import ANSWERS, admission
from visualiser.server.admission.flight import Beat, stream_batches
from visualiser.server.admission.refusal import Refusal
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.http import health
from visualiser.server.http.addresses import MCP, PREFIX
from visualiser.server.http.answer import StreamingAnswer, refusal_response
from visualiser.server.live import parts, runs, wire
from visualiser.server.live.answering import LIVE
from visualiser.server.live.body import PARSERS, TICKETS, read_body
from visualiser.server.live.page import Price, with_error_part
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.request_parser import LANGUAGE, parse_request
from visualiser.server.live.smaller import smaller
from visualiser.state import parameters, share
from visualiser.upload import FILE_LIMIT, canonical, read_upload
from visualiser.upload.beforehand import sizes_from_header
from visualiser.upload.handed import enclosed
from visualiser.upload.pictures import PICTURE_LIMIT, canonical_picture, picture_pixels, read_picture
from visualiser.upload.sounds import SOUND_LIMIT, canonical_sound, read_sound, sound_sizes
from visualiser.upload.weights import MOST_TOKENS, sizes_of_weights

Handler = Callable[[Request], Awaitable[Response]]

_shared = SharedAnswers(int(ANSWERS * admission().memory))


def refusing(handler: Handler) -> Handler:
    """Wrap `handler` so that each refusal becomes a sentence in the visitor's language.

    Everything that the request holds is returned when its answer has left.
    """

    @wraps(handler)
    async def answer(request: Request) -> Response:
        try:
            answer = await handler(request)
        except ClientDisconnect:
            answer = Response(status_code=400)  # nobody reads it
        except (Refusal, InvalidInput) as problem:
            answer = refusal_response(problem, _language(request))
        except BaseException:
            leave(request)
            raise
        if isinstance(answer, StreamingAnswer):
            answer.when_done, answer.refuse = (
                lambda: leave(request),
                lambda problem: refusal_response(problem, _language(request)),
            )
        else:
            leave(request)
        return answer

    return answer


def _language(request: Request) -> str:
    """Return the language of the address, else the link's if it was read, else the one that the browser prefers."""
    requested = request.query_params.get("lang") or request.scope.get(LANGUAGE)
    return requested if requested in LANGUAGES else share.preferred_language(request.headers.get("accept-language"))


def leave(request: Request) -> None:
    """Return everything that a request holds."""
    for ticket in request.scope.pop(TICKETS, ()):
        ticket.leave()


async def _priced(page_request: PageRequest, price: Price) -> Cost:
    """Price an answer; in a thread if a file came: a model's own processor says how many patches a picture makes."""
    return await run_sync(price, page_request, limiter=PARSERS) if page_request.upload else price(page_request)


async def _stream_answer(
    page_request: PageRequest, route: str, price: Price, make: Callable[[PageRequest], Iterator[bytes]], shared: bool
) -> StreamingAnswer:
    """Return an answer with the parts that `make` yields; if `shared`, equal requests share one computation."""
    cost = await _priced(page_request, price)
    await admission().require(cost, smaller(page_request, price))
    cache_key = page_request.cache_key if shared else None
    key = None if cache_key is None else (route, page_request.page, cache_key)
    everybody = page_request.shareable()

    async def pieces() -> AsyncIterator[bytes | memoryview]:
        beat = Beat(runs.BEAT, parts.beat())
        client = page_request.client
        made = _shared.parts(
            key, client.address, lambda: admission().enter(client, cost), lambda: make(everybody), beat
        )
        beaten = False
        async with aclosing(made) as parts_:  # type: ignore[type-var]
            try:
                async for piece in parts_:
                    beaten = beaten or piece is beat.content
                    if isinstance(piece, wire.Piece):
                        for some in piece.apart(page_request.known):
                            yield some
                    else:
                        yield piece
            except Refusal as refusal:
                if not beaten:
                    raise
                # the answer has begun: its last part says when to ask again
                yield parts.failure(text(page_request.lang, refusal.key, **refusal.fields), retry=refusal.retry)

    return StreamingAnswer(pieces)


@refusing
async def post_page(request: Request) -> Response:
    """Answer a request of the page in the path: the whole update, or a subrequest."""
    page, question = request.path_params["page"], request.path_params.get("question")
    if page not in LIVE or LIVE[page].answer(question) is None:
        raise Refusal("error.bad_request", 404)
    return await _page(await parse_request(request, page), question)


async def _page(page_request: PageRequest, question: str | None) -> StreamingAnswer:
    live = LIVE[str(page_request.page)]
    found = live.answer(question)
    assert found is not None
    answer, price = found
    return await _stream_answer(page_request, question or "", price, with_error_part(answer), live.shared)


@refusing
async def post_run(request: Request) -> Response:
    """Start the long run of the page in the path; it lasts as long as the connection."""
    live = LIVE.get(request.path_params["page"])
    if live is None or live.run is None:
        raise Refusal("error.bad_request", 404)
    page_request = await parse_request(request, request.path_params["page"])
    work, price = live.run
    long = with_error_part(work)
    # a text is cut into tokens, which would block the event loop
    cost = await run_sync(price, page_request, limiter=PARSERS)
    await admission().require(cost, smaller(page_request, price), run=True)
    return StreamingAnswer(
        lambda: runs.stream(
            lambda run: long(page_request, run),
            lambda: admission().run(page_request.client, cost),
            lambda key: parts.failure(text(page_request.lang, key)),
        )
    )


@refusing
async def post_command(request: Request) -> Response:
    """Pause, resume or cancel a run; to have ended already is no error, since a visitor cannot know."""
    outcome = runs.command(request.path_params["run"], request.path_params["wish"])
    if outcome == "unknown":
        raise Refusal("error.no_such_run", 404)
    return Response(status_code=204) if outcome == "done" else JSONResponse({"run": "ended"})


@refusing
async def post_upload(request: Request) -> Response:
    """Check a visitor's file and return its tensors in one canonical form.

    The browser keeps this and sends it with each update. The page bounds the length of a sequence.
    """
    file = await read_body(request, FILE_LIMIT, "error.upload_too_large")
    lang = _language(request)
    page = request.query_params.get("page")
    longest = int(parameters.bounds(page if page in parameters.PAGES else parameters.EXPLORE)["n"].maximum)
    name, client = request.query_params.get("name", "")[:200], client_of(request.scope)
    cost = prices.upload(await run_sync(sizes_from_header, name, file, longest, limiter=PARSERS), len(file))
    return StreamingAnswer(
        lambda: _shared.parts(
            None, client.address, lambda: admission().enter(client, cost), lambda: read_file(name, file, lang, longest)
        )
    )


def read_file(name: str, file: bytes, lang: str, longest: int) -> Iterator[bytes]:
    """Yield the file's tensors in one canonical form, and a sentence with their sizes. Raise `InvalidInput`."""
    inputs = read_upload(name, file, longest)
    h, n_q, d_k = inputs.Q.shape
    n_k, d_v = inputs.V.shape[-2:]
    part = wire.Part()
    entry = wire.entry(part, {"file": np.frombuffer(canonical(inputs), dtype=np.uint8)}, ())
    message = text(lang, "upload.read", name=name, h=h, n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v)
    yield part.close({"part": "upload", "file": entry, "message": message})


@refusing
async def post_picture(request: Request) -> Response:
    """Check a visitor's picture and return it in one canonical form, which the browser keeps, shows and sends."""
    file = enclosed(await read_body(request, PICTURE_LIMIT, "error.picture_too_large"))
    lang, client = _language(request), client_of(request.scope)
    name = request.query_params.get("name", "")[:200]
    cost = prices.picture(await run_sync(picture_pixels, file, limiter=PARSERS), len(file))
    return StreamingAnswer(
        lambda: _shared.parts(
            None, client.address, lambda: admission().enter(client, cost), lambda: read_picture_file(name, file, lang)
        )
    )


def read_picture_file(name: str, file: bytes, lang: str) -> Iterator[bytes]:
    """Yield a picture in one canonical form, and a sentence with its size. Raise `InvalidInput`."""
    found = read_picture(file)
    height, width, _ = found.pixels.shape
    part = wire.Part()
    entry = wire.entry(part, {"file": np.frombuffer(canonical_picture(found.pixels), dtype=np.uint8)}, ())
    key = "picture.read_over_white" if found.over_white else "picture.read"
    message = text(lang, key, name=name, width=width, height=height)
    yield part.close({"part": "picture", "file": entry, "message": message})


@refusing
async def post_sound(request: Request) -> Response:
    """Check a visitor's sound and return it in one canonical form, which the browser keeps and sends."""
    file = enclosed(await read_body(request, SOUND_LIMIT, "error.sound_too_large"))
    lang, client = _language(request), client_of(request.scope)
    name = request.query_params.get("name", "")[:200]
    cost = prices.sound(*await run_sync(sound_sizes, file, limiter=PARSERS), len(file))
    return StreamingAnswer(
        lambda: _shared.parts(
            None, client.address, lambda: admission().enter(client, cost), lambda: read_sound_file(name, file, lang)
        )
    )


def read_sound_file(name: str, file: bytes, lang: str) -> Iterator[bytes]:
    """Yield a sound in one canonical form, and a sentence. Raise `InvalidInput`."""
    found = read_sound(name, file)
    part = wire.Part()
    entry = wire.entry(part, {"file": np.frombuffer(canonical_sound(found), dtype=np.uint8)}, ())
    yield part.close({"part": "sound", "file": entry, "message": text(lang, "sound.read", name=name)})


@refusing
async def post_weights(request: Request) -> Response:
    """Check a visitor's weights and return them in one canonical form, which the browser keeps and sends."""
    file = await read_body(request, FILE_LIMIT, "error.weights_too_large")
    lang, client = _language(request), client_of(request.scope)
    name = request.query_params.get("name", "")[:200]
    cost = prices.weights(await run_sync(sizes_of_weights, name, file, MOST_TOKENS, limiter=PARSERS), len(file))
    return StreamingAnswer(
        lambda: _shared.parts(
            None, client.address, lambda: admission().enter(client, cost), lambda: read_weights_file(name, file, lang)
        )
    )


def read_weights_file(name: str, file: bytes, lang: str) -> Iterator[bytes]:
    """Yield weights in one canonical form, the name that a link has for them, and a sentence. Raise `InvalidInput`."""
    found = models.read_file(name, file, MOST_TOKENS)
    part = wire.Part()
    entry = wire.entry(part, {"file": np.frombuffer(found.file, dtype=np.uint8)}, ())
    run = found.run
    fields = {"layers": len(run.layers), "h": max(layer.weights.shape[0] for layer in run.layers)}
    if found.passages is not None:
        message = text(lang, "weights.read_passages", name=name, count=len(run.layers), all=found.passages)
    else:
        message = text(lang, "weights.read", name=name, **fields, n=max(map(len, run.lines)))
    if found.left_out:
        names, count = ", ".join(found.left_out[:3]), len(found.left_out)
        message = f"{message} {text(lang, 'weights.left_out', names=names, count=count)}"
    yield part.close({"part": "weights", "file": entry, "message": message, "model": found.name})


@refusing
async def post_take_away(request: Request) -> Response:
    """Return a download of the page in the path, made from the state in the body, if it answers no open question."""
    page, kind = request.path_params["page"], request.path_params["kind"]
    if page not in LIVE or kind not in LIVE[page].files:
        raise Refusal("error.bad_request", 404)
    file, page_request = LIVE[page].files[kind], await parse_request(request, page)
    if file.is_withheld(page_request):
        raise Refusal("predict.files_wait", 403)
    client, price = page_request.client, file.price
    cost = await _priced(page_request, price)
    await admission().require(cost, smaller(page_request, price))
    parts_ = stream_batches(
        lambda: admission().enter(client, cost),
        lambda: admission().next_batch(client),
        lambda: file.content(page_request),
    )
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
    return StreamingAnswer(lambda: parts_, media_type=file.media_type, headers=headers)


ROUTES = [
    Route(f"{PREFIX}/page/{{page}}", post_page, methods=["POST"]),
    Route(f"{PREFIX}/page/{{page}}/{{question}}", post_page, methods=["POST"]),
    Route(f"{PREFIX}/run/{{page}}", post_run, methods=["POST"]),
    Route(f"{PREFIX}/runs/{{run}}/{{wish}}", post_command, methods=["POST"]),
    Route(f"{PREFIX}/upload", post_upload, methods=["POST"]),
    Route(f"{PREFIX}/picture", post_picture, methods=["POST"]),
    Route(f"{PREFIX}/sound", post_sound, methods=["POST"]),
    Route(f"{PREFIX}/weights", post_weights, methods=["POST"]),
    Route(f"{PREFIX}/take-away/{{page}}/{{kind}}", post_take_away, methods=["POST"]),
    *health.ROUTES,
]


class OwnRoutes:
    """ASGI: our own routes, without gradio's middleware, which would compress every frame. The rest goes to `app`."""

    def __init__(self, app: ASGIApp, others: Sequence[Route] = ()) -> None:
        self._app, self._router = app, Router([*ROUTES, *others])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or not path.startswith((f"{PREFIX}/", MCP)):
            await self._app(scope, receive, send)
            return
        try:
            await self._router(scope, receive, send)
        except HTTPException as problem:  # unknown route or method
            lang = share.preferred_language(Request(scope).headers.get("accept-language"))
            await refusal_response(Refusal("error.bad_request", problem.status_code), lang)(scope, receive, send)
