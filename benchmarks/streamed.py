"""A file of any size streamed through a model of a folder: seconds, and by how much the process grows at most.

    python -m benchmarks.streamed FOLDER MODEL [FILE]

Without a file it reads the English prose of this project, which the page measures a model over. The growth is counted
from the loaded model on, and from the first passage on, with which torch loads what it needs (Linux).
"""

import argparse
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from attention_core.learned.head_texts import file_passages, passages, read_texts
from attention_core.models import ModelFolder
from attention_core.prose import prose
from benchmarks.machine import load, memory, processor

_SHOWN = 1000
"""Passages between two lines of what is read so far."""


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("model")
    options.add_argument("file", type=Path, nargs="?")
    chosen = options.parse_args()
    print(f"machine   {processor()}, {memory()}\ndate      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC\nload      {load()}")
    model = ModelFolder(chosen.folder).load(chosen.model)
    texts = passages(prose("english")) if chosen.file is None else file_passages(chosen.file)
    loaded = _resident()
    first = next(texts)
    read_texts(model, (first,))
    warm = _resident()
    _forget_peak()
    began, processed = time.monotonic(), time.process_time()

    def all_of_them() -> Iterator[str]:
        yield first
        yield from texts

    def told(done: int) -> None:
        if done % _SHOWN == 0:
            print(f"  {done:,} passages, {time.monotonic() - began:.0f} s, {_peak() - loaded:.0f} MB", flush=True)

    found = read_texts(model, all_of_them(), told)
    joined = found.joined(1, 1)
    took, used = time.monotonic() - began, time.process_time() - processed
    print(f"{found.measures.documents:,} passages, {joined.tokens:,} tokens; counts short by {joined.missed} at most")
    print(f"{took:.1f} s, {used:.1f} of the processor")
    print(f"{_peak() - loaded:.1f} MB above the loaded model, {_peak() - warm:.1f} above its first passage")
    print(f"load      {load()} at the end")


def _resident() -> float:
    return _status("VmRSS")


def _peak() -> float:
    return _status("VmHWM")


def _forget_peak() -> None:
    """Let the peak begin anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _status(name: str) -> float:
    """Return a size of the process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    main()
