"""Clients: forwarded addresses count only behind trusted proxies, and a machine has one address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visualiser.server.admission.clients import UNKNOWN, Client, client_of, names_to_drop, network


def scope(peer: str | None, *headers: tuple[bytes, bytes]) -> dict:
    return {"client": None if peer is None else (peer, 4711), "headers": headers}


def test_nobody_chooses_their_own_address() -> None:
    forged = scope("10.0.0.7", (b"x-forwarded-for", b"1.2.3.4"))
    assert client_of(forged, 0) == Client("10.0.0.7")
    assert client_of(forged, 1) == Client("1.2.3.4")


def test_of_several_addresses_the_one_that_the_outermost_trusted_proxy_saw_counts() -> None:
    through = scope("10.0.0.1", (b"x-forwarded-for", b"6.6.6.6, 1.2.3.4"), (b"x-forwarded-for", b"10.0.0.2"))
    assert client_of(through, 1).address == "10.0.0.2"
    assert client_of(through, 2).address == "1.2.3.4"
    assert client_of(through, 3).address == "6.6.6.6"
    assert client_of(through, 9).address == "6.6.6.6"


@pytest.mark.parametrize(
    ("written", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("[2001:db8:1:2::9]", "2001:db8:1:2::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("a" * 5000, UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_an_address_counts_as_its_network(written: str, counted: str) -> None:
    assert network(written) == counted


def test_a_tab_is_a_token_and_nothing_longer() -> None:
    assert client_of(scope("10.0.0.7", (b"x-headlight-tab", b"abcdefgh-_123"))).tab == "abcdefgh-_123"
    for odd in (b"short", b"a" * 65, b"with space", b"\xff" * 20, b""):
        assert client_of(scope("10.0.0.7", (b"x-headlight-tab", odd))) == Client("10.0.0.7")


@given(st.binary(max_size=200), st.integers(0, 5))
def test_no_header_breaks_it(written: bytes, proxies: int) -> None:
    found = client_of(scope(None, (b"x-forwarded-for", written), (b"x-headlight-tab", written)), proxies)
    assert len(found.address) <= 45
    assert len(found.tab) <= 64


@pytest.mark.parametrize(
    ("most", "gone"),
    [
        (6, []),
        (5, ["r1"]),
        (4, ["r1", "p1"]),  # both addresses have two: drop their oldest
        (3, ["r1", "p1", "r2"]),
        (2, ["r1", "r2", "p1", "q1"]),
        (0, ["r1", "r2", "p1", "q1", "r3", "p2"]),
    ],
)
def test_whoever_has_most_loses_the_oldest_first(most: int, gone: list[str]) -> None:
    came = {"q1": "quiet", "p1": "polite", "r1": "rude", "r2": "rude", "r3": "rude", "p2": "polite"}
    assert set(names_to_drop(most, came)) == set(gone)


def test_of_equals_the_oldest_goes() -> None:
    assert names_to_drop(2, {"a": "1", "b": "2", "c": "3"}) == ["a"]
