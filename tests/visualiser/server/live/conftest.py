"""A line of runs that belongs to one test."""

import pytest

from visualiser.server.admission.entry import Admission
from visualiser.server.admission.fair_line import FairLine
from visualiser.server.live import runs


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> FairLine:
    """Return a new line with one place."""
    own = Admission(2**30, 2)
    own.runs = FairLine(1, own.long, each=1, longest=2, longest_each=2)
    monkeypatch.setattr(runs, "admission", lambda: own)
    return own.runs
