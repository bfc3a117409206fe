"""A notebook in its own kernel: each kind of thing is shown with its numbers, and the port ends with the kernel."""

import os
import re
import signal
import time
from html import unescape
from pathlib import Path

import pytest
from nbformat import NotebookNode

from tests.visualiser.notebook.kernels import is_open, ran

pytestmark = [
    pytest.mark.slow,
    # a client's sockets are not encrypted, and it closes some of them late
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]

SETUP = """
import numpy as np, torch, visualiser
from attention_core import AttentionConfig, AttentionInputs, compute
from attention_core.models import capture
from tests.attention_core.models.small_models import READ
from tests.visualiser.notebook.asked import weights
from visualiser.notebook import cell

torch.manual_seed(0)
threads = torch.get_num_threads()
Q, K, V = torch.randn(3, 11, 5), torch.randn(3, 13, 5), torch.randn(3, 13, 7)
model, inputs = READ["GPT-2"]()
got = capture(model, **inputs)
config = AttentionConfig(n=7, h=2, d_k=5, seed=3, mask="causal")
own = compute(AttentionConfig(source="upload", scaling="none"), AttentionInputs(Q, K, V))
"""

SHOWN = ("config", "compute(config)", "own", "Q, K, V", "got, tokens=list('abcdefghijk')", "model, **inputs")

EXPECTED = {
    "config": "compute(config).weights[:, 1]",
    "compute(config)": "compute(config).weights[:, 1]",
    "own": "own.weights[:, 1]",
    "Q, K, V": "compute(AttentionConfig(source='upload'), AttentionInputs(Q, K, V)).weights[:, 1]",
    "got, tokens=list('abcdefghijk')": "got.layers[0].weights[0]",
    "model, **inputs": "got.layers[0].weights[0]",
}


def fetched(shown: str) -> str:
    """Return a cell that asks the port of its own kernel for the numbers of a thing, and compares them."""
    return f"""
found = weights(cell({shown}).address, row=1)
expected = {EXPECTED[shown]}.numpy()
there = np.isfinite(found)  # a masked cell of a head has no number
assert found.shape == expected.shape and there.any()
assert np.allclose(found[there], expected[there], atol=1e-6) and not expected[~there].any()
"""


def output(cell: NotebookNode) -> str:
    (shown,) = [one for one in cell.outputs if one.output_type == "display_data"]
    return shown.data["text/html"]


def address(cell: NotebookNode) -> str:
    found = re.search(r'src="([^"]*)"', output(cell))
    assert found is not None
    return unescape(found[1])


def waits_until_closed(port: int) -> None:
    end = time.monotonic() + 60
    while is_open(port):
        assert time.monotonic() < end, "the port outlives its kernel"
        time.sleep(0.1)


@pytest.mark.night
def test_each_kind_is_shown_with_its_numbers_and_the_port_ends_with_the_kernel(tmp_path: Path) -> None:
    after = "assert torch.get_num_threads() == threads"
    cells = [SETUP, *(f"visualiser.show({one})" for one in SHOWN), *map(fetched, SHOWN), after]
    with ran(cells, tmp_path) as (done, _):
        addresses = [address(cell) for cell in done.cells[1 : 1 + len(SHOWN)]]
        assert len({one.partition("?")[0] for one in addresses}) == 1  # one app
        port = int(addresses[0].split(":")[2].split("/")[0])
        assert is_open(port)
        shown = done.cells[1 : 1 + len(SHOWN)]
        assert [one for cell in shown for one in cell.outputs if one.output_type != "display_data"] == []
    waits_until_closed(port)


@pytest.mark.night
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_the_port_of_a_kernel_that_is_killed_closes_although_its_child_lives(tmp_path: Path) -> None:
    cells = [
        "import os, time, visualiser; visualiser.show()",
        "child = os.fork()\nif child == 0:\n    time.sleep(300); os._exit(0)\nprint(os.getpid(), child)",
    ]
    with ran(cells, tmp_path) as (done, _):
        kernel, child = map(int, done.cells[1].outputs[0].text.split())
        port = int(address(done.cells[0]).split(":")[2].split("/")[0])
        assert is_open(port)
        try:
            os.kill(kernel, signal.SIGKILL)
            waits_until_closed(port)
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.night
def test_a_notebook_that_is_mailed_holds_its_figures(tmp_path: Path) -> None:
    with ran([SETUP, "visualiser.show(model, static=True, layer=2, head=3, **inputs)"], tmp_path) as (done, _):
        shown = output(done.cells[1])
    assert 'sandbox="allow-scripts"' in shown
    assert "127.0.0.1" not in shown
    assert len(shown) < 1_500_000
