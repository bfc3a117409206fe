"""The building of the app, without what gradio makes again and again on the way.

gradio makes a whole web app with its eighty routes, and its configuration of all components, at the end of each page,
and the web app again in `queue`; `launch` then makes those that serve. The others cost 1 s of each start.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr
from gradio.routes import App


@contextmanager
def without_apps() -> Iterator[None]:
    """Let gradio make no web app and no configuration until the block ends. Afterwards `launch` makes them."""
    app, config = App.__dict__["create_app"], gr.Blocks.get_config_file
    App.create_app = staticmethod(lambda *_, **__: None)  # pyright: ignore[reportAttributeAccessIssue]
    gr.Blocks.get_config_file = lambda _: {}  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        App.create_app = app
        gr.Blocks.get_config_file = config
