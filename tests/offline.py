"""Refused connections, for tests of what needs nothing from outside."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def offline() -> Iterator[None]:
    """Make every connection and every look-up of a name fail."""

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a model on random weights needs nothing from outside")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setattr(socket, "getaddrinfo", refused)
        patch.setattr(socket.socket, "connect", refused)
        yield
