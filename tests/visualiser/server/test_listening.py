"""The address at which the server listens: one that cannot be is refused by the name of its variable."""

import errno
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from visualiser.server import listening, settings

ROOT = Path(__file__).parents[3]


@pytest.fixture
def taken() -> Iterator[int]:
    """Listen on a port of loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def free(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("name", ["", "127.0.0.1", "localhost", "0.0.0.0", " 127.0.0.1 "])
def test_an_address_of_this_machine_is_taken(name: str) -> None:
    listening.require({"GRADIO_SERVER_NAME": name})
    listening.require({"GRADIO_SERVER_NAME": name, "GRADIO_SERVER_PORT": str(free("127.0.0.1"))})


@pytest.mark.parametrize(
    "name", ["nowhere.invalid", "192.0.2.7", "999.1.1.1", "http://127.0.0.1", "[::1", "a..b", "::x"]
)
def test_an_address_of_another_machine_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_name_service(host: str, *_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, host)

    if not name[0].isdigit():
        monkeypatch.setattr(socket, "getaddrinfo", no_name_service)
    with pytest.raises(ValueError, match=re.escape(f"0.0.0.0; got {name!r}.")):
        listening.require({"GRADIO_SERVER_NAME": name})


def test_a_taken_port_is_refused_with_one_that_is_free(taken: int) -> None:
    with pytest.raises(ValueError, match="must be a free port such as") as problem:
        listening.require({"GRADIO_SERVER_PORT": str(taken)})
    said = re.fullmatch(
        rf"GRADIO_SERVER_PORT must be a free port such as (\d+); got '{taken}', where another program listens\.",
        str(problem.value),
    )
    assert said is not None
    listening.require({"GRADIO_SERVER_PORT": said[1]})


def test_a_port_that_only_the_system_may_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_refused", lambda family, address: errno.EACCES if address[1] == 80 else None)
    with pytest.raises(ValueError, match=r"^GRADIO_SERVER_PORT must be a port that this user may .* got '80'\.$"):
        listening.require({"GRADIO_SERVER_PORT": "80"})


def test_of_a_name_with_two_addresses_one_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(family, socket.SOCK_STREAM, 6, "", (family.name, 1)) for family in (socket.AF_INET, socket.AF_INET6)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    answers = {"AF_INET": None, "AF_INET6": errno.EADDRNOTAVAIL}
    monkeypatch.setattr(listening, "_refused", lambda family, _: answers[family.name])
    assert listening._problem("localhost", 1) is None
    answers["AF_INET"] = errno.EADDRINUSE
    assert listening._problem("localhost", 1) == errno.EADDRINUSE
    answers["AF_INET"] = errno.EADDRNOTAVAIL
    assert listening._problem("localhost", 1) == errno.EADDRNOTAVAIL


@pytest.mark.parametrize(("written", "host"), [("::1", "::1"), ("[::1]", "::1"), ("[::]", "::"), ("", "127.0.0.1")])
def test_an_address_of_ipv6_may_have_brackets(written: str, host: str) -> None:
    assert settings.server_name({"GRADIO_SERVER_NAME": written}) == host
    assert settings.is_own({"GRADIO_SERVER_NAME": written}) is (host != "::")


@pytest.mark.slow
def test_the_app_does_not_start_at_another_port(taken: int) -> None:
    given = {**os.environ, "PYTHONPATH": str(ROOT), "GRADIO_SERVER_PORT": str(taken)}
    ended = subprocess.run([sys.executable, "app.py"], cwd=ROOT, env=given, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(rf"GRADIO_SERVER_PORT must be a free port such as \d+; got '{taken}', .*\.\n", ended.stderr)
