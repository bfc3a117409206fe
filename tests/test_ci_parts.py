"""The parts of `.ci/run`: a red one ends its stage, and what orphans use is counted."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import ROOT

pytestmark = pytest.mark.slow

BURNS = "import time\nwhile time.process_time() < 0.5:\n    pass\n"
ORPHAN = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BURNS!r}])\n"
STAGES = """
import runpy, sys
parts = runpy.run_path(sys.argv[1])
parts["main"].__globals__["stages"] = lambda: [[parts["Part"](text, (sys.executable, "-c", text)) for text in stage]
                                               for stage in {stages!r}]
sys.exit(parts["main"]())
"""


def run(stages: list[list[str]], budget: float = 1000.0) -> subprocess.CompletedProcess[str]:
    """Run `.ci/parts.py` with Python texts for parts."""
    text = STAGES.format(stages=stages).replace("sys.exit", f'parts["main"].__globals__["BUDGET"] = {budget}\nsys.exit')
    command = [sys.executable, "-c", text, str(ROOT / ".ci/parts.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_red_part_ends_the_run_before_the_next_stage(tmp_path: Path) -> None:
    late = tmp_path / "late"
    ended = run(
        [["print('said')"], ["raise SystemExit(3)", "import time; time.sleep(60)"], [f"open({str(late)!r}, 'w')"]]
    )
    assert ended.returncode == 1
    assert "said" in ended.stdout
    assert "SystemExit(3): RED" in ended.stdout
    assert not late.exists()


def test_the_time_of_orphans_counts() -> None:
    ended = run([[ORPHAN]], budget=0.5)
    assert ended.returncode == (sys.platform == "linux")  # no other system hands orphans over
    assert ("more than its budget" in ended.stdout) == (sys.platform == "linux")
    assert run([["pass"]]).returncode == 0
