"""Environment variables: their defaults, and refusals of impossible values that name the variable."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from visualiser.server import settings

SERVED = {"GRADIO_SERVER_NAME": "0.0.0.0"}


def test_without_any_variable_the_documented_defaults_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "free_memory", lambda: 2**40)
    assert settings.memory(SERVED) == 1024 * 2**20
    assert settings.model_memory(SERVED) == 2048 * 2**20
    assert settings.trusted_proxies({}) == 0
    assert settings.origins({}) == frozenset()
    assert settings.frame_ancestors({}) == "*"
    assert settings.connections({}) == 4000
    assert settings.idle_minutes({}) == 15
    assert settings.room_hours({}) == 4
    assert settings.redis_url({}) == ""
    assert settings.device({}) == "auto"
    assert settings.download_bytes({}) == 8192 * 2**20


@pytest.mark.parametrize(
    ("free", "memory", "models"), [(20_000, 5000, 10_000), (8191, 2047, 4095), (4096, 1024, 2048), (1000, 1024, 2048)]
)
def test_an_owner_s_bounds_follow_from_what_was_free(
    free: int, memory: int, models: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "free_memory", lambda: free * 2**20)
    assert (settings.memory({}), settings.model_memory({})) == (memory * 2**20, models * 2**20)
    given = {"HEADLIGHT_MEMORY_MB": "600", "HEADLIGHT_MODEL_MB": "7"}
    assert (settings.memory(given), settings.model_memory(given)) == (600 * 2**20, 7 * 2**20)


@pytest.mark.parametrize(
    ("variables", "own"),
    [
        ({}, True),
        ({"GRADIO_SERVER_NAME": "::1"}, True),
        (SERVED, False),
        ({"GRADIO_SHARE": "True"}, False),
        ({"GRADIO_ROOT_PATH": "/headlight"}, False),
        ({"HEADLIGHT_TRUST_PROXY": "1"}, False),
        ({"SPACE_ID": "me/headlight"}, False),
    ],
)
def test_who_is_served_is_one_value(variables: dict[str, str], own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "free_memory", lambda: 2**36)
    assert settings.is_own(variables) is own
    assert (settings.memory(variables) == 2**34) is own
    assert (settings.model_memory(variables) == 2**35) is own
    assert settings.run_memory(variables) == settings.memory(variables) // (5 if own else 10)


def test_the_values_that_refusals_name_would_do() -> None:
    for needed in (1, 2**20, 2**27, 2**27 + 1, 10**9):
        for who in ({}, SERVED):
            enough = max(512, settings.enough_memory(needed, who))
            assert settings.run_memory({"HEADLIGHT_MEMORY_MB": str(enough), **who}) >= needed
        assert needed <= settings.rounded(needed) * 2**20 < needed + 2**27


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
    assert settings.server_port({"GRADIO_SERVER_PORT": " 7861 "}) == 7861
    assert settings.server_port({"GRADIO_SERVER_PORT": ""}) is None
    assert settings.trusted_proxies({"HEADLIGHT_TRUST_PROXY": "2"}) == 2
    assert settings.device({"HEADLIGHT_DEVICE": " Cuda"}) == "cuda"
    assert settings.download_bytes({"HEADLIGHT_DOWNLOAD_MB": "7"}) == 7 * 2**20
    assert settings.model_memory({"HEADLIGHT_MODEL_MB": "7"}) == 7 * 2**20
    listed = {"HEADLIGHT_ORIGINS": "https://a.example/, http://B.example:8080"}
    assert settings.origins(listed) == {"https://a.example", "http://b.example:8080"}
    assert settings.frame_ancestors({"HEADLIGHT_FRAME_ANCESTORS": "'self' https://lms.example"}).endswith("lms.example")


HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize(
    ("written", "folder", "hub"),
    [
        (f" {HERE} ", HERE, ()),
        ("list", None, ("list",)),
        ("none", None, ()),
        ("openai-community/gpt2", None, ("openai-community/gpt2",)),
        (f"small, {HERE},Qwen/Qwen3-0.6B,small", HERE, ("small", "Qwen/Qwen3-0.6B")),
    ],
)
def test_models_are_a_folder_ids_and_words(written: str, folder: Path | None, hub: tuple[str, ...]) -> None:
    assert settings.offered_models({"HEADLIGHT_MODELS": written}) == (folder, hub)


def test_a_folder_may_have_a_comma_or_the_form_of_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a,list", "org/name"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert settings.offered_models({"HEADLIGHT_MODELS": "a,list"}) == (tmp_path / "a,list", ())
    assert settings.offered_models({"HEADLIGHT_MODELS": "org/name"}) == (tmp_path / "org" / "name", ())


@pytest.mark.parametrize(
    ("variables", "hub"),
    [
        ({}, ("list",)),
        ({"GRADIO_SERVER_NAME": "localhost"}, ("list",)),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, ()),
        ({"GRADIO_SERVER_NAME": "school.example"}, ()),
        ({"GRADIO_SHARE": "True"}, ()),
        ({"GRADIO_ROOT_PATH": "/headlight"}, ()),
        ({"HEADLIGHT_TRUST_PROXY": "1"}, ()),
        ({"SPACE_ID": "me/headlight", "GRADIO_SERVER_NAME": "0.0.0.0"}, ("small",)),
        ({"SPACE_ID": "me/headlight", "HEADLIGHT_MODELS": "none"}, ()),
        ({"GRADIO_SERVER_NAME": "0.0.0.0", "HEADLIGHT_MODELS": "list"}, ("list",)),
    ],
)
def test_without_the_variable_strangers_are_offered_no_fetch(
    variables: dict[str, str], hub: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for installed in (True, False):
        monkeypatch.setattr(settings, "find_spec", lambda name, found=installed: name if found else None)
        there = hub if installed or "HEADLIGHT_MODELS" in variables else ()
        assert settings.offered_models(variables) == (None, there)


def test_fetched_models_lie_in_the_cache_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.downloads({"XDG_CACHE_HOME": "/c"}) == Path("/c/headlight/models")
    assert settings.downloads({}) == Path.home() / ".cache" / "headlight" / "models"
    assert settings.downloads({"HEADLIGHT_DOWNLOADS": str(tmp_path / "new" / "one")}) == tmp_path / "new" / "one"
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError()))
    assert settings.downloads({}).parts[-2:] == ("headlight", "models")


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
    (settings.offered_models, "HEADLIGHT_MODELS", "no such folder"),
    (settings.texts, "HEADLIGHT_TEXTS", "no such folder"),
    (settings.downloads, "HEADLIGHT_DOWNLOADS", "app.py"),
    (settings.download_bytes, "HEADLIGHT_DOWNLOAD_MB", "0"),
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
    (settings.device, "HEADLIGHT_DEVICE", "gpu"),
    (settings.device, "HEADLIGHT_DEVICE", "cuda:1"),
    (settings.redis_url, "HEADLIGHT_REDIS_URL", "redis://host:port/0"),
    (settings.offered_models, "HEADLIGHT_MODELS", "app.py"),
    (settings.offered_models, "HEADLIGHT_MODELS", "openai-community/gpt2, gpt2"),
    (settings.offered_models, "HEADLIGHT_MODELS", "https://huggingface.co/openai-community/gpt2"),
    (settings.offered_models, "HEADLIGHT_MODELS", "list,a/../b"),
    (settings.offered_models, "HEADLIGHT_MODELS", "tests,docs"),
    (settings.downloads, "HEADLIGHT_DOWNLOADS", "app.py/models"),
    (settings.download_bytes, "HEADLIGHT_DOWNLOAD_MB", "all"),
    (settings.model_memory, "HEADLIGHT_MODEL_MB", "half"),
    (settings.server_port, "GRADIO_SERVER_PORT", "abc"),
    (settings.server_port, "GRADIO_SERVER_PORT", "0"),
    (settings.server_port, "GRADIO_SERVER_PORT", "99999"),
    (settings.server_port, "GRADIO_SERVER_PORT", "7860.5"),
    (settings.server_port, "GRADIO_SERVER_PORT", "7861.0"),
    (settings.temporary_folder, "GRADIO_TEMP_DIR", "app.py"),
    (settings.temporary_folder, "GRADIO_TEMP_DIR", "app.py/gradio"),
    (settings.root_path, "GRADIO_ROOT_PATH", "headlight/"),
    (settings.root_path, "GRADIO_ROOT_PATH", "headlight"),
    (settings.root_path, "GRADIO_ROOT_PATH", "/"),
    (settings.root_path, "GRADIO_ROOT_PATH", "//school.example"),
    (settings.root_path, "GRADIO_ROOT_PATH", "/headlight?page=why"),
    (settings.root_path, "GRADIO_ROOT_PATH", "https://"),
    (settings.root_path, "GRADIO_ROOT_PATH", "ftp://school.example/headlight"),
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


@pytest.mark.slow
@pytest.mark.parametrize(("name", "written"), [(name, written) for _, name, written in WRONG])
def test_the_process_ends_with_a_sentence_before_it_listens(name: str, written: str) -> None:
    root = Path(__file__).parents[3]
    given = {**os.environ, "PYTHONPATH": str(root), name: written}
    ended = subprocess.run([sys.executable, "app.py"], cwd=root, env=given, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    kinds = (
        r"(a (whole )?number from \S+ to \S+|one folder at most|origins such as|sources as in|begin with redis|as redis"
        r"|a folder that|auto, cpu|a path such as)"
    )
    assert re.fullmatch(rf"{name} must (be|hold) {kinds}.*; got .+\.\n|{name} must {kinds}.*; got .+\.\n", ended.stderr)


def test_without_a_temporary_folder_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_there() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(settings.tempfile, "gettempdir", none_there)
    with pytest.raises(ValueError, match=r"^TMPDIR must be a folder that can be written; got '/nonexistent'\.$"):
        settings.temporary_folder({"TMPDIR": "/nonexistent"})


def test_gradio_s_files_are_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.tempfile, "gettempdir", lambda: str(tmp_path))
    assert settings.temporary_folder({}) == tmp_path / "gradio"
    assert settings.temporary_folder({"GRADIO_TEMP_DIR": str(tmp_path / "a" / "b")}) == tmp_path / "a" / "b"
    assert not any((tmp_path / "gradio").iterdir())


def test_every_variable_of_the_documents_is_checked() -> None:
    text = (Path(__file__).parents[3] / "docs" / "deployment.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(HEADLIGHT_\w+)`", text, re.MULTILINE))
    assert listed == {name for _, name, _ in WRONG if name.startswith("HEADLIGHT_")}


@pytest.mark.parametrize(
    "written", ["", "/headlight", "/headlight/", "/a/b", "/한", "https://school.example", "http://h:8/a/"]
)
def test_a_sub_path_is_one_that_pages_can_be_below(written: str) -> None:
    assert settings.root_path({"GRADIO_ROOT_PATH": written}) == written
