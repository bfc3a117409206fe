"""Every attack found so far, by name; the number is that of the finding.

    python benchmarks/attacks.py ADDRESS NAME [NAME …] [--seconds 10] [--width 1] [--seed 0] [--source 127.0.0.2]

It attacks in the named ways, then cuts off everything at once. `benchmarks/bounds.py` starts it as a process, so that
its cost does not count as the server's. It gives way to the server (nice), because real attackers use their own
machines. It prints one line of JSON: the counts of answers, and the time it left.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

import attacks_by_computing as computing
import attacks_by_holding as holding
import attacks_by_links as links
import attacks_by_running as running
import attacks_by_wording as wording
import attacks_drawn
import ordinary
import room_attacks as rooms
from rude import Attack, Rude, run, usable


@dataclass(frozen=True)
class Known:
    """An attack and the finding that it reproduces."""

    finding: int
    attack: Attack


KNOWN: Mapping[str, Known] = {
    "frames-of-other-pages": Known(33, computing.frames_of_other_pages),
    "pins-of-other-pages": Known(33, computing.pins_of_other_pages),
    "curves-of-other-pages": Known(33, computing.curves_of_other_pages),
    "additive-maps-left": Known(34, computing.additive_maps_left),
    "a-class-at-its-largest": Known(35, computing.largest_frames),
    "additive-frames": Known(35, computing.additive_frames),
    "encoded-mechanism": Known(36, computing.encoded_mechanism),
    "unread-frames": Known(37, holding.unread_frames),
    "unread-cells": Known(37, holding.unread_cells),
    "slow-readers": Known(37, holding.slow_readers),
    "empty-lists": Known(38, holding.empty_lists),
    "bodies-without-end": Known(38, holding.bodies_without_end),
    "slow-bodies": Known(38, holding.slow_bodies),
    "curves": Known(39, computing.curves),
    "archives": Known(39, computing.archives),
    "runs-left-then-paused": Known(40, running.left_then_paused),
    "runs-cancelled-then-paused": Known(40, running.cancelled_then_paused),
    "runs-at-once": Known(40, running.at_once),
    "runs-unread": Known(40, running.unread),
    "idle-connections": Known(41, holding.idle_connections),
    "half-headers": Known(41, holding.half_headers),
    "gradio-uploads": Known(41, holding.gradio_uploads),
    "queued-calls": Known(41, running.queued_calls),
    "small-maps": Known(41, running.small_maps),
    "long-lines": Known(42, wording.long_lines),
    "leaving-in-a-body": Known(42, wording.leaving_in_a_body),
    "foreign-origins": Known(43, wording.foreign_origins),
    "waiting-runs": Known(44, running.waiting),
    "broken-questions": Known(45, wording.broken_questions),
    "long-cells": Known(45, computing.long_cells),
    "large-uploads": Known(45, holding.large_uploads),
    "curve-votes": Known(88, rooms.curve_votes),
    "invented-tabs": Known(90, rooms.invented_tabs),
    "room-openings": Known(91, rooms.openings),
    "streams-and-heartbeats": Known(92, rooms.streams_and_heartbeats),
    "a-secret-in-each-vote": Known(95, rooms.a_secret_in_each_vote),
    "guessed-codes": Known(96, rooms.guesses),
    "documents": Known(19, wording.documents),
    "long-links": Known(87, links.long_links),
    "longest-links": Known(87, links.longest_links),
    "six-kinds": Known(94, links.six_kinds),
    "drawn": Known(94, attacks_drawn.drawn),
}
"""The attacks, in the order of the findings."""

ORDINARY = "ordinary-visitors"
"""The name of a load that is no attack: twelve visitors who use everything a little."""

ATTACKS: Mapping[str, Attack] = {
    **{name: known.attack for name, known in KNOWN.items()},
    ORDINARY: ordinary.visitors,
}
"""The loads that this program runs, by name."""


def main() -> None:
    """Attack, leave and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("address")
    options.add_argument("names", nargs="+", choices=list(ATTACKS))
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--width", type=float, default=1.0, help="times as many connections")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--source", default="127.0.0.2", help="the address it comes from")
    chosen = options.parse_args()
    os.nice(10)
    rude = Rude(chosen.address, width=chosen.width, seed=chosen.seed, source=usable(chosen.source))
    asyncio.run(run(rude, [ATTACKS[name] for name in chosen.names], chosen.seconds))
    left = time.monotonic()
    json.dump({"left": left, "counts": dict(rude.counts)}, sys.stdout)


if __name__ == "__main__":
    main()
