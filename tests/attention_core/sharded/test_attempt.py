"""Ranks that torchrun restarted meet under another name than those before them."""

import pytest

from attention_core.sharded.ranks import _attempt


@pytest.mark.parametrize(
    ("machines", "attempt"),
    [("1", "2"), ("3", "0"), (None, "0")],
    ids=["on one machine", "on several, of which each counts its own", "without torchrun"],
)
def test_the_attempt_is_that_of_one_machine(
    monkeypatch: pytest.MonkeyPatch, machines: str | None, attempt: str
) -> None:
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "2")
    monkeypatch.delenv("GROUP_WORLD_SIZE", raising=False)
    if machines is not None:
        monkeypatch.setenv("GROUP_WORLD_SIZE", machines)
    assert _attempt() == attempt
