"""Plain HTTP routes beside gradio's own: binary updates, exports, and the page's scripts.

All paths begin with ``/gradio_api`` because only those reach Python when gradio renders on the server. The routes keep
no state and write nothing; a body is read up to a stated size and no further. They by-pass gradio's login check:
whoever launches with `auth=` protects them at the proxy.
"""

import json
import struct
from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from attention_core import BOUNDS, InvalidInput
from visualiser import share
from visualiser.live import assets, take_away, wire
from visualiser.live.frame import Ask, frame, rows
from visualiser.locale import LANGUAGES, text
from visualiser.upload import FILE_LIMIT, canonical, read_upload
from visualiser.view import MOST_COLUMNS

PREFIX = "/gradio_api/headlight"
BODY_LIMIT = FILE_LIMIT + share.LONGEST_QUERY + 65_536
"""Bytes of a request body that are read: the largest upload, the longest link twice over, the names of known
structures."""


class BodyTooLarge(Exception):
    """A body longer than `BODY_LIMIT`; reading stopped there."""


async def _body(request: Request, limit: int) -> bytes:
    chunks, length = [], 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            raise BodyTooLarge
        chunks.append(chunk)
    return b"".join(chunks)


def _refused(request: Request, key: str, status: int) -> JSONResponse:
    lang = share.preferred_language(request.headers.get("accept-language"))
    return JSONResponse({"message": text(lang, key)}, status_code=status)


def _ask(request: Request, body: bytes) -> tuple[Ask, dict[str, object]]:
    """Body = u32 length | JSON {query, previous, known, theme, columns, row} | the upload's safetensors bytes."""
    (length,) = struct.unpack_from("<I", body)
    said = json.loads(body[4 : 4 + length])
    if not isinstance(said, dict):
        raise ValueError(said)
    previous = said.get("previous")
    columns = said.get("columns")
    known = said.get("known")
    return Ask(
        query=str(said.get("query", "")),
        previous=previous if isinstance(previous, str) else None,
        known=frozenset(map(str, known[:64])) if isinstance(known, list) else frozenset(),
        upload=body[4 + length :],
        accept_language=request.headers.get("accept-language"),
        theme="dark" if said.get("theme") == "dark" else "light",
        address=str(said.get("address", ""))[:2000],
        columns=columns if type(columns) is int and 0 <= columns <= MOST_COLUMNS else 0,  # a bool is an int, too
    ), said


def _binary(parts: Iterator[bytes]) -> StreamingResponse:
    return StreamingResponse(parts, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


async def post_frame(request: Request) -> Response:
    """One update of the page, as binary parts (`visualiser.live.wire`)."""
    try:
        ask, _ = _ask(request, await _body(request, BODY_LIMIT))
    except BodyTooLarge:
        return _refused(request, "error.body_too_large", 413)
    except (struct.error, ValueError, RecursionError):
        return _refused(request, "error.bad_request", 400)
    return _binary(frame(ask))


async def post_row(request: Request) -> Response:
    """The true values of one query row."""
    try:
        ask, said = _ask(request, await _body(request, BODY_LIMIT))
        row = said.get("row")
        if type(row) is not int or not 0 <= row < BOUNDS["n"].maximum:
            raise ValueError(row)
    except BodyTooLarge:
        return _refused(request, "error.body_too_large", 413)
    except (struct.error, ValueError, RecursionError):
        return _refused(request, "error.bad_request", 400)
    return _binary(rows(ask, row))


async def post_upload(request: Request) -> Response:
    """Checks a visitor's file and hands its tensors back in one canonical form, which the browser keeps and sends with
    each update."""
    name = request.query_params.get("name", "")[:200]
    lang = request.query_params.get("lang") or share.preferred_language(request.headers.get("accept-language"))
    lang = lang if lang in LANGUAGES else "en"
    try:
        inputs = await run_in_threadpool(read_upload, name, await _body(request, FILE_LIMIT))
    except BodyTooLarge:
        message = text(lang, "error.upload_too_large", limit=FILE_LIMIT // 2**20)
        return JSONResponse({"message": message}, status_code=413)
    except InvalidInput as problem:
        return JSONResponse({"message": text(lang, f"error.{problem.code}", **problem.details)}, status_code=422)
    h, n_q, d_k = inputs.Q.shape
    part = wire.Part()
    file = wire.entry(part, {"file": np.frombuffer(canonical(inputs), dtype=np.uint8)}, ())
    message = text(
        lang, "upload.read", name=name, h=h, n_q=n_q, n_k=inputs.K.shape[-2], d_k=d_k, d_v=inputs.V.shape[-1]
    )
    header = {"part": "upload", "file": file, "message": message, "h": h, "n": n_q, "d_k": d_k}
    return Response(part.close(header), media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


async def post_take_away(request: Request) -> Response:
    """A file made from the state that the body names: `kind` is one of `take_away.KINDS`."""
    kind = request.path_params["kind"]
    if kind not in take_away.KINDS:
        return _refused(request, "error.bad_request", 404)
    try:
        ask, said = _ask(request, await _body(request, BODY_LIMIT))
    except BodyTooLarge:
        return _refused(request, "error.body_too_large", 413)
    except (struct.error, ValueError, RecursionError):
        return _refused(request, "error.bad_request", 400)
    lang = share.read(ask.query, ask.accept_language).state.config.lang
    try:
        file = await run_in_threadpool(take_away.KINDS[kind], ask, str(said.get("figure", "")))
    except InvalidInput as problem:
        return JSONResponse({"message": text(lang, f"error.{problem.code}", **problem.details)}, status_code=422)
    headers = {"Cache-Control": "no-store", "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
    return StreamingResponse(file.content, media_type=file.media_type, headers=headers)


async def get_asset(request: Request) -> Response:
    """A script, a stylesheet or plotly itself, compressed once and immutable: its address holds the hash of its
    content."""
    asset = await run_in_threadpool(assets.find, request.path_params["version"], request.path_params["path"])
    if asset is None:
        return Response(status_code=404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.gzipped, media_type=asset.media_type, headers={**headers, "Content-Encoding": "gzip"})
    return Response(asset.plain, media_type=asset.media_type, headers=headers)


ROUTES = [
    APIRoute(f"{PREFIX}/frame", post_frame, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/row", post_row, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/upload", post_upload, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/take-away/{{kind}}", post_take_away, methods=["POST"], include_in_schema=False),
    APIRoute(f"{PREFIX}/assets/{{version}}/{{path:path}}", get_asset, methods=["GET"], include_in_schema=False),
]
