"""The peers' own environment: their packages in a folder of the cache, and the scripts that their HTML asks for.

Nothing of the repository's environment changes. Torch and IPython are taken from it, the peers come by pip without
their requirements, and the scripts by npm, in the versions that the HTML names.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import brotli

from benchmarks.server import ROOT

PACKAGES: Final = ("bertviz==1.4.1", "circuitsvis==1.43.3", "importlib-metadata==8.5.0", "zipp==3.20.2")
"""The peers, and what they import that the tests' environment lacks."""

ADDRESS: Final = re.compile(r"https://cdnjs\.cloudflare\.com/ajax/libs/([\w.-]+)/([\d.]+)/([\w.-]+)")
NPM: Final = {"require.js": "requirejs"}
"""What npm calls a library that cdnjs calls otherwise."""

NEAREST: Final = {"jquery@2.0.0": "jquery@2.1.0"}
"""A version that npm lacks, and the nearest that it has."""


@dataclass(frozen=True)
class Script:
    """A script of a CDN: its address, its library, its version, its file."""

    address: str
    library: str
    version: str
    file: str

    @property
    def package(self) -> str:
        """The package of npm with its version."""
        return f"{NPM.get(self.library, self.library)}@{self.version}"


def asked(html: str) -> tuple[Script, ...]:
    """Return the scripts of cdnjs that an HTML page asks for, in their order, each once.

    >>> asked("paths: {d3: 'https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min'}")[0].file
    'd3.min.js'
    """
    found = {}
    for match in ADDRESS.finditer(html):
        library, version, file = match.groups()
        suffix = "" if file.endswith(".js") else ".js"  # require.js adds it
        found[f"{match.group()}{suffix}"] = Script(f"{match.group()}{suffix}", library, version, f"{file}{suffix}")
    return tuple(found.values())


@dataclass(frozen=True)
class Served:
    """A script as it is served in the CDN's place. `instead` says what it is if it is not the very file."""

    script: Script
    body: bytes
    instead: str = ""


def member(names: Iterable[str], file: str) -> str | None:
    """Return the path in a package of npm of a file, or of the same without `.min`; None if it has neither.

    >>> member(["package/dist/d3.js", "package/dist/d3.min.js"], "d3.min.js")
    'package/dist/d3.min.js'
    """
    there = list(names)
    for wanted in (file, file.replace(".min", "")):
        ends = [name for name in there if name.rsplit("/", 1)[-1] == wanted]
        if ends:
            return min(ends, key=len)
    return None


def compressed(body: bytes) -> int:
    """Return the bytes of a script with brotli at its best: no CDN sends fewer."""
    return len(brotli.compress(body))


def zipped(body: bytes) -> bytes:
    """Return a page as servers usually compress it."""
    return gzip.compress(body, 6)


class Environment:
    """The folder with the peers' packages and scripts; made when it is not there."""

    def __init__(self, folder: Path | None = None) -> None:
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        self.folder = folder or cache / "headlight-peers"
        self._scripts: dict[str, Served | str] = {}

    @property
    def python(self) -> Path:
        """The environment's own Python."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def make(self) -> str:
        """Make it unless it is there; return what is wrong, if it cannot be made."""
        made, wanted = self.folder / "made", "\n".join((*PACKAGES, sys.version, sys.prefix))
        if made.exists() and made.read_text() == wanted:
            return ""
        if self.folder.is_relative_to(ROOT):
            return f"{self.folder} is within the repository"
        steps = (
            [sys.executable, "-m", "venv", "--clear", str(self.folder)],
            [
                str(self.python),
                *["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"],
                *PACKAGES,
            ],
        )
        for step in steps:
            found = subprocess.run(step, capture_output=True, text=True, check=False)
            if found.returncode:
                return f"{' '.join(step[:4])} failed: {found.stderr.strip().splitlines()[-1:]}"
            if step is steps[0]:  # torch and what else the peers import, behind their own packages
                path = subprocess.check_output(
                    [self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
                ).strip()
                Path(path, "of_headlight.pth").write_text(sysconfig.get_path("purelib"))
        made.write_text(wanted)
        return ""

    def script(self, script: Script) -> Served | str:
        """Return a script in the version that is asked for, or the nearest; or in words why it cannot be had."""
        if script.address not in self._scripts:
            self._scripts[script.address] = self._packed(script)
        return self._scripts[script.address]

    def _packed(self, script: Script) -> Served | str:
        npm = shutil.which("npm")
        if npm is None:
            return "npm is not installed"
        package = NEAREST.get(script.package, script.package)
        with tempfile.TemporaryDirectory() as folder:
            found = subprocess.run(
                [npm, "pack", package, "--silent"], cwd=folder, capture_output=True, text=True, check=False
            )
            packed = next(Path(folder).glob("*.tgz"), None)
            if found.returncode or packed is None:
                return f"npm has no {package}"
            with tarfile.open(packed) as tar:
                path = member(tar.getnames(), script.file)
                taken = None if path is None else tar.extractfile(path)
                if path is None or taken is None:
                    return f"{package} has no {script.file}"
                body = taken.read()
        instead = "" if package == script.package else package
        if ".min" in script.file and ".min" not in path:
            body, how = minified(body)
            instead = f"{package}, {how}"
        return Served(script, body, instead)


def minified(body: bytes) -> tuple[bytes, str]:
    """Return a script made smaller by the repository's esbuild, and how; the script itself where esbuild is not."""
    esbuild = ROOT / "assets/node_modules/.bin/esbuild"
    if not esbuild.exists():
        return body, "not minified"
    small = subprocess.run([esbuild, "--minify"], input=body, capture_output=True, check=False)
    return (body, "not minified") if small.returncode else (small.stdout, "minified here")
