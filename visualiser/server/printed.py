"""A stand-in for standard output and error while visitors are served: logs the place of each write, not its text."""

import io
import logging
import sys
from types import FrameType
from typing import Final

_THROUGH: Final = ("traceback.py", "printed.py")


_LOGGED: Final = "_headlight_told"
"""An attribute that marks exceptions already logged: a traceback is printed line by line, but logged once."""


class Printed(io.TextIOBase):
    """A text stream that logs each writer's place: as a warning, or as an error while an exception is being handled.

    gradio prints a failed call's traceback and does not log it.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        error = sys.exc_info()[1]
        if text.strip() and not hasattr(error, _LOGGED):
            if error is not None:
                setattr(error, _LOGGED, True)
            self._log_writer(error)
        return len(text)

    def _log_writer(self, error: BaseException | None) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.endswith(_THROUGH):
            frame = frame.f_back
        path, line = (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)
        about = (type(error), error, error.__traceback__) if error is not None else None
        level = logging.WARNING if error is None else logging.ERROR
        self._log.handle(logging.LogRecord(self._log.name, level, path, line, None, None, about))
