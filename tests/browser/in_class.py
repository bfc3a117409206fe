"""A class in real browsers: a teacher and students, each in a context of its own; waits are on facts in the page."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError

FOLLOWS = "#class[data-follows={}]"

_SHOWS = """(wanted) => {
  const link = new URLSearchParams(location.search);
  const painted = [...document.querySelectorAll(".figure-place[data-painted]")].map((one) => one.dataset.painted);
  const state = (query) => {
    const fields = new URLSearchParams(query);
    for (const name of ["lang", "room", "columns", "present"]) fields.delete(name);
    fields.sort();
    return fields.toString();
  };
  return state(wanted) === state(link.toString()) && painted.some((one) => state(one) === state(wanted));
}"""


_STANDS = """() => [location.search, { ...document.getElementById("class")?.dataset },
  document.querySelector(".class-said")?.textContent,
  [...document.querySelectorAll("#message .error, #message .waiting")].map((one) => one.textContent),
  [...document.querySelectorAll(".figure-place")].map(({ id, dataset }) => [id, dataset.painted, dataset.error])]"""


def shows(page: Page, query: str) -> None:
    """Wait until a page shows this state, in its address and in a figure."""
    try:
        page.wait_for_function(_SHOWS, arg=query)
    except TimeoutError as problem:
        raise AssertionError(f"not {query}, but {page.evaluate(_STANDS)}") from problem


def moved_from(page: Page, query: str) -> str:
    """Wait until Explore's maps show another state than this one, and return it."""
    painted = "document.getElementById('figure-heat-maps').dataset.painted"
    page.wait_for_function(f"(former) => {painted} !== undefined && {painted} !== former", arg=query)
    return page.evaluate(f"() => {painted}")


def opened(teacher: Page) -> str:
    """Open a room; return its code."""
    teacher.locator("#room-open").click()
    teacher.locator("#room-begin").click()
    teacher.wait_for_function("() => document.getElementById('room-code')?.textContent.length === 6")
    teacher.keyboard.press("Escape")
    return teacher.locator("#room-code").inner_text()


def ended(teacher: Page) -> None:
    """End the room, which asks once."""
    teacher.locator("#room-end > summary").click()
    teacher.locator("#room-end-all").click()
    teacher.locator("#class.is-over").wait_for()


def follows(student: Page, *, so: bool = True) -> None:
    """Wait until a student's page follows, or has left."""
    student.locator(FOLLOWS.format(str(so).lower())).wait_for()


def here(teacher: Page, count: int) -> None:
    """Wait until so many are here."""
    teacher.wait_for_function("(n) => document.getElementById('room-count')?.textContent === String(n)", arg=count)


def sends(page: Page, method: str, path: str, payload: Any = None, **headers: str) -> tuple[int, str]:
    """Send a request as a script in this page does; return status and body."""
    found = page.evaluate(
        """async ([method, path, payload, headers]) => {
          const address = new URL(`gradio_api/headlight/${path}`, document.baseURI);
          const body = payload === null ? undefined : JSON.stringify(payload);
          const answer = await fetch(address, { method, body, headers });
          return [answer.status, await answer.text()];
        }""",
        [method, path, payload, headers],
    )
    return found[0], found[1]


def counts(page: Page) -> list[list[int]]:
    """Return the results on a page: for each answer the counts of each round."""
    page.locator("#room-results").wait_for()
    rows = page.locator("#room-results tbody tr").all()
    return [[int(cell.get_attribute("data-count") or -1) for cell in row.locator("td").all()] for row in rows]


def asks(teacher: Page, text: str, answers: list[str], right: int | None = None) -> None:
    """Ask a question of the teacher's own, with its answers; mark the right one."""
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill(text)
    lines = teacher.locator("#ask-form .class-answers li")
    for place, answer in enumerate(answers):
        if place >= lines.count():
            teacher.locator("#ask-more").click()
        lines.nth(place).locator("input[type=text]").fill(answer)
    teacher.locator("#ask-send").click()
    teacher.locator("#class[data-asked=open]").wait_for()
    assert teacher.locator(".class-options li").all_inner_texts() == answers  # for those without a device
    assert teacher.locator("#class [aria-pressed=true]").count() == 0
    if right is not None:
        teacher.locator(".class-truth summary").click()
        teacher.locator(".class-truth button").nth(right).click()


def asks_of_page(teacher: Page) -> None:
    """Ask the question of the page itself."""
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-page").click()
    phase(teacher, "open")


def votes(student: Page, place: int, turn: int = 1) -> None:
    """Answer the open question, and wait until the room has the answer."""
    choice(student, place).check()
    student.locator(f"#class[data-answered='{turn} {place}']").wait_for()


def choice(student: Page, place: int) -> Locator:
    """Return the button of an answer."""
    return student.locator(f"#room-ballot input[value='{place}']")


def answered(teacher: Page, count: int) -> None:
    """Wait until the teacher sees so many answers."""
    teacher.locator(f"#room-answered[data-count='{count}']").wait_for()


def phase(page: Page, name: str) -> None:
    """Wait until the question on a page is in this phase; empty: there is none."""
    page.locator(f"#class[data-asked='{name}']").wait_for()


Open = Callable[..., Page]
