"""The app launched with `auth=`: the page asks for a name, and nothing computes before it is given."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from tests.browser import drawn
from tests.browser.served import Served, serving
from visualiser.locale import texts

SCRIPT = """
from app import demo
from visualiser.pages.shell import launch_options

demo.launch(auth=("ada", "lovelace"), **launch_options(demo))
"""
COMPUTING = "gradio_api/headlight/page/explore"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the app behind a password."""
    script: Path = tmp_path_factory.mktemp("login") / "guarded.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with serving(script=str(script)) as app:
        yield app


def test_a_stranger_gets_no_page_and_no_number(guarded: Served) -> None:
    with httpx.Client(base_url=guarded.url) as client:
        document = client.get("", params={"page": "map"})
        assert '"auth_required":true' in document.text
        assert '"components":[]' in document.text
        assert "etag" not in document.headers
        refused = client.post(COMPUTING, content=b"\x0c\0\0\0" + b'{"query":""}', headers={"accept-language": "ko"})
        assert (refused.status_code, refused.json()) == (401, {"message": texts("ko")["error.login"]})
        assert client.get("config").status_code == 401
        assert client.get("theme.css").status_code == 200
        assert client.get("gradio_api/headlight/live").status_code == 200


def test_whoever_logs_in_gets_a_page_that_paints(guarded: Served, chromium: Browser) -> None:
    page = chromium.new_page(locale="en-US")
    problems: list[str] = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto(f"{guarded.url}?n=7&h=1")
    page.get_by_label("username").fill("ada")
    page.get_by_label("password").fill("lovelace")
    page.get_by_role("button", name="Login").click()
    drawn.wait_painted(page)
    assert page.evaluate("location.search") == "?n=7&h=1"
    assert problems == []
    page.close()


def test_a_code_behind_the_address_leads_through_the_login_into_its_room(guarded: Served, chromium: Browser) -> None:
    page = chromium.new_page(locale="en-US")
    page.goto(f"{guarded.url}ydg-wgh")
    page.get_by_label("username").fill("ada")
    page.get_by_label("password").fill("lovelace")
    page.get_by_role("button", name="Login").click()
    page.locator("#class").wait_for()
    assert page.evaluate("new URLSearchParams(location.search).get('room')") == "YDGWGH"
    page.close()
