"""What is done once in a process, before it says that it is ready, so that no visitor waits for it.

Our files are compressed. A first picture is made, since plotly looks up a hundred descriptions of its layout for the
first one. And everything that stays for the process's whole life is set aside: Python would look through all of it, for
a fifth of a second in which nobody is answered, after every few hundred frames.
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
    """Do all this in a thread, while the server and the browser are still starting; call `then` when it is done.
    Smaller forms of our files follow at leisure."""

    def work() -> None:
        static_files.pack()
        draw()
        set_aside()
        then()
        static_files.pack_smaller()

    threading.Thread(target=work, name="warm", daemon=True).start()


def draw() -> None:
    """Make one small frame and one small file, in which every kind of figure is."""
    ask = Ask("n=4&h=2&mask=causal", None, frozenset(), b"", None, "light", 0, "", {}, EXPLORE)
    for pieces in (frame(ask), KINDS["html"].content(ask)):
        for _ in pieces:
            pass


def set_aside() -> None:
    """Leave all objects that exist now out of later garbage collections."""
    gc.collect()  # garbage that is set aside would stay
    gc.freeze()
