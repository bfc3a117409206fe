"""`python app.py` without the thread that compresses each file once more: a server that a test ends soon needs none."""

import os

from tests.draws import SUMS

os.environ |= SUMS  # before torch computes
from visualiser.launch import main
from visualiser.server.http.compression import Packed, Packer


def later(self: Packer, packed: Packed, encoding: str) -> None:
    """Leave it as it is: compressed quickly."""


Packer.later = later
main()
