"""What is free is what the machine, or the container, still has."""

from pathlib import Path

import psutil
import pytest

from visualiser.server import free_memory
from visualiser.server.free_memory import limit_of_group


@pytest.mark.parametrize(
    ("file", "written", "limit"),
    [
        ("memory.max", "2147483648\n", 2**31),
        ("memory.max", "max\n", None),
        ("memory/memory.limit_in_bytes", "1000\n", 1000),
        ("other", "1", None),
    ],
)
def test_a_container_s_bound_is_read(tmp_path: Path, file: str, written: str, limit: int | None) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(written)
    assert limit_of_group(tmp_path) == limit


@pytest.mark.parametrize(("limit", "free"), [(None, 5000), (10_000, 5000), (4000, 3000), (500, 0)])
def test_the_less_of_machine_and_container_counts(
    limit: int | None, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 5000}))
    monkeypatch.setattr(free_memory, "limit_of_group", lambda group: limit)
    own = type("Info", (), {"rss": 1000})
    monkeypatch.setattr(psutil, "Process", lambda: type("Own", (), {"memory_info": lambda self: own})())
    assert free_memory.free_memory.__wrapped__() == free


def test_the_first_answer_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    first = free_memory.free_memory()
    monkeypatch.setattr(psutil, "virtual_memory", lambda: None)
    assert free_memory.free_memory() == first > 0
