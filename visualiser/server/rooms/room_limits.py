"""The limits of rooms, as docs/room.md states them."""

from typing import Final

ROOMS: Final = 200
"""Rooms of a server at the same time."""

TABS: Final = 1000
"""Tabs in a room, and tabs that answer in one round."""

MEMORY: Final = 0.04
"""The share of the server's memory that rooms in memory may take."""

LINK, OFFERED = 8000, 4000
"""Characters of the teacher's link, and of one that a student offers."""

LONG_BODY, SHORT_BODY, MESSAGE = 24_000, 4000, 24_000
"""Bytes of a request with a link or a question, of any other, and of a message to the class."""

OFFERS: Final = 12
"""Offers that are kept, one a tab."""

REVEALED: Final = 20
"""Revealed questions that are kept for the file of results."""

HERE: Final = 40.0
"""Seconds for which a tab counts after it was last seen; a stream that ends takes its tab away at once."""

STALE: Final = 20.0
"""Seconds after which a tab that was not seen gives its place to another one, if the room is full."""

ENDED: Final = 600.0
"""Seconds for which an ended room answers that it has ended."""

UNUSED, LEFT = 180.0, 3600.0
"""Seconds after which a room ends that nobody uses: one that never had a student, and one that had."""

OPENINGS, OPENINGS_OF_TAB = 120, 6
"""Rooms that an address, and a tab, opens at once; later one a second, and one a minute."""
