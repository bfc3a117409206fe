"""The app under attack: a server process of its own, and rounds of an attack beside a polite visitor."""

import asyncio
import resource
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.alone import alone
from tests.attacks.known import LOADS
from tests.attacks.polite import Polite
from tests.attacks.rude import Rude
from tests.fuzz.oracle import complaints
from tests.process_resources import Sample, Watch, forget_peak, look, peak, rest
from tests.server_process import server

FILES: Final = 1024
"""Descriptors that the app may open: the limit of a process on many systems."""

FRAMES: Final = 20
"""Frames of the polite visitor in a round, which ends with the last of them."""

TOO_LARGE: Final = 4000.0
"""Megabytes at which the app is ended, for the machine's sake."""


@dataclass
class Found:
    """What one round met."""

    peak: float
    """The most memory, in megabytes above the fresh app's."""
    after: float
    """Memory once the app rests, likewise."""
    cpu_after: float
    """Seconds of the processor from the attack's end until the app rests."""
    files: int
    """Open files once the app rests, beyond the fresh app's."""
    refused: list[str]
    """What the polite visitor was not given."""
    seconds: list[float]
    """The seconds of each polite frame."""
    log: list[str]
    """Tracebacks, long lines and visitors' texts in the log."""
    disk: list[str]
    """Files that gradio's uploads left."""
    counts: Counter[str] = field(default_factory=Counter)
    honest: Counter[str] = field(default_factory=Counter)
    """The answers to the attackers, and to those who are honest at their address."""


class Attacked:
    """A running app, what it takes when it is fresh, and its rounds."""

    def __init__(self, address: str, pid: int, folder: Path) -> None:
        self.address, self.pid, self.folder = address, pid, folder
        self._read = 0
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        rest(pid)
        alone(Polite(address).visit(FRAMES))  # memory that the first frames and the first run load is no attack's
        rest(pid)
        self.fresh: Sample = look(pid)
        self._complaints()

    def round(self, names: Sequence[str], seed: int) -> Found:
        """Attack in these ways at once beside a polite visitor, and cut the attackers off after the visit."""
        forget_peak(self.pid)
        polite = Polite(self.address)
        rude = [Rude(self.address, seed + number) for number in range(len(names))]
        alone(_visited(polite, dict(zip(names, rude, strict=True))))
        left = look(self.pid)
        rest(self.pid)
        now = look(self.pid)
        return Found(
            peak=peak(self.pid) - self.fresh.memory,
            after=now.memory - self.fresh.memory,
            cpu_after=now.cpu - left.cpu,
            files=now.files - self.fresh.files,
            refused=polite.refused,
            seconds=polite.seconds,
            log=self._complaints(),
            disk=[str(path) for path in (self.folder / "gradio").rglob("*") if path.is_file()],
            counts=sum((one.counts for one in rude), Counter()),
            honest=sum((one.honest.counts for one in rude), Counter()),
        )

    def _complaints(self) -> list[str]:
        """Return what the log must not have, since the last look at it."""
        with (self.folder / "log").open("rb") as file:
            file.seek(self._read)
            new = file.read()
        self._read += len(new)
        return complaints(new)


async def _visited(polite: Polite, attackers: dict[str, Rude]) -> None:
    """Let the attackers do what they do until the visit is over."""
    attacks = [asyncio.ensure_future(LOADS[name](rude)) for name, rude in attackers.items()]
    try:
        await polite.visit(FRAMES)
    finally:
        for attack in attacks:
            attack.cancel()
        ended = await asyncio.gather(*attacks, return_exceptions=True)
        for rude in attackers.values():
            rude.leave()
            rude.honest.leave()
    for problem in ended:
        if isinstance(problem, Exception):
            raise problem


@contextmanager
def attacked() -> Iterator[Attacked]:
    """Serve the app for rounds of attacks, and end it where it grows without bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "gradio").mkdir()
        with (
            (folder / "log").open("wb") as log,
            server("app.py", log=log, environment={"GRADIO_TEMP_DIR": str(folder / "gradio")}) as app,
            closing(Watch(app.process.pid, TOO_LARGE)),
        ):
            yield Attacked(app.address, app.process.pid, folder)
