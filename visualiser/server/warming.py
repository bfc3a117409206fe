"""Work done once per process, before it reports ready, so that no visitor waits for it.

It compresses our files. It makes a first picture, because plotly then looks up a hundred descriptions of its layout.
And it exempts all permanent objects from garbage collection, which would otherwise scan them after every few hundred
frames and stop the server for a fifth of a second.
"""

import gc
import threading
from collections.abc import Callable

from visualiser.pages.explore.frame import frame
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.http import static_files
from visualiser.server.live.asking import Ask
from visualiser.state.parameters import EXPLORE


def warm(then: Callable[[], object]) -> None:
    """Do this work in a thread while the server and the browser start, then call `then`.

    Smaller forms of our files follow at low priority.
    """

    def work() -> None:
        static_files.pack()
        draw()
        set_aside()
        then()
        static_files.pack_smaller()

    threading.Thread(target=work, name="warm", daemon=True).start()


def draw() -> None:
    """Make one small frame and one small file that holds every kind of figure."""
    ask = Ask("n=4&h=2&mask=causal", None, frozenset(), b"", None, "light", 0, "", {}, EXPLORE)
    for pieces in (frame(ask), KINDS["html"].content(ask)):
        for _ in pieces:
            pass


def set_aside() -> None:
    """Exempt all existing objects from later garbage collections."""
    gc.collect()  # else frozen garbage would stay
    gc.freeze()
