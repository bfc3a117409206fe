"""The building of the app, without what gradio makes again and again on the way.

gradio makes a whole web app with its eighty routes, and its configuration of all components, at the end of each page,
and the web app again in `queue`; `launch` then makes those that serve. The others cost 1 s of each start.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
from gradio.block_function import BlockFunction
from gradio.routes import App

from visualiser.server.gradio.queue import harden


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


def finish(demo: gr.Blocks) -> None:
    """Give a built app its configuration, a hardened queue, and our check of a call's values."""
    demo.config = demo.get_config_file()
    harden(demo._queue)
    demo.validate_inputs = _require_values


def configuration(demo: gr.Blocks) -> Any:
    """Return what gradio sends to browsers: the components with their properties, and the events."""
    return demo.config


def _require_values(block_fn: BlockFunction, inputs: list[Any]) -> None:
    """Raise `gr.Error` for a call with fewer values than its endpoint takes. gradio's own error prints a traceback."""
    if len(inputs) < (expected := len(block_fn.inputs)):
        raise gr.Error(f"{expected} values are expected; got {len(inputs)}", print_exception=False)
