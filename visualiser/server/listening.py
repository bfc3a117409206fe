"""The address at which the server will listen: checked before gradio tries it, which goes on with the next port.

A replica at another port than its proxy asks gets no visitor, and an address of IPv6 is one that gradio never tries.
"""

import errno
import os
import socket
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from visualiser.server import settings

_FIRST: Final = 7860
_TRIED: Final = 100


def require(environment: Mapping[str, str] = os.environ) -> None:
    """Return if the server can listen where its variables say.

    Raises `ValueError`, in a sentence with the variable, what is expected and what was given.
    """
    host, port = settings.server_name(environment), settings.server_port(environment)
    problem = _problem(host, 0)
    if problem is not None:
        given = environment.get("GRADIO_SERVER_NAME", "").strip() or host
        raise ValueError(
            f"GRADIO_SERVER_NAME must be an address of this machine, such as 127.0.0.1, ::1 or 0.0.0.0; got {given!r}."
        )
    if port is None:
        return
    problem = _problem(host, port)
    if problem in (errno.EACCES, errno.EPERM):
        raise ValueError(f"GRADIO_SERVER_PORT must be a port that this user may listen on, from 1024 on; got '{port}'.")
    if problem is not None:
        refuse_taken(host, port)


def refuse_taken(host: str, port: int | None) -> NoReturn:
    """Raise `ValueError` for a port at which another program listens; it names one that is free, if there is any."""
    last = _FIRST + _TRIED - 1
    free = next((one for one in range(_FIRST, last + 1) if one != port and _problem(host, one) is None), None)
    got = f"{_FIRST}–{last}" if port is None else str(port)
    if free is None:
        raise ValueError(f"GRADIO_SERVER_PORT must be a free port; got '{got}', where other programs listen.")
    raise ValueError(
        f"GRADIO_SERVER_PORT must be a free port such as {free}; got '{got}', where another program listens."
    )


def _problem(host: str, port: int) -> int | None:
    """Return the number of the error with which the system refuses an address; None if it takes it.

    A name such as localhost has several addresses: all must be free, and one must be there.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return errno.EADDRNOTAVAIL
    problems = {_refused(family, address) for family, _, _, _, address in addresses}
    there = problems - {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
    return max((problem or 0 for problem in there), default=errno.EADDRNOTAVAIL) or None


def _refused(family: socket.AddressFamily, address: tuple[Any, ...]) -> int | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name == "posix":  # elsewhere it would allow a port that is taken
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:  # as asyncio does: the port of IPv4 may be another program's
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind(address)
    except OSError as problem:
        return problem.errno
    return None
