"""What gradio keeps of each session. Nothing here has any state, so little of it is needed.

gradio writes down the configuration of every component anew for each session, which is 200 kB, and 30 ms in which the
event loop stands still. It is for links that restore a page, whose route is closed here (`surface`).
"""

from copy import copy
from typing import Final

from gradio.blocks import Blocks
from gradio.state_holder import SessionState, StateHolder

SESSIONS: Final = 16
"""Sessions that gradio remembers, 10,000 if one lets it."""


class Sessions(StateHolder):
    """Gives each session a state of its own in which no component's configuration is written down."""

    def __init__(self, blocks: Blocks) -> None:
        super().__init__()
        self.set_blocks(blocks)
        self._first = SessionState(blocks)

    def __getitem__(self, session_id: str) -> SessionState:
        """The state of a session, made if there is none."""
        if session_id not in self.session_data:
            made = copy(self._first)
            made.blocks_config = copy(self.blocks.default_config)
            made.config_values, made.state_data, made._state_ttl = {}, {}, {}
            self.session_data[session_id] = made
        return super().__getitem__(session_id)
