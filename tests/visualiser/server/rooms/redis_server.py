"""A Redis of the tests' own, which keeps nothing on the disk and can be killed and started again."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.ports import free_port


class RedisServer:
    """A redis-server on a free port of this machine."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("redis-server", path="/usr/bin:/usr/local/bin:/opt/homebrew/bin") or shutil.which(
            "redis-server"
        )
        if found is None:
            pytest.fail(
                "No redis-server: install it (Debian: apt-get install redis-server; a Mac: brew install redis)."
            )
        self._program, self._folder = found, folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        """Start, and return when it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen([self._program, *options], cwd=self._folder, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while self._asked(b"PING\r\n") != b"+PONG\r\n":
            assert time.monotonic() < until, "redis-server does not answer"
            time.sleep(0.02)

    def kill(self) -> None:
        """End it like a crash: everything is lost."""
        self.process.kill()
        self.process.wait()

    def empty(self) -> None:
        """Forget everything."""
        assert self._asked(b"FLUSHALL\r\n") == b"+OK\r\n"

    def _asked(self, command: bytes) -> bytes:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                connection.sendall(command)
                return connection.recv(100)
        except OSError:
            return b""
