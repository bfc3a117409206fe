"""From `launch` to the end: connections are bounded, and a process that is told to end answers what is under way.

gradio's `launch` stays the entry, because ZeroGPU Spaces hook it. It runs uvicorn in a thread of its own; what is set
here counts for every connection from then on.
"""

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

import gradio as gr
import uvicorn

from visualiser.server import log, settings
from visualiser.server.http import health
from visualiser.server.http.connections import Bounds, Connections
from visualiser.server.http.descriptors import connections_that_fit, raise_limit
from visualiser.server.http.protocol import bounded

GRACE: Final = 10
"""Seconds that what is under way has when the process is told to end; what is left then is broken off."""

_BACKLOG: Final = 2048
"""Connections that the system keeps until they are taken on: a class that comes at once."""

_AT_ONCE: Final = 32
"""Connections that are taken on at once, before others are closed for them: a part of the reserve of descriptors."""

_told = logging.getLogger(__name__)


def serve(demo: gr.Blocks, options: Mapping[str, Any]) -> None:
    """Launch `demo` and return when it has ended: by Ctrl-C, by SIGTERM, or because somebody closed it. On a Space as
    `launch` alone, with bounded connections."""
    # uvicorn would take the address that any program on this machine states for the visitor's own; whom to believe is
    # said by HEADLIGHT_TRUST_PROXY alone
    os.environ.setdefault("FORWARDED_ALLOW_IPS", "")
    demo.launch(prevent_thread_lock=True, **options)
    log.setup()  # once more: uvicorn has given its loggers handlers of its own
    server: uvicorn.Server | None = getattr(demo, "server", None)
    if server is not None:
        bound(server, settings.connections())
    with log.withheld_prints():
        if server is None or "SPACE_ID" in os.environ:
            demo.block_thread()
            return
        _wait(demo)
        _end(demo, server)


def bound(server: uvicorn.Server, most: int) -> None:
    """Give a running server its bounds: on connections, and on what is under way when it ends."""
    everyone = Connections(Bounds(connections_that_fit(most, raise_limit())))
    config = server.config
    config.http_protocol_class = bounded(config.http_protocol_class, everyone)
    config.timeout_graceful_shutdown = GRACE
    loop = server.servers[0].get_loop()
    # elsewhere connections are taken on one by one as it is
    if isinstance(loop, asyncio.SelectorEventLoop):
        asyncio.run_coroutine_threadsafe(listen_in_small_steps(server), loop).result(timeout=10)


async def listen_in_small_steps(server: uvicorn.Server) -> None:
    """Listen anew on the same sockets. asyncio takes on as many connections at once as may wait, 2048 with uvicorn, all
    before the first of them can be counted: more than there are descriptors on some machines."""
    config, loop = server.config, asyncio.get_running_loop()

    def connection() -> asyncio.Protocol:
        protocol: Any = config.http_protocol_class
        return protocol(config=config, server_state=server.server_state, app_state=server.lifespan.state)

    sockets = [listening.dup() for old in server.servers for listening in old.sockets]
    for old in server.servers:  # closed with the others: a connection that it has just taken on needs it open
        for listening in old.sockets:
            loop.remove_reader(listening.fileno())
    for listening in sockets:
        server.servers.append(await loop.create_server(connection, sock=listening, ssl=config.ssl, backlog=_AT_ONCE))
        listening.listen(_BACKLOG)  # those who wait for it stay as many


def _wait(demo: gr.Blocks) -> None:
    """Return when the process is told to end."""
    told: list[int] = []  # no lock: a signal's handler runs between any two lines of this thread
    for name in ("SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: told.append(number))
    try:
        while demo.is_running and not told:
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass


def _end(demo: gr.Blocks, server: Any) -> None:
    """Take on nobody, finish what is under way for up to `GRACE` seconds, and return."""
    health.draining()
    # Ctrl-C from here on: at once
    signal.signal(signal.SIGINT, lambda *_: setattr(server, "force_exit", True))
    _told.warning("told to end; what is under way has %d s", GRACE)
    demo.is_running = False  # gradio's streams that last as long as a page end by this, and by the event
    loop = server.servers[0].get_loop()
    loop.call_soon_threadsafe(demo.app.stop_event.set)
    server.should_exit = True
    server.thread.join(GRACE + 3)
    # Python looks through every object before it ends, for seconds on a busy machine: these are not looked through
    gc.freeze()
    # a thread that still computes would hold the process for as long as it likes
    last = threading.Timer(2, os._exit, (0,))
    last.daemon = True
    last.start()
