"""The jobs of `benchmarks.class` for the client's processes, and their results."""

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection
from random import Random
from statistics import median
from threading import Thread
from types import TracebackType
from typing import IO, Any, Self

from benchmarks.crowd import written
from benchmarks.recorded import Asked
from tests.process_resources import look, rest
from tests.raw_http import NOBODY, PREFIX, TAB, packed, place, request
from tests.server_process import ROOT, server

CROWD = (sys.executable, "-m", "benchmarks.crowd")
START = 0.5
"""Seconds from the last message to the client until it begins."""


@dataclass
class Result:
    """The seconds that each visitor waited, the failures, and the CPU seconds of the server and of the client."""

    waited: list[float]
    errors: list[str]
    server: float
    client: float
    seconds: float
    moved: int = 0
    raw: list[dict[str, Any]] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.waited) if self.waited else float("inf")

    @property
    def high(self) -> float:
        """The 95th percentile of the seconds waited."""
        return sorted(self.waited)[int(0.95 * (len(self.waited) - 1))] if self.waited else float("inf")

    @property
    def last(self) -> float:
        return max(self.waited, default=float("inf"))


class Teacher:
    """A teacher with an open room, and the times of their steps."""

    def __init__(self, address: str) -> None:
        self._where, self._secret = place(address), secrets.token_urlsafe(16)
        self.sent: dict[int, float] = {}
        self.code = self._ask("POST", "", {})["code"]

    def wait_for(self, visitors: int) -> None:
        """Return when so many follow."""
        while self._ask("GET", f"/{self.code}", None)["count"] < visitors:
            time.sleep(0.2)
        time.sleep(2)  # the counts have been told, too

    def step(self, number: int, query: str) -> None:
        """Take the class to the next step."""
        self.sent[number] = time.monotonic()
        self._ask("POST", f"/{self.code}/state", {"link": query, "lesson": {"name": "benchmark", "step": number}})

    def end(self) -> None:
        """End the room."""
        self._ask("POST", f"/{self.code}/end", {})

    def _ask(self, method: str, path: str, payload: Any) -> Any:
        connection = HTTPConnection(*self._where, timeout=60)
        body = None if payload is None else json.dumps(payload)
        connection.request(method, f"{PREFIX}/room{path}", body, {"X-Headlight-Secret": self._secret})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status} {text[:200]!r}")
        return json.loads(text) if text else {}


