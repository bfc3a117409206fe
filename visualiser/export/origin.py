"""The origin of a file: the link that restores its state, its seed, the versions that made it, and when.

Every file of the page carries it (docs/decisions/exports.md); assets/js/files/origin.js writes the same for files made
in the browser.
"""

import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address
from urllib.parse import urlsplit

import numpy as np
import torch

from attention_core import __version__
from visualiser.asset_folder import PLOTLY
from visualiser.held import is_name
from visualiser.state import share
from visualiser.state.share import State

_WEB = re.compile(r"https?://[!-~]+")
_LOCAL = re.compile(r"(.+\.)?(localhost|local|lan|home|internal|test|home\.arpa)|[^.:]*")
"""Names that only one machine or one network knows, by their last label; so does every name of a single label."""


@dataclass(frozen=True)
class Origin:
    """The values that a file carries, under these names; `date` is UTC, to the second.

    `colours` is the range of the maps' colours; a file without a word on them leaves it out, and so does one without a
    link.
    """

    link: str
    seed: str
    headlight: str
    torch: str
    plotly: str
    date: str
    colours: str = ""

    @property
    def values(self) -> dict[str, str]:
        """All values by their names."""
        return {name: value for name, value in asdict(self).items() if value or name not in ("colours", "link")}

    @property
    def array(self) -> np.ndarray:
        """All values as JSON, in an array without axes, as an npz file holds a text."""
        return np.array(json.dumps(self.values))

    @property
    def line(self) -> str:
        """All values in one line."""
        return "; ".join(f"{name}: {value}" for name, value in self.values.items())


def origin_of(state: State, address: str, now: datetime | None = None) -> Origin:
    """Return the origin of a file made from `state` by the page at `address`, `now` or at the present time.

    What a process was handed in memory no link restores: such a state has none.
    """
    made = (now or datetime.now(UTC)).astimezone(UTC)
    return Origin(
        link="" if is_name(state.config.model) else link(address, share.canonical(state)),
        seed=str(state.config.seed),
        **versions(),
        date=made.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


@cache
def versions() -> dict[str, str]:
    """Return the versions of what computes and draws; plotly's is that of the script that the page loads."""
    head = PLOTLY.read_bytes()[:200].decode("ascii", "replace")
    found = re.search(r"minified\) v(\S+)", head)
    assert found is not None
    return {"headlight": __version__, "torch": torch.__version__, "plotly": found[1]}


def link(address: str, query: str) -> str:
    """Return the link of a state: in full if `address` is public, else the part that every Headlight understands."""
    return (f"{address}?{query}".removesuffix("?")) if public(address) else f"?{query}"


def public(address: str) -> bool:
    """Return True if another network can reach `address`, by the name of its host."""
    if _WEB.fullmatch(address) is None:
        return False
    try:
        host = (urlsplit(address).hostname or "").removesuffix(".")
    except ValueError:  # brackets that hold no address
        return False
    try:
        return ip_address(host).is_global
    except ValueError:
        return _LOCAL.fullmatch(host) is None
