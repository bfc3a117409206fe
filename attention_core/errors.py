"""The core's errors: `InvalidInput` for a value it cannot use, `Cancelled` if the caller stopped it."""

from typing import Any

__all__ = ["Cancelled", "InvalidInput", "shown"]

Detail = str | int | float


class InvalidInput(ValueError):
    """An unusable value from outside: a setting, a text, a tensor's shape.

    `str(error)` is an English sentence with the expected value, the given one and the valid choices. `code` is a stable
    snake_case name and `details` holds the sentence's values, so that a page can translate it.
    """

    def __init__(self, code: str, message: str, **details: Detail) -> None:
        super().__init__(message)
        self.code = code
        self.details: dict[str, Detail] = details


class Cancelled(Exception):
    """Work stopped by its caller; a pass adds the numbers of queries that were `done` and in `total`."""

    def __init__(self, done: int | None = None, total: int | None = None) -> None:
        super().__init__("Stopped." if done is None else f"Stopped after {done} of {total} queries.")
        self.done = done
        self.total = total


def shown(value: Any) -> str:
    """Return `value` for a message, cut to 40 characters, because a hostile value may be megabytes long."""
    if isinstance(value, (str, bytes)):
        value = value[:41]
    text = repr(value)
    return text if len(text) <= 42 else text[:41] + "…"
