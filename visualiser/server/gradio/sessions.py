"""Small session states: nothing here has state, so gradio needs to keep little of each session.

gradio copies the configuration of every component for each session: 200 kB, and 30 ms in which the event loop stands
still. The copy serves links that restore a page, whose route is closed here (`surface`).
"""

from copy import copy
from typing import Final

import gradio as gr
from fastapi import FastAPI
from gradio.routes import App
from gradio.state_holder import SessionState, StateHolder

SESSIONS: Final = 16
"""Sessions that gradio remembers; its default is 10,000."""


class Sessions(StateHolder):
    """Gives each session a separate state without a copy of the components' configuration."""

    def __init__(self, blocks: gr.Blocks) -> None:
        super().__init__()
        self.set_blocks(blocks)
        self._first = SessionState(blocks)

    def __getitem__(self, session_id: str) -> SessionState:
        """Return the state of a session, made if there is none."""
        if session_id not in self.session_data:
            made = copy(self._first)
            made.blocks_config = copy(self.blocks.default_config)
            made.config_values, made.state_data, made._state_ttl = {}, {}, {}
            self.session_data[session_id] = made
        return super().__getitem__(session_id)


def keep_few(app: FastAPI) -> None:
    """Let a gradio app keep small sessions. Do nothing to another app."""
    if isinstance(app, App):
        app.state_holder = Sessions(app.get_blocks())