class Class:
    """A running app and the class that uses it."""

    def __init__(self, script: str, processes: int) -> None:
        self.script, self.processes, self.random = script, processes, Random(1)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        log = self._stack.enter_context(open("/dev/null", "wb"))
        app = self._stack.enter_context(server(self.script, log=log))
        self.address, self.pid = app.address, app.process.pid
        rest(self.pid)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def openings(self, asked: list[Asked], visitors: int) -> Result:
        """Replay so many cold openings at once."""
        requests = [(each.written(NOBODY, TAB), each.method, each.after) for each in asked]
        return self._run("openings", [secrets.token_hex(8) for _ in range(visitors)], requests=requests)

    def different(self, visitors: int) -> Result:
        """Ask for so many frames of different seeds at once."""
        seeds = self.random.sample(range(2**31), visitors)
        return self._run("at_once", [frame(f"seed={seed}") for seed in seeds])

    def equal(self, visitors: int) -> Result:
        """Ask for so many frames of one new link at once."""
        query = f"seed={self.random.randrange(2**31)}"
        return self._run("at_once", [frame(query) for _ in range(visitors)])

    def dragging(self, visitors: int, seconds: float, *, own: bool) -> Result:
        """Let each visitor walk over plausible states, one step a second.

        Each has a walk of its `own`, or all share one and start at different places. In a shared walk most states were
        just computed for another visitor.
        """
        count = int(seconds) + 2
        states = walk(self.random, 400)
        chosen = []
        for _ in range(visitors):
            tab, first = secrets.token_hex(8), self.random.randrange(len(states))
            mine = walk(self.random, count) if own else [states[(first + step) % len(states)] for step in range(count)]
            chosen.append([frame(state, tab, light=True) for state in mine])
        return self._run("dragging", chosen, seconds=seconds)

    def following(self, visitors: int, count: int) -> Result:
        """Let so many tabs ask for each of `count` states of one drag. Each tab shows its own state at first."""
        seed = self.random.randrange(2**31)
        queries = [f"d_k={16 + 7 * step}&tie=false&seed={seed}" for step in range(count)]
        tabs = [secrets.token_hex(8) for _ in range(visitors)]

        def asked(some: list[str]) -> list[list[bytes]]:
            return [
                [frame(query, tab, light=True, previous=f"seed={int(tab, 16) % 2**31}") for tab in some]
                for query in queries
            ]

        return self._run("following", tabs, states=asked)

    def room(self, visitors: int, count: int) -> Result:
        """Let so many tabs follow a room whose teacher takes `count` steps, one a second; each asks for the frames.

        The seconds are from the teacher's step to the frame at the follower; the CPU is that of the steps alone.
        """
        teacher = Teacher(self.address)
        seed = self.random.randrange(2**31)
        steps = [f"d_k={16 + 7 * step}&tie=false&seed={seed}" for step in range(count)]
        cpu: list[float] = []

        def teach() -> None:
            teacher.wait_for(visitors)
            cpu.append(look(self.pid).cpu)
            for number, query in enumerate(steps, 1):
                began = time.monotonic()
                teacher.step(number, query)
                time.sleep(max(0.0, began + 1 - time.monotonic()))
            cpu.append(look(self.pid).cpu)
            teacher.end()

        thread = Thread(target=teach)
        thread.start()
        tabs = [secrets.token_hex(8) for _ in range(visitors)]
        found = self._run("room", tabs, path=f"{PREFIX}/room/{teacher.code}", raw=True)
        thread.join()
        waited = [each["at"] - teacher.sent[each["step"]] for each in found.raw]
        missing = ["a step without its frame"] * (visitors * count - len(waited))
        return Result(waited, [*found.errors, *missing], cpu[1] - cpu[0], found.client, found.seconds)

    def _run(self, kind: str, visitors: Sequence[Any], *, raw: bool = False, **more: Any) -> Result:
        count = min(self.processes, len(visitors))
        processes = []
        for number in range(count):
            share = visitors[number::count]
            given = {name: value(share) if callable(value) else value for name, value in more.items()}
            process = subprocess.Popen(CROWD, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            job = {"kind": kind, "where": place(self.address), "visitors": share, **given}
            _input(process).write(json.dumps(job, default=written).encode() + b"\n")
            _input(process).flush()
            processes.append(process)
        for process in processes:
            _output(process).readline()  # it has read its job
        at = time.monotonic() + START
        for process in processes:
            _input(process).write(f"{at!r}\n".encode())
            _input(process).close()
        time.sleep(max(0.0, at - time.monotonic()))
        before = look(self.pid).cpu
        found = []
        for process in processes:
            found.append(json.loads(_output(process).read()))
            process.wait()
        used = look(self.pid).cpu - before
        waited = [each for one in found for each in one["waited"]]
        others = [each for each in waited if isinstance(each, dict)]
        moved = 0 if raw else max((each["moved"] for each in others), default=0)
        return Result(
            [each for each in waited if isinstance(each, float)],
            [each for each in waited if isinstance(each, str)],
            used,
            sum(one["cpu"] for one in found),
            max(one["seconds"] for one in found),
            moved * count,
            others,
        )


def _input(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None
    return process.stdout


def frame(query: str, tab: str | None = None, *, light: bool = False, previous: str | None = None) -> bytes:
    """Return a frame's request as the page sends it."""
    payload = {
        "query": query,
        "previous": previous,
        "known": [],
        "theme": "light",
        "columns": 0,
        "address": "http://127.0.0.1/",
        **({"light": True} if light else {}),
    }
    headers = {TAB: tab or secrets.token_hex(8), "Content-Type": "application/octet-stream"}
    return request("POST", f"{PREFIX}/page/explore", packed(payload), headers)


def walk(random: Random, count: int) -> list[str]:
    """Return the states of a class that drags d_k, n, h, scaling and the seed, one control at a time."""
    d_k, n, heads, scaling, seed, found = 64, 32, 8, "sqrt_d_k", random.randrange(2**31), []
    for _ in range(count):
        match random.randrange(12):
            case 0:
                n = min(128, max(8, n + random.choice((-8, 8))))
            case 1:
                heads = random.choice((1, 2, 4, 8))
            case 2:
                scaling = random.choice(("sqrt_d_k", "none"))
            case 3:
                seed = random.randrange(2**31)
            case _:
                d_k = min(1024, max(1, d_k + random.randint(-20, 24)))
        found.append(f"n={n}&h={heads}&d_k={d_k}&tie=false&scaling={scaling}&seed={seed}")
    return found
