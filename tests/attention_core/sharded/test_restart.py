"""Written blocks are not computed again, unless they are damaged or from another run."""

import json
import math
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from attention_core.sharded.__main__ import main
from attention_core.sharded.command_line import parse
from attention_core.sharded.files import stored
from attention_core.sharded.folder import Folder
from attention_core.sharded.gather import gathered
from attention_core.sharded.plan import row_blocks
from attention_core.sharded.ranks import Ranks
from tests.attention_core.sharded.sequences import assert_answers, blocks, drawn, saved

NAMES = [f"{start:012d}-{min(start + 31, 109):012d}.safetensors" for start in range(0, 109, 31)]


@pytest.fixture
def finished(tmp_path: Path) -> tuple[list[str], Path]:
    """Return the command and the folder of a finished run."""
    file = saved(tmp_path / "both.safetensors", Q=drawn(3, 109, 7), K=drawn(1, 97, 7))
    command = [file, "--out", str(tmp_path / "out"), "--block-rows", "31", "--causal"]
    assert main(command) == 0
    return command, tmp_path / "out"


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    """Flip one bit of the last number."""
    body = bytearray(path.read_bytes())
    body[-1] ^= 1
    path.write_bytes(body)


def remove(path: Path) -> None:
    path.unlink()


def unmark(path: Path) -> None:
    """Write the same numbers without the run's mark."""
    save_file(load_file(path), path)


def exchange(path: Path) -> None:
    """Write rows 0 to 30 under another block's name."""
    path.write_bytes((path.parent / NAMES[0]).read_bytes())


def lack(path: Path) -> None:
    """Write rows 62 to 92 as a release without one of the statistics did."""
    out, rows = path.parents[1], slice(62, 93)
    folder = Folder(out, json.loads((out / "run.json").read_text(encoding="utf-8")))
    block = folder.read_block(rows)
    assert block is not None
    del block["sum_of_squares"]
    folder.write_block(rows, block)


def test_a_result_with_a_hole_is_never_made(finished: tuple[list[str], Path]) -> None:
    """Rows that no rank computed would be zeros, whatever the cause."""
    command, out = finished
    options, alone = parse(command), Ranks(torch.device("cpu"))
    rows = row_blocks(109, 31)
    folder = Folder(out, json.loads((out / "run.json").read_text(encoding="utf-8")))
    held = {index: block for index in (0, 1, 3) if (block := folder.read_block(rows[index])) is not None}
    assert len(held) == 3
    with pytest.raises(AssertionError, match=r"^every block is brought by one rank$"):
        gathered(held, rows, options, stored(options.q, "Q"), alone)


def test_the_blocks_are_there(finished: tuple[list[str], Path]) -> None:
    assert list(blocks(finished[1])) == NAMES


@pytest.mark.night(but=3)
@pytest.mark.parametrize("harm", [truncate, empty, flip, remove, unmark, exchange, lack])
def test_only_the_damaged_block_is_computed_again(
    finished: tuple[list[str], Path], harm, capsys: pytest.CaptureFixture[str]
) -> None:
    command, out = finished
    result, before = (out / "statistics.safetensors").read_bytes(), blocks(out)
    harm(out / "blocks" / NAMES[2])
    (out / "statistics.safetensors").unlink()
    (out / "blocks" / "left.partial").write_text("half a block of a killed rank")
    capsys.readouterr()
    assert main(command) == 0
    captured = capsys.readouterr()
    assert captured.out.endswith(": 109 rows, 4 blocks, 3 of them from before\n")
    assert captured.err.partition(": ")[2].startswith("rows 62 to 92,")
    assert captured.err.count("\n") == 1
    after = blocks(out)
    assert {name for name in before if before[name] != after[name]} == {NAMES[2]}
    assert (out / "statistics.safetensors").read_bytes() == result
    assert list(after) == NAMES


@pytest.mark.parametrize("written", ["[" * 200_000, '{"Q":' * 200_000, "[]", "\0"])
def test_a_manifest_of_anything_else_is_written_anew(finished: tuple[list[str], Path], written: str) -> None:
    command, out = finished
    before, manifest = blocks(out), (out / "run.json").read_text(encoding="utf-8")
    (out / "run.json").write_text(written, encoding="utf-8")
    assert main(command) == 0
    assert blocks(out) == before
    assert (out / "run.json").read_text(encoding="utf-8") == manifest


def test_files_may_move_and_the_manifest_may_be_cut_off(finished: tuple[list[str], Path], tmp_path: Path) -> None:
    command, out = finished
    before = blocks(out)
    moved = tmp_path / "elsewhere.safetensors"
    Path(command[0]).rename(moved)
    manifest = (out / "run.json").read_text(encoding="utf-8")
    (out / "run.json").write_text(manifest[:50], encoding="utf-8")
    assert main([str(moved), *command[1:], "--scale", str(1 / math.sqrt(7))]) == 0  # the default, given explicitly
    assert blocks(out) == before
    assert (out / "run.json").read_text(encoding="utf-8") == manifest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "differing"),
    [
        (["--window", "5"], "window"),
        (["--scale", "0.5"], "scale"),
        (["--histogram", "-1", "1", "5"], "histogram"),
        (["--block-rows", "29"], "block_rows"),
        (["--window", "5", "--scale", "0.5"], "scale, window"),
    ],
)
def test_another_question_is_refused(
    finished: tuple[list[str], Path], change: list[str], differing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, out = finished
    before, result = blocks(out), (out / "statistics.safetensors").read_bytes()
    capsys.readouterr()
    assert main([*command, *change]) == 2
    assert capsys.readouterr().err == (
        f"{out} holds blocks of another run, which differs in {differing}; give another --out, or delete that folder.\n"
    )
    assert blocks(out) == before
    assert (out / "statistics.safetensors").read_bytes() == result


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Q", "K"])
def test_another_input_is_refused_and_its_blocks_are_not_taken(
    finished: tuple[list[str], Path], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, out = finished
    tensors = load_file(command[0])
    tensors[name] = tensors[name].clone()
    tensors[name][0, 96, 6] += 1
    save_file(tensors, command[0])
    capsys.readouterr()
    assert main(command) == 2
    assert f"another run, which differs in {name};" in capsys.readouterr().err
    # Even with the manifest gone no block of the other run is taken.
    (out / "run.json").unlink()
    assert main(command) == 0
    assert capsys.readouterr().out.endswith("4 blocks, 0 of them from before\n")
    assert_answers(out, tensors["Q"], tensors["K"], causal=True)
    assert json.loads((out / "run.json").read_text(encoding="utf-8"))[name]["shape"] == list(tensors[name].shape)
    assert torch.equal(load_file(command[0])[name], tensors[name])
