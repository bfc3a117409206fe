"""A visitor on this machine learns the addresses of its network, and nobody else anything."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Scope

from tests.visualiser.server.asking import scope
from visualiser.server.http import reach as module
from visualiser.server.http.reach import MOST, Reach, reach


def asked(name: str | None = "0.0.0.0", host: str = "127.0.0.1:7860", peer: str = "127.0.0.1", **more: Any) -> Scope:
    blocks = SimpleNamespace(server_name=name, server_port=7860, protocol="http", **more)
    return {**scope(host=host, app=SimpleNamespace(blocks=blocks)), "client": (peer, 4711)}


def found() -> Iterator[str]:
    yield from ("192.168.1.5", "127.0.0.1", "192.168.1.5", "169.254.3.4", "10.0.0.7", "fe80::7", "fd00::2")


@pytest.mark.parametrize("name", ["0.0.0.0", ""])
@pytest.mark.parametrize("host", ["127.0.0.1:7860", "localhost:7860", "[::1]:7860"])
def test_a_server_on_the_network_names_its_addresses(name: str, host: str) -> None:
    assert reach(asked(name, host), found) == Reach(True, ("http://192.168.1.5:7860", "http://10.0.0.7:7860"))


def test_a_server_of_ipv6_names_addresses_of_ipv6() -> None:
    assert reach(asked("::", "[::1]:7860", "::1"), found) == Reach(True, ("http://[fd00::2]:7860",))


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "::1"])
def test_a_server_of_this_machine_alone_says_so(name: str) -> None:
    assert reach(asked(name), found) == Reach(False)


@pytest.mark.parametrize(
    "unknown",
    [
        asked(peer="172.17.0.1"),  # a container's port
        asked(peer="unknown"),
        asked(host="127.0.0.1:8080"),  # a proxy
        asked(host="127.0.0.1"),
        asked(host="127.0.0.1:x"),
        asked(host="["),
        asked(host=""),
        asked(name="192.168.1.5"),
        asked(name=None),
        {**asked(), "app": None},
        {**asked(), "client": None},
    ],
)
def test_otherwise_nobody_knows(unknown: Scope) -> None:
    assert reach(unknown, found) == Reach(None)


def test_no_more_than_a_few_are_told() -> None:
    assert len(reach(asked(), lambda: (f"10.0.0.{n}" for n in range(9))).origins) == MOST


def test_the_addresses_are_looked_up_without_a_word_to_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, str]] = []

    class Silent(module.socket.socket):
        """A socket that may look up a way, and send nothing."""

        def __getattribute__(self, name: str) -> Any:
            assert not name.startswith("send"), name
            if name == "connect":
                assert self.type == module.socket.SOCK_DGRAM
                made.append(("connect", ""))
            return super().__getattribute__(name)

    monkeypatch.setattr(module.socket, "socket", Silent)
    assert all(not address.startswith("0.") for address in module.own_addresses())
    assert made
