"""A ready process has nothing left that its first visitors would wait for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.night]

ROOT = Path(__file__).resolve().parents[3]
CODE = """
import gc, json, threading, weakref
import app  # builds it, and launches nothing
from visualiser.server.gradio import imports
from visualiser.drawing.drawing import go
from visualiser.server.http import static_files
from visualiser.server.warming import warm

figures, written, done, found = 0, go.Figure.to_json, threading.Event(), {}

def counted(figure):
    global figures
    figures += 1
    return written(figure)

def then():
    kept = [kept.packed.kept(encoding) for kept in static_files.own_files().values() for encoding in ("br", "gzip")]
    found.update(files=len(kept), packed=sum(form is not None for form in kept), aside=gc.get_freeze_count())
    found.update(figures=figures, left=len(gc.get_objects()))
    done.set()

go.Figure.to_json = counted
gc.unfreeze()
gc.collect()
before = len(gc.get_objects())
class Garbage: pass
with imports.quick():
    garbage = Garbage()
    garbage.itself = garbage
    garbage = weakref.ref(garbage)
warm(then)
done.wait(100)
print(json.dumps({**found, "before": before, "garbage": garbage() is not None}))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, int]:
    """Return the state of a process that is ready."""
    output = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return json.loads(output)


@pytest.mark.night
def test_our_files_are_compressed(found: dict[str, int]) -> None:
    assert found["packed"] == found["files"] > 2


def test_a_first_picture_of_each_figure_has_been_made(found: dict[str, int]) -> None:
    assert found["figures"] >= 5


def test_what_stays_is_not_looked_through_again(found: dict[str, int]) -> None:
    assert found["aside"] > 0.9 * found["before"] > 100_000
    assert found["left"] < 0.05 * found["aside"]
    assert not found["garbage"]
