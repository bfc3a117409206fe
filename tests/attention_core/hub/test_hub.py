"""Models of the Hub: only what is safe, whole and as large as was said; else nothing is kept."""

import hashlib
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attention_core import Cancelled, InvalidInput, checkpoint, stopping
from attention_core.models import HubFolder, ModelFolder, hub_leftovers, hub_stream
from tests.hub_server import COMMIT, Hub

ID = "small/gpt2"
WEIGHTS = "model.safetensors"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_stream, "_PAUSE", 0.0)


@pytest.fixture
def models(tmp_path: Path, server: Hub) -> HubFolder:
    return HubFolder(tmp_path / "here", endpoint=server.url)


def left(models: HubFolder) -> list[str]:
    """Return everything that lies in the folder, without the file of its lock."""
    return sorted(one.relative_to(models.path).as_posix() for one in models.path.rglob("*") if one.name != ".turn")


def refused(work: Callable[[], object]) -> InvalidInput:
    with pytest.raises(InvalidInput) as raised:
        work()
    return raised.value


@pytest.mark.slow
def test_a_fetched_model_is_that_of_the_folder(models: HubFolder, server: Hub, published: Path) -> None:
    plan = models.plan(ID)
    shares: list[float] = []
    models.fetch(plan, shares.append)
    assert models.names == (ID,)
    there = {one.name: one.read_bytes() for one in (models.path / ID).iterdir()}
    record = json.loads(there.pop("headlight.json"))
    assert sorted(there) == ["config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json"]
    assert all(found == (published / ID / name).read_bytes() for name, found in there.items())
    assert (record["id"], record["revision"]) == (ID, COMMIT)
    assert record["files"][WEIGHTS] == hashlib.sha256(there[WEIGHTS]).hexdigest()
    assert plan.bytes == sum(map(len, there.values())) == sum(server.sent.values())
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    run, other = models.load(ID).run("The cat sees"), ModelFolder(published / "small").load("gpt2").run("The cat sees")
    assert all(one.weights.equal(two.weights) for one, two in zip(run.layers, other.layers, strict=True))
    assert not [path for path in server.asked if path.endswith((".bin", ".py", "generation_config.json"))]
    server.asked.clear()
    models.fetch(plan)  # it is here
    assert server.asked == []


