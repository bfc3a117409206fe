"""A random story of a class: what people do, what each page has to show then, and the story as it is told if it fails.

The rules are those of docs/decisions/who-leads.md, stated once more from outside: nothing here asks the page's scripts.
"""

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from playwright.sync_api import Error, Page, Request

from tests.browser.class_seen import Seen, heard, keeps, seen
from tests.browser.played_seen import stated
from tests.browser.visits import PATIENCE
from visualiser.locale import text

STEPS = 3
"""Steps of the lesson that everybody opens."""

PAUSE = 50
"""Milliseconds between two looks at the pages."""


@dataclass
class Question:
    """What the class is asked."""

    id: str
    page: str | None = None
    """The page whose own question it is."""
    holds: bool = False
    phase: str = "open"
    round: int = 1

    @property
    def secret(self) -> bool:
        """True until its result is shown."""
        return self.phase != "reveal"

    @property
    def takes(self) -> bool:
        """True while it takes answers."""
        return self.phase in ("open", "discuss")

    @property
    def card(self) -> str:
        """The question as it stands: another phase is another card."""
        return f"{self.id} {self.phase} {self.round}"

    def answered_by(self, page: str) -> bool:
        """True if the state of a page answers it."""
        return self.secret and (self.holds or self.page == page)


@dataclass(frozen=True)
class Heard:
    """The room as a student knows it."""

    question: Question | None = None
    locked: bool = False
    calls: int = 0


@dataclass
class Person:
    """A tab of the class, and what its page has to show."""

    name: str
    browser: Page
    page: str = "explore"
    loads: int = 0
    commands: int = 0
    """Loads that this person has asked for in this event."""

    def __post_init__(self) -> None:
        self.browser.on("request", self._count)

    def _count(self, sent: Request) -> None:
        if sent.is_navigation_request() and sent.frame == self.browser.main_frame:
            self.loads += 1

    def press(self, selector: str) -> None:
        """Click what is in a page."""
        self.browser.locator(selector).click()

    def visible(self, selector: str) -> bool:
        """Return true if something is in a page."""
        return self.browser.locator(selector).first.is_visible()

    def hush(self) -> None:
        """Take away what is said, so that the next sentence is a new one."""
        self.browser.evaluate("() => document.querySelector('.class-said').replaceChildren()")


@dataclass
class Student(Person):
    """A student: if they follow, what they answered, and where the way back of the browser leads."""

    left: bool = False
    offline: bool = False
    folded: str = ""
    given: dict[int, int] = field(default_factory=dict)
    """What the room has of them, by round of the present question."""
    waiting: tuple[str, int, int] | None = None
    """An answer that was given offline: question, round, choice."""
    heard: Heard = Heard()
    """What the room said when it was heard last."""
    entries: list[str] = field(default_factory=lambda: ["explore"])
    at: int = 0
    pushes: bool = False
    """True if the load of this event is a new entry of the browser's history."""


