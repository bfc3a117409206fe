"""What a load imports comes while its owner looks at the page, once, and nowhere else."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_core.learned import SHIPPED
from tests.attention_core.models.small_folders import write
from tests.tiers import ROOT
from visualiser.models import ahead


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the threads that imported."""
    found: list[str] = []
    monkeypatch.setattr(ahead, "import_ahead", lambda: found.append(threading.current_thread().name))
    ahead.begin_to_import.cache_clear()
    yield found
    ahead.begin_to_import.cache_clear()


def test_an_owner_s_process_imports_once_and_in_a_thread_of_its_own(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "offered", lambda: (*SHIPPED, "mine"))
    thread = ahead.begin_to_import()
    assert thread is not None
    assert ahead.begin_to_import() is thread
    thread.join()
    assert asked == ["import-ahead"]


def test_who_will_load_nothing_imports_nothing(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "offered", lambda: tuple(SHIPPED))
    assert ahead.begin_to_import() is None
    ahead.begin_to_import.cache_clear()
    monkeypatch.setattr(ahead, "offered", lambda: (*SHIPPED, "mine"))
    monkeypatch.setenv("GRADIO_ROOT_PATH", "/headlight")
    assert ahead.begin_to_import() is None
    assert not asked


@pytest.mark.slow
def test_a_load_then_imports_the_model_s_own_code_alone(tmp_path: Path) -> None:
    write(tmp_path, "gpt2")
    script = f"""
import sys
from attention_core.models import ModelFolder, import_ahead
import_ahead()
before = set(sys.modules)
ModelFolder(__import__("pathlib").Path({str(tmp_path)!r})).load("gpt2")
print(*sorted(set(sys.modules) - before))
"""
    printed = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    own = [name for name in printed.split() if name.startswith("transformers.models.gpt2")]
    assert own
    assert len(printed.split()) < 30
