"""The QR code of a state's address."""

from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from visualiser.server.admission.cost import MEBIBYTE, Cost
from visualiser.server.admission.entry import admission
from visualiser.server.admission.flight import run_in_turn
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.answer import StreamingAnswer
from visualiser.server.live.request_parser import parse_request
from visualiser.server.live.routes import refusing
from visualiser.server.rooms import qr

ADDRESS: Final = 600
"""Characters of an address in a code: more make squares that no camera reads from a projector."""

COST: Final = Cost(0.1, 2 * MEBIBYTE)


@refusing
async def post_code(request: Request) -> Response:
    """Return the QR code of the address in the body, as SVG."""
    page_request = await parse_request(request)
    address = page_request.extra.get("address")
    if not isinstance(address, str) or not _is_web(address):
        raise Refusal("error.bad_request", 400)
    if len(address) > ADDRESS:
        raise Refusal("error.qr_too_long", 422, came=len(address), limit=ADDRESS)
    await admission().require(COST)

    async def parts() -> AsyncIterator[bytes]:
        yield await run_in_turn(lambda: admission().enter(page_request.client, COST), lambda: qr.svg(address))

    return StreamingAnswer(parts, media_type="image/svg+xml")


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and address.isascii() and address.isprintable()


ROUTES: Final = [Route(f"{PREFIX}/share/qr", post_code, methods=["POST"])]