class Story:
    """A class under way, event by event."""

    def __init__(self, random: Random, room: str, teacher: Person, students: list[Student], heading: str) -> None:
        self.random = random
        self.room = room
        self.teacher = teacher
        self.students = students
        self.heading = heading
        self.keeps = keeps(teacher.browser)
        self.lines: list[str] = []
        self.question: Question | None = None
        self.locked = False
        self.calls = 0
        self.lesson: tuple[str, int] | None = None
        self.expected: list[Callable[[dict[str, Any], dict[str, Seen]], str | None]] = []
        """What this event has to come to, besides what always holds: a problem, or None."""
        self.message: dict[str, Any] = {}
        self.seen: dict[str, Seen] = {}

    @property
    def people(self) -> list[Person]:
        """Teacher and students."""
        return [self.teacher, *self.students]

    @property
    def online(self) -> list[Student]:
        """Students who hear the room."""
        return [one for one in self.students if not one.offline]

    def begin(self) -> None:
        """Wait until everybody is where the class is."""
        self.lines.append("the class has come")
        self._settle()

    def end(self) -> None:
        """Fail if a page has loaded since, or an answer is lost."""
        self.play("the class rests", lambda: "")

    def play(self, line: str, event: Callable[[], str]) -> None:
        """Let something happen, which returns more about itself, and wait for what it comes to."""
        self.lines.append(line)
        self.expected = []
        for one in self.people:
            if one.loads:
                self.fail([f"{one.name} has loaded {one.loads} times although nobody did anything"])
            one.commands = 0
        try:
            self.lines[-1] += event()
        except Error as problem:
            self.fail([f"it could not be done: {problem}"])
        self._settle()

    def expect(self, condition: Callable[[dict[str, Any], dict[str, Seen]], bool], problem: str) -> None:
        """Wait for a fact after this event."""
        self.expected.append(lambda message, all_seen: None if condition(message, all_seen) else problem)

    def says(self, person: Person, key: str) -> None:
        """Wait until a page says this."""
        wanted = text("en", key)
        self.expect(lambda _, found: found[person.name]["notice"] == wanted, f"{person.name} does not read “{wanted}”")

    def fail(self, problems: list[str]) -> None:
        """Tell the story, and how it fails."""
        lines = [f"{i:3} {line}" for i, line in enumerate(self.lines)]
        pages = [f"{name}: {one}" for name, one in self.seen.items()]
        raise AssertionError("\n".join([self.heading, *lines, "then", *(f"  - {one}" for one in problems), *pages]))

    def _settle(self) -> None:
        """Wait until all pages show what they have to, then take note of where they are."""
        began = time.monotonic()
        while problems := self._wrong():
            if time.monotonic() - began > PATIENCE / 1000:
                self.fail(problems)
            self.teacher.browser.wait_for_timeout(PAUSE)
        for one in self.people:
            if isinstance(one, Student) and one.offline:
                continue
            page = self.seen[one.name]["page"]
            if isinstance(one, Student):
                if one.pushes and page != one.page:
                    one.at += 1
                    one.entries[one.at :] = [page]
                one.entries[one.at] = page
                one.pushes = False
                one.heard = Heard(copy(self.question), self.locked, self.calls)
            one.page = page
            one.loads = 0

    def _wrong(self) -> list[str]:
        """Return what is not yet as it has to be, or never will."""
        message = heard(self.room, self.keeps)
        if message is None:
            return ["the server does not answer"]
        found = {one.name: seen(one.browser) for one in self.people}
        missing = [f"{name} is on the way" for name, one in found.items() if one is None]
        if missing:
            return missing
        self.message = message
        self.seen = {name: one for name, one in found.items() if one is not None}
        event = [wrong for one in self.expected if (wrong := one(message, self.seen))]
        return [*event, *self._class_wrong(), *(wrong for one in self.students for wrong in self._student_wrong(one))]

    def _class_wrong(self) -> Iterator[str]:
        """Yield what is wrong with the room and its teacher's page."""
        message, found, question = self.message, self.seen[self.teacher.name], self.question
        asked = message["question"]
        phase = question.phase if question else ""
        for name, is_, wanted in (
            ("the question is", asked and (asked["id"], asked["phase"], asked["round"]), question and _key(question)),
            ("the room is locked", message["locked"], self.locked),
            ("calls", message["calls"], self.calls),
            ("the class's lesson is", _place(message["lesson"]), self.lesson),
            ("the teacher's card shows", found["asked"], phase),
            ("the teacher counts here", found["here"], str(message["count"])),
        ):
            if is_ != wanted:
                yield f"{name} {is_}, not {wanted}"
        if not _shows(found, message["link"]):
            yield f"the teacher shows {found['link']}, painted {found['painted']}, the class {message['link']}"
        if self.lesson and found["step"] != str(self.lesson[1]):
            yield f"the teacher's lesson shows step {found['step']!r}, not {self.lesson[1]}"
        if question and question.secret:
            count = sum(question.round in one.given for one in self.students)
            if (message["answered"][question.round - 1], found["answers"]) != (count, str(count)):
                yield f"{count} have answered, the room has {message['answered']}, the teacher reads {found['answers']}"
        elif question and not found["results"]:
            yield "the teacher sees no result"
        yield from self._loads(self.teacher)

    def _loads(self, person: Person) -> Iterator[str]:
        """Yield loads that nobody asked for: a person asks for one, a room or a lesson on another page for one more."""
        asked = person.commands + (self.seen[person.name]["page"] != person.page)
        if person.loads != asked:
            yield f"{person.name} has loaded {person.loads} times, asked for were {asked}"

    def _student_wrong(self, student: Student) -> Iterator[str]:
        """Yield what is wrong with a student's page."""
        message, found, question, name = self.message, self.seen[student.name], self.question, student.name
        if student.offline:
            if student.loads:
                yield f"{name} has loaded {student.loads} times offline"
            return
        if found["flashed"]:
            yield f"{name}'s page has shown an answer for an instant"
        if found["follows"] != str(not student.left).lower():
            yield f"{name} follows: {found['follows']}, has left: {student.left}"
        if found["back"] != student.left:
            yield f"{name} sees {found['back']} ways back, has left: {student.left}"
        if found["kept"].get("calls") != self.calls:
            yield f"{name} has heard {found['kept'].get('calls')} calls, not {self.calls}"
        if found["asked"] != (question.phase if question else ""):
            yield f"{name}'s card shows {found['asked']!r}, not {question.phase if question else ''!r}"
        if not student.left:
            if not _shows(found, message["link"]):
                yield f"{name} shows {found['link']}, painted {found['painted']}, the class {message['link']}"
            if found["lesson"] or found["plays"]:
                yield f"{name} follows and plays {found['lesson']}"
            if self.lesson and found["count"] != (count := counted(self.lesson[1])):
                yield f"{name} reads {found['count']!r}, the class {count!r}"
            if (found["mode"] == "held") != self.locked:
                yield f"{name} is {found['mode']}, the class held: {self.locked}"
            if found["count"] and not self.lesson:
                yield f"{name} reads {found['count']!r}, the class reads no lesson"
        if question:
            yield from self._question_wrong(student, question)
        yield from self._loads(student)

    def _question_wrong(self, student: Student, question: Question) -> Iterator[str]:
        """Yield what is wrong with a student's page while there is a question."""
        found, name = self.seen[student.name], student.name
        if not question.secret:
            if not found["results"] and student.folded != question.card:
                yield f"{name} sees no result"
            return
        if found["results"]:
            yield f"{name} sees results while the question is {question.phase}"
        if found["verdicts"] and question.answered_by(found["page"]):
            yield f"{name}'s page shows the answer while the question is {question.phase}"
        if question.takes and student.folded != question.card and found["ballot"] != "in reach":
            yield f"{name}'s first answer is {found['ballot']}"
        given = student.given.get(question.round)
        if found["chosen"] != (None if given is None else str(given)):
            yield f"{name} has answered {given}, the page shows {found['chosen']}"
        if question.takes and given is not None and found["status"] != text("en", "room.answered_mine"):
            yield f"{name} reads of the answer “{found['status']}”"


def counted(step: int) -> str:
    """Return what a panel says of a step."""
    return text("en", "lesson.count", step=step, steps=STEPS) if step <= STEPS else text("en", "lesson.saw")


def _key(question: Question) -> tuple[str, str, int]:
    return question.id, question.phase, question.round


def _place(lesson: dict[str, Any] | None) -> tuple[str, int] | None:
    return (lesson["name"], lesson["step"]) if lesson else None


def _shows(found: Seen, link: str) -> bool:
    """True if a page shows a state, in its address and in a figure."""
    wanted = stated(link)
    painted = [stated(one) for one in found["painted"]]
    return stated(found["link"]) == wanted and wanted in painted
