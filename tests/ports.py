"""Ports for the servers of tests and benchmarks, on loopback."""

import itertools
import os
import socket

LOWEST, HIGHEST = 15_000, 32_000
"""Below the ports that Linux, macOS and Windows give to outgoing connections: none of those takes one meanwhile."""
_TURNS = itertools.count(os.getpid() * 101)
"""Each process begins elsewhere, so that two that start together do not find the same port free."""


def free_port() -> int:
    """Return a port that is free at this moment. Raise `RuntimeError` if none of many is."""
    for _ in range(200):
        port = LOWEST + next(_TURNS) % (HIGHEST - LOWEST)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                continue
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise RuntimeError(f"no free port from {LOWEST} to {HIGHEST}")
