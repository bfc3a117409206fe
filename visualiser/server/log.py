"""The log: errors, their places in the source, and their number; never anything that a visitor sent.

A line holds only text by the program's authors: a message that is a literal in the source, numbers, the type of an
exception and its places in the source. Every other value is shown as …, whoever logs it: visitors choose links, upload
names and, through them, exception messages. Lines are bounded in length (`LONGEST`) and in number
(`visualiser.server.log_rate`), so nobody outside can make the log grow.
"""

import asyncio
import contextlib
import errno
import logging
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, TracebackType
from typing import Final, TextIO

from starlette.requests import ClientDisconnect

from visualiser.server.log_rate import Place, Rate
from visualiser.server.printed import Printed

LONGEST: Final = 2000
"""Bytes of a line, including its end."""

_ROOT: Final = Path(__file__).resolve().parents[2]
_FRAMES: Final = 8
_NO_ERROR: Final = (ClientDisconnect, asyncio.CancelledError, KeyboardInterrupt)
"""Exceptions that are no errors: a visitor leaves, its stream ends, Ctrl-C."""


class Line(logging.Formatter):
    """Format time, level, logger, message without values, exception without its message, and places."""

    converter = time.gmtime
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = None  # pyright: ignore[reportAssignmentType]

    def format(self, record: logging.LogRecord) -> str:
        written = f"{self.formatTime(record)} {record.levelname} {record.name}: {message(record)}"
        error = raised(record)
        if error is not None:
            written += f" | {describe(error)}"
        return cut(" ".join(written.split()))


def message(record: logging.LogRecord) -> str:
    """Return the record's message with its numbers if it is a literal at the place that logs; else that place."""
    if not isinstance(record.msg, str) or not _is_literal(record):
        return f"(withheld) at {_place(record.pathname, record.lineno)}"
    values = record.args if isinstance(record.args, tuple) else ()
    shown = tuple(value if type(value) in (int, float, bool) else "…" for value in values)
    try:
        return record.msg % shown if shown else record.msg
    except (TypeError, ValueError, KeyError):
        return record.msg


def _is_literal(record: logging.LogRecord) -> bool:
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == record.pathname and frame.f_lineno == record.lineno:
            return _holds(frame.f_code, record.msg)
        frame = frame.f_back
    return False


def _holds(code: CodeType, text: str) -> bool:
    return any(isinstance(constant, str) and constant == text for constant in code.co_consts)


def raised(record: logging.LogRecord) -> BaseException | None:
    """Return the record's exception; for a group that holds a single one, that one."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def describe(error: BaseException) -> str:
    """Describe an exception: its type, that of its cause, and the last places it passed, the innermost last."""
    cause = error.__cause__ or error.__context__
    code = f" {errno.errorcode.get(error.errno or 0, '')}" if isinstance(error, OSError) else ""
    after = f" after {type(cause).__name__}" if cause is not None else ""
    return f"{type(error).__name__}{code}{after} at {' > '.join(places(error.__traceback__)[-_FRAMES:])}"


def places(trace: TracebackType | None) -> list[str]:
    """Return FILE:LINE of our own files, and of the place that raised the exception."""
    found = []
    while trace is not None:
        path, name = trace.tb_frame.f_code.co_filename, trace.tb_frame.f_code.co_name
        if trace.tb_next is None or _is_ours(path):
            found.append(f"{_place(path, trace.tb_lineno)} {name}")
        trace = trace.tb_next
    return found


@cache
def _is_ours(path: str) -> bool:
    return Path(path).is_relative_to(_ROOT) and "site-packages" not in path


def _place(path: str, line: int) -> str:
    if _is_ours(path):
        return f"{Path(path).relative_to(_ROOT).as_posix()}:{line}"
    return f"{'/'.join(Path(path).parts[-2:])}:{line}"


def cut(line: str) -> str:
    """Cut the line to `LONGEST` bytes, including its end."""
    data = line.encode("utf-8", "backslashreplace")
    return line if len(data) < LONGEST else data[: LONGEST - 5].decode("utf-8", "ignore") + "…"


class _Bounded(logging.StreamHandler[TextIO]):
    """Writes as many lines as `Rate` allows, and the number of those left out."""

    def __init__(self, stream: TextIO, rate: Rate) -> None:
        super().__init__(stream)
        self.rate = rate
        self.setFormatter(Line())

    def emit(self, record: logging.LogRecord) -> None:
        error = raised(record)
        if isinstance(error, _NO_ERROR):
            return
        inner = places(error.__traceback__)[-1:] if error is not None else []
        place = Place(record.pathname, record.lineno, record.levelno, type(error).__name__, *inner)
        if self.rate.lets(place):
            super().emit(record)
        self._tell_left_out(self.rate.left_out())

    def _tell_left_out(self, counted: Iterable[tuple[int, Place]]) -> None:
        for count, place in counted:
            self.stream.write(
                cut(f"… {count} more of the same from {_place(place.path, place.line)} were left out") + "\n"
            )
        self.flush()

    def close(self) -> None:
        with contextlib.suppress(ValueError):  # the stream may be closed already
            self._tell_left_out(self.rate.close())
        super().close()

    def handleError(self, record: logging.LogRecord) -> None:
        """Print nothing: logging's own report would show the record's values."""


def setup(stream: TextIO | None = None, rate: Rate | None = None) -> logging.Handler:
    """Send everything that is logged in this process through one bounded handler, and return it.

    Call it again after another library has set up logging.
    """
    root = logging.getLogger()
    present = [handler for handler in root.handlers if isinstance(handler, _Bounded)]
    handler = present[0] if present and stream is None else _Bounded(stream or sys.stderr, rate or Rate())
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for logger in [known for known in root.manager.loggerDict.values() if isinstance(known, logging.Logger)]:
        logger.handlers.clear()
        logger.propagate = True
    # else uvicorn would write a line for each request
    logging.getLogger("uvicorn.access").propagate = False
    threading.excepthook = _thread_broke
    sys.unraisablehook = _unraisable
    warnings.showwarning = _warned
    return handler


def bounds(own: bool, memory: int, models: int) -> None:
    """Log whom the server takes for its visitors, and the bytes for computations and for models that follow."""
    logger = logging.getLogger(__name__)
    megabytes = memory // 2**20, models // 2**20
    if own:
        logger.warning("its owner's own machine: %d MB for computations, %d MB for models", *megabytes)
    else:
        logger.warning("served to others: %d MB for computations, %d MB for models", *megabytes)


def _thread_broke(given: threading.ExceptHookArgs) -> None:
    if given.exc_value is not None:
        logging.getLogger(__name__).error("a thread broke", exc_info=given.exc_value)


def _unraisable(given: "sys.UnraisableHookArgs") -> None:
    logging.getLogger(__name__).error("nobody could be told", exc_info=given.exc_value)


def _warned(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object) -> None:
    record = logging.LogRecord(category.__name__, logging.WARNING, filename, lineno, None, None, None)
    logging.getLogger("py.warnings").handle(record)


@contextmanager
def withheld_prints() -> Iterator[None]:
    """Log the place of each print, not its text, until the block ends.

    gradio prints the traceback of a failed call, whose last line is the exception's message.
    """
    usual = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = Printed(logging.getLogger("printed"))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = usual
