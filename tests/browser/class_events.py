"""What a teacher and students do in a random class: when each can be done, how, and what it comes to."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.browser import controls
from tests.browser.class_seen import cut, keeps
from tests.browser.class_story import STEPS, Person, Question, Story, Student
from tests.browser.in_class import choice

LESSON = "first-look"
"""The lesson that everybody opens: its second step asks, its third is on another page."""
ASKS = 2
TURNS = ("explore", "why", "cost")
"""The pages that are turned to."""
ASKING = ("explore", "why")
"""Pages with the control that is moved, and with a question of their own."""
SIZES = (6, 8, 10, 12, 14)
ANSWERS = ("one", "two", "three")

_REVEAL = """() => {
  const pressed = (one) => { if (one?.checkVisibility()) one.click(); };
  pressed(document.querySelector("#predict input"));
  const ways = ["predict-reveal", "prediction-cover-lift", "predict-skip", "lesson-reveal"];
  for (const id of ways) pressed(document.getElementById(id));
}"""
"""Do all that may show an answer on a page."""


@dataclass(frozen=True)
class Event:
    """Something that a person does: who, if they can now, and how."""

    who: type[Person]
    can: Callable[[Story, Any], Any]
    play: Callable[[Story, Any], str | None]


EVENTS: dict[str, Event] = {}


def teacher(what: str, can: Callable[[Story], Any] = lambda story: True) -> Callable[..., Any]:
    """Name what a teacher does."""

    def named(play: Callable[[Story, Person], str | None]) -> None:
        EVENTS[f"teacher {what}"] = Event(Person, lambda story, _: can(story), play)

    return named


def student(what: str, can: Callable[[Story, Student], Any] = lambda story, one: not one.offline) -> Callable[..., Any]:
    """Name what a student does; without a condition, as long as they are online."""

    def named(play: Callable[[Story, Student], str | None]) -> None:
        EVENTS[f"student {what}"] = Event(Student, can, play)

    return named


def play_one(story: Story, played: Counter[str]) -> None:
    """Let something happen that is possible now, rather what has happened seldom."""
    possible = [
        (name, person)
        for name, event in EVENTS.items()
        for person in story.people
        if type(person) is event.who and event.can(story, person)
    ]
    people = Counter(name for name, _ in possible)
    weights = [1 / (1 + played[name]) ** 2 / people[name] for name, _ in possible]
    name, person = story.random.choices(possible, weights)[0]
    played[name] += 1
    story.play(f"{person.name} {name.split(' ', 1)[1]}", lambda: EVENTS[name].play(story, person) or "")


# ---- what the class does with its rules


def secret(story: Story) -> bool:
    """True while a question's result is not shown."""
    return story.question is not None and story.question.secret


def bound(one: Student) -> bool:
    """Return true if a student may not leave: all pages are held, or theirs answers the question."""
    question = one.heard.question
    return not one.left and (one.heard.locked or (question is not None and question.answered_by(one.page)))


def gathered(story: Story) -> None:
    """Bring everybody who hears the room."""
    for one in story.online:
        one.left = False


def asked(story: Story, page: str | None = None, *, holds: bool = False) -> None:
    """Wait for a question that has just been asked."""
    former = story.message["question"]

    def came(message: dict[str, Any], _: Any) -> bool:
        question = message["question"]
        if question is None or (former and question["id"] == former["id"]):
            return False
        if story.question is None or story.question.id != question["id"]:
            story.question = Question(question["id"], page, holds)
        return True

    for one in story.students:
        one.given = {}
        if not one.offline and (holds or one.page == page):
            one.left = False
    story.expect(came, "the question does not come")


def refused(story: Story, one: Student) -> None:
    """Wait until a student's page says why it stays."""
    story.says(one, "room.held" if one.heard.locked else "room.held_vote")


def leaves(one: Student) -> None:
    """Leave the class."""
    one.left = True


def another_step(story: Story, step: tuple[str, int] | None) -> None:
    """Change the class's lesson: a result goes when its step goes."""
    if step != story.lesson and story.question and not story.question.secret:
        story.question = None
    story.lesson = step


def sizes(story: Story, now: float) -> int:
    """Return another value of the control."""
    return story.random.choice([one for one in SIZES if one != now])


def turned(story: Story, person: Person) -> str:
    """Press the name of another page, and return it."""
    to = story.random.choice([one for one in TURNS if one != person.page])
    person.press(controls.page_link(to))
    return to


def opens_questions(person: Person) -> None:
    """Open the menu of questions, and wait until it has what the page asks now."""
    person.browser.evaluate(
        """() => new Promise((resolve) => {
          const menu = document.getElementById("room-ask");
          menu.addEventListener("toggle", resolve, { once: true });
          menu.firstElementChild.click();
        })"""
    )


# ---- the teacher


