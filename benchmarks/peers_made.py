"""What a peer makes of attention that is already there: one way, in a process of its own.

    ENVIRONMENT/bin/python benchmarks/peers_made.py WAY FOLDER PAGE

FOLDER holds attention.safetensors (`attention`, layers × h × n × n) and tokens.json; the page is written to PAGE.
Prints the seconds from tensors to the text of the output, the most bytes that the process grew by, and the version of
the package, as JSON. It is run in the environment of `peers_environment.py`, which knows no module of this repository.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor

Attention = tuple[Tensor, ...]
"""As transformers gives it with output_attentions: for each layer 1 × h × n × n."""


def head_view(attention: Attention, tokens: list[str], **chosen: Any) -> str:
    """Return BertViz' lines between two columns of tokens, one layer at a time."""
    return import_module("bertviz").head_view(attention, tokens, html_action="return", **chosen).data


def model_view(attention: Attention, tokens: list[str]) -> str:
    """Return BertViz' thumbnails of all heads of all layers."""
    return import_module("bertviz").model_view(attention, tokens, html_action="return").data


def attention_heads(attention: Attention, tokens: list[str]) -> str:
    """Return CircuitsVis' heat maps of a layer's heads, with its script in the page, as it gives it offline."""
    return import_module("circuitsvis.attention").attention_heads(attention[0][0], tokens).local_src


WAYS: dict[str, Callable[[Attention, list[str]], str]] = {
    "head_view": head_view,
    "head_view_one_layer": lambda attention, tokens: head_view(attention, tokens, include_layers=[0]),
    "model_view": model_view,
    "attention_heads": attention_heads,
}
PACKAGE = {way: "circuitsvis" if way.startswith("attention") else "bertviz" for way in WAYS}


def page(body: str) -> str:
    """Return the output of a cell as a page of its own."""
    return f'<!doctype html><html><head><meta charset="utf-8"></head><body>{body}</body></html>'


def resident(at: str) -> int:
    """Return the resident bytes of this process: now (`VmRSS`), or the most so far (`VmHWM`); 0 outside Linux."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(at)), 0)


def main() -> None:
    """Make one page and print what it took."""
    way, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    attention = tuple(layer[None] for layer in load_file(folder / "attention.safetensors")["attention"].unbind())
    tokens = json.loads((folder / "tokens.json").read_text())
    import_module(PACKAGE[way])
    before = resident("VmRSS")
    start = time.perf_counter()
    found = WAYS[way](attention, tokens)
    seconds = time.perf_counter() - start
    most = resident("VmHWM") - before
    out.write_text(page(found), encoding="utf-8")
    print(json.dumps({"seconds": seconds, "most": most, "version": version(PACKAGE[way])}))


if __name__ == "__main__":
    main()
