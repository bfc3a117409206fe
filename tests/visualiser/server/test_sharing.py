"""The QR code of an address: of web addresses only, bounded, and in turn with everything else that computes."""

import io

import pytest
import segno
from fastapi.testclient import TestClient

from tests.visualiser.conftest import wrapped
from visualiser import locale
from visualiser.server import sharing
from visualiser.server.live.routes import PREFIX
from visualiser.server.sharing import ADDRESS


@pytest.fixture
def asking() -> TestClient:
    from fastapi import FastAPI

    return TestClient(FastAPI(routes=[*sharing.ROUTES]))


def test_the_code_is_that_of_the_address(asking: TestClient) -> None:
    address = "https://school.example/headlight/?n=5&text=%EA%B3%A0"
    response = asking.post(f"{PREFIX}/share/qr", content=wrapped({"query": "", "address": address}))
    assert (response.status_code, response.headers["content-type"]) == (200, "image/svg+xml")
    stream = io.BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(stream, kind="svg", xmldecl=False, omitsize=True, dark="#000", light="#fff", nl=False)
    assert response.content == stream.getvalue()


@pytest.mark.parametrize(
    "address",
    [None, 5, ["https://x.example/"], "", "school.example", "javascript:alert(1)", "https://", "https://x.example/\n",
     "https://x.example/한", "https://[x/"],
)  # fmt: skip
def test_what_is_no_web_address_has_no_code(asking: TestClient, address: object) -> None:
    assert asking.post(f"{PREFIX}/share/qr", content=wrapped({"address": address})).status_code == 400


def test_a_long_address_is_refused_with_both_lengths(asking: TestClient) -> None:
    address = "https://x.example/?text=".ljust(ADDRESS, "a")
    assert asking.post(f"{PREFIX}/share/qr", content=wrapped({"address": address})).status_code == 200
    response = asking.post(f"{PREFIX}/share/qr?lang=ko", content=wrapped({"address": f"{address}a"}))
    message = locale.text("ko", "error.qr_too_long", came=ADDRESS + 1, limit=ADDRESS)
    assert (response.status_code, response.json()) == (422, {"message": message})
