"""Health routes: the state of this process for a proxy, a container or a person, without a login.

`live` answers while the process answers at all; restart one that does not. `ready` answers 200 only while this process
takes visitors: not before its files are compressed, and not after it was told to end. A proxy sends no new visitors to
a process that is not ready, but does not restart it.
"""

from enum import Enum
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from visualiser.server.http.addresses import PREFIX

_HEADERS: Final = {"Cache-Control": "no-store"}


class Phase(Enum):
    """The life of the process. It only goes forward."""

    STARTING = "starting"
    """The files for browsers are still being compressed."""
    SERVING = "serving"
    DRAINING = "draining"
    """The process was told to end. It finishes what is under way and takes no new visitors."""


class Health:
    """The phase of one process."""

    def __init__(self) -> None:
        self.phase = Phase.STARTING

    def serving(self) -> None:
        """Note that everything is built and compressed, unless the process is draining."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.SERVING

    def draining(self) -> None:
        """Note that the process was told to end."""
        self.phase = Phase.DRAINING


_process: Final = Health()
serving, draining = _process.serving, _process.draining


def is_draining() -> bool:
    """True once the process was told to end."""
    return _process.phase is Phase.DRAINING


async def get_live(_: Request) -> Response:
    """Return 200 while this process answers."""
    return JSONResponse({"live": True}, headers=_HEADERS)


async def get_ready(_: Request) -> Response:
    """Return 200 while this process takes visitors, else 503; `phase` says why."""
    phase = _process.phase
    ready = phase is Phase.SERVING
    payload = {"ready": ready, "phase": phase.value}
    return JSONResponse(payload, status_code=200 if ready else 503, headers=_HEADERS)


ROUTES: Final = [
    Route(f"{PREFIX}/live", get_live),
    Route(f"{PREFIX}/ready", get_ready),
]
