"""The message of a room: one for the class, one for its teacher; each encoded once for all its readers."""

import time
from collections.abc import Mapping
from typing import Any

import orjson

from visualiser.server.rooms.record import Record
from visualiser.server.rooms.store import Snapshot


def for_class(record: Record, count: int) -> dict[str, Any]:
    """Return the message to students, without its revision. Before the reveal it depends on no answer."""
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
        "question": None if record.question is None else record.question.as_message(),
    }


def for_teacher(record: Record, snapshot: Snapshot) -> dict[str, Any]:
    """Return the message to the teacher: also how many follow and have answered, not what, and what students offer.

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
    """Return the message to the teacher's remote: the counts, the question, and what the teacher's tab shows there."""
    return {
        "life": record.life,
        "count": snapshot.count,
        "follow": snapshot.count - snapshot.away,
        "answered": snapshot.answered,
        "question": None if record.question is None else record.question.as_message(),
        "shown": record.remote.shown,
    }


def encoded(revision: int, you: str, message: Mapping[str, Any]) -> bytes:
    """Return the message as JSON."""
    return orjson.dumps({"revision": revision, "you": you, **message})
