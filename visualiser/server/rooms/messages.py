"""The message of a room: one for the class, one for its teacher; each encoded once for all its readers."""

import time
from collections.abc import Mapping
from typing import Any

import orjson

from visualiser.server.rooms.record import Record
from visualiser.server.rooms.store import Snapshot


def for_class(record: Record, count: int) -> dict[str, Any]:
    """Return what every student is told, without the revision. Nothing of it depends on an answer before the reveal."""
    return {
        "life": record.life,
        "link": record.link,
        "page": record.page,
        "row": record.row,
        "focus": record.focus,
        "hovered": record.hovered,
        "lesson": record.lesson,
        "locked": record.locked,
        "calls": record.calls,
        "count": count,
        "question": None if record.question is None else record.question.told(),
    }


def for_teacher(record: Record, snapshot: Snapshot) -> dict[str, Any]:
    """Return what the teacher is told: how many follow, how many have answered, not what, and what students offer.

    `gone`: how many of these answers are of tabs that are not here, which are many if somebody invents tabs.
    """
    return {
        **for_class(record, snapshot.count),
        "follow": snapshot.count - snapshot.away,
        "answered": snapshot.answered,
        "gone": snapshot.gone,
        "offers": [{"id": offer.id, "link": offer.link} for offer in snapshot.offers],
        "remote": _steering(record) if record.remote.right else None,
    }


def _steering(record: Record) -> dict[str, Any]:
    return {"right": record.remote.right, "commands": record.remote.fresh(time.time())}


def for_remote(record: Record, snapshot: Snapshot) -> dict[str, Any]:
    """Return what the teacher's second device is told: the counts, the question, and what the teacher's tab says."""
    return {
        "life": record.life,
        "count": snapshot.count,
        "follow": snapshot.count - snapshot.away,
        "answered": snapshot.answered,
        "question": None if record.question is None else record.question.told(),
        "shown": record.remote.shown,
    }


def encoded(revision: int, you: str, message: Mapping[str, Any]) -> bytes:
    """Return the message as JSON."""
    return orjson.dumps({"revision": revision, "you": you, **message})
