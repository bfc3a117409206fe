"""Notebooks that run in a kernel of this environment, with settings and files of their own."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[3]


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a kernel that sees this clone and nothing of its user's."""
    places = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    return (
        os.environ | places | {"IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    )


def notebook(cells: Sequence[str]) -> NotebookNode:
    """Return a notebook of these cells."""
    made = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


@contextmanager
def ran(cells: Sequence[str], folder: Path) -> Iterator[tuple[NotebookNode, NotebookClient]]:
    """Run a notebook and keep its kernel until the end of the block. Raises what a cell raises."""
    client = NotebookClient(notebook(cells), timeout=300, kernel_name="python3")
    with client.setup_kernel(cwd=str(folder), env=environment(folder)):
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        yield client.nb, client


def is_open(port: int) -> bool:
    """Return True if something listens at a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
