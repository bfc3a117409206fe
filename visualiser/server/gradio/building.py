"""The building of the app, without the web apps that gradio makes on the way.

gradio makes a whole web app with its eighty routes at the end of each page and again in `queue`; `launch` then makes
the one that serves. The others cost 0.8 s of each start.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gradio.routes import App


@contextmanager
def without_apps() -> Iterator[None]:
    """Let gradio make no web app until the block ends. Afterwards `queue` or `launch` makes one."""
    made = App.__dict__["create_app"]
    App.create_app = staticmethod(lambda *_, **__: None)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        App.create_app = made
