"""`tests/browser/fleeting/app.py` whose loads of a folder's models stop at gates until a test opens them.

A gate is a file of the folder `$GATES`: `read` after each stretch of a model's files, `corpus` after each document.
"""

import os
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attention_core import checkpoint
from attention_core.learned import CorpusMeasures, LearnedModel
from attention_core.models import folder
from visualiser.models import measuring

GATES = Path(os.environ["GATES"])
load, corpus_measures = folder.load, measuring.corpus_measures


def wait_for(gate: str) -> None:
    """Return once a gate is open; the work can be stopped before it."""
    while not (GATES / gate).exists():
        checkpoint()
        time.sleep(0.01)


def gated_load(root: Path, found: folder.Sized, progress: Callable[[float], None]) -> folder.FolderModel:
    """Load a model, with a gate after each report."""

    def report(done: float) -> None:
        progress(done)
        wait_for("read")

    return load(root, found, report)


def gated_measures(model: LearnedModel, progress: Callable[[int, int], object] | None = None) -> CorpusMeasures:
    """Read the corpus, with a gate after each report."""

    def report(*read: Any) -> None:
        if progress is not None:
            progress(*read)
            wait_for("corpus")

    return corpus_measures(model, progress=report)


folder.load = gated_load
measuring.corpus_measures = gated_measures
runpy.run_path(str(Path(__file__).with_name("app.py")))
