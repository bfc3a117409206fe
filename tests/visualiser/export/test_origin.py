"""A file's link is never a local address; the cases of tests/scripts/addresses.json hold in the browser too."""

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from importlib.metadata import version
from pathlib import Path

import plotly
import pytest

from attention_core import AttentionConfig, __version__
from visualiser.export import origin_of
from visualiser.export.origin import link, public
from visualiser.state.share import beginning

CASES = json.loads((Path(__file__).parents[2] / "scripts" / "addresses.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("address", "known"), CASES)
def test_an_address_is_public_if_another_network_can_reach_it(address: str, known: bool) -> None:
    assert public(address) is known


@pytest.mark.parametrize(
    "address", ["", "javascript:alert(1)", "https://a.org/\nimport os", "https://a.org/ x", "http://["]
)
def test_no_address_is_no_link(address: str) -> None:
    assert link(address, "n=7") == "?n=7"


def test_it_has_link_seed_versions_and_date() -> None:
    state = replace(beginning("explore"), config=AttentionConfig(n=7, seed=11))
    made = origin_of(state, "https://example.org/h/", datetime(2026, 1, 2, 3, 4, 5, 6, timezone(timedelta(hours=9))))
    assert made.values == {
        "link": "https://example.org/h/?n=7&seed=11",
        "seed": "11",
        "headlight": __version__,
        "torch": version("torch"),
        "plotly": made.plotly,
        "date": "2026-01-01T18:04:05Z",
    }
    # plotly.js has the version that the wheel names
    assert made.plotly == plotly.offline.get_plotlyjs_version()
