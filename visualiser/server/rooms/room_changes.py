"""Changes of a room: read, changed and written as one step, again if another process or tab was faster."""

from collections.abc import Awaitable, Callable
from typing import Final

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import results, room_messages
from visualiser.server.rooms.channel import TEACHER
from visualiser.server.rooms.record import Record, read_record
from visualiser.server.rooms.room_access import RoomAccess, store_refusal
from visualiser.server.rooms.room_limits import MESSAGE, TABS
from visualiser.server.rooms.store import Away

_TRIES: Final = 8
"""Attempts to change a room that its teacher changes from several tabs at once."""


async def change_room(
    access: RoomAccess,
    code: str,
    change: Callable[[Record], Awaitable[Record]],
    *,
    anew: bool = False,
    keeps: bool = False,
) -> None:
    """Change the room by `change`, again if another process or tab was faster.

    `anew` drops all answers; `keeps` keeps the question for the file of results.
    """
    for _ in range(_TRIES):
        snapshot = await access.snapshot(code)
        record = read_record(snapshot.document)
        if record.ended:
            raise Refusal("error.room_ended", 410)
        changed = await change(record)
        if changed == record:
            return
        require_short_message(changed)
        kept = results.to_stored(changed.question) if keeps and changed.question is not None else b""
        written = changed.to_json()
        done = access.store.change(code, snapshot.version, written, changed.takes, anew=anew, revealed=kept)
        if await access.call_store(done):
            return
    raise store_refusal(Away())


def at_once(change: Callable[[Record], Record]) -> Callable[[Record], Awaitable[Record]]:
    """Return a change that waits for nothing, as `change_room` takes it."""

    async def changed(record: Record) -> Record:
        return change(record)

    return changed


def require_short_message(record: Record) -> None:
    """Raise `Refusal` if the message of this room would be too long."""
    came = len(room_messages.encoded(0, TEACHER, room_messages.for_class(record, TABS)))
    if came > MESSAGE:
        raise Refusal("error.room_message", 422, came=came, limit=MESSAGE)
