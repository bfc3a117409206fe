"""Refusals: sent instead of an answer."""

from collections.abc import Mapping
from types import MappingProxyType


class Refusal(Exception):
    """A request that is not served: the key of the text that says why, and the HTTP status.

    `retry` is the number of seconds after which to ask again; None if that is pointless. `beside` is sent beside the
    sentence, for a program.
    """

    beside: Mapping[str, object] = MappingProxyType({})

    def __init__(self, key: str, status: int, retry: float | None = None, **fields: object) -> None:
        super().__init__(key)
        self.key, self.status, self.retry, self.fields = key, status, retry, fields
