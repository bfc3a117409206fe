"""Clients: an address and, within it, a tab. Nothing else is known of a visitor, and neither is kept or logged.

Places and lines are shared among addresses first and among the tabs of an address second. So a school behind one
address is served tab by tab, and a client that invents tabs competes only with its own address.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

from starlette.types import Scope

from visualiser.server import settings

_TAB: Final = re.compile(rb"[A-Za-z0-9_-]{8,64}")
UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class Client:
    """The origin of a request. `tab` is the token that the page's script made up; empty for programs."""

    address: str
    tab: str = ""


def client_of(scope: Scope, proxies: int | None = None) -> Client:
    """Return the client of a request.

    With `proxies` in front (default: the setting), its address is the one that the outermost proxy saw: that many
    places from the end of X-Forwarded-For.
    """
    trusted = settings.trusted_proxies() if proxies is None else proxies
    headers: Iterable[tuple[bytes, bytes]] = scope.get("headers", ())
    peer = (scope.get("client") or (UNKNOWN, 0))[0]
    tab = b""
    forwarded: list[bytes] = []
    for name, value in headers:
        if name == b"x-headlight-tab":
            tab = value
        elif name == b"x-forwarded-for" and trusted:
            forwarded += value[:2000].split(b",")
    if trusted and forwarded:
        peer = forwarded[-min(trusted, len(forwarded))].strip().decode("latin-1")
    return Client(network(peer), tab.decode() if _TAB.fullmatch(tab) else "")


def network(address: str) -> str:
    """Return the address to count by. For IPv6 these are the first 64 bits, since one machine owns all the rest."""
    try:
        known = ip_address(address.strip("[]"))
    except ValueError:
        return address if address in (UNKNOWN, "testclient") else UNKNOWN
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped:
        return str(known.ipv4_mapped)
    return str(IPv6Address(int(known) >> 64 << 64))


def names_to_drop(most: int, addresses: Mapping[str, str]) -> list[str]:
    """Return the names to drop so that `most` stay: of the address with the most names first, its oldest first.

    `addresses` maps each name to its address, the oldest first.
    """
    newer: Counter[str] = Counter()
    ranked: list[tuple[int, int, str]] = []
    for age, name in enumerate(reversed(list(addresses))):
        address = addresses[name]
        ranked.append((newer[address], age, name))
        newer[address] += 1
    return [name for *_, name in sorted(ranked)[most:]]
