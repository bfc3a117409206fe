"""The people of a played class: each a browser context of its own, with its loads and problems noted."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Error, Frame, Page, Request, Response

from tests.browser.framed import NO_STORAGE, inner

PATIENCE = 90.0
"""Seconds after which a page counts as never painted."""
_ABANDONED = "net::ERR_ABORTED"
"""What a browser says of a stream whose page is left."""

_PAINTED = r"""({ query, step, phase }) => {
  const own = new Set(["lang", "room", "columns", "present", "lesson", "aside", "theme"]);
  const state = (link) => {
    const kept = [...new URLSearchParams(link)]
      .filter(([name, value]) => !own.has(name) && !(name === "step" && /^\d+$/.test(value)));
    return JSON.stringify(kept.sort());
  };
  const wanted = state(query ?? location.search);
  const count = document.querySelector("#lesson .lesson-count")?.textContent ?? "";
  if (step !== null && !count.match(/\d+/g)?.map(Number).includes(step)) return false;
  const room = document.getElementById("class");
  if (!room || (room.dataset.asked ?? "") !== phase || state(location.search) !== wanted) return false;
  if (phase === "reveal" && !document.getElementById("room-results")) return false;
  const asks = document.getElementById("predict");
  if (document.querySelector(".page.is-inviting")) return phase !== "reveal" && (asks?.checkVisibility() ?? false);
  if (phase === "reveal" && asks?.checkVisibility() && asks.dataset.verdict === undefined) return false;
  const places = [...document.querySelectorAll(".figure-place")].filter((one) => one.checkVisibility());
  return places.length > 0 && places.every(({ dataset }) => dataset.painted !== undefined)
    && places.some(({ dataset }) => state(dataset.painted) === wanted);
}"""
"""True of a page that shows a state, a lesson's step and a question's phase, painted."""


@dataclass
class Person:
    """One browser, and what happened in it."""

    name: str
    page: Page
    size: tuple[int, int]
    lang: str = "en"
    framed: bool = False
    loads: int = 0
    problems: list[str] = field(default_factory=list)
    answers: dict[int, Any] = field(default_factory=dict)

    @property
    def place(self) -> Page | Frame:
        """Where the app is: the page, or the frame in it."""
        return inner(self.page) if self.framed else self.page

    def turn(self, width: int, height: int) -> None:
        """Turn the phone, or size the window."""
        self.size = (width, height)
        self.page.set_viewport_size({"width": width, "height": height})

    def holds(self, script: str, arg: Any) -> bool:
        """Ask the page; a page under way holds nothing."""
        try:
            return bool(self.place.evaluate(script, arg))
        except (Error, ValueError):
            return False

    def watch(self, address: str) -> None:
        """Note loads, errors and failed requests from now on."""

        def request(sent: Request) -> None:
            if sent.is_navigation_request() and sent.url.startswith(address):
                self.loads += 1

        def failed(sent: Request) -> None:
            if sent.failure != _ABANDONED:
                self.problems.append(f"{sent.failure}: {sent.method} {sent.url}")

        def response(came: Response) -> None:
            if came.status >= 400:
                self.problems.append(f"{came.status}: {came.request.method} {came.url}")

        self.page.on("request", request)
        self.page.on("requestfailed", failed)
        self.page.on("response", response)
        self.page.on("pageerror", lambda problem: self.problems.append(f"uncaught: {problem}"))
        self.page.on(
            "console", lambda entry: self.problems.append(f"console: {entry.text}") if entry.type == "error" else None
        )

    def choose(self, answer: int) -> None:
        """Mark an answer of the open question."""
        self.place.locator(f"#room-ballot input[value='{answer}']").check()

    def draw(self, presses: int) -> None:
        """Draw a curve with the keyboard, every point as many steps up; or down."""
        for point in self.place.locator("#room-ballot .predict-point").all():
            for _ in range(abs(presses)):
                point.press("ArrowUp" if presses > 0 else "ArrowDown")
        self.place.locator("#room-send").click()


def browse(
    browser: Browser,
    name: str,
    url: str,
    size: tuple[int, int],
    address: str,
    *,
    lang: str = "en",
    framed: bool = False,
    phone: bool = False,
    script: str = "",
) -> Person:
    """Open a page in a context of its own, with a script before those of the page."""
    edge = 60 if framed else 0
    context = browser.new_context(
        locale="ko-KR" if lang == "ko" else "en-US",
        viewport={"width": size[0] + edge, "height": size[1] + edge},
        is_mobile=phone,
        has_touch=phone,
    )
    context.set_default_timeout(1000 * PATIENCE)
    context.add_init_script(NO_STORAGE if framed else script)
    person = Person(name, context.new_page(), size, lang, framed)
    person.watch(address)
    person.page.goto(url)
    return person


def until(
    people: Sequence[Person], condition: Callable[[Person], bool], patience: float = PATIENCE
) -> tuple[dict[str, float], list[Person]]:
    """Wait until a condition holds of all; return the seconds of each, and those of whom it never did."""
    began = time.monotonic()
    took: dict[str, float] = {}
    waiting = list(people)
    while waiting and time.monotonic() - began < patience:
        for person in list(waiting):
            if condition(person):
                took[person.name] = time.monotonic() - began
                waiting.remove(person)
        if waiting:
            waiting[0].page.wait_for_timeout(30)
    return took, waiting


def painted(
    people: Sequence[Person], query: Callable[[], str | None], step: int | None, phase: str
) -> tuple[dict[str, float], list[Person]]:
    """Wait until all show a state (None: that of their address), a step of the lesson and a phase of its question."""
    return until(people, lambda person: person.holds(_PAINTED, {"query": query(), "step": step, "phase": phase}))


def file_name(*parts: object) -> str:
    """Return a name of a picture."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-") + ".png"
