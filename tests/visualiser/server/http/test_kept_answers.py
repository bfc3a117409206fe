"""A body leaves piece by piece, and the last piece says that it is the last."""

from typing import Any

import pytest

from tests.alone import alone
from visualiser.server.http.answer import CHUNK
from visualiser.server.http.kept_answers import send_body


@pytest.mark.parametrize("length", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_body_leaves_in_pieces_of_which_only_the_last_ends_it(length: int, method: str) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    body = bytes(range(256)) * (length // 256 + 1)
    alone(send_body({"method": method}, send, body[:length]))
    assert b"".join(message["body"] for message in sent) == (body[:length] if method == "GET" else b"")
    assert all(len(message["body"]) <= CHUNK for message in sent)
    assert [message.get("more_body", False) for message in sent] == [True] * (len(sent) - 1) + [False]
    assert all(message.keys() <= {"type", "body", "more_body"} for message in sent)
