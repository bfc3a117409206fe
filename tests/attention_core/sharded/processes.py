"""Ranks as processes: under torchrun, or joined only by the environment variables that it would set."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 600.0
"""Seconds after which a process counts as hanging."""

LINE = re.compile(r"rank (\d) of 2 \(process (\d+)\): rows (\d+) to (\d+), [0-9.]+ s\n")
Process = subprocess.Popen[str]


@contextmanager
def torchrun(arguments: Sequence[str], restarts: int = 0) -> Iterator[Process]:
    """Start two ranks of `python -m attention_core.sharded` under torchrun, with up to `restarts` restarts."""
    launcher = ["torch.distributed.run", "--nproc-per-node=2", f"--max-restarts={restarts}", "--master-addr=127.0.0.1"]
    with _running(
        [*launcher, f"--master-port={free_port()}", "-m", "attention_core.sharded", *arguments], {}
    ) as process:
        yield process


@contextmanager
def two_ranks(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[Process, Process]]:
    """Start ranks 0 and 1 without a launcher, each with its own arguments."""
    joined = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    with (
        _running(["attention_core.sharded", *first], {**joined, "RANK": "0"}) as rank_0,
        _running(["attention_core.sharded", *second], {**joined, "RANK": "1"}) as rank_1,
    ):
        yield rank_0, rank_1


def ended(process: Process) -> tuple[int, str, str]:
    """Return status, standard output and standard error of a process that ends by itself."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def kill_at_first_block(process: Process) -> None:
    """Wait until a rank reports its first block, then kill that rank without cleanup."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := LINE.fullmatch(line):
            os.kill(int(found[2]), getattr(signal, "SIGKILL", signal.SIGTERM))
            return
    raise AssertionError("no rank has finished a block")


@contextmanager
def _running(module: Sequence[str], environment: dict[str, str]) -> Iterator[Process]:
    # One thread per rank: otherwise two ranks on two cores wait for each other's threads.
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": loopback, **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", *module],
        cwd=ROOT,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE)
        except ValueError:  # its pipes are read to the end and closed
            process.wait(PATIENCE)
