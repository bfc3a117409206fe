"""A gradio session costs little here: it holds no copy that nobody can read."""

from typing import Any
from unittest.mock import Mock

import gradio as gr
import pytest
from gradio.blocks import BlocksConfig
from gradio.state_holder import SessionState

from tests.alone import alone
from visualiser.server.gradio.sessions import Sessions


@pytest.fixture(scope="module")
def demo() -> gr.Blocks:
    async def made() -> gr.Blocks:  # without a running loop, gradio opens one and leaves it open
        with gr.Blocks() as demo:
            for _ in range(7):
                gr.Number()
        demo.state_session_capacity = 3
        return demo

    return alone(made())


def test_no_component_is_written_down_for_a_new_session(demo: gr.Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(demo)
    wrote = Mock(side_effect=AssertionError("written down"))
    monkeypatch.setattr(BlocksConfig, "config_for_block", wrote)
    assert sessions["a"].blocks_config.blocks == demo.default_config.blocks
    assert sessions["a"] is sessions["a"]


def test_sessions_share_nothing_that_one_of_them_may_change(demo: gr.Blocks) -> None:
    """Fails if a new gradio keeps anything else of a session."""
    first, second = (vars(Sessions(demo)[name]) for name in "ab")
    made: dict[str, Any] = vars(SessionState(demo))
    assert first.keys() == second.keys() == made.keys()
    shared = {name for name in made if isinstance(made[name], (dict, list, set, BlocksConfig))}
    assert shared == {"blocks_config", "config_values", "state_data", "_state_ttl"}
    sessions = Sessions(demo)
    for name in shared:
        assert getattr(sessions["a"], name) is not getattr(sessions["b"], name), name
    sessions["a"]._update_value_in_config(next(iter(demo.blocks)), 7)
    assert not sessions["b"].config_values


def test_so_many_sessions_are_remembered(demo: gr.Blocks) -> None:
    sessions = Sessions(demo)
    for name in "abcde":
        assert sessions[name] is sessions[name]
    assert list(sessions.session_data) == ["c", "d", "e"]
