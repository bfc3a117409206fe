"""The one exception the core raises for a value it cannot use."""

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


def shown(value: Any) -> str:
    """`value` as a message quotes it: at most 40 characters, because a hostile value may be megabytes long."""
    if isinstance(value, (str, bytes)):
        value = value[:41]
    text = repr(value)
    return text if len(text) <= 42 else text[:41] + "…"
