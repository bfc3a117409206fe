"""Which thread reads: no test of long links and bodies may find the event loop's."""

import asyncio


def loop_runs_here() -> bool:
    """Return True if this is called in the thread of a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
