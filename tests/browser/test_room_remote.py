"""The second device: a phone steers the teacher's page, which shows none of it; used tickets do nothing."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.in_class import ended, follows, here, opened, phase
from visualiser.locale import text

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
REFUSED = ["status of 403"]


def ticket(teacher: Page) -> str:
    """Let the teacher's page show a ticket; return it."""
    tickets: list[str] = []

    def hear(route: Route) -> None:
        answer = route.fetch()
        tickets.append(answer.json()["ticket"])
        route.fulfill(response=answer)

    teacher.route("**/ticket?*", hear, times=1)
    with teacher.expect_response("**/ticket?*"):
        if not teacher.locator("#room-remote").evaluate("(menu) => menu.open"):
            teacher.locator("#room-remote > summary").click()
        expect(teacher.locator("#room-remote .class-qr")).to_be_hidden()
        teacher.locator("#remote-new").click()
    (found,) = tickets
    teacher.wait_for_function("() => document.querySelector('#room-remote .class-qr').naturalWidth > 0")
    return found


def stands(phone: Page, state: str) -> None:
    """Wait until the remote says so."""
    phone.locator(f"body[data-state={state}]").wait_for()


def press(phone: Page, name: str) -> None:
    """Press a button as soon as it can follow."""
    phone.locator(f"#remote-{name}:enabled").click()


def test_a_phone_steers_the_lesson(open_page: Callable[..., Page], app_url: str) -> None:
    teacher = open_page("lesson=why-sqrt-d-k&step=1", painted=False, viewport={"width": 1280, "height": 720})
    teacher.locator("#lesson[data-step='1']").wait_for()
    code = opened(teacher)
    student = open_page(f"room={code}", painted=False)
    here(teacher, 1)
    once = ticket(teacher)
    phone = open_page(url="about:blank", painted=False, **PHONE)
    asked: list[str] = []
    phone.on("request", lambda request: asked.append(request.url))
    phone.goto(f"{app_url}?room={code}&remote=1#{once}")
    stands(phone, "steers")
    assert phone.url == f"{app_url}?room={code}&remote=1"
    assert len(asked) < 12, "the remote is light"
    assert not any(once in url.split("#")[0] for url in asked)
    expect(teacher.locator("#room-remote")).to_have_attribute("data-tied", "true")
    expect(teacher.locator("#room-remote .sheet")).to_be_hidden()
    expect(phone.locator("#remote-here")).to_have_text(text("en", "remote.follow", follow=1, count=1))
    expect(phone.locator("#remote-note")).not_to_be_empty()
    assert "**" not in phone.locator("#remote-note").inner_text()
    sign = "(title) => parseFloat(getComputedStyle(title.querySelector('.root'), '::before').width)"
    assert phone.locator("h1").evaluate(sign) > 5, "the root of √d_k is drawn"
    press(phone, "next")
    teacher.locator("#lesson[data-step='2']").wait_for()
    phone.locator("body[data-step='2']").wait_for()
    press(phone, "ask")
    for page in (teacher, student):
        phase(page, "open")
    student.locator("#room-ballot input").first.check()
    phone.locator("#remote-answered[data-count='1']").wait_for()
    expect(phone.locator("#remote-next")).to_be_disabled()
    press(phone, "close")
    phase(student, "closed")
    advice = teacher.locator("#room-advice[data-advice] [role=status]")
    expect(phone.locator("#remote-said")).to_contain_text(advice.inner_text())
    press(phone, "again")
    phase(student, "discuss")
    press(phone, "reveal")
    for page in (teacher, student):
        phase(page, "reveal")
    press(phone, "blank")
    teacher.locator("#lesson-blank").wait_for()
    phone.locator("#remote-blank[aria-pressed=true]").wait_for()
    phone.reload()  # the ticket is used, the right is kept
    stands(phone, "steers")
    press(phone, "blank")
    teacher.locator("#lesson-blank").wait_for(state="detached")
    press(phone, "next")
    teacher.locator("#lesson[data-step='3']").wait_for()
    phone.locator("body[data-step='3']").wait_for()
    expect(phone.locator("#remote-note")).not_to_be_empty()  # a step without a note of its own: what the page says
    teacher.reload()  # it does no command a second time
    teacher.locator("#lesson[data-step='3']").wait_for()
    press(phone, "back")
    teacher.locator("#lesson[data-step='2']").wait_for()
    phone.context.set_offline(True)
    stands(phone, "offline")
    phone.context.set_offline(False)
    stands(phone, "steers")
    ended(teacher)
    stands(phone, "over")


def test_a_used_ticket_and_a_right_that_was_taken_back_do_nothing(open_page: Callable[..., Page], app_url: str) -> None:
    teacher = open_page("n=8&h=2&d_model=16")
    code = opened(teacher)
    once = ticket(teacher)
    phone, other = (
        open_page(url="about:blank", painted=False, expected_errors=REFUSED, locale=locale, **PHONE)
        for locale in ("en-US", "ko-KR")
    )
    phone.goto(f"{app_url}?room={code}&remote=1#{once}")
    stands(phone, "steers")
    other.goto(f"{app_url}?room={code}&remote=1#{once}")
    stands(other, "refused")
    expect(other.locator("#remote-state")).to_have_text(text("ko", "error.room_ticket"))
    other.goto(f"{app_url}?room={code}&remote=1&lang=ko")
    stands(other, "none")
    teacher.locator("#room-remote > summary").click()
    teacher.locator("#remote-revoke").click()
    stands(phone, "taken")
    expect(teacher.locator("#room-remote")).to_have_attribute("data-tied", "false")
    follows(open_page(f"room={code}", painted=False))


def test_of_two_tabs_of_a_teacher_the_one_in_sight_last_obeys(open_page: Callable[..., Page], app_url: str) -> None:
    """A duplicated tab has the same secret: each command is done once."""
    first = open_page("lesson=why-sqrt-d-k&step=1", painted=False, viewport={"width": 1280, "height": 720})
    first.locator("#lesson[data-step='1']").wait_for()
    code = opened(first)
    once = ticket(first)
    phone = open_page("about:blank", painted=False, **PHONE)
    phone.goto(f"{app_url}?room={code}&remote=1#{once}")
    stands(phone, "steers")
    with first.context.expect_page() as duplicated:
        first.evaluate("open(location.href)")  # with a copy of this tab's memory
    second = duplicated.value
    second.locator("#lesson[data-step='1']").wait_for()
    expect(second.locator("#room-remote")).to_have_attribute("data-tied", "true")
    press(phone, "next")
    second.locator("#lesson[data-step='2']").wait_for()
    phone.locator("body[data-step='2']").wait_for()
    expect(first.locator("#lesson")).to_have_attribute("data-step", "1")
    first.evaluate("dispatchEvent(new Event('focus'))")
    phone.locator("body[data-step='1']").wait_for()  # it shows what it steers
    press(phone, "next")
    first.locator("#lesson[data-step='2']").wait_for()
    press(phone, "next")
    first.locator("#lesson[data-step='3']").wait_for()
    expect(second.locator("#lesson")).to_have_attribute("data-step", "2")
    first.close()
    phone.locator("body[data-step='2']").wait_for()
    press(phone, "next")
    second.locator("#lesson[data-step='3']").wait_for()
    phone.locator("body[data-step='3']").wait_for()
    press(phone, "next")
    second.locator("#lesson[data-step='4']").wait_for()
