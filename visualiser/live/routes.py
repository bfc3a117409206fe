"""Plain HTTP routes beside gradio's own: binary updates, long runs and exports.

Quick answers keep no state; what runs long is remembered while it runs (`visualiser.live.runs`). A body is read up to a
stated size and no further. The routes by-pass gradio's login check: whoever launches with `auth=` protects them at the
proxy.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from urllib.parse import quote

import numpy as np
from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute

from attention_core import BOUNDS, InvalidInput
from visualiser import parameters, share
from visualiser.live import parts, runs, take_away, wire, work
from visualiser.live.addresses import PREFIX
from visualiser.live.asking import Ask, Refusal, asked, body
from visualiser.live.frame import frame, rows
from visualiser.live.page import LIVE, telling
from visualiser.locale import LANGUAGES, text
from visualiser.server import health
from visualiser.upload import FILE_LIMIT, canonical, read_upload

STREAMED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Headers of every answer that leaves in parts: kept by nobody, held back by no proxy."""

Handler = Callable[[Request], Awaitable[Response]]
EXPLORE = parameters.PAGES[0]


def refusing(handler: Handler) -> Handler:
    """`handler`, with every refusal answered by a sentence in the visitor's language."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        asked_for = request.query_params.get("lang")
        lang = asked_for if asked_for in LANGUAGES else share.preferred_language(request.headers.get("accept-language"))
        try:
            return await handler(request)
        except Refusal as refusal:
            return JSONResponse({"message": text(lang, refusal.key, **refusal.fields)}, status_code=refusal.status)
        except InvalidInput as problem:
            return JSONResponse({"message": text(lang, f"error.{problem.code}", **problem.details)}, status_code=422)

    return answer


async def _takes_place(ask: Ask) -> bool:
    """Whether serving this takes one of the heavy places; a state A counts as well."""
    state = ask.reading.state
    pinned = share.pinned_state(state)
    return work.heavy(state.config) or (pinned is not None and work.heavy(pinned.config))


def _binary(parts: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(parts, media_type="application/octet-stream", headers=STREAMED)


@refusing
async def post_frame(request: Request) -> Response:
    """One update of the page, as binary parts (`visualiser.live.wire`)."""
    ask = await asked(request, EXPLORE)
    return _binary(work.pieces(frame(ask), places=await _takes_place(ask)))


@refusing
async def post_row(request: Request) -> Response:
    """The true values of one query row."""
    ask = await asked(request, EXPLORE)
    row = ask.extra.get("row")
    if type(row) is not int or not 0 <= row < BOUNDS["n"].maximum:
        raise Refusal("error.bad_request", 400)
    return _binary(work.pieces(rows(ask, row)))


@refusing
async def post_page(request: Request) -> Response:
    """One answer of the page that the path names: a whole update, or what its script asks for besides."""
    live = LIVE.get(request.path_params["page"])
    answer = live and live.answer(request.path_params.get("question"))
    if not answer:
        raise Refusal("error.bad_request", 404)
    return _binary(work.pieces(telling(answer)(await asked(request, request.path_params["page"]))))


@refusing
async def post_run(request: Request) -> Response:
    """Starts the long work of the page that the path names; it lasts as long as the connection."""
    live = LIVE.get(request.path_params["page"])
    if live is None or live.run is None:
        raise Refusal("error.bad_request", 404)
    ask, long = await asked(request, request.path_params["page"]), telling(live.run)
    runs.require_room()
    lang = ask.lang
    job = runs.stream(lambda run: long(ask, run), request, lambda: parts.failure(text(lang, "error.server")))
    return _binary(job)


@refusing
async def post_wish(request: Request) -> Response:
    """Pauses, resumes or cancels a run."""
    if not runs.tell(request.path_params["run"], request.path_params["wish"]):
        raise Refusal("error.no_such_run", 404)
    return Response(status_code=204)


@refusing
async def post_upload(request: Request) -> Response:
    """Checks a visitor's file and hands its tensors back in one canonical form, which the browser keeps and sends with
    each update; how long a sequence may be is the page's. Reading takes a heavy place: a long CSV keeps a core busy for
    seconds."""
    file = await body(request, FILE_LIMIT, Refusal("error.upload_too_large", 413, limit=FILE_LIMIT // 2**20))
    lang = request.query_params.get("lang", "en")
    lang = lang if lang in LANGUAGES else "en"
    page = request.query_params.get("page")
    longest = int(parameters.bounds(page if page in parameters.PAGES else parameters.PAGES[0])["n"].maximum)
    content = await work.run(_read, request.query_params.get("name", "")[:200], file, lang, longest, places=True)
    return Response(content, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


def _read(name: str, file: bytes, lang: str, longest: int) -> bytes:
    inputs = read_upload(name, file, longest)
    h, n_q, d_k = inputs.Q.shape
    n_k, d_v = inputs.V.shape[-2:]
    part = wire.Part()
    entry = wire.entry(part, {"file": np.frombuffer(canonical(inputs), dtype=np.uint8)}, ())
    message = text(lang, "upload.read", name=name, h=h, n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v)
    return part.close({"part": "upload", "file": entry, "message": message})


@refusing
async def post_take_away(request: Request) -> Response:
    """A file made from the state that the body names: `kind` is one of `take_away.KINDS`."""
    kind = take_away.KINDS.get(request.path_params["kind"])
    if kind is None:
        raise Refusal("error.bad_request", 404)
    ask = await asked(request, EXPLORE)
    file = await work.run(kind, ask, places=await _takes_place(ask))
    headers = STREAMED | {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
    content: Iterator[bytes] = iter(file.content)
    return StreamingResponse(work.pieces(content), media_type=file.media_type, headers=headers)


ROUTES = [
    APIRoute(f"{PREFIX}/frame", post_frame, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/row", post_row, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/page/{{page}}", post_page, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/page/{{page}}/{{question}}", post_page, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/run/{{page}}", post_run, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/runs/{{run}}/{{wish}}", post_wish, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/upload", post_upload, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/take-away/{{kind}}", post_take_away, methods=["POST"], include_in_schema=False),
    *health.ROUTES,
]
