"""What the core raises: `InvalidInput` for a value it cannot use, `Cancelled` when it was asked to stop."""

from typing import Any

Detail = str | int | float


class InvalidInput(ValueError):
    """A value from outside that cannot be used: a setting, a text, a tensor's shape.

    `str(error)` is an English sentence that names what was expected, what came and the valid choices. `code` is a
    stable snake_case name and `details` the values in that sentence, so that a page can say it in another language.
    """

    def __init__(self, code: str, message: str, **details: Detail) -> None:
        super().__init__(message)
        self.code = code
        self.details: dict[str, Detail] = details


class Cancelled(Exception):
    """Work that was stopped because its caller asked for it; a pass says after `done` of `total` queries."""

    def __init__(self, done: int | None = None, total: int | None = None) -> None:
        super().__init__("Stopped." if done is None else f"Stopped after {done} of {total} queries.")
        self.done = done
        self.total = total


def shown(value: Any) -> str:
    """`value` as a message quotes it: at most 40 characters, because a hostile value may be megabytes long."""
    if isinstance(value, (str, bytes)):
        value = value[:41]
    text = repr(value)
    return text if len(text) <= 42 else text[:41] + "…"
