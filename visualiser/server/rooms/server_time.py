"""The server's time, by which pages read a question's clock."""

import time
from typing import Final

CLOCK_HEADER: Final = b"x-headlight-now"
"""The header with the server's time in milliseconds since 1970."""


def milliseconds() -> int:
    """Return the time in milliseconds since 1970."""
    return int(time.time() * 1000)
