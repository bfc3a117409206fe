"""What stands in for standard output and error while visitors are served: a stream that tells where it was written to,
and keeps the text to itself."""

import io
import logging
import sys
from types import FrameType
from typing import Final

_THROUGH: Final = ("traceback.py", "printed.py")


_TOLD: Final = "_headlight_told"
"""An attribute of exceptions that have been told: a traceback is printed line by line, and told once."""


class Printed(io.TextIOBase):
    """A text stream that logs its writer's place as a warning; as an error, with the exception, if one is being handled
    there: gradio prints a failed call's traceback and logs nothing."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        error = sys.exc_info()[1]
        if text.strip() and not hasattr(error, _TOLD):
            if error is not None:
                setattr(error, _TOLD, True)
            self._tell(error)
        return len(text)

    def _tell(self, error: BaseException | None) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.endswith(_THROUGH):
            frame = frame.f_back
        path, line = (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)
        about = (type(error), error, error.__traceback__) if error is not None else None
        level = logging.WARNING if error is None else logging.ERROR
        self._log.handle(logging.LogRecord(self._log.name, level, path, line, None, None, about))
