"""The ways into a room: a code behind the address, the wall and the menu that say what to type, and who is in."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls
from tests.browser.in_class import follows, here, opened
from tests.browser.served import Served, serving
from visualiser.locale import text
from visualiser.server.http.reach import own_addresses

START = "n=8&h=2&d_model=16"

ON_THE_NETWORK = """
from app import demo
from visualiser.pages.shell import launch_options
from visualiser.server.http import reach

original = reach.address
reach.address = lambda scope: ("0.0.0.0", *original(scope)[1:])  # what it says; the test listens to this machine alone
demo.launch(**launch_options(demo))
"""


def shown(teacher: Page, lang: str, key: str, **fields: object) -> None:
    """Wait until the menu or the wall says a sentence."""
    sentence = " ".join(text(lang, key, **fields).split())
    teacher.wait_for_function(
        """(text) => [...document.querySelectorAll("#room-invite .sheet, #room-wall")].some((one) =>
          one.checkVisibility() && one.textContent.replace(/\\s+/g, " ").includes(text))""",
        arg=sentence,
    )


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_wall_says_what_to_type_and_who_is_in(open_page: Callable[..., Page], app_url: str, lang: str) -> None:
    teacher = open_page(f"{START}&lang={lang}", viewport={"width": 1280, "height": 720})
    code = opened(teacher)
    host = app_url.removeprefix("http://").rstrip("/")
    teacher.locator("#room-invite > summary").click()
    expect(teacher.locator("#room-address")).to_have_text(f"{host}/{code}")
    steps = {"host": host, "sign": "", "class": text(lang, "room.open"), "code": code}
    shown(teacher, lang, "room.steps", **steps)
    start = "GRADIO_SERVER_NAME=0.0.0.0 .venv/bin/python app.py"
    shown(teacher, lang, "room.machine", start=start)  # this app listens to 127.0.0.1 alone
    teacher.locator("#room-enlarge").click()
    expect(teacher.locator("#room-wall .class-wall-address")).to_have_text(f"{host}/{code}")
    shown(teacher, lang, "room.steps", **steps)
    shown(teacher, lang, "room.machine", start=start)
    assert teacher.locator("#room-wall .class-steps .icon").is_visible()  # what stands for the word on phones
    count = teacher.locator("#room-wall-count")
    expect(count).to_have_text(text(lang, "room.in", n=0))
    for n, written in enumerate((code, f"{code[:3].lower()}-{code[3:]}", f"{code[:3]}%20{code[3:]}/"), 1):
        student = open_page(url="about:blank", painted=False)
        student.goto(f"{app_url}{written}?lang={lang}")
        follows(student)
        assert f"room={code}" in student.url
        assert student.url.startswith(f"{app_url}?")
        expect(count).to_have_text(text(lang, "room.in", n=n))


def test_the_teacher_sees_how_many_of_those_here_follow(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    first, second = (open_page(f"room={code}", painted=False) for _ in range(2))
    here(teacher, 2)
    follow = teacher.locator("#room-follow")
    expect(follow).to_have_text("2")
    expect(teacher.locator(".class-here")).to_have_text(text("en", "room.follow", follow=2, count=2))
    for student in (first, second):
        follows(student)
    controls.slide(first, "n", 12)
    follows(first, so=False)
    expect(follow).to_have_text("1")
    here(teacher, 2)
    first.reload()  # a tab that comes back says it with its stream
    follows(first, so=False)
    controls.slide(second, "n", 12)
    expect(follow).to_have_text("0")
    teacher.locator("#room-call").click()
    expect(follow).to_have_text("2")
    here(teacher, 2)


@pytest.fixture(scope="module")
def networked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the app as if it listened to the network."""
    script: Path = tmp_path_factory.mktemp("network") / "networked.py"
    script.write_text(ON_THE_NETWORK, encoding="utf-8")
    with serving(script=str(script)) as app:
        yield app


def test_a_server_on_the_network_invites_to_its_address_there(
    networked: Served, open_page: Callable[..., Page]
) -> None:
    page = open_page(url="about:blank", painted=False)
    page.goto(networked.url)
    page.locator(".figure-place[data-painted]").first.wait_for()
    code = opened(page)
    page.locator("#room-invite > summary").click()
    addresses = [one for one in dict.fromkeys(own_addresses()) if ":" not in one]  # it listens at 0.0.0.0
    port = networked.url.rsplit(":", 1)[1]
    if not addresses:  # a machine without a network
        shown(page, "en", "room.unreached")
        return
    expect(page.locator("#room-address")).to_have_text(f"{addresses[0]}:{port}{code}")
    expect(page.locator("#room-address")).to_have_attribute("href", f"http://{addresses[0]}:{port}?room={code}")
    expect(page.locator("#room-invite .class-qr")).to_have_attribute(
        "alt", text("en", "room.qr", address=f"http://{addresses[0]}:{port}?room={code}")
    )
    page.wait_for_function("() => document.querySelector('#room-invite .class-qr').naturalWidth > 0")
    assert page.locator("#room-network input").count() == (len(addresses) if len(addresses) > 1 else 0)
