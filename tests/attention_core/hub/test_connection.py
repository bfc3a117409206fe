"""A connection that is broken off is reset: nobody at its other end waits for a window that stays full."""

import socket
import struct

from attention_core.models.hub_connection import _Connection


class Stream:
    def __init__(self, own: socket.socket) -> None:
        self._own = own

    def get_extra_info(self, name: str) -> socket.socket:
        assert name == "socket"
        return self._own


def test_what_is_broken_off_is_reset_when_it_closes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as own:
        connection = _Connection()
        connection.heard("connection.connect_tcp.complete", {"return_value": Stream(own)})
        connection.break_off()
        lingers = own.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8)
    assert struct.unpack("ii", lingers) == (1, 0)
