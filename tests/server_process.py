"""A server process of a test or a benchmark: started on a free port of the loopback, ended by its process id."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120.0
"""Seconds after which a silent server counts as failed."""


@dataclass(frozen=True)
class Server:
    """A running process, its address, and its start (seconds since the epoch, as browsers count)."""

    process: subprocess.Popen[bytes]
    address: str
    started: float


@contextmanager
def server(
    script: str, *, log: IO[bytes] | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Run ``python script`` (a path below the repository) until the block ends; yield once it accepts connections.

    Its output goes to the file `log`. Without one only its errors are kept, until they fill a pipe.
    """
    port = free_port()
    given = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        **(environment or {}),
    }
    started = time.time()
    out, errors = (subprocess.DEVNULL, subprocess.PIPE) if log is None else (log, log)
    process = subprocess.Popen([sys.executable, script], cwd=ROOT, env=given, stdout=out, stderr=errors)
    try:
        _wait(process, port)
        yield Server(process, f"http://127.0.0.1:{port}", started)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if process.poll() is not None:
            output = process.communicate()[1] or b"its log says why"
            raise RuntimeError(f"the server ended with {process.returncode}: {output.decode()}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.005)
    raise TimeoutError(f"no server on port {port} after {PATIENCE:.0f} s")
