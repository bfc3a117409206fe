"""The folder of a run: its manifest, a file for each finished block, the result.

A file is written under another name and renamed (`os.replace`) when it is complete, so a killed rank leaves no half
block. A block counts only with this run's fingerprint and the checksum of its own numbers.
"""

import hashlib
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Shaped
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.sharded.manifest import Manifest, differences, fingerprint, written_out

Tensors = dict[str, Shaped[Tensor, "..."]]
_MANIFEST = "run.json"
_PARTIAL = ".partial"


@dataclass(frozen=True)
class Folder:
    """The folder `path` of the run that `content` describes."""

    path: Path
    content: Manifest

    @property
    def result(self) -> Path:
        """The path of the gathered statistics."""
        return self.path / "statistics.safetensors"

    def examine(self) -> None:
        """Raise `InvalidInput` if this is another run's folder (`other_run`) or cannot be used (`folder_unwritable`).

        It deletes half-written files of killed ranks, so every rank must finish it before any rank writes.
        """
        try:
            (self.path / "blocks").mkdir(parents=True, exist_ok=True)
            for left in (*self.path.glob(f"*{_PARTIAL}"), *self.path.glob(f"blocks/*{_PARTIAL}")):
                left.unlink(missing_ok=True)
            there = _manifest(self.path / _MANIFEST)
        except OSError as error:
            raise _unwritable(self.path, error) from None
        names = [] if there is None else differences(there, self.content)
        if names:
            listed = ", ".join(names)
            raise InvalidInput(
                "other_run",
                f"{self.path} holds blocks of another run, which differs in {listed}; "
                "give another --out, or delete that folder.",
                field=str(self.path),
                value=listed,
            )

    def write_manifest(self) -> None:
        """Claim the folder for this run."""
        text = written_out(self.content)
        self._place(self.path / _MANIFEST, lambda path: path.write_text(text, encoding="utf-8"))

    def write_block(self, rows: slice, tensors: Tensors) -> None:
        """Write the statistics of a finished block."""
        marks = {"run": fingerprint(self.content), "rows": _named(rows), "sha256": _checksum(tensors)}
        self._place(self._block(rows), lambda path: save_file(tensors, path, marks))

    def read_block(self, rows: slice) -> Tensors | None:
        """Return the statistics of a block; None if its file is missing, damaged or of another run."""
        try:
            with safe_open(self._block(rows), framework="pt") as file:
                marks = file.metadata() or {}
                tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 it is no dict
        except (OSError, SafetensorError):
            return None
        expected = {"run": fingerprint(self.content), "rows": _named(rows), "sha256": _checksum(tensors)}
        return tensors if marks == expected else None

    def write_result(self, tensors: Tensors) -> None:
        """Write the gathered statistics, with the manifest as metadata."""
        self._place(self.result, lambda path: save_file(tensors, path, {"run": written_out(self.content)}))

    def _block(self, rows: slice) -> Path:
        return self.path / "blocks" / f"{_named(rows)}.safetensors"

    def _place(self, path: Path, write: Callable[[Path], object]) -> None:
        # The name has host and process, so that ranks on several machines never write to one file.
        partial = path.with_name(f"{path.name}.{socket.gethostname()}.{os.getpid()}{_PARTIAL}")
        try:
            write(partial)
            os.replace(partial, path)
        except (OSError, SafetensorError) as error:
            partial.unlink(missing_ok=True)
            raise _unwritable(self.path, error) from None


def _manifest(path: Path) -> Manifest | None:
    """Return the manifest in the folder; None if missing or damaged, since each block has the fingerprint, too."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):  # the last for a list in a list in a list …
        return None
    return content if isinstance(content, dict) else None


def _named(rows: slice) -> str:
    return f"{rows.start:012d}-{rows.stop:012d}"


def _checksum(tensors: Tensors) -> str:
    found = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        found.update(f"{name} {tuple(tensor.shape)} {tensor.dtype} ".encode())
        found.update(tensor.view(-1).view(torch.uint8).numpy().data)
    return found.hexdigest()


def _unwritable(path: Path, error: Exception) -> InvalidInput:
    return InvalidInput(
        "folder_unwritable",
        f"{path} must be a folder that can be written to; {error}.",
        field=str(path),
        reason=str(error),
    )
