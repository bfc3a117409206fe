"""The time of the quantile at which the maps' colours end, beside the time of the frame that it is a part of.

`.venv-tests/bin/python -m benchmarks.colour_scale` prints processor time of one thread, medians within one process.
"""

import statistics
import time
from collections.abc import Callable

import torch

from attention_core import compute
from benchmarks.machine import described, load
from visualiser.drawing.cells import cells
from visualiser.drawing.quantile_scale import quantile_limits
from visualiser.pages.explore.frame import frame
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

TURNS = 15
STATES = (
    "n=32&h=8",
    "n=512&h=16",
    "n=512&h=16&stage=scaled",
    "n=512&h=16&mask=causal",
    "n=512&h=16&scaling=none",
)


def median(work: Callable[[], object]) -> float:
    """Return the median of several turns, in milliseconds of this thread."""
    taken = []
    for _ in range(TURNS):
        began = time.thread_time()
        work()
        taken.append(time.thread_time() - began)
    return 1e3 * statistics.median(taken)


def frame_of(query: str) -> None:
    """Compute one frame of a drag."""
    ask = PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {"light": True}, "explore")
    for _ in frame(ask):
        pass


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)  # so that the clock of this thread sees all work
    print(*described(), sep="\n")
    print(f"\nmilliseconds of one thread, medians of {TURNS}\n{'state':<28}{'quantile':>9}{'frame':>9}{'share':>8}")
    for query in STATES:
        state = share.read(query).state
        result = compute(state.config, device="cpu")
        drawn = cells(result, state.view.heads(len(result.weights)), state.view.stage)
        own = median(lambda drawn=drawn, stage=state.view.stage: quantile_limits(drawn, stage))
        whole = median(lambda query=query: frame_of(query))
        print(f"{query:<28}{own:>9.2f}{whole:>9.1f}{own / whole:>8.1%}")
    print(f"\nload      {load()} at the end")


if __name__ == "__main__":
    main()
