"""Who asks: an address and, within it, a tab. Nothing else is known of a visitor, and nothing of it is kept or logged.

Places and lines are shared among addresses first and among the tabs of one address second, so that a school behind one
address is served tab by tab, and one that makes up tabs takes turns with its own address alone.
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
    """Where a request comes from. `tab` is the token that the page's script made up; empty for programs."""

    address: str
    tab: str = ""


def client_of(scope: Scope, proxies: int | None = None) -> Client:
    """The client of a request. With `proxies` in front (the setting where None), the address that the outermost of
    those saw: the one that stands so many places from the end of X-Forwarded-For."""
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
    """The address by which somebody is counted: of IPv6 the first 64 bits, since one machine has all that follow."""
    try:
        known = ip_address(address.strip("[]"))
    except ValueError:
        return address if address in (UNKNOWN, "testclient") else UNKNOWN
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped:
        return str(known.ipv4_mapped)
    return str(IPv6Address(int(known) >> 64 << 64))


def beyond(most: int, addresses: Mapping[str, str]) -> list[str]:
    """The names that go so that `most` stay: whoever's address has most of them loses first, the oldest of its own.

    `addresses` has each name's address, the oldest first.
    """
    newer: Counter[str] = Counter()
    ranked: list[tuple[int, int, str]] = []
    for age, name in enumerate(reversed(list(addresses))):
        address = addresses[name]
        ranked.append((newer[address], age, name))
        newer[address] += 1
    return [name for *_, name in sorted(ranked)[most:]]
