"""With `auth=`, our routes answer visitors whom gradio knows; scripts and health answer everybody."""

from types import SimpleNamespace

import pytest
from fastapi import Request
from starlette.responses import PlainTextResponse

from tests.visualiser.server.asking import answer, scope
from visualiser.locale import texts
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.login import Login

BEHIND = Login(PlainTextResponse("computed"))
PASSWORD = SimpleNamespace(auth={"ada": "x"}, auth_dependency=None, cookie_id="id", tokens={"good": "ada"})
OPEN = SimpleNamespace(auth=None, auth_dependency=None)


async def one(request: Request) -> str | None:
    return request.headers.get("x-user")


def other(request: Request) -> str | None:
    return request.headers.get("x-user")


@pytest.mark.parametrize(
    "path", ["page/explore", "run/train", "runs/abc/pause", "upload", "take-away/explore/npz", "page/why", "new"]
)
async def test_a_stranger_is_asked_to_log_in(path: str) -> None:
    asked = scope("POST", f"{PREFIX}/{path}", app=PASSWORD, accept_language="ko")
    said = await answer(BEHIND, asked)
    assert said.status == 401
    assert texts("ko")["error.login"] in said.body.decode()
    assert (await answer(BEHIND, {**asked, "app": OPEN})).body == b"computed"


@pytest.mark.parametrize(
    ("cookie", "status"),
    [
        ("access-token-id=good", 200),
        ("access-token-unsecure-id=good", 200),
        ("access-token-id=bad", 401),
        ("access-token-other=good", 401),
        ("access-token-id=", 401),
    ],
)
async def test_gradios_cookie_opens_the_routes(cookie: str, status: int) -> None:
    assert (await answer(BEHIND, scope("POST", f"{PREFIX}/page/explore", app=PASSWORD, cookie=cookie))).status == status


@pytest.mark.parametrize("dependency", [one, other])
async def test_a_dependency_decides(dependency: object) -> None:
    app = SimpleNamespace(auth=None, auth_dependency=dependency, cookie_id="id", tokens={})
    assert (await answer(BEHIND, scope("POST", f"{PREFIX}/page/explore", app=app))).status == 401
    assert (await answer(BEHIND, scope("POST", f"{PREFIX}/page/explore", app=app, x_user="ada"))).status == 200


@pytest.mark.parametrize("path", ["live", "ready", "assets/1/js/main.js"])
async def test_scripts_and_health_answer_everybody(path: str) -> None:
    assert (await answer(BEHIND, scope(path=f"{PREFIX}/{path}", app=PASSWORD))).body == b"computed"


async def test_a_sub_path_hides_nothing() -> None:
    for path in (f"/lab{PREFIX}/page/explore", f"{PREFIX}/page/explore"):
        assert (await answer(BEHIND, scope("POST", path, root_path="/lab", app=PASSWORD))).status == 401