@teacher("moves a control", lambda story: story.teacher.page in ASKING)
def _(story: Story, person: Person) -> str:
    n = sizes(story, story.seen[person.name]["n"])
    stays = story.question is not None and story.question.answered_by(person.page)
    person.hush()
    controls.slide(person.browser, "n", n)
    if stays:
        story.says(person, "room.held_asking")
        return f" to n = {n}, and may not"
    story.expect(lambda _, found: found[person.name]["n"] == n, f"the control does not come to {n}")
    return f" to n = {n}"


@teacher("turns the page")
def _(story: Story, person: Person) -> str:
    stays = story.question is not None and story.question.answered_by(person.page)
    person.hush()
    to = turned(story, person)
    if stays:
        story.says(person, "room.held_asking")
        return f" to {to}, and may not"
    story.expect(lambda message, _: message["page"] == to, f"the class does not come to {to}")
    return f" to {to}"


@teacher("opens the lesson", lambda story: not secret(story) and story.lesson is None)
def _(story: Story, person: Person) -> None:
    person.press("#lessons-open > summary")
    person.press(f"#lesson-{LESSON}")

    def opened(message: dict[str, Any], _: Any) -> bool:
        if not message["lesson"]:
            return False
        another_step(story, (message["lesson"]["name"], message["lesson"]["step"]))
        return message["lesson"]["name"] == LESSON

    story.expect(opened, "the lesson does not open")


def _steps(story: Story, by: int) -> None:
    assert story.lesson is not None
    name, step = story.lesson
    story.teacher.press("#lesson-next" if by > 0 else "#lesson-back")
    another_step(story, (name, step + by))


@teacher("steps on", lambda story: not secret(story) and story.lesson and story.lesson[1] <= STEPS)
def _(story: Story, _: Person) -> None:
    _steps(story, 1)


@teacher("steps back", lambda story: not secret(story) and story.lesson and story.lesson[1] > 1)
def _(story: Story, _: Person) -> None:
    _steps(story, -1)


@teacher("presses next twice in the vote", lambda story: story.lesson and secret(story) and story.lesson[1] <= STEPS)
def _(story: Story, person: Person) -> str:
    assert story.question is not None
    for _ in range(2):
        person.press("#lesson-next")
    if story.question.phase == "open":
        story.question.phase = "closed"
    else:
        story.question.phase = "reveal"
    return f": {story.question.phase}"


@teacher("leaves the lesson", lambda story: story.lesson)
def _(story: Story, person: Person) -> None:
    person.press("#lesson-leave")
    another_step(story, None)


@teacher("asks the page's own question", lambda story: not secret(story) and story.teacher.page in ASKING)
def _(story: Story, person: Person) -> str:
    opens_questions(person)
    if not person.visible("#ask-page"):
        person.browser.locator("#room-ask > summary").press("Escape")
        if person.visible("#predict-back"):
            person.press("#predict-back")  # from the state that answers
        if not person.visible("#predict-open"):
            return ", which asks nothing now"
        person.press("#predict-open")
        person.browser.locator("#predict .predict").wait_for()
        opens_questions(person)
    person.press("#ask-page")
    asked(story, person.page)
    return f" on {person.page}"


@teacher("asks what they type", lambda story: not secret(story))
def _(story: Story, person: Person) -> None:
    opens_questions(person)
    person.browser.locator("#ask-text").fill(f"Which of {len(ANSWERS)}?")
    lines = person.browser.locator("#ask-form .class-answers li input")
    for place, answer in enumerate(ANSWERS):
        if place >= lines.count():
            person.press("#ask-more")
        lines.nth(place).fill(answer)
    person.press("#ask-send")
    asked(story)


@teacher("asks what the step asks", lambda story: not secret(story) and story.lesson == (LESSON, ASKS))
def _(story: Story, person: Person) -> str | None:
    if not person.visible("#lesson-ask"):
        return ", which is answered"
    person.press("#lesson-ask")
    asked(story, holds=True)


def _phase(story: Story, phase: str) -> None:
    assert story.question is not None
    story.teacher.press(f"#room-{phase}")
    story.question.phase = phase
    story.question.round = 2 if phase == "discuss" else story.question.round


@teacher("closes the vote", lambda story: story.question and story.question.phase == "open")
def _(story: Story, _: Person) -> None:
    _phase(story, "closed")


@teacher("asks again", lambda story: story.question and story.question.phase == "closed" and story.question.round == 1)
def _(story: Story, _: Person) -> None:
    _phase(story, "discuss")


@teacher("reveals", secret)
def _(story: Story, _: Person) -> None:
    _phase(story, "reveal")


@teacher("is done with the question", lambda story: story.question)
def _(story: Story, person: Person) -> None:
    person.press("#room-over")
    story.question = None


