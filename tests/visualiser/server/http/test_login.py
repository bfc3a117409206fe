"""With `auth=`, all routes answer visitors whom gradio knows; the page, its files and health answer everybody."""

import json
from types import SimpleNamespace

import pytest
from fastapi import Request
from starlette.responses import PlainTextResponse

from tests.visualiser.server.asking import Reply, answer, scope
from tests.visualiser.server.gradio.test_surface import CLOSED, LOGIN, OPEN, filled, routes
from tests.visualiser.server.gradio.whole import whole
from visualiser.locale import text, texts
from visualiser.server.front import front
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.login import Login
from visualiser.server.http.login_attempts import EVERY, MOST, QUICK, LoginAttempts
from visualiser.state.parameters import PAGES

BEHIND = Login(PlainTextResponse("computed"))
PASSWORD = SimpleNamespace(auth={"ada": "x"}, auth_dependency=None, cookie_id="id", tokens={"good": "ada"})
UNGUARDED = SimpleNamespace(auth=None, auth_dependency=None)


async def one(request: Request) -> str | None:
    return request.headers.get("x-user")


def other(request: Request) -> str | None:
    return request.headers.get("x-user")


@pytest.mark.parametrize(
    "path", ["page/explore", "run/train", "runs/abc/pause", "upload", "take-away/explore/npz", "page/why", "new"]
)
async def test_a_stranger_is_asked_to_log_in(path: str) -> None:
    asked = scope("POST", f"{PREFIX}/{path}", app=PASSWORD, accept_language="ko")
    received = await answer(BEHIND, asked)
    assert received.status == 401
    assert texts("ko")["error.login"] in received.body.decode()
    assert (await answer(BEHIND, {**asked, "app": UNGUARDED})).body == b"computed"


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


STYLES = ("/theme.css", "/gradio_api/theme.css", "/gradio_api/startup-events")
FILES = (*STYLES, "/manifest.json", "/robots.txt", "/favicon.ico", "/static/js/x", "/assets/js/x")
"""Files of the page that asks for the password; the last two do not exist."""


@pytest.mark.slow
async def test_each_route_of_gradio_asks_for_the_login() -> None:
    app = whole(auth=[("ada", "right")])
    behind = front(app.build_middleware_stack())
    walked = set(filled("\n".join(routes(app))))
    assert walked == set(filled(OPEN + LOGIN + CLOSED))
    for method, path in walked - set(filled(LOGIN)):
        received = await answer(behind, scope(method, path, app=app, accept_language="ko"))
        if (method, path) in filled(CLOSED):
            assert received.status == 404, path
        elif path == "/":
            assert method == "HEAD" or b'"auth_required":true' in received.body.replace(b" ", b"")
        elif path in FILES or path[1:] in PAGES:
            assert received.status in (200, 307, 404), path
        else:
            message = {"message": texts("ko")["error.login"]}
            assert (received.status, json.loads(received.body)) == (401, message), path


@pytest.mark.slow
async def test_a_right_password_opens_what_a_wrong_one_does_not() -> None:
    app = whole(auth=[("ada", "right")])
    behind = front(app.build_middleware_stack())
    form = {"content_type": "application/x-www-form-urlencoded"}

    async def login(path: str, password: str) -> Reply:
        return await answer(behind, scope("POST", path, app=app, **form), f"username=ada&password={password}".encode())

    for path in ("/login", "/login/"):
        assert (await login(path, "wrong")).status == 400
    received = await login("/login", "right")
    cookie = received.headers["set-cookie"].split(";")[0]
    assert (received.status, json.loads(received.body)) == (200, {"success": True})
    for cookies, status in (({}, 401), ({"cookie": cookie}, 200)):
        assert (await answer(behind, scope(path="/config", app=app, **cookies))).status == status


class Clock:
    """Seconds that pass when a test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_wrong_passwords_of_an_address_have_to_wait() -> None:
    clock, asked = Clock(), [0]

    async def gradio(scope: object, receive: object, send: object) -> None:
        asked[0] += 1
        await PlainTextResponse("no", 400)(scope, receive, send)  # type: ignore[arg-type]

    login = Login(gradio, LoginAttempts(clock))

    async def tried(client: str = "192.0.2.7", path: str = "/login") -> int:
        received = await answer(
            login, {**scope("POST", path, app=PASSWORD, accept_language="ko"), "client": (client, 1)}
        )
        if received.status == 429:
            seconds = received.headers["retry-after"]
            assert text("ko", "error.login_wait", seconds=seconds) in received.body.decode()
        return received.status

    assert [await tried() for _ in range(QUICK + 3)] == [400] * QUICK + [429] * 3
    assert await tried(path="/login/") == 429
    assert await tried("192.0.2.8") == 400
    clock.now += EVERY
    assert [await tried(), await tried()] == [400, 429]
    assert asked == [QUICK + 2]


async def test_right_passwords_are_not_counted() -> None:
    clock = Clock()
    login = Login(PlainTextResponse("in"), LoginAttempts(clock))
    responses = [await answer(login, scope("POST", "/login", app=PASSWORD)) for _ in range(5 * QUICK)]
    assert {one.status for one in responses} == {200}


def test_attempts_remember_few_addresses_and_forget_the_patient() -> None:
    clock = Clock()
    attempts = LoginAttempts(clock)
    for number in range(MOST + 100):
        attempts.begin(f"10.0.{number // 256}.{number % 256}")
    assert len(attempts) == MOST
    clock.now += EVERY
    attempts.begin("192.0.2.1")
    assert len(attempts) == 1