@pytest.mark.slow
def test_transformers_never_learns_the_name(models: HubFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    models.fetch(models.plan(ID))
    asked: list[Any] = []
    import transformers

    for kind in (transformers.PreTrainedModel, transformers.AutoTokenizer):
        own = kind.from_pretrained.__func__

        def heard(cls: Any, name: Any, *args: Any, own: Any = own, **more: Any) -> Any:
            asked.extend((name, *args, *more.values()))
            return own(cls, name, *args, **more)

        monkeypatch.setattr(kind, "from_pretrained", classmethod(heard))
    model = models.load(ID)
    assert len(asked) > 4
    assert not [one for one in asked if one is not None and ID in str(one)]
    assert ID not in str(model.model.config)


def test_a_revision_is_the_commit_that_was_asked_for(models: HubFolder, server: Hub) -> None:
    other = "f" * 40
    assert models.plan(ID, COMMIT).revision == COMMIT
    assert refused(lambda: models.plan(ID, other)).code == "hub_wrong"  # this server answers with its own
    server.behaviour.commit = other
    plan = models.plan(ID)
    assert plan.revision == other
    server.behaviour.commit = COMMIT  # between the plan and the first byte the model has moved
    assert refused(lambda: models.fetch(plan)).code == "hub_missing"
    assert left(models) == []


def test_weights_that_are_known_beforehand_must_be_those(models: HubFolder, published: Path) -> None:
    known = hashlib.sha256((published / ID / WEIGHTS).read_bytes()).hexdigest()
    assert models.plan(ID, sha256=known).files[-1].sha256 == known
    problem = refused(lambda: models.plan(ID, sha256="0" * 64))
    assert (problem.code, problem.details["file"]) == ("hub_wrong", WEIGHTS)


@pytest.mark.parametrize("file", [WEIGHTS, "tokenizer.json"])
def test_a_wrong_hash_leaves_nothing(models: HubFolder, server: Hub, file: str) -> None:
    server.behaviour.flipped = {file}
    problem = refused(lambda: models.fetch(models.plan(ID)))
    assert (problem.code, problem.details) == ("hub_wrong", {"value": ID, "file": file})
    assert left(models) == []
    assert models.names == ()


@pytest.mark.parametrize("file", [WEIGHTS, "config.json"])
def test_more_than_was_said_is_not_taken(models: HubFolder, server: Hub, file: str) -> None:
    server.behaviour.longer = {file: 2**26}
    problem = refused(lambda: models.fetch(models.plan(ID)))
    assert (problem.code, problem.details["file"]) == ("hub_wrong", file)
    assert server.sent[file] < 2**26  # it was not read to its end
    assert left(models) == []


@pytest.mark.parametrize("off", [-1, 1])
def test_another_size_than_was_said_leaves_nothing(models: HubFolder, server: Hub, off: int) -> None:
    server.behaviour.unlisted = {WEIGHTS: off}
    problem = refused(lambda: models.fetch(models.plan(ID)))
    assert problem.code == ("hub_wrong" if off < 0 else "hub_cut")
    assert left(models) == []


@pytest.mark.parametrize("ranges", [True, False])
def test_a_cut_connection_is_taken_up(models: HubFolder, server: Hub, ranges: bool) -> None:
    server.behaviour.cut[WEIGHTS] = 2
    server.behaviour.ranges = ranges
    plan = models.plan(ID)
    shares: list[float] = []
    models.fetch(plan, shares.append)
    assert models.names == (ID,)
    size = plan.files[-1].bytes
    if ranges:  # no byte twice
        assert server.sent[WEIGHTS] <= size
    else:
        assert server.sent[WEIGHTS] >= size + 2 * (size // 2)


def test_a_connection_that_is_always_cut_leaves_nothing(models: HubFolder, server: Hub) -> None:
    server.behaviour.cut[WEIGHTS] = 1000
    server.behaviour.ranges = False
    problem = refused(lambda: models.fetch(models.plan(ID)))
    assert (problem.code, problem.details) == ("hub_cut", {"value": ID})
    assert left(models) == []


def test_a_fetch_stops_in_the_middle_of_silence(models: HubFolder, server: Hub) -> None:
    server.behaviour.gate = threading.Event()  # which nobody sets: half of the numbers is all that comes
    plan = models.plan(ID)
    stop = threading.Event()
    seen: list[list[str]] = []

    def told(share: float) -> None:
        if share > 0.5 and not stop.is_set():
            seen.append(left(models))
            stop.set()

    with stopping(stop.is_set), pytest.raises(Cancelled):
        models.fetch(plan, told)
    assert [name for name in seen[0] if name.endswith(WEIGHTS)] != []  # it was being written
    assert left(models) == []
    server.behaviour.gate.set()
    models.fetch(models.plan(ID))
    assert models.names == (ID,)


def test_a_stop_is_heard_while_the_hub_says_nothing(models: HubFolder, server: Hub) -> None:
    gate, asked = threading.Event(), threading.Event()
    info = server.info

    def late(id: str) -> dict[str, Any]:
        asked.set()
        gate.wait()
        return info(id)

    server.info = late  # pyright: ignore[reportAttributeAccessIssue]
    try:
        with stopping(asked.is_set), pytest.raises(Cancelled):
            models.plan(ID)
    finally:
        gate.set()
        server.info = info  # pyright: ignore[reportAttributeAccessIssue]


def test_what_does_not_fit_is_refused_before_the_first_byte(
    models: HubFolder, server: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = models.plan(ID)
    small = HubFolder(models.path, most_bytes=plan.bytes - 1, endpoint=server.url)
    problem = refused(lambda: small.fetch(plan))
    assert (problem.code, problem.details["megabytes"], problem.details["left"]) == ("hub_full", 1, 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(2**40, 2**40, 2**20))  # pyright: ignore[reportAttributeAccessIssue]
    assert refused(lambda: models.fetch(plan)).code == "hub_disk"
    monkeypatch.undo()
    assert [path for path in server.asked if "resolve" in path] == []
    HubFolder(models.path, most_bytes=plan.bytes, endpoint=server.url).fetch(plan)
    other = models.plan("small/llama")
    both = HubFolder(models.path, most_bytes=plan.bytes + other.bytes, endpoint=server.url)
    assert refused(lambda: both.fetch(other)).code == "hub_full"  # its record has bytes, too
    models.fetch(other)
    assert models.names == (ID, "small/llama")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, server: Hub) -> None:
    (tmp_path / "file").write_bytes(b"")
    models = HubFolder(tmp_path / "file" / "here", endpoint=server.url)
    assert refused(lambda: models.fetch(models.plan(ID))).code == "hub_unwritten"


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (404, "", "hub_missing"),
        (401, "", "hub_gated"),
        (403, "", "hub_gated"),
        (503, "", "hub_busy"),
        (401, "RepoNotFound", "hub_missing"),
        (403, "RevisionNotFound", "hub_missing"),
        (404, "GatedRepo", "hub_gated"),
        (401, "Unknown", "hub_gated"),
    ],
)
def test_what_the_hub_answers_instead_is_said(
    models: HubFolder, server: Hub, status: int, error: str, code: str
) -> None:
    plan = models.plan(ID)
    server.behaviour.status, server.behaviour.error = status, error
    for work in (lambda: models.plan(ID), lambda: models.fetch(plan)):
        assert refused(work).code == code
    assert left(models) == []


