"""Work done once per process, before it reports ready, so that no visitor waits for it.

It compresses our files. It calls each page's `first`. And it exempts all permanent objects from garbage collection,
which would otherwise scan them after every few hundred frames and stop the server for a fifth of a second.
"""

import gc
import threading
from collections.abc import Callable

from visualiser import gpu
from visualiser.server.http import static_files
from visualiser.server.live.answering import LIVE


def warm(then: Callable[[], object]) -> None:
    """Do this work in a thread while the server and the browser start, then call `then`.

    Smaller forms of our files follow at low priority.
    """

    def work() -> None:
        static_files.pack()
        gpu.calibrate()
        for live in LIVE.values():
            if live.prepare is not None:
                live.prepare()
        set_aside()
        then()
        static_files.pack_smaller()

    threading.Thread(target=work, name="warm", daemon=True).start()


def set_aside() -> None:
    """Exempt all existing objects from later garbage collections."""
    gc.unfreeze()  # what `imports.quick` froze
    gc.collect()  # else frozen garbage would stay
    gc.freeze()
