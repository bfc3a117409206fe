"""What the app of a kernel answers to the address of a cell, asked as the page's script asks."""

import json
import struct
import urllib.request
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np


def answered(address: str, question: str = "", **more: Any) -> dict[str, Any]:
    """Return the parts of an answer by their names, their arrays filled in."""
    base, _, query = address.partition("?")
    asked = parse_qs(query)
    page = asked.get("page", ["explore"])[0]
    header = json.dumps({"query": query, **more}).encode()
    held = f"\0held:{asked['held'][0]}".encode() if "held" in asked else b""
    body = struct.pack("<I", len(header)) + header + held
    route = f"{base}gradio_api/headlight/page/{page}{question and f'/{question}'}"
    with urllib.request.urlopen(urllib.request.Request(route, body)) as answer:
        stream = answer.read()
    found = {}
    while stream:
        (length,) = struct.unpack_from("<I", stream)
        part, blocks = json.loads(stream[4 : 4 + length]), stream[4 + length :]
        found[part["part"]] = _filled(part, blocks)
        stream = blocks[part["bytes"] :]
    return found


def weights(address: str, row: int = 0) -> np.ndarray:
    """Return what a row of Explore's heads has (h × n_k), or the head of the Model page (n_q × n_k)."""
    if "page=model" in urlsplit(address).query:
        model = _revived(answered(address)["model"]["values"])
        return np.reshape(model["weights"], model["shape"])
    return _revived(answered(address, "row", row=row)["row"]["row"])["stage"]


def _revived(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the structure of an entry with its values in their places."""
    values = entry["values"]
    return {
        name: values[one["$"]] if isinstance(one, dict) and "$" in one else one
        for name, one in entry["structure"].items()
    }


def _filled(node: Any, blocks: bytes) -> Any:
    if isinstance(node, list):
        return [_filled(one, blocks) for one in node]
    if not isinstance(node, dict):
        return node
    if {"t", "s", "at"} <= node.keys():
        count = int(np.prod(node["s"]))
        return np.frombuffer(blocks, f"<{node['t']}", count, node["at"]).reshape(node["s"])
    return {name: _filled(one, blocks) for name, one in node.items()}
