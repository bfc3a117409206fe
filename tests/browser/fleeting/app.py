"""`python app.py` without the thread that compresses each file once more: a server that a test ends soon needs none."""

from visualiser.launch import main
from visualiser.server.http.compression import Packed, Packer


def later(self: Packer, packed: Packed, encoding: str) -> None:
    """Leave it as it is: compressed quickly."""


Packer.later = later
main()
