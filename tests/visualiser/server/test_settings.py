"""Environment variables: their defaults, and refusals of impossible values that name the variable."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from visualiser.server import settings


def test_without_any_variable_the_documented_defaults_hold() -> None:
    assert settings.memory({}) == 1024 * 2**20
    assert settings.trusted_proxies({}) == 0
    assert settings.origins({}) == frozenset()
    assert settings.frame_ancestors({}) == "*"
    assert settings.connections({}) == 4000
    assert settings.idle_minutes({}) == 15
    assert settings.room_hours({}) == 4
    assert settings.redis_url({}) == ""
    assert settings.models({}) is None
    assert settings.model_memory({}) == 2048 * 2**20


def test_tools_are_served_where_gradio_s_extra_is_installed_or_somebody_asks_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for installed in (True, False):
        monkeypatch.setattr(settings, "find_spec", lambda name, found=installed: name if found else None)
        assert settings.mcp_server({}) is installed
        assert settings.mcp_server({"GRADIO_MCP_SERVER": "True"}) is True
        assert settings.mcp_server({"GRADIO_MCP_SERVER": "False"}) is False


def test_values_are_read() -> None:
    assert settings.memory({"HEADLIGHT_MEMORY_MB": "512"}) == 512 * 2**20
    assert settings.trusted_proxies({"HEADLIGHT_TRUST_PROXY": "2"}) == 2
    assert settings.models({"HEADLIGHT_MODELS": str(Path(__file__).parent)}) == Path(__file__).resolve().parent
    assert settings.model_memory({"HEADLIGHT_MODEL_MB": "7"}) == 7 * 2**20
    listed = {"HEADLIGHT_ORIGINS": "https://a.example/, http://B.example:8080"}
    assert settings.origins(listed) == {"https://a.example", "http://b.example:8080"}
    assert settings.frame_ancestors({"HEADLIGHT_FRAME_ANCESTORS": "'self' https://lms.example"}).endswith("lms.example")


WRONG = [
    (settings.memory, "HEADLIGHT_MEMORY_MB", "lots"),
    (settings.memory, "HEADLIGHT_MEMORY_MB", "1"),
    (settings.trusted_proxies, "HEADLIGHT_TRUST_PROXY", "-1"),
    (settings.origins, "HEADLIGHT_ORIGINS", "*"),
    (settings.origins, "HEADLIGHT_ORIGINS", "https://*.example"),
    (settings.origins, "HEADLIGHT_ORIGINS", "school.example"),
    (settings.frame_ancestors, "HEADLIGHT_FRAME_ANCESTORS", "*; script-src *"),
    (settings.connections, "HEADLIGHT_CONNECTIONS", "nan"),
    (settings.idle_minutes, "HEADLIGHT_IDLE_MINUTES", "0"),
    (settings.room_hours, "HEADLIGHT_ROOM_HOURS", "25"),
    (settings.redis_url, "HEADLIGHT_REDIS_URL", "host:6379"),
    (settings.models, "HEADLIGHT_MODELS", "no such folder"),
    (settings.model_memory, "HEADLIGHT_MODEL_MB", "0"),
    (settings.memory, "HEADLIGHT_MEMORY_MB", "1024.5"),
    (settings.trusted_proxies, "HEADLIGHT_TRUST_PROXY", "one"),
    (settings.origins, "HEADLIGHT_ORIGINS", "https://"),
    (settings.origins, "HEADLIGHT_ORIGINS", "https://school.example/lab"),
    (settings.frame_ancestors, "HEADLIGHT_FRAME_ANCESTORS", "https://학교.example"),
    (settings.connections, "HEADLIGHT_CONNECTIONS", "16.5"),
    (settings.room_hours, "HEADLIGHT_ROOM_HOURS", "99"),
    (settings.redis_url, "HEADLIGHT_REDIS_URL", "http://host:6379"),
    (settings.redis_url, "HEADLIGHT_REDIS_URL", "redis://"),
    (settings.redis_url, "HEADLIGHT_REDIS_URL", "redis://host:port/0"),
    (settings.models, "HEADLIGHT_MODELS", "app.py"),
    (settings.model_memory, "HEADLIGHT_MODEL_MB", "half"),
]


@pytest.mark.parametrize(("read", "name", "written"), WRONG)
def test_what_cannot_be_meant_is_refused_by_name(read, name: str, written: str) -> None:
    with pytest.raises(ValueError, match=name):
        read({name: written})


def test_a_refusal_does_not_show_the_password_of_redis() -> None:
    with pytest.raises(
        ValueError, match=r"must begin with redis://, rediss:// or unix://; got an address without one\.$"
    ):
        settings.redis_url({"HEADLIGHT_REDIS_URL": "redis:secret@host"})


@pytest.mark.parametrize(("name", "written"), [(name, written) for _, name, written in WRONG])
def test_the_process_ends_with_a_sentence_before_it_listens(name: str, written: str) -> None:
    root = Path(__file__).parents[3]
    given = {**os.environ, "PYTHONPATH": str(root), name: written}
    ended = subprocess.run([sys.executable, "app.py"], cwd=root, env=given, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    kinds = r"(a (whole )?number from \S+ to \S+|origins such as|sources as in|begin with redis|as redis|a folder that)"
    assert re.fullmatch(rf"{name} must (be|hold) {kinds}.*; got .+\.\n|{name} must {kinds}.*; got .+\.\n", ended.stderr)


def test_every_variable_of_the_documents_is_checked() -> None:
    text = (Path(__file__).parents[3] / "docs" / "deployment.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(HEADLIGHT_\w+)`", text, re.MULTILINE))
    assert listed == {name for _, name, _ in WRONG}
