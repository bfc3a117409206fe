"""A Hub on this machine: it speaks the protocol of huggingface.co about models of a folder, and misbehaves as told.

`python -m tests.hub_server FOLDER PORT [BYTES_A_SECOND]` serves the models in `FOLDER/organisation/name` until it ends.
"""

import hashlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".model", ".spm")
"""Names of files that lie in the storage beside the repository."""
_PIECE = 4096


@dataclass
class Behaviour:
    """What the server does. Names are those of files; counts go down as they are used.

    slow        bytes a second of files in the storage; None for as fast as it can
    gate        those wait before their last half until it is set
    cut         connections that end in the middle of a file
    ranges      if a file may be taken up in its middle
    flipped     files with another byte than the listed hash has
    longer      files that bring so many bytes more than was listed
    unlisted    files whose listed size is that much smaller or larger
    status      what every question is answered with, and the Hub's code of this `error`; 0 for the truth
    commit      that of the models
    instead     what is sent for paths that contain a word, from the first byte of the answer on, by a function that
                is given the writer; what is sent is counted under the word
    """

    slow: int | None = None
    gate: threading.Event | None = None
    cut: Counter[str] = field(default_factory=Counter)
    ranges: bool = True
    flipped: set[str] = field(default_factory=set)
    longer: dict[str, int] = field(default_factory=dict)
    unlisted: dict[str, int] = field(default_factory=dict)
    status: int = 0
    error: str = ""
    commit: str = COMMIT
    instead: dict[str, Callable[[Callable[[bytes], None]], None]] = field(default_factory=dict)


class Hub:
    """A running server: its address, how it behaves, and what it was asked for.

    `left` is set once a client breaks off what is sent `instead`.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder, self.behaviour = folder, Behaviour()
        self.asked: list[str] = []
        self.sent: Counter[str] = Counter()
        self.left = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def end(self) -> None:
        """End it; what it is sending is broken off."""
        self._server.shutdown()
        self._server.server_close()

    def files(self, id: str) -> list[Path]:
        """Return the files of a model."""
        return sorted(one for one in (self.folder / id).iterdir() if one.is_file())

    def info(self, id: str) -> dict[str, Any]:
        """Return what the Hub's API says of a model."""
        return {
            "id": id, "modelId": id, "sha": self.behaviour.commit, "private": False, "tags": [], "downloads": 0,
            "likes": 0, "siblings": [self._listed(one) for one in self.files(id)],
        }  # fmt: skip

    def _listed(self, path: Path) -> dict[str, Any]:
        found = path.read_bytes()
        size = len(found) + self.behaviour.unlisted.get(path.name, 0)
        blob = hashlib.sha1(b"blob %d\0" % len(found) + found, usedforsecurity=False).hexdigest()
        one: dict[str, Any] = {"rfilename": path.name, "size": size, "blobId": blob}
        if path.name.endswith(LARGE):
            one["lfs"] = {"size": size, "sha256": hashlib.sha256(found).hexdigest(), "pointerSize": 134}
        return one


@contextmanager
def hub(folder: Path) -> Iterator[Hub]:
    """Serve a folder's models to the end of the block."""
    server = Hub(folder)
    try:
        yield server
    finally:
        if server.behaviour.gate is not None:
            server.behaviour.gate.set()
        server.end()


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            return

        def handle(self) -> None:
            with suppress(ConnectionError):  # the other side has left
                super().handle()

        def do_HEAD(self) -> None:
            if self._instead(self.path):
                return
            self._headers(hub.behaviour.status or 200, b"")

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.asked.append(path)
            if self._instead(path):
                return
            if hub.behaviour.status:
                self._answer(hub.behaviour.status, b"", error=hub.behaviour.error)
                return
            parts = path.strip("/").split("/")
            match parts:
                case ["api", "models", org, name, "revision", _] if (hub.folder / org / name).is_dir():
                    self._answer(200, json.dumps(hub.info(f"{org}/{name}")).encode(), "application/json")
                case [org, name, "resolve", commit, file] if (hub.folder / org / name / file).is_file():
                    self._resolve(f"{org}/{name}", commit, file)
                case ["storage", org, name, file]:
                    self._file(hub.folder / org / name / file)
                case _:
                    self._answer(404, b"", error="RepoNotFound")

        def _instead(self, path: str) -> bool:
            """Send what a test has for this path; return False if it has nothing."""
            word = next((one for one in hub.behaviour.instead if one in path), None)
            if word is None:
                return False

            def write(piece: bytes) -> None:
                self.wfile.write(piece)
                hub.sent[word] += len(piece)

            self.close_connection = True
            try:
                hub.behaviour.instead[word](write)
            except OSError:
                hub.left.set()
            return True

        def _resolve(self, id: str, commit: str, file: str) -> None:
            if commit != hub.behaviour.commit:
                self._answer(404, b"", error="RevisionNotFound")
            elif file.endswith(LARGE):
                size = str((hub.folder / id / file).stat().st_size)
                there = {"Location": f"/storage/{id}/{file}", "X-Linked-Size": size, "X-Repo-Commit": commit}
                self._answer(302, b"", **there)
            else:
                self._file(hub.folder / id / file)

        def _file(self, path: Path) -> None:
            behaviour, found = hub.behaviour, path.read_bytes()
            if path.name in behaviour.flipped:
                found = found[:-1] + bytes([found[-1] ^ 1])
            found += b"\0" * behaviour.longer.get(path.name, 0)
            asked = self.headers.get("Range", "")
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and behaviour.ranges else 0
            end = len(found)
            if behaviour.cut[path.name]:
                behaviour.cut[path.name] -= 1
                end = start + (len(found) - start) // 2
            self._headers(206 if start else 200, found[start:])
            for at in range(start, end, _PIECE):
                if behaviour.gate is not None and path.name.endswith(LARGE) and at >= len(found) // 2:
                    behaviour.gate.wait()
                if behaviour.slow and path.name.endswith(LARGE):
                    time.sleep(_PIECE / behaviour.slow)
                piece = found[at : min(end, at + _PIECE)]
                hub.sent[path.name] += len(piece)
                try:
                    self.wfile.write(piece)
                except OSError:  # the other side has left
                    self.close_connection = True
                    return
            if end < len(found):
                self.close_connection = True

        def _answer(self, status: int, body: bytes, kind: str = "", error: str = "", **more: str) -> None:
            headers = {key.replace("_", "-"): one for key, one in more.items()}
            if kind:
                headers["Content-Type"] = kind
            if error:
                headers["X-Error-Code"] = error
            self._headers(status, body, headers)
            self.wfile.write(body)

        def _headers(self, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
            for name, value in (more or {}).items():
                self.send_header(name, value)
            self.end_headers()

    return Handler


if __name__ == "__main__":
    served = Hub(Path(sys.argv[1]), int(sys.argv[2]))
    served.behaviour.slow = int(sys.argv[3]) if len(sys.argv) > 3 else None
    sys.stdout.write(f"{served.url}\n")
    sys.stdout.flush()
    threading.Event().wait()
