"""HAProxy and nginx with the files of deploy/, on free ports of this machine."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PATIENCE = 30.0
"""Seconds after which a proxy counts as not started; starting takes a fraction of one."""


def program(name: str) -> str:
    """Return the path of an installed program. Its absence fails the test: nothing else shows that the files work."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")
    if path is None:
        pytest.fail(f"No {name}: tests/deploy runs the files of deploy/ with it. On Debian: apt-get install {name}.")
    return path


class _Started:
    """A program in the foreground, from its first open port to `end`."""

    def __init__(self, command: list[str], ports: list[int], log: Path, **variables: str) -> None:
        self._log = log.open("wb")
        environment = os.environ | variables
        self.process = subprocess.Popen(command, env=environment, stdout=self._log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + PATIENCE
        while not all(map(_open, ports)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.end()
                raise RuntimeError(f"{command[0]} did not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.02)

    def end(self) -> None:
        """End this process; it ends its workers itself."""
        self.process.terminate()
        self.process.wait(PATIENCE)
        self._log.close()


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class HAProxy(_Started):
    """deploy/haproxy.cfg in front of two ports, at / or below `path`; with TLS as well if `certificate` is given."""

    def __init__(
        self, folder: Path, listen: int, replicas: tuple[int, int], path: str = "", tls: int = 0, certificate: str = ""
    ) -> None:
        written = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
        for port, replica in zip((7861, 7862), replicas, strict=True):
            written = replaced(written, f"127.0.0.1:{port}\n", f"127.0.0.1:{replica}\n")
        file = folder / f"haproxy-{listen}.cfg"
        file.write_text(written, encoding="utf-8")
        variables = {"PROXY_BIND": f"127.0.0.1:{listen}", "GRADIO_ROOT_PATH": path}
        if tls:
            variables |= {"PROXY_TLS_BIND": f"127.0.0.1:{tls}", "PROXY_CERTIFICATE": certificate}
        self.url = f"http://127.0.0.1:{listen}{path}/"
        self.tls_url = f"https://127.0.0.1:{tls}{path}/"
        # without -W: a single process that ends on request
        command = [program("haproxy"), "-db", "-f", str(file)]
        super().__init__(command, [listen, *([tls] if tls else [])], folder / f"haproxy-{listen}.log", **variables)


class Nginx(_Started):
    """deploy/nginx.conf in front of two ports, with `changes` to its text."""

    def __init__(
        self,
        folder: Path,
        listen: int,
        replicas: tuple[int, int],
        path: str = "",
        changes: dict[str, str] | None = None,
    ) -> None:
        own = folder / f"nginx-{listen}"
        own.mkdir()
        written = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
        temporary = "".join(
            f"    {name}_temp_path {own}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        for given, wanted in {
            "127.0.0.1:7861": f"127.0.0.1:{replicas[0]}",
            "127.0.0.1:7862": f"127.0.0.1:{replicas[1]}",
            "127.0.0.1:8080": f"127.0.0.1:{listen}",
            "/run/headlight-nginx.pid": f"{own}/pid",
            "/var/cache/headlight": f"{own}/cache",
            "http {\n": "http {\n" + temporary,
            **(changes or {}),
        }.items():
            written = replaced(written, given, wanted)
        file = own / "nginx.conf"
        file.write_text(written, encoding="utf-8")
        self.url = f"http://127.0.0.1:{listen}{path}/"
        command = [program("nginx"), "-c", str(file), "-g", "daemon off;"]
        super().__init__(command, [listen], folder / f"nginx-{listen}.log")


def replaced(text: str, given: str, wanted: str) -> str:
    """Return `text` with every `given` replaced; at least one must exist."""
    assert given in text, given
    return text.replace(given, wanted)


def certificate(folder: Path) -> str:
    """Write a self-signed certificate for 127.0.0.1 and its key to one file; return its path."""
    key, signed, both = (folder / name for name in ("key.pem", "signed.pem", "both.pem"))
    made = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*made, "-keyout", str(key), "-out", str(signed)], check=True, capture_output=True)
    both.write_bytes(key.read_bytes() + signed.read_bytes())
    return str(both)
