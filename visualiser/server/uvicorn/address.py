"""The address that gradio's `launch` is given: that of our settings, which `listening` has tried.

gradio looks for a free port with a socket of IPv4 at the address in its variable, so it finds none for one of IPv6; and
where the port is taken that its variable has, it takes the next one.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from gradio import http_server

from visualiser.server import listening, settings


def arguments() -> dict[str, Any]:
    """Return host and port for `launch`; a port of None is the first free one from 7860 on."""
    host = settings.server_name()
    of_ipv6 = ":" in host
    http_server.LOCALHOST_NAME = "127.0.0.1" if of_ipv6 else host
    return {"server_name": f"[{host}]" if of_ipv6 else host, "server_port": settings.server_port()}


@contextlib.contextmanager
def required() -> Iterator[None]:
    """End the process with a sentence and status 2 if `launch`, in this block, finds no port."""
    try:
        yield
    except OSError as problem:
        if not {"empty", "port"} <= {*str(problem).split()}:
            raise
        with settings.refusing():
            listening.refuse_taken(settings.server_name(), settings.server_port())
