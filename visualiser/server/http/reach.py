"""The addresses at which other machines in the network reach this server, found without asking any host."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.types import Scope

from visualiser.server.gradio.running import address
from visualiser.server.http.kept_answers import header

MOST: Final = 4
"""The most addresses that are returned."""

_EVERYWHERE: Final = ("0.0.0.0", "::", "")
_V4, _V6 = 4, 6
_TOWARDS: Final = (
    (socket.AF_INET, ("192.0.2.1", "192.168.255.255", "10.255.255.255", "172.31.255.255")),
    (socket.AF_INET6, ("2001:db8::1", "fd00::1")),
)
"""Addresses in the networks that a school may have; a datagram's socket only looks up the way to them."""


@dataclass(frozen=True)
class Reach:
    """The reach of the server: `network` is True if other machines reach it, None if unknown. `origins` says where."""

    network: bool | None
    origins: tuple[str, ...] = ()


def own_addresses() -> Iterator[str]:
    """Yield this machine's addresses in its networks, the one of the way out first. Nothing is sent."""
    for family, networks in _TOWARDS:
        for towards in networks:
            try:
                with socket.socket(family, socket.SOCK_DGRAM) as probe:
                    probe.connect((towards, 9))
                    yield probe.getsockname()[0]
            except OSError:
                continue  # no way there, or none of this family


def reach(scope: Scope, addresses: Callable[[], Iterator[str]] = own_addresses) -> Reach:
    """Return the server's reach, for a visitor on this machine who has opened it at a loopback address.

    Behind a proxy, a container's port or another tunnel the server does not know: the visitor comes from another
    address, or through another port.
    """
    name, port, scheme = address(scope)
    peer = (scope.get("client") or ("", 0))[0]
    if name is None or not _is_here(peer) or _requested_port(scope) != port:
        return Reach(None)
    if name not in _EVERYWHERE:
        return Reach(None if _is_elsewhere(name) else False)
    listening = _V6 if name == "::" else _V4  # uvicorn opens a socket of one family
    found = [one for one in dict.fromkeys(addresses()) if _is_elsewhere(one) and ip_address(one).version == listening]
    hosts = [f"[{one}]" if listening == _V6 else one for one in found[:MOST]]
    return Reach(True, tuple(f"{scheme}://{host}:{port}" for host in hosts))


def _requested_port(scope: Scope) -> int | None:
    try:
        return urlsplit(f"//{header(scope, b'host')}").port or {"http": 80, "https": 443}.get(scope["scheme"])
    except ValueError:
        return None


def _is_here(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _is_elsewhere(address: str) -> bool:
    """True if another machine may reach this address."""
    try:
        known = ip_address(address)
    except ValueError:
        return address != "localhost"
    return not (known.is_loopback or known.is_link_local or known.is_unspecified or known.is_multicast)
