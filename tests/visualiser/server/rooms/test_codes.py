"""The code of a room follows from its secret, at a price."""

import pytest

from visualiser.server.rooms import codes


def test_a_secret_opens_the_code_that_it_has_always_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # as outside tests
    assert codes.SCRYPT_COST == 2**14
    assert codes.code_of("a" * 22) == "XW7CWH"
