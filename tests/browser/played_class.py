"""A class played by a script: every step of the lessons and every question with a second vote, in browsers.

    python -m tests.browser.played_class [--lessons heads …] [--pictures DIR] [--quick] [--talk] [--window 1920 1080]

One teacher on a projector, five students: two phones (one turned to landscape in the second half of each lesson), a
Korean page, a frame of another site without storage, and one who comes late. The teacher steps with the keyboard. Each
question is asked, answered, closed, answered again and revealed. It prints what was done, the seconds until all
students' pages were painted (median and worst), and each page's loads. Then it prints what must not be: a page loaded
without a command; a figure below its size; a text in another language; an answer told before its reveal; errors; votes
lost or counted wrongly. It exits with 1 if there is any. No time is a goal.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, sync_playwright

from benchmarks.machine import described, load
from benchmarks.verdicts import chromium
from tests.browser import in_class
from tests.browser.framed import platform
from tests.browser.played_people import PATIENCE, Person, browse, file_name, painted, until
from tests.browser.played_seen import (
    LEAST,
    TROUBLES,
    Seen,
    leaks,
    lesson,
    numbers,
    read,
    stated,
    untranslated,
)
from tests.server_process import server

LESSONS = (
    "why-sqrt-d-k", "heads", "saturation", "words-to-b", "additive-or-dot", "after-sqrt-d-k", "learned-heads",
    "take-a-head-away",
)  # fmt: skip
KINDS = {
    "loads": "pages loaded without a command, or more than once",
    "size": "figures below their size, cut or covered",
    "language": "texts untranslated",
    "leak": "answers told before their reveal",
    "error": "errors and failed requests",
    "votes": "votes lost or counted wrongly",
    "advice": "votes without advice",
    "late": f"pages not painted within {PATIENCE:.0f} s",
}
TELLING = 3
"""Digits of a number that tells an answer wherever it stands: shorter ones stand everywhere."""
SETTLES = 6.0
"""Seconds for a layout to rest."""

NOT_FILLING = "Object.defineProperty(Document.prototype, 'fullscreenEnabled', { get: () => false })"
"""A window that fills the screen keeps its size."""
STANDS = "(n) => document.getElementById('lesson')?.dataset.step === String(n)"
_NUMBERS = """async (of) => {
  const { act } = await window.headlight;
  const scripts = document.querySelector("link[href$='css/lesson.css']").href.replace("css/lesson.css", "js");
  const { number } = await import(`${scripts}/figures/axes.js`);
  const { quantity } = await import(`${scripts}/lesson/quantity.js`);
  return of.map((one) => number(quantity(act("figures.of", one.figure).block.shown, one)));
}"""


class Played:
    """A class under way: its people, what was done, what went wrong."""

    def __init__(self, teacher: Person, students: list[Person], code: str, pictures: Path | None) -> None:
        self.teacher = teacher
        self.students = students
        self.code = code
        self.pictures = pictures
        self.began = time.monotonic()
        self.wrong: list[tuple[str, str]] = []
        self.at: tuple[str, int, str] = ("", 0, "")
        self.medians: list[float] = []
        self.worst = 0.0
        self.questions = self.steps = self.votes = 0
        self.before: list[tuple[Person, str, Seen]] = []
        """What each page showed between a question and its reveal."""

    @property
    def everybody(self) -> list[Person]:
        """Teacher and students."""
        return [self.teacher, *self.students]

    def fault(self, kind: str, problem: str) -> None:
        """Note a violation."""
        name, step, phase = self.at
        self.wrong.append((kind, f"{name} {step} {phase or 'step'}: {problem}"))
        print(f"{'':10}! {kind}: {problem}", flush=True)

    @contextmanager
    def command(
        self, action: str, *, link: str | None = None, loads: int = 0, phase: str = "", step: int | None = None
    ) -> Iterator[None]:
        """Do something, wait until all pages show a link's state painted, print it. A page may load so often.

        Without a link the state is that of the teacher's page.
        """
        self._strays()
        began = time.monotonic()
        yield
        seconds = self._painted(link, step, phase, began)
        counted = [person.loads for person in self.everybody]
        for person in self.everybody:
            if person.loads > loads:
                self.fault("loads", f"{person.name} loaded {person.loads} times, {loads} expected: {action}")
            person.loads = 0
        took = f"{median(seconds):5.1f} {max(seconds):5.1f}" if seconds else f"{'':11}"
        if seconds:
            self.medians.append(median(seconds))
            self.worst = max(self.worst, *seconds)
        name, at, _ = self.at
        row = (
            f"{time.monotonic() - self.began:8.1f}  {name:16} {at:2}  {action:28} {took}  {' '.join(map(str, counted))}"
        )
        print(row, flush=True)

    def _strays(self) -> None:
        """Note pages that have loaded although nothing was asked of them."""
        for person in self.everybody:
            if person.loads:
                self.fault("loads", f"{person.name} loaded {person.loads} times without a command")
            person.loads = 0

    def _painted(self, link: str | None, step: int | None, phase: str, began: float) -> list[float]:
        """Wait until the teacher's page is painted, then the students'; return the students' seconds."""
        _, late = painted([self.teacher], lambda: link, step, phase)

        def here() -> str:
            """Return where the class is: a page's own reveal moves it once more."""
            return self.teacher.place.evaluate("() => location.search") if link is None else link

        since = time.monotonic() - began
        took, slow = painted(self.students, here, step, phase)
        for person in [*late, *slow]:
            self.fault("late", f"{person.name} at {person.place.evaluate('() => location.search')}, not at {here()}")
        return [since + one for one in took.values()]

    def look(self, figure: str, phase: str) -> dict[str, Seen]:
        """Look at every page: sizes and languages, and a picture of each."""
        found = {}
        name, step, _ = self.at
        for person in self.everybody:
            given = [figure, LEAST[person.size]]
            until(
                [person],
                lambda one, given=given: one.holds(f"(given) => ({TROUBLES})(given).length === 0", given),
                SETTLES,
            )
            for trouble in person.place.evaluate(TROUBLES, given):
                self.fault("size", f"{person.name} {person.size[0]}×{person.size[1]}: {trouble}")
            seen = found[person.name] = read(person.place)
            for text in untranslated(seen, person.lang, name):
                self.fault("language", f"{person.name}: {text}")
            if self.pictures and phase in ("", "open", "reveal"):
                person.page.screenshot(path=self.pictures / file_name(name, step, phase or "step", person.name))
        return found

    def vote(self, kind: str, choices: int, turn: int) -> None:
        """Let each student answer in their own way, and count."""
        for i, person in enumerate(self.students):
            answer = (i + (turn - 1) * (i // 2)) % choices if choices else (i - 2) * turn or 1
            person.answers[turn] = answer
            try:
                if kind == "choice":
                    person.choose(answer)
                else:
                    person.draw(answer)
            except Exception as problem:
                self.fault("votes", f"{person.name} could not answer: {str(problem).splitlines()[0]}")
        here = "(turn) => document.getElementById('class').dataset.answered?.startsWith(`${turn} `)"
        _, lost = until(self.students, lambda one: one.holds(here, turn))
        for person in lost:
            self.fault("votes", f"{person.name}'s answer did not arrive")
        count = "(n) => document.getElementById('room-answered')?.dataset.count === String(n)"
        if until([self.teacher], lambda one: one.holds(count, len(self.students)))[1]:
            counted = self.teacher.place.locator("#room-answered").get_attribute("data-count")
            self.fault("votes", f"the teacher counts {counted}, {len(self.students)} sent")
        self.votes += len(self.students)

    def keep_secret(self, phase: str, found: dict[str, Seen], step: dict[str, Any]) -> None:
        """Look for what tells the answer, and keep the texts: its number is known only afterwards."""
        question = step["question"]
        state = stated(question["reveal"]) if question.get("reveal", step["link"]) != step["link"] else None
        for person in self.everybody:
            for leak in dict.fromkeys(leaks(found[person.name], question.get("because", {}).values(), state)):
                self.fault("leak", f"{person.name}: {leak}")
            self.before.append((person, phase, found[person.name]))

    def early_numbers(self, step: dict[str, Any]) -> None:
        """Compare the truth's number with what all pages showed before the reveal."""
        truth = step["question"].get("truth")
        outcomes = self.teacher.place.locator("#lesson .lesson-outcome").all_inner_texts()
        measured = numbers(found for one in outcomes for found in one.split("(")[1:])  # "(measured now: 63.9)"
        telling = [{one} for one in sorted(measured) if sum(map(str.isdigit, one)) >= TELLING]
        if truth and "over" in truth:  # a quotient is told by both of its numbers
            telling.append(set(self.teacher.place.evaluate(_NUMBERS, [truth["of"], truth["over"]])))
        print(f"{'':10}  the answer's numbers: {' '.join(' and '.join(sorted(one)) for one in telling) or 'none'}")
        for person, phase, seen in self.before:
            shown = numbers(seen.everything)
            for found in telling:
                if found <= shown:
                    where = next(text for text in seen.everything if found & numbers([text]))
                    leak = f"{person.name} shows {' and '.join(found)} while the question is {phase}: {where[:80]}"
                    self.fault("leak", leak)

    def results(self, kind: str, choices: int) -> None:
        """Compare every page's results with what was sent."""
        if kind == "curve":
            for person in self.everybody:
                curves = person.place.locator("#room-results figure").evaluate_all(
                    "(all) => all.map(({ dataset }) => Number(dataset.answers))"
                )
                if curves != self.sent:
                    self.fault("votes", f"{person.name} shows {curves} curves, {self.sent} were sent")
            return
        sent = [Counter(person.answers.get(turn) for person in self.students) for turn in (1, 2)]
        wanted = [[count[answer] for count in sent] for answer in range(choices)]
        truths = set()
        for person in self.everybody:
            rows = person.place.locator("#room-results tbody tr")
            found = rows.evaluate_all(
                "(all) => all.map((row) => [...row.cells].slice(1).map((cell) => +cell.dataset.count))"
            )
            if found != wanted:
                self.fault("votes", f"{person.name} shows {found}, {wanted} were sent")
            truths.add(tuple(rows.evaluate_all("(all) => all.map((row) => row.classList.contains('is-true'))")))
            own = rows.evaluate_all(
                "(all) => all.map((row) => [...row.cells].slice(1).map((cell) => !!cell.querySelector('.class-own')))"
            )
            mine = [[person.answers.get(turn) == answer for turn in (1, 2)] for answer in range(choices)]
            if person is not self.teacher and own != mine:
                self.fault("votes", f"{person.name}'s own answers are marked {own}, they gave {mine}")
        if len(truths) != 1 or sum(next(iter(truths))) != 1:
            self.fault("votes", f"not one right answer on all pages: {truths}")

    @property
    def sent(self) -> list[int]:
        """How many answered each round."""
        return [sum(turn in person.answers for person in self.students) for turn in (1, 2)]


def figure_of(step: dict[str, Any], phase: str) -> str:
    """Return the figure that a step speaks of; after its question the one that holds the answer."""
    question = step.get("question", {})
    if phase != "reveal" or "prediction" in question:
        return step["focus"]
    return question.get("truth", {}).get("of", {}).get("figure") or question.get("curve", step)["figure"]


def page_of(link: str) -> str:
    """Return the page of a link."""
    return dict(one.split("=", 1) for one in link.split("&") if one).get("page", "explore")


def reloads(played: Played, number: int) -> None:
    """Load the page of a phone again in the midst of a vote."""
    phone = played.students[number % 2]
    with played.command(f"{phone.name} reloads", loads=1, phase="open", step=number):
        phone.page.reload()


def asked(played: Played, step: dict[str, Any], number: int, late: Any = None) -> None:
    """Ask, vote, close, vote again, reveal. `late()` joins while the first vote is open."""
    teacher = played.teacher.place
    name = played.at[0]
    played.questions += 1
    played.before.clear()
    for person in played.students:
        person.answers.clear()

    def press(button: str, phase: str) -> None:
        played.at = (name, number, phase)
        shown = step["question"].get("reveal", step["link"]) if phase == "reveal" else step["link"]
        prediction = phase == "reveal" and "prediction" in step["question"]
        with played.command(phase, link=None if prediction else shown, phase=phase, step=number):
            teacher.locator(button).click()

    def looked(phase: str) -> None:
        played.keep_secret(phase, played.look(figure_of(step, phase), phase), step)

    press("#lesson-ask", "open")
    if late:
        late()
    reloads(played, number)
    looked("open")
    choices = teacher.locator(".class-options li").count()
    kind = "choice" if choices else "curve"
    began = time.monotonic()
    played.vote(kind, choices, 1)
    print(f"{'':10}  {len(played.students)} answers in {time.monotonic() - began:.1f} s")
    press("#room-closed", "closed")
    looked("closed")
    if kind == "choice":
        teacher.locator("#room-advice[data-advice]").wait_for()
        if teacher.locator("#room-advice[data-advice=general]").count():
            played.fault("advice", "the teacher is told nothing of this vote")
    press("#room-discuss", "discuss")
    began = time.monotonic()
    played.vote(kind, choices, 2)
    print(f"{'':10}  {len(played.students)} second answers in {time.monotonic() - began:.1f} s")
    looked("discuss")
    press("#room-reveal", "reveal")
    played.look(figure_of(step, "reveal"), "reveal")
    played.results(kind, choices)
    played.early_numbers(step)


def taught(played: Played, name: str, *, first: bool, late: Any = None) -> None:
    """Teach a lesson from its first step to what was seen."""
    steps = lesson(name)["steps"]
    teacher = played.teacher.place
    middle = len(steps) // 2 + 1
    turned = next(person for person in played.students if person.name == "phone 2")
    page = page_of(teacher.evaluate("() => location.search.slice(1)"))
    for number, step in enumerate(steps, 1):
        played.at = (name, number, "")
        turned.turn(*((844, 390) if number >= middle else (390, 844)))
        other = page_of(step["link"]) != page
        page = page_of(step["link"])
        action = "opened" if number == 1 else "next step"
        with played.command(action, link=step["link"], loads=int(other), step=number):
            if number > 1:
                played.teacher.page.keyboard.press("ArrowRight")
            elif not first:
                if talk := teacher.locator("#way-back").is_visible():  # a talk has no menus
                    teacher.locator("#way-back").click()
                teacher.locator("#lessons-open > summary").click()
                teacher.locator(f"#lesson-{name}").click()
                if talk:
                    teacher.locator("#present-start").click()
            if until([played.teacher], lambda one, number=number: one.holds(STANDS, number))[1]:
                played.fault("late", "the teacher's page did not reach the step")
        played.steps += 1
        played.look(figure_of(step, ""), "")
        if "question" in step:
            asked(played, step, number, late if number >= middle else None)
            if number >= middle:
                late = None
    played.at = (name, len(steps) + 1, "")
    with played.command("what we saw"):
        played.teacher.page.keyboard.press("ArrowRight")
        end = "() => document.documentElement.classList.contains('in-summary')"
        for person in until(played.everybody, lambda one: one.holds(end, None))[1]:
            played.fault("late", f"{person.name} does not show what was seen")
    played.look("", "")


def come(browser: Browser, address: str, outside: str, code: str) -> tuple[list[Person], Any]:
    """Let four students in; return them, and what lets in the fifth."""
    url = f"{address}?room={code}&lang="
    framed = f"{outside}?query={quote(f'room={code}&lang=en')}"
    students = [
        browse(browser, "phone 1", f"{url}en", (390, 844), address, phone=True),
        browse(browser, "phone 2", f"{url}en", (390, 844), address, phone=True),
        browse(browser, "Korean", f"{url}ko", (1280, 720), address, lang="ko"),
        browse(browser, "frame", framed, (1300, 800), address, framed=True),
    ]
    return students, lambda: browse(browser, "late", f"{url}en", (1024, 640), address)


def play(browser: Browser, address: str, outside: str, names: Sequence[str], chosen: argparse.Namespace) -> Played:
    """Play the lessons to their end with one class."""
    first, size = f"{address}?lesson={names[0]}&lang=en", (chosen.window[0], chosen.window[1])
    teacher = browse(browser, "teacher", first, size, address, script=NOT_FILLING)
    teacher.page.locator("#lesson[data-step='1']").wait_for()
    code = in_class.opened(teacher.page)
    if chosen.talk:
        teacher.page.locator("#present-start").click()
    students, join = come(browser, address, outside, code)
    played = Played(teacher, students, code, chosen.pictures)
    print(f"\n{'s':>8}  {'lesson':16} {'':2}  {'done':28} {'med.':>5} {'worst':>5}  loads of teacher and students")
    for person in played.everybody:
        person.loads = 0
    in_class.here(teacher.page, len(students))
    painted(students, lambda: lesson(names[0])["steps"][0]["link"], 1, "")  # the class may lead them to another page
    for person in students:
        person.loads = 0

    def late() -> None:
        name, number, _ = played.at
        led = page_of(lesson(name)["steps"][number - 1]["link"]) != page_of("")  # the first page leads to another
        with played.command("a student joins late", loads=1 + led, phase="open", step=number):
            played.students.append(join())

    for i, name in enumerate(names):
        taught(played, name, first=i == 0, late=late if i == 0 else None)
    in_class.ended(teacher.page)
    over = "() => document.getElementById('class')?.dataset.follows === 'over'"
    for person in until(played.students, lambda one: one.holds(over, None))[1]:
        played.fault("late", f"{person.name} does not hear that the class is over")
    for person in played.everybody:
        played.at = (person.name, 0, "")
        for problem in dict.fromkeys(person.problems):
            played.fault("error", problem)
    return played


def print_summary(played: Played) -> None:
    """Print the numbers and the violations of each kind."""
    minutes = (time.monotonic() - played.began) / 60
    summary = f"{played.steps} steps, {played.questions} questions, {played.votes} answers in {minutes:.0f} minutes"
    times = f"median {median(played.medians):.1f} s, worst {played.worst:.1f} s"
    print(f"\n{summary}; a command to the last page painted: {times}")
    print("\nviolations")
    for kind, name in KINDS.items():
        found = [text for of, text in played.wrong if of == kind]
        print(f"{len(found):5}  {name}", *(f"         {text}" for text in found), sep="\n")


def main() -> int:
    """Play and print; 1 if anything is wrong."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lessons", nargs="+", choices=LESSONS, default=LESSONS)
    options.add_argument("--pictures", type=Path, help="a folder for a picture of each page at each step and phase")
    options.add_argument("--quick", action="store_true", help="the first of the lessons only")
    options.add_argument("--talk", action="store_true", help="with the teacher's page in large type")
    options.add_argument("--window", type=int, nargs=2, default=(1280, 720), help="of the teacher, in CSS pixels")
    chosen = options.parse_args()
    names = chosen.lessons[:1] if chosen.quick else chosen.lessons
    if chosen.pictures:
        chosen.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile() as log, server("app.py", log=log) as app, sync_playwright() as driver:
        address = f"{app.address}/"
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"])
        print(*described(browser.version), sep="\n")
        with platform(address) as outside:
            played = play(browser, address, outside, names, chosen)
        browser.close()
        log.seek(0)
        for line in log.read().decode(errors="replace").splitlines():
            if "Traceback" in line or "Error" in line:
                played.fault("error", f"the server: {line}")
        print_summary(played)
        print(f"\nload      {load()} at the end")
    return int(bool(played.wrong))


if __name__ == "__main__":
    raise SystemExit(main())
