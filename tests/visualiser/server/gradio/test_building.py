"""gradio makes its web app and its configuration once, not at the end of each page."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import gradio as gr
import pytest

from tests.alone import alone
from visualiser.pages import shell

ROOT = Path(__file__).resolve().parents[4]
CODE = """
import json
import gradio as gr
from gradio.routes import App
from visualiser.server.gradio.building import without_apps

made, own = [], App.create_app
App.create_app = staticmethod(lambda blocks, **given: made.append(1) or own(blocks, **given))
with without_apps():
    with gr.Blocks() as demo:
        gr.Markdown("one")
    demo.queue()
within = [len(made), demo.config]
with gr.Blocks() as other:
    gr.Markdown("two")
print(json.dumps([*within, bool(made), [each["type"] for each in other.config["components"]]]))
"""


@pytest.mark.night
@pytest.mark.slow
def test_a_page_ends_without_an_app_and_a_configuration() -> None:
    output = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert json.loads(output) == [0, {}, True, ["markdown"]]


@pytest.mark.slow
def test_a_call_with_too_few_values_is_refused_in_words_and_prints_nothing() -> None:
    async def visit() -> gr.Error:
        demo = shell.build()
        (train,) = (function for function in demo.fns.values() if function.api_name == "train")
        with pytest.raises(gr.Error) as refused:
            await demo.process_api(train, ["reverse"])
        return refused.value

    refused = alone(visit())
    expected = len(inspect.signature(shell.ENDPOINTS["train"].function).parameters)
    assert refused.message == f"{expected} values are expected; got 1"
    assert not refused.print_exception