@teacher("holds all pages", lambda story: not story.locked)
def _(story: Story, person: Person) -> None:
    person.press("#room-lock")
    story.locked = True
    gathered(story)


@teacher("lets all pages go", lambda story: story.locked)
def _(story: Story, person: Person) -> None:
    person.press("#room-lock")
    story.locked = False


@teacher("calls all back")
def _(story: Story, person: Person) -> None:
    person.press("#room-call")
    story.calls += 1
    gathered(story)


@teacher("reloads")
def _(story: Story, person: Person) -> None:
    person.commands = 1
    person.browser.reload()


# ---- students


@student("moves a control", lambda story, one: one.page in ASKING and one.visible("#control-n"))
def _(story: Story, one: Student) -> str:
    n = sizes(story, story.seen[one.name]["n"])
    one.hush()
    controls.slide(one.browser, "n", n)
    if bound(one):
        refused(story, one)
        return f" to n = {n}, and may not"
    leaves(one)
    if not one.offline:
        story.expect(lambda _, found: found[one.name]["n"] == n, f"{one.name}'s control does not come to {n}")
    return f" to n = {n}"


@student("turns the page")
def _(story: Story, one: Student) -> str:
    stays = bound(one)
    one.hush()
    to = turned(story, one)
    if stays:
        refused(story, one)
        return f" to {to}, and may not"
    leaves(one)
    one.pushes = True
    story.expect(lambda _, found: found[one.name]["page"] == to, f"{one.name} does not come to {to}")
    return f" to {to}"


@student("opens the lesson")
def _(story: Story, one: Student) -> str:
    stays = bound(one)
    one.hush()
    one.press("#lessons-open > summary")
    one.press(f"#lesson-{LESSON}")
    if stays:
        refused(story, one)
        return ", and may not"
    leaves(one)
    one.pushes = True

    def plays(_: Any, found: dict[str, Any]) -> bool:
        seen = found[one.name]
        return seen["lesson"] == LESSON and seen["plays"] and seen["step"] != ""

    story.expect(plays, f"{one.name}'s lesson does not open")
    return ""


@student("tries to reveal")
def _(story: Story, one: Student) -> None:
    one.browser.evaluate(_REVEAL)


@student("looks at the page's end")
def _(story: Story, one: Student) -> None:
    one.browser.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")


@student("folds the card", lambda story, one: not one.offline and story.question and one.folded != story.question.card)
def _(story: Story, one: Student) -> None:
    assert story.question is not None
    one.press("#room-fold")
    one.folded = story.question.card


@student("unfolds the card", lambda story, one: story.question and one.folded == story.question.card)
def _(story: Story, one: Student) -> None:
    one.press("#room-fold")
    one.folded = ""


def _answers(_: Story, one: Student) -> bool:
    question = one.heard.question
    return question is not None and question.takes and one.folded != question.card and one.waiting is None


@student("answers", _answers)
def _(story: Story, one: Student) -> str:
    question = one.heard.question
    assert question is not None
    now = one.given.get(question.round)
    places = range(one.browser.locator("#room-ballot input").count())
    answer = story.random.choice([place for place in places if place != now])
    choice(one.browser, answer).check()
    if one.offline:
        one.waiting = (question.id, question.round, answer)
        return f" {answer}, for later"
    one.given[question.round] = answer
    return f" {answer}"


@student("comes back", lambda story, one: one.left and not one.offline)
def _(story: Story, one: Student) -> None:
    one.press("#room-back")
    one.left = False


@student("goes offline", lambda story, one: len(story.online) > 1)
def _(story: Story, one: Student) -> None:
    one.browser.context.set_offline(True)
    cut(story.room, keeps(one.browser)["token"])  # what is offline for the page alone would still be heard
    story.says(one, "room.away")
    one.offline = True


@student("is online again", lambda story, one: one.offline)
def _(story: Story, one: Student) -> None:
    one.browser.context.set_offline(False)
    one.offline = False
    question, former = story.question, one.heard.question
    new = question is not None and (former is None or question.id != former.id)
    called = story.locked or story.calls > one.heard.calls
    if called or (question and question.answered_by(one.page) and (new or question.holds)):
        one.left = False
    if question is None or new:
        one.given = {}
    if question and question.takes and one.waiting and one.waiting[:2] == (question.id, question.round):
        one.given[question.round] = one.waiting[2]
    one.waiting = None


@student("reloads")
def _(story: Story, one: Student) -> None:
    one.commands = 1
    one.folded = ""
    one.browser.reload()


@student("goes back in the browser", lambda story, one: not one.offline and one.at > 0)
def _(story: Story, one: Student) -> str:
    one.at -= 1
    one.commands = 1
    one.folded = ""
    one.page = one.entries[one.at]
    one.browser.go_back()
    return f" to {one.page}"
