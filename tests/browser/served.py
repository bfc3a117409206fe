"""The app as a visitor gets it: `python app.py` in a separate process on this machine."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
FLEETING = "tests/browser/fleeting/app.py"
"""The script of servers that a test ends soon: they start with six seconds of the processor less."""


class Served:
    """A running app: its address, its process, and its output so far."""

    def __init__(self, port: int, script: str = "app.py", **variables: str) -> None:
        self.url = f"http://127.0.0.1:{port}/"
        self.lines: list[str] = []
        self._ready = threading.Event()
        environment = os.environ | {
            "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_SERVER_PORT": str(port),
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(ROOT),
            **variables,
        }
        self.process = subprocess.Popen(
            [sys.executable, script],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ready.wait(timeout=300)
        if not any("Running on" in line for line in self.lines):
            self.end()
            raise RuntimeError(f"{script} did not start:\n" + "".join(self.lines))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "Running on" in line:
                self._ready.set()
        self._ready.set()  # the process has ended

    def kill(self) -> None:
        """End this process as a power cut would: without a word to anybody."""
        self.process.kill()
        self.end()

    def end(self) -> None:
        """End this process and no other."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def serving(port: int | None = None, script: str = "app.py", **environment: str) -> Iterator[Served]:
    """Serve the app, from its first answer to the end of the block. `Served.end()` may be called earlier.

    `script` starts it in another way, with these environment variables.
    """
    app = Served(port or free_port(), script, **environment)
    try:
        yield app
    finally:
        if app.process.poll() is None:
            app.end()
