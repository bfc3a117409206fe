"""What stands in for standard output and error while visitors are served: a stream that tells where it was written to,
and keeps the text to itself."""

import io
import logging
import sys
from types import FrameType
from typing import Final

_THROUGH: Final = ("traceback.py", "printed.py")


class Printed(io.TextIOBase):
    """A text stream that logs its writer's place, with the exception that is being handled there if there is one."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._told: int | None = None

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        error = sys.exc_info()[1]
        if text.strip() and (error is None or id(error) != self._told):
            # a traceback is printed line by line, and told once
            self._told = id(error) if error is not None else None
            self._tell(error)
        return len(text)

    def _tell(self, error: BaseException | None) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.endswith(_THROUGH):
            frame = frame.f_back
        path, line = (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)
        about = (type(error), error, error.__traceback__) if error is not None else None
        self._log.handle(logging.LogRecord(self._log.name, logging.WARNING, path, line, None, None, about))
