"""A room outlives the process that held it, and its Redis: the teacher makes it again, students find it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser import controls
from tests.browser.class_seen import cut, keeps
from tests.browser.in_class import answered, asks, counts, follows, here, opened, phase, shows, votes
from tests.browser.served import FLEETING, Served, serving
from tests.browser.test_server_gone import NETWORK
from tests.browser.visits import Visits
from tests.ports import free_port
from tests.visualiser.server.rooms.redis_server import RedisServer
from visualiser.locale import text

START = "n=8&h=2&d_model=16"


class Held:
    """A server with rooms, and a way to lose them all: the process ends, or its Redis does."""

    def __init__(self, stack: ExitStack, redis: RedisServer | None) -> None:
        self.stack, self.redis = stack, redis
        self.port = free_port()
        self.app = self._start()

    def _start(self) -> Served:
        more = {"HEADLIGHT_REDIS_URL": self.redis.url} if self.redis else {}
        return self.stack.enter_context(serving(self.port, FLEETING, **more))

    def lose(self) -> None:
        """Lose every room, as a crash does."""
        if self.redis:
            self.redis.kill()
        else:
            self.app.kill()

    def come_back(self) -> None:
        """Be there again, and know nothing."""
        if self.redis:
            self.redis.start()
        else:
            self.app = self._start()


_KEEP_SAID = """() => {
  const said = document.querySelector(".class-said");
  window.said = [];
  new MutationObserver(() => window.said.push(said.textContent)).observe(said, { childList: true, subtree: true });
}"""


def made_again(teacher: Page) -> None:
    """Wait until the teacher's page has said that it made the room again: that sentence goes by itself."""
    teacher.wait_for_function("(text) => window.said.includes(text)", arg=text("en", "room.made_again"))


def away(teacher: Page) -> None:
    """Wait until the teacher's page says that the room does not answer."""
    script = "(made) => !['', made].includes(document.querySelector('.class-said').textContent)"
    teacher.wait_for_function(script, arg=text("en", "room.made_again"))
    teacher.evaluate("() => window.said.splice(0)")  # of rooms that were made again before


@dataclass(frozen=True)
class Class:
    """A teacher, three students and the code of their room, on a server that may lose it."""

    held: Held
    open: Callable[..., Page]
    teacher: Page
    students: list[Page]
    code: str


@pytest.fixture(scope="module", params=["process", "redis"])
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    with ExitStack() as stack:
        redis = RedisServer(tmp_path_factory.mktemp("redis")) if request.param == "redis" else None
        if redis:
            stack.callback(redis.kill)
        yield Held(stack, redis)


@pytest.fixture(scope="module")
def class_(held: Held, chromium: Browser) -> Iterator[Class]:
    """Open a class of which one student reads Korean; each test ends with the class as it was."""
    visits = Visits(chromium, held.app.url)
    join = partial(visits.open, painted=False, expected_errors=[*NETWORK, "status of 404"])
    teacher = join(START)
    code = opened(teacher)
    teacher.evaluate(_KEEP_SAID)
    students = [join(f"{START}&room={code}{lang}") for lang in ("", "&lang=ko", "")]
    here(teacher, 3)
    yield Class(held, join, teacher, students, code)
    visits.end()


def test_a_lost_room_is_found_again_in_the_midst_of_a_vote(class_: Class) -> None:
    held, teacher, students, code = class_.held, class_.teacher, class_.students, class_.code
    asks(teacher, "Which?", ["one", "two"], right=1)
    for student, answer in zip(students, (1, 1, 0), strict=True):
        phase(student, "open")
        votes(student, answer)
    answered(teacher, 3)
    held.lose()
    controls.slide(teacher, "n", 10)
    away(teacher)
    held.come_back()
    here(teacher, 3)
    assert teacher.locator("#room-code").inner_text() == code
    answered(teacher, 3)  # each tab has answered again
    for student in students:
        shows(student, "n=10&h=2&d_model=16")
        follows(student)
    teacher.locator("#room-reveal").click()
    for page in (teacher, *students):
        phase(page, "reveal")
        assert counts(page) == [[1], [2]]
    held.lose()  # what was revealed is not lost with it
    controls.slide(teacher, "n", 12)
    away(teacher)
    held.come_back()
    made_again(teacher)
    here(teacher, 3)
    late = class_.open(f"{START}&room={code}")
    here(teacher, 4)
    for page in (teacher, *students, late):
        phase(page, "reveal")
        assert counts(page) == [[1], [2]]
    teacher.locator("#room-over").click()
    for page in (teacher, *students, late):
        phase(page, "")
    late.close()
    here(teacher, 3)


def test_a_room_that_is_lost_at_a_reveal_or_in_the_second_vote_comes_back_with_all_votes(class_: Class) -> None:
    held, teacher, students = class_.held, class_.teacher, class_.students
    asks(teacher, "Which?", ["one", "two"], right=1)
    for student, answer in zip(students, (1, 1, 0), strict=True):
        phase(student, "open")
        votes(student, answer)
    teacher.locator("#room-closed").click()
    for page in (teacher, *students):
        phase(page, "closed")

    def dies(route: Route) -> None:
        held.lose()
        route.continue_()

    teacher.route("**/phase*", dies, times=1)
    teacher.locator("#room-reveal").click()
    away(teacher)
    held.come_back()
    made_again(teacher)
    answered(teacher, 3)  # it was closed, but the votes were lost: it is open until they are here again
    teacher.locator("#room-closed").click()
    teacher.locator("#room-discuss").click()
    for student, answer in zip(students, (1, 0, 0), strict=True):
        phase(student, "discuss")
        votes(student, answer, 2)
    phase(teacher, "discuss")
    answered(teacher, 3)
    students[2].route("**/answer*", lambda route: route.abort())
    with students[2].expect_request("**/answer*"):
        held.lose()
        held.come_back()
    for student in students[:2]:
        student.locator("#class[data-returned='1']").wait_for()
    students[2].reload()  # and still knows that the room has not got its answers
    students[2].unroute("**/answer*")
    students[2].locator("#class[data-returned='0']").wait_for()
    answered(teacher, 3)
    teacher.locator("#room-reveal").click()
    for page in (teacher, *students):
        phase(page, "reveal")
        assert counts(page) == [[1, 2], [2, 1]]  # the first vote is not lost with the room either


def test_a_student_who_was_offline_for_long_hears_by_a_stream_again(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    student = open_page(f"{START}&room={code}", painted=False, expected_errors=NETWORK)
    follows(student)
    kept = keeps(student)
    room = f"{teacher.url.split('?')[0]}gradio_api/headlight/room/{code}"
    student.context.set_offline(True)
    cut(room, kept["token"])
    for _ in range(6):  # more than a stream that something on the way cuts is tried again
        student.wait_for_event("requestfailed")
    came: list[str] = []
    student.on("response", lambda answer: came.append(urlsplit(answer.url).path) if f"/{code}" in answer.url else None)
    student.context.set_offline(False)
    for n in (10, 12, 14):
        controls.slide(teacher, "n", n)
        shows(student, f"n={n}&h=2&d_model=16")
    assert [path.rsplit("/", 1)[1] for path in came] == ["stream"]  # and is asked no more
