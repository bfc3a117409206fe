"""A state of the whole process that several threads need at once: the first makes it, the last takes it back."""

import threading
from abc import ABC, abstractmethod


class SharedState(ABC):
    """A context that many threads enter at once."""

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self.begin()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self.end()

    @abstractmethod
    def begin(self) -> None:
        """Make the state, as the first thread comes."""

    @abstractmethod
    def end(self) -> None:
        """Take it back, as the last one leaves."""
