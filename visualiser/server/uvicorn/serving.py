"""Serving from `launch` to the end: bounded connections, and an orderly end that answers what is under way.

gradio's `launch` stays the entry, because ZeroGPU Spaces hook it. It runs uvicorn in a separate thread; the settings
made here apply to every connection from then on.
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
from visualiser.server.uvicorn import address
from visualiser.server.uvicorn.protocol import bounded

GRACE: Final = 10
"""Seconds to finish what is under way when the process is told to end. The rest is then broken off."""

_BACKLOG: Final = 2048
"""Connections that the system keeps until they are accepted: a class that comes at once."""

_AT_ONCE: Final = 32
"""Connections accepted at once, before others are closed for them: a part of the reserve of descriptors."""

_log = logging.getLogger(__name__)


def serve(demo: gr.Blocks, options: Mapping[str, Any]) -> None:
    """Launch `demo` and return when it has ended: by Ctrl-C, by SIGTERM, or because it was closed.

    On a Space, only call `launch` and bound the connections.
    """
    # uvicorn would believe the address that any program on this machine states; only HEADLIGHT_TRUST_PROXY may say whom
    # to believe
    os.environ.setdefault("FORWARDED_ALLOW_IPS", "")
    with address.required():
        demo.launch(prevent_thread_lock=True, **address.arguments(), **options)
    log.setup()  # again: uvicorn has set handlers on its loggers
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
    """Bound a running server's connections, and the time for requests under way when it ends."""
    everyone = Connections(Bounds(connections_that_fit(most, raise_limit())))
    config = server.config
    config.http_protocol_class = bounded(config.http_protocol_class, everyone)
    config.timeout_graceful_shutdown = GRACE
    loop = server.servers[0].get_loop()
    # other loops accept connections one by one already
    if isinstance(loop, asyncio.SelectorEventLoop):
        asyncio.run_coroutine_threadsafe(listen_in_small_steps(server), loop).result(timeout=10)


async def listen_in_small_steps(server: uvicorn.Server) -> None:
    """Listen anew on the same sockets, with fewer connections accepted at once.

    asyncio accepts up to 2048 with uvicorn before the first can be counted: more than some machines have descriptors.
    """
    config, loop = server.config, asyncio.get_running_loop()

    def connection() -> asyncio.Protocol:
        protocol: Any = config.http_protocol_class
        return protocol(config=config, server_state=server.server_state, app_state=server.lifespan.state)

    sockets = [listening.dup() for old in server.servers for listening in old.sockets]
    for old in server.servers:  # closed later with the others: a connection just accepted needs it open
        for listening in old.sockets:
            loop.remove_reader(listening.fileno())
    for listening in sockets:
        server.servers.append(await loop.create_server(connection, sock=listening, ssl=config.ssl, backlog=_AT_ONCE))
        listening.listen(_BACKLOG)  # the system's queue stays as long as before


def _wait(demo: gr.Blocks) -> None:
    """Return when the process is told to end."""
    signals: list[int] = []  # no lock: a signal's handler runs between any two lines of this thread
    for name in ("SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: signals.append(number))
    try:
        while demo.is_running and not signals:
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass


def _end(demo: gr.Blocks, server: Any) -> None:
    """Accept no connection, finish what is under way for up to `GRACE` seconds, and return."""
    health.draining()
    # from here on, Ctrl-C ends it at once
    signal.signal(signal.SIGINT, lambda *_: setattr(server, "force_exit", True))
    _log.warning("told to end; what is under way has %d s", GRACE)
    demo.is_running = False  # ends gradio's page-long streams, together with the event
    loop = server.servers[0].get_loop()
    loop.call_soon_threadsafe(demo.app.stop_event.set)
    server.should_exit = True
    server.thread.join(GRACE + 3)
    # Python scans every object before it ends, for seconds on a busy machine; frozen ones are skipped
    gc.freeze()
    # else a thread that still computes would keep the process alive
    last = threading.Timer(2, os._exit, (0,))
    last.daemon = True
    last.start()