def test_a_model_that_is_not_there(models: HubFolder) -> None:
    assert refused(lambda: models.plan("small/none")).code == "hub_missing"
    assert refused(lambda: models.load(ID)).code == "unknown_model"
    for name in ("gpt2", "a/b/c", "../x", "small/..", "small/gp--t2", "", "a /b", "https://x/y", "small/gpt2\n"):
        assert refused(lambda name=name: models.plan(name)).code == "hub_id"
        assert not models.has(name)


def test_without_a_network_that_is_said(
    models: HubFolder, server: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    plan = models.plan(ID)
    nobody = HubFolder(tmp_path / "here", endpoint="http://127.0.0.1:9")
    assert refused(lambda: nobody.plan(ID)).code == "hub_offline"
    assert refused(lambda: nobody.fetch(plan)).code == "hub_offline"
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    server.asked.clear()
    assert refused(lambda: models.plan(ID)).code == "hub_offline"
    assert server.asked == []


def test_a_configuration_that_cannot_be_used_ends_it_before_the_numbers(
    models: HubFolder, server: Hub, published: Path, tmp_path: Path
) -> None:
    for name, settings, code in (
        ("code", {"auto_map": {"AutoModel": "own.Model"}}, "model_code"),
        ("quantised", {"quantization_config": {"bits": 4}}, "model_quantised"),
    ):
        shutil.copytree(published / ID, published / "odd" / name)
        config = published / "odd" / name / "config.json"
        config.write_text(json.dumps(json.loads(config.read_text()) | settings))
        assert refused(lambda name=name: models.fetch(models.plan(f"odd/{name}"))).code == code
    assert server.sent[WEIGHTS] == 0
    assert left(models) == []


def test_what_is_no_model_is_refused_before_anything_is_fetched(models: HubFolder, published: Path) -> None:
    for name, change, code in (
        ("bare", lambda at: (at / WEIGHTS).rename(at / "weights.bin"), "hub_unfit"),
        ("nameless", lambda at: (at / "config.json").unlink(), "hub_unfit"),
        ("two", lambda at: (at / WEIGHTS).rename(at / "a.safetensors").with_stem("b").write_bytes(b""), "hub_unfit"),
        ("adapter", lambda at: (at / "adapter_config.json").write_text("{}"), "model_adapter"),
        ("large", lambda at: (at / "config.json").write_bytes(b" " * (2**20 + 1)), "model_file_size"),
    ):  # fmt: skip
        at = published / "no" / name
        shutil.copytree(published / ID, at)
        change(at)
        assert refused(lambda name=name: models.plan(f"no/{name}")).code == code
    assert not models.path.exists()


@pytest.mark.slow
def test_numbers_in_parts_are_fetched_with_their_index(models: HubFolder, published: Path) -> None:
    from transformers import GPT2LMHeadModel

    at = published / "small" / "parts"
    shutil.copytree(published / ID, at)
    model = GPT2LMHeadModel.from_pretrained(at)
    (at / WEIGHTS).unlink()
    model.save_pretrained(at, max_shard_size="40KB")
    (at / "consolidated.safetensors").write_bytes(b"the same once more")
    models.fetch(models.plan("small/parts"))
    assert len(models.load("small/parts").run("The cat").layers) == 2
    assert "small/parts/consolidated.safetensors" not in left(models)
    assert sum(name.endswith(".safetensors") for name in left(models)) > 1


def test_what_a_killed_process_left_is_removed_at_start(models: HubFolder, server: Hub) -> None:
    models.path.mkdir()
    with hub_leftovers.Staging(models.path, 5, lambda: None) as others:  # of another process at work
        dead = models.path / ".fetch-dead"
        shutil.copytree(others.path, dead)
        (dead / "half").write_bytes(b"half of it")
        HubFolder(models.path)
        assert not dead.exists()
        assert others.path.exists()
    assert left(models) == []


def test_a_model_that_another_process_has_fetched_meanwhile_is_kept(models: HubFolder, server: Hub) -> None:
    plan = models.plan(ID)
    other = HubFolder(models.path, endpoint=server.url)
    fetched: list[bool] = []

    def told(share: float) -> None:
        checkpoint()
        if share > 0.5 and not fetched:
            fetched.append(True)
            other.fetch(plan)

    models.fetch(plan, told)
    assert models.names == (ID,)
    assert not [name for name in left(models) if ".fetch-" in name]
