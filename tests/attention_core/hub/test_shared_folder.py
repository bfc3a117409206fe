"""Fetches of several processes into one folder keep its bound together."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from attention_core import InvalidInput
from attention_core.models import HubFolder, Plan, hub
from tests.hub_server import Hub

FIRST, SECOND = "small/gpt2", "small/llama"
CHILD = """
import sys
from pathlib import Path
from attention_core.models import HubFolder
models = HubFolder(Path(sys.argv[1]), endpoint=sys.argv[2])
models.fetch(models.plan(sys.argv[3]), lambda share: print(share, flush=True))
"""


def code_of(work: Callable[[], object]) -> str:
    """Return the code of the refusal, or nothing."""
    try:
        work()
    except InvalidInput as problem:
        return problem.code
    return ""


@contextmanager
def fetching(path: Path, server: Hub, id: str) -> Iterator[subprocess.Popen[str]]:
    """Let another process fetch a model until half of its numbers are there."""
    server.behaviour.gate = threading.Event()
    command = [sys.executable, "-c", CHILD, str(path), server.url, id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert any(float(line) > 0.4 for line in child.stdout)
            yield child
        finally:
            server.behaviour.gate.set()
            child.kill()


@pytest.mark.slow
def test_a_fetch_of_another_process_counts_whole(tmp_path: Path, server: Hub) -> None:
    models = HubFolder(tmp_path / "here", endpoint=server.url)
    first, second = models.plan(FIRST), models.plan(SECOND)
    bounded = HubFolder(models.path, first.bytes + second.bytes - 1, server.url)
    with fetching(models.path, server, FIRST) as child:
        assert code_of(lambda: bounded.require_room(second)) == "hub_full"
        assert code_of(lambda: bounded.fetch(second)) == "hub_full"
        child.kill()
        child.wait()
        assert server.behaviour.gate is not None
        server.behaviour.gate.set()
        bounded.fetch(second)  # the bytes of a killed process are free at once
    assert models.names == (SECOND,)
    HubFolder(models.path)
    assert sorted(one.name for one in models.path.iterdir()) == [".turn", "small"]


@pytest.mark.slow
def test_the_disk_keeps_room_for_what_another_process_still_fetches(
    tmp_path: Path, server: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = HubFolder(tmp_path / "here", endpoint=server.url)
    first, second = models.plan(FIRST), models.plan(SECOND)
    with fetching(models.path, server, FIRST):
        for more, code in ((first.bytes // 2 + 2**14, ""), (0, "hub_disk")):
            free = hub._SPARE + second.bytes + more
            monkeypatch.setattr(hub.shutil, "disk_usage", lambda path, free=free: usage(free))
            assert code_of(lambda: models.require_room(second)) == code


def usage(free: int) -> Any:
    return type("Usage", (), {"free": free})()


def test_two_fetches_never_look_for_room_at_once(tmp_path: Path, server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    models = HubFolder(tmp_path / "here", endpoint=server.url)
    plans: list[Plan] = [models.plan(FIRST), models.plan(SECOND)]
    bounded = HubFolder(models.path, sum(plan.bytes for plan in plans) - 1, server.url)
    both, own = threading.Barrier(2), hub.shutil.disk_usage

    def looked(path: Path) -> Any:
        with suppress(threading.BrokenBarrierError):  # nobody else came
            both.wait(0.5)
        return own(path)

    monkeypatch.setattr(hub.shutil, "disk_usage", looked)
    with ThreadPoolExecutor(2) as pool:
        codes = [*pool.map(lambda plan: code_of(lambda: bounded.fetch(plan)), plans)]
    assert sorted(codes) == ["", "hub_full"]
    assert both.broken
