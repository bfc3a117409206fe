"""Unusable input is refused in one sentence, with status 2, before any block is computed."""

import re
from pathlib import Path

import pytest
import torch

from attention_core import InvalidInput
from attention_core.sharded.__main__ import main
from attention_core.sharded.files import digest, stored
from attention_core.sharded.identity import queries
from attention_core.sharded.ranks import Ranks
from tests.attention_core.sharded.sequences import drawn, saved

Q, K = drawn(6, 11, 7), drawn(3, 13, 7)
SHAPES = "n × d_k or h × n × d_k with at least one number"


def spoilt(tensor: torch.Tensor, *place: int, value: float) -> torch.Tensor:
    tensor = tensor.clone()
    tensor[place] = value
    return tensor


@pytest.mark.parametrize(
    ("tensors", "sentence"),
    [
        ({"Q": Q}, "{file} must hold a tensor K; it holds Q."),
        ({"K": K, "V": K + 1}, "{file} must hold a tensor Q; it holds K, V."),
        ({"Q": Q, "K": drawn(3, 13, 5)}, "K must be n_k × d_k = 7; got 3 × 13 × 5."),
        ({"Q": Q, "K": drawn(4, 13, 7)}, "K must be h_k × n_k × d_k = 7 with h_k a divisor of h = 6; got 4 × 13 × 7."),
        ({"Q": Q, "K": drawn(13, 7)}, "K must be h_k × n_k × d_k = 7; got 13 × 7."),
        ({"Q": drawn(11, 7), "K": K}, "K must be n_k × d_k = 7; got 3 × 13 × 7."),
        ({"Q": drawn(2, 3, 11, 7), "K": K}, f"Q must be {SHAPES}; got 2 × 3 × 11 × 7."),
        ({"Q": Q, "K": drawn(3, 0, 7)}, f"K must be {SHAPES}; got 3 × 0 × 7."),
        ({"Q": Q.double(), "K": K}, "Q must be one of float32, float16, bfloat16; got F64."),
        ({"Q": spoilt(Q, 4, 9, 2, value=torch.nan), "K": K}, "Q must be finite everywhere; Q[4, 9, 2] is nan."),
        ({"Q": Q, "K": spoilt(K, 2, 12, 6, value=-torch.inf)}, "K must be finite everywhere; K[2, 12, 6] is -inf."),
    ],
)  # fmt: skip
def test_tensors_that_do_not_serve(
    tmp_path: Path, tensors: dict[str, torch.Tensor], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(tmp_path / "both.safetensors", **tensors)
    assert main([file, "--out", str(tmp_path / "out"), "--block-rows", "5"]) == 2
    assert capsys.readouterr() == ("", sentence.format(file=file) + "\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "cut off"])
def test_files_that_cannot_be_read(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "both.safetensors"
    if kind == "folder":
        file.mkdir()
    elif kind == "text":
        file.write_text("Q,0,0,1.5\n")
    elif kind == "cut off":
        file.write_bytes(Path(saved(tmp_path / "whole.safetensors", Q=Q, K=K)).read_bytes()[:-1])
    assert main([str(file), "--out", str(tmp_path / "out")]) == 2
    errors = capsys.readouterr().err
    assert re.fullmatch(rf"{re.escape(str(file))} must be a safetensors file that can be read; .+\.\n", errors)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("a file")
    assert main([saved(tmp_path / "both.safetensors", Q=Q, K=K), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'out'} must be a folder that can be written to; ")


def test_scores_beyond_float32(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(tmp_path / "both.safetensors", Q=Q * 1e30, K=K * 1e30)
    assert main([file, "--out", str(tmp_path / "out")]) == 2
    assert "must be small enough for every number computed in float32 to be finite" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give one file with Q and K, or --q and --k"),
        (["--q", "a"], "give one file with Q and K, or --q and --k"),
        (["a", "--q", "b", "--k", "c"], "give one file with Q and K, or --q and --k"),
        (["a", "--scale", "nan"], "argument --scale: scale must be a finite number; got nan."),
        (["a", "--scale", "big"], "argument --scale: scale must be a finite number; got 'big'."),
        (["a", "--window", "-1"], "argument --window: window must be at least 0; got -1."),
        (["a", "--block-rows", "1.5"], "argument --block-rows: block-rows must be a whole number; got '1.5'."),
        (["a", "--block-rows", "0"], "argument --block-rows: block-rows must be at least 1; got 0."),
        (["a", "--softcap", "-1"], "argument --softcap: softcap must be between 0.0 and 100.0; got -1.0."),
        (["a", "--sink", "2"], "argument --sink: softmax has no sink; give --normalisation sink, too."),
        (
            ["a", "--normalisation", "sink", "--sink", "99"],
            "argument --sink: sink must be between -16.0 and 16.0; got 99.0.",
        ),
        (
            ["a", "--normalisation", "entmax"],
            "argument --normalisation: normalisation must be one of softmax, sink, sigmoid here: "
            "others need all scores of a row at once; got 'entmax'.",
        ),
        (
            ["a", "--normalisation", "hardmax"],
            "argument --normalisation: normalisation must be one of softmax, sink, sigmoid, entmax; got 'hardmax'.",
        ),
        (["a", "--histogram", "1", "1", "5"], "argument --histogram: LOW must be below HIGH; got 1.0 and 1.0."),
        (["a", "--histogram", "0", "1", "0"], "argument --histogram: BINS must be at least 1; got 0."),
        (["a", "--timeout", "0"], "argument --timeout: timeout must be between 1.0 and 10000000.0; got 0.0."),
    ],
)
def test_command_lines_that_make_no_sense(
    tmp_path: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"error: {sentence}\n")


def test_a_file_that_changes_during_the_run_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "both.safetensors"
    Q_stored = stored(Path(saved(file, Q=Q, K=K)), "Q")
    rows = slice(5, 8)
    expected = torch.frombuffer(bytearray(digest(Q[:, rows])), dtype=torch.uint8)
    assert torch.equal(queries(Q_stored, rows, expected), Q[:, rows])
    with file.open("r+b") as body:  # in place, like cp: the mapped memory changes with it
        body.seek(-Q.numel() * 4, 2)
        body.write((Q + 1).numpy().tobytes())
    with pytest.raises(InvalidInput) as refused:
        queries(Q_stored, rows, expected)
    assert refused.value.code == "input_changed"
    assert str(refused.value) == (
        f"Q must be the same for all ranks and all the time; "
        f"in {file} the rows from 5 to 7 are others than at the start."
    )


def test_more_ranks_than_gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    """Simulates a machine with one GPU: nothing but the count is asked before the refusal."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("LOCAL_RANK", "1")
    file = saved(tmp_path / "both.safetensors", Q=Q, K=K)
    assert main([file, "--out", str(tmp_path / "out"), "--device", "cuda"]) == 2
    assert capsys.readouterr().err == (
        "--nproc-per-node must be at most the number of GPUs of this machine, 1; got a rank 1, counted from 0.\n"
    )


def test_a_process_alone_agrees_with_itself() -> None:
    alone = Ranks(torch.device("cpu"))
    assert [alone.claim() for _ in range(3)] == [0, 1, 2]
    assert alone.same(b"anything")
    assert torch.equal(alone.sum(torch.tensor([2, 3])), torch.tensor([2, 3]))


def test_what_the_first_rank_writes_is_added_up_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(torch.distributed, "reduce", lambda tensor, rank, op: asked.append(rank))
    ranks = Ranks(torch.device("cpu"))
    ranks.world = 2
    assert torch.equal(ranks.sum_on_first(torch.tensor([2, 3])), torch.tensor([2, 3]))
    assert asked == [0]
