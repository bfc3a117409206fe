"""Every attack found so far, by name."""

from collections.abc import Mapping
from typing import Final

from tests.attacks import contents, heavy, holding, ordinary, rooms
from tests.attacks.rude import Attack

KNOWN: Final[Mapping[str, Attack]] = {
    "frames-of-other-pages": heavy.frames_of_other_pages,
    "pins-of-other-pages": heavy.pins_of_other_pages,
    "curves-of-other-pages": heavy.curves_of_other_pages,
    "additive-maps-left": heavy.additive_maps_left,
    "a-class-at-its-largest": heavy.largest_frames,
    "additive-frames": heavy.additive_frames,
    "encoded-mechanism": heavy.encoded_mechanism,
    "curves": heavy.curves,
    "archives": heavy.archives,
    "long-cells": heavy.long_cells,
    "documents": heavy.documents,
    "long-links": heavy.long_links,
    "longest-links": heavy.longest_links,
    "six-kinds": heavy.six_kinds,
    "drawn": heavy.drawn,
    "unread-frames": holding.unread_frames,
    "unread-cells": holding.unread_cells,
    "slow-readers": holding.slow_readers,
    "empty-lists": holding.empty_lists,
    "bodies-without-end": holding.bodies_without_end,
    "slow-bodies": holding.slow_bodies,
    "idle-connections": holding.idle_connections,
    "half-headers": holding.half_headers,
    "gradio-uploads": holding.gradio_uploads,
    "large-uploads": holding.large_uploads,
    "leaving-in-a-body": holding.leaving_in_a_body,
    "runs-at-once": holding.runs_at_once,
    "runs-unread": holding.unread_runs,
    "runs-left-then-paused": holding.left_then_paused,
    "runs-cancelled-then-paused": holding.cancelled_then_paused,
    "waiting-runs": holding.waiting_runs,
    "small-maps": holding.small_maps,
    "queued-calls": holding.queued_calls,
    "long-lines": contents.long_lines,
    "foreign-origins": contents.foreign_origins,
    "broken-questions": contents.broken_questions,
    "curve-votes": rooms.curve_votes,
    "invented-tabs": rooms.invented_tabs,
    "room-openings": rooms.openings,
    "streams-and-heartbeats": rooms.streams_and_heartbeats,
    "a-secret-in-each-vote": rooms.a_secret_in_each_vote,
    "guessed-codes": rooms.guesses,
}

ORDINARY: Final = "ordinary-visitors"
"""The name of a load that is no attack."""

LOADS: Final[Mapping[str, Attack]] = {**KNOWN, ORDINARY: ordinary.visitors}
