"""Sends the grammar's requests to its own server process, eight at a time; collects the oracle's complaints.

A traceback in the log belongs to one request of its batch: at the end the batch is sent again, one by one, to find it.
"""

import asyncio
import json
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.alone import alone
from tests.fuzz.cases import PREFIX, Case, case
from tests.fuzz.draws import MARK
from tests.fuzz.oracle import Failure, complaints, judged
from tests.process_resources import Watch, forget_peak, look, peak
from tests.raw_http import Answer, Broken, Connection, packed, place, request
from tests.server_process import server

BATCH = 50
"""Requests between two reads of the log."""

AT_ONCE = 8
PATIENCE = 60.0
"""Seconds after which a request without an answer is a failure."""

SLOW = 5.0
"""Seconds after which an answer is reported as slow; slow is no failure."""

MEMORY = 1000.0
"""Largest memory in megabytes above the fresh process."""

TRACED = 6
"""Largest number of batches with tracebacks sent again one by one."""

POLITE = packed({"query": "n=8&seed=7", "previous": None, "known": [], "theme": "light", "columns": 0})


@dataclass
class Report:
    """The failures of a run, and the count of each route's statuses."""

    failures: list[Failure] = field(default_factory=list)
    slow: list[tuple[float, int, str]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    times: dict[str, float] = field(default_factory=dict)
    memory: list[tuple[float, int]] = field(default_factory=list)
    """The peak of each batch, in megabytes above the fresh process, and its first request."""
    seconds: float = 0.0

    def fail(self, what: str, number: int | None) -> None:
        """Note a failure."""
        self.failures.append(Failure(what, number))


def fuzz(numbers: list[int], seed: int) -> Report:
    """Send these requests; return the report."""
    report, began = Report(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        (files := Path(folder, "gradio")).mkdir()
        with (
            log.open("wb") as written,
            server("app.py", log=written, environment={"GRADIO_TEMP_DIR": str(files)}) as app,
        ):
            watch = Watch(app.process.pid, 12_000)
            try:
                alone(_Run(app.address, app.process.pid, log, seed, report).all(numbers))
            finally:
                watch.close()
        if any(path.is_file() for path in files.rglob("*")):
            report.fail("files were left on the disk", None)
    report.seconds = time.monotonic() - began
    return report


class _Run:
    def __init__(self, address: str, pid: int, log: Path, seed: int, report: Report) -> None:
        self.where, self.pid, self.log, self.seed, self.report = place(address), pid, log, seed, report
        self.read = 0
        self.suspects: list[tuple[list[int], list[str]]] = []

    async def all(self, numbers: list[int]) -> None:
        """Send every batch, then the suspects one by one."""
        expected = (await self._polite()).body
        fresh = look(self.pid).memory
        self._complaints()
        for first in range(0, len(numbers), BATCH):
            batch = numbers[first : first + BATCH]
            forget_peak(self.pid)
            await self._batch(batch)
            self.report.memory.append((peak(self.pid) - fresh, first))
            await self._check(expected, batch)
            if lines := self._complaints():
                self.suspects.append((batch, lines))
                if len(self.suspects) > TRACED:
                    self._blame(lines, None)
            try:
                look(self.pid)
            except ProcessLookupError:
                self.report.fail("the server died", batch[-1])
                return
        most, first = max(self.report.memory)
        if most > MEMORY:
            self.report.fail(f"memory {most:.0f} MB above fresh, at most {MEMORY:.0f}", first)
        for batch, lines in self.suspects[:TRACED]:
            await self._trace(batch, lines)

    async def _batch(self, batch: list[int]) -> None:
        left = list(reversed(batch))

        async def worker() -> None:
            while left:
                await self._one(left.pop())

        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))

    async def _check(self, expected: bytes, batch: list[int]) -> None:
        """Check that a polite visitor still gets the first frame, byte by byte."""
        try:
            found = await asyncio.wait_for(self._polite(), PATIENCE)
        except (OSError, Broken, TimeoutError) as problem:
            self.report.fail(f"a polite frame afterwards: {type(problem).__name__}", batch[-1])
            return
        if found.status != 200 or found.body != expected:
            self.report.fail(f"a polite frame afterwards: status {found.status}, another content", batch[-1])

    async def _polite(self) -> Answer:
        connection = await Connection.open(self.where)
        try:
            return await connection.ask(request("POST", f"{PREFIX}/page/explore", POLITE))
        finally:
            connection.leave()

    async def _one(self, number: int, *, quiet: bool = False) -> None:
        asked, began = case(self.seed, number), time.monotonic()
        problem, status = await self._sent(asked)
        taken = time.monotonic() - began
        if quiet:
            return
        self.report.statuses[status] += 1
        name = asked.route.split(MARK)[0][:24]
        self.report.times[name] = self.report.times.get(name, 0.0) + taken
        if problem is not None:
            self.report.fail(f"{asked.method} {asked.route[:60]}: {problem}", number)
        if taken > SLOW:
            self.report.slow.append((taken, number, asked.route))

    async def _sent(self, asked: Case) -> tuple[str | None, str]:
        """Send a request; return the complaint, if any, and the status or ending."""
        connection: Connection | None = None
        try:
            connection = await Connection.open(self.where)
            connection.write(asked.data[: asked.cut])
            patience = PATIENCE if asked.leave is None else asked.leave
            found = await asyncio.wait_for(connection.answer(asked.method), patience)
            if asked.endpoint is not None and found.status == 200:
                return await self._fetched(connection, asked, found)
            return judged(asked, found), str(found.status)
        except TimeoutError:
            return (None, "left") if asked.leave is not None else (f"no answer in {PATIENCE:.0f} s", "no answer")
        except Broken as problem:
            return (None, "cut") if asked.cut is not None or asked.odd else (str(problem), "broken")
        except OSError as problem:
            return type(problem).__name__, "broken"
        except ValueError as problem:
            return f"no HTTP: {problem}", "no HTTP"
        finally:
            if connection is not None:
                connection.leave()

    async def _fetched(self, connection: Connection, asked: Case, found: Answer) -> tuple[str | None, str]:
        """Fetch the result of a queued call, a stream of events."""
        try:
            name = str(json.loads(found.body)["event_id"])
        except (ValueError, KeyError, TypeError):
            return f"no event_id: {found.body[:200]!r}", "no event"
        path = f"/gradio_api/call/{asked.endpoint}/{re.sub('[^a-z0-9]', '', name)}"
        result = await asyncio.wait_for(connection.ask(request("GET", path), "GET"), PATIENCE)
        return judged(asked, result), f"call {result.status}"

    def _complaints(self) -> list[str]:
        """Return forbidden content of the log since the last read."""
        with self.log.open("rb") as file:
            file.seek(self.read)
            new = file.read()
        self.read += len(new)
        return complaints(new)

    async def _trace(self, batch: list[int], before: list[str]) -> None:
        """Send a batch again, one request at a time, and read the log after each."""
        blamed = False
        for number in batch:
            await self._one(number, quiet=True)
            await asyncio.sleep(0.02)
            if lines := self._complaints():
                blamed = True
                self._blame(lines, number)
        if not blamed:
            self._blame([f"{each} (only beside others)" for each in before], batch[0])

    def _blame(self, lines: list[str], number: int | None) -> None:
        for each in dict.fromkeys(lines):
            self.report.fail(each, number)
