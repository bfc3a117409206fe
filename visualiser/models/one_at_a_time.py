"""Long work with models, of which one is under way at a time in a process; whoever wants the same waits for it."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

from attention_core import Cancelled, InvalidInput, checkpoint

_LOG: Final = logging.getLogger(__name__)
_WAIT: Final = 0.1
"""Seconds between two looks of a visitor who waits for another's work."""

Step = Literal["load", "measure", "read"]
"""Reading a model's files, measuring the heads of one that is loaded over the corpus, or reading real texts with it."""


class UnderWay(NamedTuple):
    """What is done with which model; `texts` are those that it reads."""

    step: Step
    name: str
    texts: str = ""


class _Work:
    """A step that is under way. `problem` is what it ended with, unless it was stopped."""

    def __init__(self, what: UnderWay) -> None:
        self.what, self.done, self.ended = what, 0.0, threading.Event()
        self.problem: InvalidInput | None = None


class OneAtATime:
    """The work of all visitors with the models of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._work: _Work | None = None

    def under_way(self) -> UnderWay | None:
        """Return what is under way."""
        with self._lock:
            return self._work and self._work.what

    def follow(self) -> Iterator[float]:
        """Yield how much is done of what is under way, ten times a second until it ends; of nothing, nothing."""
        with self._lock:
            work = self._work
        while work is not None and not work.ended.wait(_WAIT):
            checkpoint()
            yield work.done

    def take(
        self,
        what: UnderWay,
        step: Callable[[Callable[[float], None]], object],
        progress: Callable[[float], None],
    ) -> None:
        """Do a step, or wait until another visitor's has ended: the caller looks then if its own is still to be done.

        Raises `InvalidInput`, also for the same step of another that was waited for: `model_load` for a model that
        breaks; `Cancelled` if this visitor stops, which ends no other's step.
        """
        own = _Work(what)
        with self._lock:
            work = self._work
            if work is None:
                self._work = own
        if work is None:
            self._do(own, step, progress)
            return
        while not work.ended.wait(_WAIT):
            checkpoint()
            if work.what == what:
                progress(work.done)
        if work.what == what and work.problem is not None:
            raise work.problem

    def _do(
        self, own: _Work, step: Callable[[Callable[[float], None]], object], progress: Callable[[float], None]
    ) -> None:
        def report(done: float) -> None:
            own.done = done
            progress(done)

        try:
            _require(own.what.name, lambda: step(report))
        except InvalidInput as problem:
            own.problem = problem
            raise
        finally:
            with self._lock:
                self._work = None
            own.ended.set()


def _require(name: str, step: Callable[[], object]) -> None:
    """Do a step with a model. Raises `InvalidInput` (`model_load`) for one that breaks: strangers' files meet others'
    code."""
    try:
        step()
    except (InvalidInput, Cancelled):
        raise
    except Exception as problem:
        _LOG.exception("a model of the folder broke")
        raise InvalidInput("model_load", f"The model {name} could not be loaded.", value=name) from problem
