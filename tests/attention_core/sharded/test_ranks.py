"""Two gloo ranks: the answer of one process, and the end of a run in which one rank fails."""

from pathlib import Path

import pytest
from torch import Tensor

from attention_core.sharded.__main__ import main
from attention_core.sharded.block import edges
from tests.attention_core.sharded.processes import LINE, ended, kill_at_first_block, torchrun, two_ranks
from tests.attention_core.sharded.sequences import assert_answers, blocks, drawn, saved

pytestmark = pytest.mark.slow

ROWS, BLOCK_ROWS = 479, 37
BLOCKS = 13
LOST = "Another rank ended, or did not answer in time. The same command continues from the blocks that are written.\n"


@pytest.fixture(scope="module")
def slow() -> tuple[Tensor, Tensor]:
    """Return Q and K with enough keys that a block takes longer than killing a process."""
    return drawn(4, ROWS, 7), drawn(2, 100_003, 7)


def command(folder: Path, Q: Tensor, K: Tensor, *more: str, out: str = "out") -> list[str]:
    file = folder / "both.safetensors"
    path = str(file) if file.exists() else saved(file, Q=Q, K=K)
    return [path, "--out", str(folder / out), "--block-rows", str(BLOCK_ROWS), "--timeout", "300", *more]


@pytest.mark.night
def test_two_ranks_continue_what_one_began_and_give_the_answer_of_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both ranks see the existing blocks; each block counts once, and none is computed twice."""
    Q, K = drawn(6, ROWS, 13), drawn(2, 491, 13)
    weights = ("--softcap", "2", "--normalisation", "sink", "--sink", "0.5")
    arguments = command(tmp_path, Q, K, "--causal", "--histogram", "-2", "3", "11", *weights)
    assert main(arguments) == 0
    capsys.readouterr()
    for path in sorted((tmp_path / "out" / "blocks").iterdir())[::2]:
        path.unlink()
    kept = blocks(tmp_path / "out")
    with torchrun(arguments) as run:
        status, out, err = ended(run)
    assert status == 0
    assert out == f"{tmp_path / 'out' / 'statistics.safetensors'}: 479 rows, 13 blocks, 6 of them from before\n"
    computed = sorted((int(first), int(last)) for _, _, first, last in LINE.findall(err))
    assert computed == [(start, min(start + BLOCK_ROWS, ROWS) - 1) for start in range(0, ROWS, 2 * BLOCK_ROWS)]
    assert kept.items() <= blocks(tmp_path / "out").items()
    assert_answers(tmp_path / "out", Q, K, causal=True, histogram=edges((-2.0, 3.0, 11)), softcap=2.0, sink=0.5)


@pytest.mark.night
def test_after_a_rank_was_killed_half_way_only_the_missing_blocks_are_computed(
    tmp_path: Path, slow: tuple[Tensor, Tensor], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = command(tmp_path, *slow)
    with torchrun(arguments) as run:
        kill_at_first_block(run)
        status, out, _ = ended(run)
    before = blocks(tmp_path / "out")
    finished = [name for name in before if name.endswith(".safetensors")]
    assert (status, out) == (1, "")
    assert 0 < len(finished) < BLOCKS
    assert not (tmp_path / "out" / "statistics.safetensors").exists()
    assert main(arguments) == 0  # now with one rank
    captured = capsys.readouterr()
    assert captured.out.endswith(f": 479 rows, 13 blocks, {len(finished)} of them from before\n")
    assert captured.err.count("\n") == BLOCKS - len(finished)
    after = blocks(tmp_path / "out")
    assert {name: after[name] for name in finished} == {name: before[name] for name in finished}
    assert len(after) == BLOCKS
    assert_answers(tmp_path / "out", *slow)


@pytest.mark.night
def test_ranks_that_torchrun_starts_again_neither_skip_a_block_nor_wait_for_the_dead(
    tmp_path: Path, slow: tuple[Tensor, Tensor]
) -> None:
    """torchrun's store survives, with the first ranks' addresses and count of blocks."""
    with torchrun(command(tmp_path, *slow), restarts=1) as run:
        kill_at_first_block(run)
        status, out, err = ended(run)
    before = int(out.removesuffix(" of them from before\n").rpartition(" ")[2])
    assert status == 0
    assert before > 0
    # The first block's line is read before the kill; a killed rank may have written another without reporting it.
    assert len(LINE.findall(err)) + 1 <= BLOCKS
    assert_answers(tmp_path / "out", *slow)


@pytest.mark.night
@pytest.mark.parametrize("killed", [0, 1])
def test_without_a_launcher_the_other_rank_ends_by_itself(
    tmp_path: Path, slow: tuple[Tensor, Tensor], killed: int
) -> None:
    """Rank 0 holds the counter of blocks, so the loss of each rank shows in a different place."""
    arguments = command(tmp_path, *slow)
    with two_ranks(arguments, arguments) as ranks:
        kill_at_first_block(ranks[killed])
        status, out, err = ended(ranks[1 - killed])
    assert (status, out) == (1, "")
    assert err.endswith(LOST)
    assert "Traceback" not in err
    assert not (tmp_path / "out" / "statistics.safetensors").exists()


@pytest.mark.night
def test_machines_without_a_common_folder_send_their_rows_to_the_first(tmp_path: Path) -> None:
    Q, K = drawn(6, ROWS, 13), drawn(2, 491, 13)
    commands = [command(tmp_path, Q, K, "--histogram", "-2", "3", "11", "--window", "17", out=name) for name in "ab"]
    half = tmp_path / "b" / "blocks"
    assert main(commands[1]) == 0
    for path in sorted(half.iterdir())[::2]:
        path.unlink()
    kept = blocks(tmp_path / "b")
    with two_ranks(*commands) as ranks:
        statuses = [ended(rank)[0] for rank in ranks]
    assert statuses == [0, 0]
    found = [blocks(tmp_path / name) for name in "ab"]
    assert kept.items() <= found[1].items()  # neither machine computed the second's blocks again
    assert not found[0].keys() & found[1].keys()
    assert len(found[0]) + len(found[1]) == BLOCKS
    assert_answers(tmp_path / "a", Q, K, window=17, histogram=edges((-2.0, 3.0, 11)))


DISAGREE = "Every rank must be started with the same options and the same K and shapes of Q; they differ.\n"
NO_FILE = "/no/such.safetensors must be a safetensors file that can be read; "


@pytest.mark.night
@pytest.mark.parametrize(
    ("second", "teller", "sentence"),
    [(["--block-rows", "5"], 0, DISAGREE), (["--k", "/no/such.safetensors"], 1, NO_FILE)],
)
def test_what_is_wrong_with_one_rank_is_said_once_and_ends_all(
    tmp_path: Path, second: list[str], teller: int, sentence: str
) -> None:
    arguments = command(tmp_path, drawn(2, 61, 7), drawn(2, 53, 7))
    with two_ranks(arguments, [*arguments, *second]) as ranks:
        results = [ended(rank) for rank in ranks]
    assert [status for status, _, _ in results] == [2, 2], results
    assert results[teller][2].startswith(sentence)
    assert results[1 - teller][2] == ""
    assert not (tmp_path / "out").exists()
