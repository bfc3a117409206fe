"""Health routes: what a proxy, a container or a person asks about this process, without a login.

`live` answers while the process answers at all; whoever watches restarts a process that does not. `ready` answers 200
only while this process wants visitors: not before its files are compressed, and not after it was told to end. A proxy
sends nobody new to a process that is not ready, and restarts nothing for it.
"""

from enum import Enum
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from visualiser.server.http.addresses import PREFIX

_HEADERS: Final = {"Cache-Control": "no-store"}


class Phase(Enum):
    """The life of the process; it only goes forward."""

    STARTING = "starting"
    """Files that browsers load are still being compressed."""
    SERVING = "serving"
    DRAINING = "draining"
    """The process was told to end; it finishes what is under way and takes nobody new."""


class Health:
    """The phase of one process."""

    def __init__(self) -> None:
        self.phase = Phase.STARTING

    def serving(self) -> None:
        """Note that everything is built and compressed. A process that was told to end stays so."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.SERVING

    def draining(self) -> None:
        """Note that the process was told to end."""
        self.phase = Phase.DRAINING


_process: Final = Health()
serving, draining = _process.serving, _process.draining


async def get_live(_: Request) -> Response:
    """200 while this process answers."""
    return JSONResponse({"live": True}, headers=_HEADERS)


async def get_ready(_: Request) -> Response:
    """200 while this process wants visitors, else 503; `phase` says why."""
    phase = _process.phase
    ready = phase is Phase.SERVING
    said = {"ready": ready, "phase": phase.value}
    return JSONResponse(said, status_code=200 if ready else 503, headers=_HEADERS)


ROUTES: Final = [
    Route(f"{PREFIX}/live", get_live),
    Route(f"{PREFIX}/ready", get_ready),
]
