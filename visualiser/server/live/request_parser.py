"""The parser of a page's request.

Its body is u32 length | JSON {query, previous, known, theme, columns, address, …} | the upload's safetensors, or the
name of what this process holds (`visualiser.upload.handed`).
"""

import struct
from typing import Final

from fastapi import Request

from visualiser.server.admission.clients import Client, client_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.body import BODY_LIMIT, HEADER_LIMIT, parse_body, read_body, too_large
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.surrogates import load_json
from visualiser.state.view import MOST_COLUMNS
from visualiser.upload.handed import enclosed

LANGUAGE: Final = "headlight.language"
"""The key of a request's scope for the language of its link, once that was read."""


async def parse_request(request: Request, page: str | None = None) -> PageRequest:
    """Return the page's request in a body. Raise `Refusal`; `page` is the route's, None leaves it to the link."""
    body = await read_body(request, BODY_LIMIT)
    length = struct.unpack_from("<I", body)[0] if len(body) >= 4 else -1
    if not 0 <= length <= len(body) - 4:
        raise Refusal("error.bad_request", 400)
    if length > HEADER_LIMIT:
        raise too_large(length, HEADER_LIMIT)
    language, client = request.headers.get("accept-language"), client_of(request.scope)
    # a link's text is cut into words: of a long one in a thread, to keep the event loop free
    page_request = await parse_body(request, body, _parse, body, length, language, client, page)
    request.scope[LANGUAGE] = page_request.lang
    return page_request


def _parse(body: bytes, length: int, language: str | None, client: Client, page: str | None) -> PageRequest:
    try:
        fields = load_json(body[4 : 4 + length])
    except (ValueError, RecursionError) as broken:
        raise Refusal("error.bad_request", 400) from broken
    if not isinstance(fields, dict):
        raise Refusal("error.bad_request", 400)
    previous, columns, known = fields.get("previous"), fields.get("columns"), fields.get("known")
    page_request = PageRequest(
        query=str(fields.get("query", "")),
        previous=previous if isinstance(previous, str) else None,
        known=frozenset(map(str, known[:64])) if isinstance(known, list) else frozenset(),
        upload=enclosed(body[4 + length :]),
        accept_language=language,
        theme="dark" if fields.get("theme") == "dark" else "light",
        # `type`, because a bool is also an int
        columns=columns if type(columns) is int and 0 <= columns <= MOST_COLUMNS else 0,
        address=str(fields.get("address", ""))[:2000],
        extra=fields,
        page=page,
        client=client,
    )
    _ = (
        page_request.reading,
        page_request.pinned,
        page_request.cache_key,
        page_request.upload_sizes,
    )  # computed here, while in a thread
    return page_request
