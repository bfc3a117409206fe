"""What is said instead of an answer."""


class Refusal(Exception):
    """A request that is not served: the text that says why, by its key, and the HTTP status.

    `retry` is the number of seconds after which it is worth asking again, where it is.
    """

    def __init__(self, key: str, status: int, retry: float | None = None, **fields: object) -> None:
        super().__init__(key)
        self.key, self.status, self.retry, self.fields = key, status, retry, fields
