"""What a page of a class shows at one moment, read inside it, and what the room says of itself."""

import json
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from playwright.sync_api import Error, Page

Seen = dict[str, Any]
"""The facts of one page; `_SEEN` names them."""

_ANSWERS = "#predict[data-verdict], #predict .is-real, #lesson [data-truth]"
"""What shows an answer on a page."""

WATCHES = f"""(() => {{
  let hidden = false;
  new MutationObserver(() => {{
    const asked = document.getElementById("class")?.dataset.mode === "asked";
    const shown = asked && [...document.querySelectorAll("{_ANSWERS}")].some((one) => one.checkVisibility());
    window.answerFlashed ||= shown && hidden;
    hidden = asked && !shown;
  }}).observe(document, {{ subtree: true, childList: true, attributes: true }});
}})()"""
"""A page's own watch: an answer that comes into sight while the class is asked, if only for an instant."""

_SEEN = """() => {
  const room = document.getElementById("class");
  if (!room) return null;
  const seen = (all) => [...document.querySelectorAll(all)].filter((one) => one.checkVisibility());
  const address = new URLSearchParams(location.search);
  const first = document.querySelector("#room-ballot input");
  const reach = () => {
    const { left, right, top, bottom } = first.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return "out of the window";
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!first.closest("label").contains(there)) return `under ${there?.id || there?.className || there?.localName}`;
    return first.disabled ? "disabled" : "in reach";
  };
  const lesson = document.getElementById("lesson");
  return {
    link: location.search,
    page: address.get("page") ?? "explore",
    n: Number(address.get("n") ?? NaN),
    painted: [...document.querySelectorAll(".figure-place[data-painted]")].map((one) => one.dataset.painted),
    follows: room.dataset.follows ?? "",
    mode: room.dataset.mode ?? "",
    asked: room.dataset.asked ?? "",
    notice: room.querySelector(".class-said").textContent,
    back: seen("#room-back").length,
    ballot: first ? reach() : "none",
    chosen: document.querySelector("#room-ballot input:checked")?.value ?? null,
    status: document.querySelector("#room-ballot [role=status]")?.textContent ?? "",
    results: seen("#room-results").length,
    verdicts: seen("ANSWERS").length,
    flashed: window.answerFlashed === true,
    lesson: address.get("lesson"),
    plays: seen("#lesson-next").length > 0,
    step: lesson?.dataset.step ?? "",
    count: lesson?.querySelector(".lesson-count").textContent ?? "",
    answers: document.getElementById("room-answered")?.dataset.count ?? "",
    here: document.getElementById("room-count")?.textContent ?? "",
    kept: JSON.parse(sessionStorage.getItem("headlight-room") ?? "{}").lead ?? {},
  };
}""".replace("ANSWERS", _ANSWERS)


def seen(page: Page) -> Seen | None:
    """Return what a page shows; None of one that is being loaded."""
    try:
        return page.evaluate(_SEEN)
    except Error:
        return None


def keeps(page: Page) -> dict[str, Any]:
    """Return what a tab keeps of its room."""
    return json.loads(page.evaluate("() => sessionStorage.getItem('headlight-room')"))


def heard(room: str, kept: dict[str, Any]) -> dict[str, Any] | None:
    """Return the teacher's message from a room's address; None if the server does not answer now."""
    headers = {"X-Headlight-Tab": kept["token"], "X-Headlight-Secret": kept["secret"]}
    try:
        with urlopen(Request(room, headers=headers), timeout=60) as answer:
            return json.load(answer)
    except URLError:
        return None


def cut(room: str, token: str) -> None:
    """End the stream of a tab: the newest stream with its token is the only one."""
    with urlopen(Request(f"{room}/stream", headers={"X-Headlight-Tab": token}), timeout=60) as stream:
        stream.readline()
