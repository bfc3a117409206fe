"""Memory that a process keeps after mixed work, with and without `visualiser.server.allocator`.

    python benchmarks/memory.py [--seconds 20] [--rounds 3] [--preload /usr/lib/x86_64-linux-gnu/libjemalloc.so.2]

Eight threads ask for light and heavy frames. Resident memory is read before, at its highest, afterwards and after a
trim. Then one thread asks for frames at n = 512, and the CPU time of the fastest counts. Settings take turns, each in a
fresh process. The line of a setting is the median of its rounds.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))  # the clone, for any working directory
from benchmarks.machine import load, memory, processor

LINKS = (
    "n=512&h=4&d_k=64",
    "n=512&h=8&d_k=256&tie=false",
    "n=256&h=8",
    "n=128&h=4&mechanism=additive",
    "n=64&d_k=512",
    "n=32",
    "n=16",
)


def main() -> None:
    """Print a line for each setting."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--preload", nargs="*", default=[], help="other allocators, tried with LD_PRELOAD")
    arguments.add_argument("--one", choices=("as it is", "two arenas"), help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.one:
        print(json.dumps(measure(asked.one == "two arenas", asked.seconds)))
        return
    print(f"machine   {processor()}, {os.cpu_count()} cores, {memory()}, {platform.system()} {platform.release()}")
    print(f"load      {load()}")
    settings = [("as it is", ""), ("two arenas", ""), *(("as it is", path) for path in asked.preload)]
    rounds: dict[tuple[str, str], list[dict[str, float]]] = {setting: [] for setting in settings}
    for _ in range(asked.rounds):
        for one, preload in settings:
            command = [sys.executable, __file__, "--one", one, "--seconds", str(asked.seconds)]
            given = os.environ | ({"LD_PRELOAD": preload} if preload else {})
            rounds[one, preload].append(json.loads(subprocess.check_output(command, env=given, text=True)))
    print("\nsetting              fresh  highest  after  trimmed  MB   n = 512, ms of processor")
    usual = median(round["frame"] for round in rounds[settings[0]])
    for (one, preload), measured in rounds.items():
        middle = {name: median(round[name] for round in measured) for name in measured[0]}
        name = Path(preload).name.split(".")[0] if preload else one
        numbers = "  ".join(f"{middle[at]:6.0f}" for at in ("fresh", "highest", "after", "trimmed"))
        print(f"{name:18s} {numbers}       {middle['frame'] * 1e3:5.1f}  × {middle['frame'] / usual:.2f}")


def measure(arenas: bool, seconds: float) -> dict[str, float]:
    """Measure megabytes at four moments, and seconds of CPU for a frame."""
    from visualiser.server import allocator

    if arenas:
        allocator.setup()
    import torch

    torch.set_num_threads(1)
    from visualiser.pages.explore.frame import frame
    from visualiser.server.live.page_request import PageRequest

    def ask(link: str) -> PageRequest:
        return PageRequest(link, None, frozenset(), b"", None, "light", 0, "", {})

    list(frame(ask("")))
    found = {"fresh": resident(), "highest": 0.0}
    until = time.monotonic() + seconds

    def work(seed: int) -> None:
        draw = random.Random(seed)
        while time.monotonic() < until:
            list(frame(ask(draw.choice(LINKS))))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        found["highest"] = max(found["highest"], resident())
        time.sleep(0.05)
    found["after"] = resident()
    allocator.trim_soon(0.0)
    time.sleep(2)
    found["trimmed"] = resident()
    found["frame"] = min(seconds_of(lambda: list(frame(ask("n=512&h=8")))) for _ in range(15))
    return found


def seconds_of(work) -> float:
    """Return the seconds of CPU of `work`."""
    start = time.process_time()
    work()
    return time.process_time() - start


def resident() -> float:
    """Return the resident megabytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
