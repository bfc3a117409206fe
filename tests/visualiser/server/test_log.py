"""Nothing of a visitor is logged, whatever goes wrong, and nobody outside makes the log grow."""

import asyncio
import io
import json
import logging
import struct
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import ClientDisconnect

from tests.draws import cases
from visualiser.pages.explore import frame
from visualiser.server import log
from visualiser.server.http.addresses import PREFIX
from visualiser.server.live import page, routes
from visualiser.server.live.page_request import PageRequest
from visualiser.server.log_rate import MINUTE, Place, Rate

TEXTS = st.text(min_size=1, max_size=300).map(lambda text: f"zqx{text}xqz")
"""Texts with prefix and suffix that no message of ours has."""


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def captured(rate: Rate | None = None) -> Iterator[io.StringIO]:
    """Return the output of `log.setup`, and restore everybody's logging afterwards."""
    root = logging.getLogger()
    loggers = [logger for logger in root.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    before = [(logger, logger.handlers[:], logger.level, logger.propagate) for logger in (root, *loggers)]
    hooks = threading.excepthook, sys.unraisablehook, warnings.showwarning
    stream = io.StringIO()
    handler = log.setup(stream, rate or Rate())
    try:
        yield stream
    finally:
        handler.close()
        threading.excepthook, sys.unraisablehook, warnings.showwarning = hooks
        for logger, handlers, level, propagate in before:
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(level)


class Broken(Exception):
    """An error provoked by a test."""


def body(query: str, **more: object) -> bytes:
    payload = json.dumps({"query": query, **more}).encode()
    return struct.pack("<I", len(payload)) + payload


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(FastAPI(routes=[*routes.ROUTES]), raise_server_exceptions=False) as client:
        yield client


def breaks(*given: object) -> Iterator[bytes]:
    """Raise an error with everything given in its message."""
    raise Broken(f"broken by {given!r}")


@pytest.mark.slow
@settings(deadline=None, max_examples=cases(40))
@given(text=TEXTS)
def test_nothing_of_a_link_or_an_upload_is_logged(client, text):
    with captured() as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "results", lambda *given: breaks(text, *given))
        client.post(f"{PREFIX}/page/explore", content=body(text, previous=text) + text.encode("utf-8", "replace"))
        list(
            page.with_error_part(breaks)(
                PageRequest(text, text, frozenset(), b"", "en", "light", 0, text, {}, "explore")
            )
        )
    written = stream.getvalue()
    assert written.count("| Broken at") == 2
    assert "zqx" not in written
    assert "xqz" not in written


@pytest.mark.slow
@settings(deadline=None, max_examples=cases(40))
@given(text=TEXTS)
def test_nothing_of_what_others_log_or_print_is_logged(text):
    loop = asyncio.new_event_loop()
    with captured() as stream, log.withheld_prints():
        logging.getLogger("somebody").warning(f"of {text}")
        logging.getLogger("somebody").warning("of %s and %d", text, 7)
        logging.getLogger("somebody").warning("of %(name)s", {"name": text})
        loop.call_exception_handler({"message": f"lost {text}", "exception": Broken(text)})
        warnings.warn(text, stacklevel=1)
        print(text)  # noqa: T201
        try:
            breaks(text)
        except Broken:
            traceback.print_exc()
    loop.close()
    written = stream.getvalue()
    assert "of … and 7" in written
    assert written.count("Broken") == 2
    assert "zqx" not in written
    assert "xqz" not in written


@pytest.fixture(autouse=True)
def _warnings_are_shown() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        yield


def test_a_line_says_what_and_where():
    with captured() as stream:
        try:
            breaks("x")
        except Broken:
            logging.getLogger("here").exception("no figure")
    line = stream.getvalue()
    assert " ERROR here: no figure | Broken at tests/visualiser/server/test_log.py:" in line
    assert line.rstrip().endswith("breaks")


def test_a_line_begins_with_its_second_in_utc():
    record = logging.LogRecord("here", logging.ERROR, __file__, 1, "no figure", (), None)
    record.created = 86_399.9
    assert log.Line().format(record).startswith("1970-01-01T23:59:59Z ERROR here: ")


def test_what_is_printed_is_an_error_if_one_is_being_handled():
    with captured() as stream, log.withheld_prints():
        print("a word")  # noqa: T201
        for _ in range(3):
            try:
                breaks("x")
            except Broken:
                traceback.print_exc()
    lines = stream.getvalue().splitlines()
    assert " WARNING printed: (withheld)" in lines[0]
    assert ["| Broken at" in line and " ERROR printed: (withheld)" in line for line in lines] == [False, *[True] * 3]


def test_an_error_of_the_system_has_its_name():
    with captured() as stream:
        try:
            raise OSError(24, "too many")
        except OSError:
            logging.getLogger("here").exception("no file")
    assert "OSError EMFILE at" in stream.getvalue()


def test_a_flood_makes_few_lines():
    clock = Clock()
    with captured(Rate(clock=clock)) as stream:
        for _ in range(10_000):
            logging.getLogger("asyncio").error("socket.accept() out of system resource")
        assert stream.getvalue().count("\n") == 5
        clock.now += MINUTE
        logging.getLogger("here").error("something else")
    assert stream.getvalue().count("\n") == 7
    assert "… 9995 more of the same from tests/visualiser/server/test_log.py:" in stream.getvalue()


def test_a_flood_from_many_places_is_bounded_too():
    clock = Clock()
    rate = Rate(each=5, together=60, clock=clock)
    assert sum(rate.lets(Place("file", line)) for line in range(10_000)) == 60
    clock.now += MINUTE
    assert rate.lets(Place("file", 1))
    left_out = rate.left_out()
    assert len(left_out) == 21
    assert sum(count for count, _ in left_out) == 10_000 - 60
    assert rate.left_out() == []


def test_what_was_left_out_is_told_at_the_end():
    with captured() as stream:
        for _ in range(7):
            logging.getLogger("here").error("again")
    assert "… 2 more of the same" in stream.getvalue()


@settings(deadline=None)
@given(text=st.text(max_size=5000))
def test_no_line_is_longer_than_it_may_be(text):
    assert len(log.cut(text).encode("utf-8", "backslashreplace")) < log.LONGEST
    assert log.cut("ü" * 5000).endswith("ü…")


@pytest.mark.parametrize(
    "error", [ClientDisconnect(), asyncio.CancelledError(), ExceptionGroup("", [ClientDisconnect()])]
)
def test_who_leaves_is_no_error(error):
    with captured() as stream:
        logging.getLogger("uvicorn.error").error("Exception in ASGI application\n", exc_info=error)
    assert stream.getvalue() == ""


def test_uvicorn_writes_no_line_for_a_request():
    with captured() as stream:
        access = logging.getLogger("uvicorn.access")
        access.error("GET %s", "/")
        assert not access.hasHandlers()
    assert stream.getvalue() == ""


def test_a_thread_that_breaks_is_told_without_its_message():
    with captured() as stream:
        thread = threading.Thread(target=breaks, args=("zqx",))
        thread.start()
        thread.join()
    assert "a thread broke | Broken at" in stream.getvalue()
    assert "zqx" not in stream.getvalue()
