"""Ways that take turns, so that other load affects all of them alike."""

import time
from collections.abc import Callable, Mapping

import torch


@torch.no_grad()
def timed(
    ways: Mapping[str, Callable[[], object]],
    budget: float,
    most: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[dict[str, float]]:
    """Return the seconds by `clock` of every way in each turn: at most `most`, and about `budget` seconds in all.

    The first turn warms up if there is time for more.
    """
    turns, start = [], time.perf_counter()
    while len(turns) < most:
        turn = {}
        for name, way in ways.items():
            before = clock()
            way()
            turn[name] = clock() - before
        turns.append(turn)
        spent = time.perf_counter() - start
        if spent + spent / len(turns) > budget:
            break
    return turns[1:] or turns
