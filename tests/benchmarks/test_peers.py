"""The benchmark beside the peers asks for the scripts that they name, gives all the same weights, and counts right.

Neither the peers nor a network is needed: what meets them is the benchmark's own run.
"""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from safetensors.torch import load_file

from attention_core import AttentionConfig, AttentionInputs, compute
from benchmarks import peers
from benchmarks.peers_environment import Environment, asked, member, zipped
from benchmarks.peers_seen import Bounds, Seen, watched
from benchmarks.peers_table import LINES, Column, table
from tests.offline import offline

BERTVIZ = """
<script src="https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js"></script>
<script>require.config({ paths: {
  d3: 'https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min',
  jquery: 'https://cdnjs.cloudflare.com/ajax/libs/jquery/2.0.0/jquery.min',
} }); const again = 'https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min'; see('https://example.org/a.js');</script>
"""


def test_the_scripts_of_a_page_are_those_that_a_browser_asks_for() -> None:
    found = asked(BERTVIZ)
    assert [one.address.removeprefix("https://cdnjs.cloudflare.com/ajax/libs/") for one in found] == [
        "require.js/2.3.6/require.min.js",
        "d3/5.7.0/d3.min.js",
        "jquery/2.0.0/jquery.min.js",
    ]
    assert [one.package for one in found] == ["requirejs@2.3.6", "d3@5.7.0", "jquery@2.0.0"]


def test_a_file_of_a_package_is_the_one_that_is_asked_for_or_the_same_in_full() -> None:
    names = [
        "package/src/d3.js",
        "package/dist/d3.min.js",
        "package/other/long/d3.min.js",
        "package/dist/d3.min.js.map",
    ]
    assert member(names, "d3.min.js") == "package/dist/d3.min.js"
    assert member(["package/require.js", "package/bin/r.js"], "require.min.js") == "package/require.js"
    assert member(names, "d4.min.js") is None


def test_an_environment_keeps_out_of_the_repository_and_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = Environment(Path(peers.__file__).parent / "made")
    assert "within the repository" in inside.make()
    assert not inside.folder.exists()
    monkeypatch.setattr("benchmarks.peers_environment.shutil.which", lambda name: None)
    assert inside.script(asked(BERTVIZ)[0]) == "npm is not installed"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.parametrize(("bounds", "said"), [(Bounds(0.5, 1e15), "not within"), (Bounds(600, 1), "ended at 0.0 GB")])
def test_a_page_that_answers_nobody_is_ended_at_its_bounds(bounds: Bounds, said: str) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(500)"]) as busy:
        with watched([busy.pid], Bounds(600, 1e15)) as left:
            time.sleep(0.6)
        assert busy.poll() is None, "within its bounds it goes on"
        assert not left.ended
        assert left.most > 1e6
        with watched([busy.pid], bounds) as found:
            assert busy.wait(60) == -signal.SIGKILL
        assert found.ended.startswith(said)


def cells(columns: list[Column]) -> dict[str, list[str]]:
    """Return the cells of each line of the table, by the line's title."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(columns)]
    return {row[0]: row[1:] for row in rows}


def test_a_table_has_medians_and_multiples_of_the_first_column() -> None:
    seen = Seen(painted=500.0, whole=600.0, token=40.0, head=90.0, sent=700_000, read=1, heap=9e6, tab=8e7, nodes=7115)
    ours = Column("ours", [replace(seen, painted=each) for each in (400.0, 500.0, 9000.0)])
    theirs = Column("theirs", [replace(seen, painted=1250.0, token=None, tab=8e8)], [0.5, 0.7], [3e6, 5e6])
    found = cells([ours, theirs])
    assert found[""] == ["ours", "theirs"]
    assert found["all heads of a layer painted, s"] == ["0.50", "1.25 (2.5×)"]
    assert found["pointing at another token, ms"] == ["40", "–"]
    assert found["the tab, MB"] == ["80", "800 (10×)"]
    assert found["output made in Python, s"] == ["–", "0.60"]
    assert found["… which grows by at most, MB"] == ["–", "4"]
    assert found["nodes of the document"] == ["7,115", "7,115 (1.0×)"]
    assert len(found) == len(LINES) + 2


def test_what_did_not_come_is_said_in_the_place_of_its_time() -> None:
    ours = Column("ours", [Seen(painted=500.0, head=90.0, sent=1_000_000, most=1e8)])
    seen = Seen(sent=30_000_000, most=4e9, tab=3e9, failed="not within 9 s")
    found = cells([ours, Column("theirs", [seen], [2.0], [1e9], failed=seen.failed)])
    assert found["all heads of a layer painted, s"][1] == "not within 9 s"
    assert found["choosing another head, ms"][1] == found["the tab, MB"][1] == "–"
    assert found["bytes on the way, MB"][1] == "30.00 (30×)"
    assert found["… at most, MB"][1] == "4000 (40×)"
    assert found["output made in Python, s"][1] == "2.00"


def test_each_turn_has_another_text_that_a_link_can_carry() -> None:
    text = peers.text_of(peers.MOST_TOKENS, 1)
    assert len(text.split()) == 128
    assert text == peers.text_of(128, 1) != peers.text_of(128, 2)
    asked = parse_qs(urlsplit(peers.link("http://here", text)).query)
    assert asked["page"] == ["model"]
    assert asked["text"] == [text]
    assert len(text) <= 512
    assert parse_qs(urlsplit(peers.link("http://here", peers.text_of(129, 1))).query)["page"] == ["map"]


def test_a_page_is_served_compressed_beside_an_empty_one() -> None:
    from urllib.request import urlopen

    with peers.served_page(zipped(b"<p>here</p>")) as address:
        assert urlopen(f"{address}/page").read() == zipped(b"<p>here</p>")
        assert b"here" not in urlopen(f"{address}/").read()


@pytest.mark.slow
def test_all_get_the_same_weights(tmp_path: Path) -> None:
    """Up to 128 tokens bit for bit; beyond, the page's own arithmetic of Q and K agrees to rounding."""
    with offline():
        peers.make_model(tmp_path / "models" / peers.NAME)
        assert peers.written(tmp_path / "models", peers.text_of(23, 0), tmp_path) == 0
        handed = load_file(tmp_path / "attention.safetensors")["attention"]
        assert handed.shape == (peers.LAYERS, peers.HEADS, 23, 23)
        assert torch.allclose(handed.sum(-1), torch.ones(()), atol=1e-5)
        assert handed.flatten(0, 1).std(0).max() > 0.1, "heads that differ"
        assert not (tmp_path / peers.KEYS).exists()
        apart = peers.written(tmp_path / "models", peers.text_of(131, 0), tmp_path)
    assert 0 <= apart < 1e-5
    handed = load_file(tmp_path / "attention.safetensors")["attention"][0]
    given = load_file(tmp_path / peers.KEYS)
    inputs = AttentionInputs(given["Q"], given["K"], given["K"])
    again = compute(AttentionConfig(source="upload", mask="causal"), inputs).weights
    assert float((again - handed).abs().max()) == pytest.approx(apart)
