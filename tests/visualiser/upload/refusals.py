"""The refusal of a file, and the sentences that several kinds of files share."""

import re

import pytest

from attention_core import InvalidInput
from visualiser.upload import read_upload

UNREADABLE = (
    "The file is no {} file, or it is damaged; save it once more, without encryption and without pickled objects."
)
HEADER = (
    "The description of {0} in the file is damaged, or {0} is no plain array of numbers; "
    "save it as one (float32, for example)."
)
TRUNCATED = (
    "The shape of {} accounts for {} bytes, and the file holds {} for it; the file is cut off or its header is wrong."
)

HEADING = b"tensor,head,position,0,1\n"
"""The first line of a CSV file with two components."""


def refused(name: str, body: bytes, code: str, message: str) -> InvalidInput:
    """Expect that the file is refused with this code and exactly this message, and return the refusal."""
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$") as caught:
        read_upload(name, body)
    assert caught.value.code == code
    return caught.value
