"""A Hub on this machine with small random models; nothing else is asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attention_core.models.small_folders import write
from tests.hub_server import Behaviour, Hub, hub


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of what the Hub has."""
    root = tmp_path_factory.mktemp("hub")
    for name in ("gpt2", "llama"):
        write(root / "small", name)
    (root / "small" / "gpt2" / "pytorch_model.bin").write_bytes(b"a pickle")
    (root / "small" / "gpt2" / "modeling_own.py").write_text("raise SystemExit")
    (root / "small" / "gpt2" / "generation_config.json").write_text("{}")
    return root


@pytest.fixture(scope="session")
def running(published: Path) -> Iterator[Hub]:
    with hub(published) as found:
        yield found


@pytest.fixture
def server(running: Hub, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """Return the Hub, well-behaved and asked for nothing yet."""
    huggingface_hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_TELEMETRY", True)
    running.behaviour = Behaviour()
    running.asked.clear()
    running.sent.clear()
    running.left.clear()
    return running
