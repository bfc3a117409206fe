"""Work on several cores at once: its order, its errors, a caller that stops early, and torch's modes."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
import torch

from attention_core import Cancelled, attention_passes, attention_statistics
from attention_core.blocks import head_threads
from attention_core.blocks.head_threads import LEAST, MOST, in_rounds, workers

CPU = torch.device("cpu")


def always(_: object) -> bool:
    return True


def never(_: object) -> bool:
    return False


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("heads", "threads", "expected"), [(8, 2, 2), (2, 2, 2), (1, 2, 1), (3, 4, 1), (16, 16, MOST), (5, 1, 1)]
)
def test_heads_are_worked_on_beside_each_other_where_there_is_one_for_each_thread(heads, threads, expected):
    assert workers(heads, LEAST, threads, CPU) == expected
    assert workers(heads, LEAST - 1, threads, CPU) == 1
    assert workers(heads, LEAST, threads, torch.device("cuda")) == 1


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("ahead", [always, never])
def test_each_chain_keeps_the_order_of_the_rounds(count, ahead):
    done = {chain: [] for chain in "abcde"}

    def work(chain, now):
        done[chain].append(now)

    for now in in_rounds(work, "abcde", range(7), count, ahead):
        assert all(now in rounds for rounds in done.values()), "a round is told of when it is done"
        if ahead is never:
            assert all(rounds[-1] == now for rounds in done.values())
    assert done == {chain: list(range(7)) for chain in "abcde"}


def test_a_chain_waits_for_its_own_last_round():
    """Piece b 1 begins after a 1 was handed out: without waiting, a 1 would be done while a 0 is held."""
    done, later = [], threading.Event()

    def work(chain, now):
        if (chain, now) == ("a", 0):
            assert later.wait(60), "the third thread had nothing to do"
        done.append((chain, now))
        if (chain, now) == ("b", 1):
            later.set()

    assert list(in_rounds(work, "ab", range(2), 3, always)) == [0, 1]
    assert done == [("b", 0), ("b", 1), ("a", 0), ("a", 1)]


def test_the_next_round_begins_before_the_last_piece_of_this_one_has_ended():
    begun = threading.Event()

    def work(chain, now):
        if (chain, now) == ("b", 0):
            assert begun.wait(60), "the other thread had nothing to do"
        elif (chain, now) == ("a", 1):
            begun.set()

    assert list(in_rounds(work, "ab", range(2), 2, always)) == [0, 1]


def test_two_work_at_the_same_time():
    both = threading.Barrier(2, timeout=60)

    def meet(chain, now):
        both.wait()

    assert list(in_rounds(meet, "ab", range(3), 2, never)) == [0, 1, 2]


@pytest.mark.parametrize("count", [1, 2])
def test_what_a_piece_raises_is_raised_to_who_asked_and_ends_the_work(count):
    done = []

    def work(chain, now):
        if now == 1 and chain == "b":
            raise ZeroDivisionError
        done.append((chain, now))

    rounds = in_rounds(work, "abc", range(50), count, always)
    assert next(rounds) == 0
    with pytest.raises(ZeroDivisionError):
        list(rounds)
    assert max(now for _, now in done) <= 2


def test_who_stops_asking_waits_for_the_pieces_under_way_alone(monkeypatch):
    """Both threads are held in the second round until its other pieces have been dropped."""
    started, under_way, dropped = [], threading.Semaphore(0), threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            dropped.set()
            super().shutdown(wait=wait)

    def work(chain, now):
        started.append((chain, now))
        if now == 1:
            under_way.release()
            assert dropped.wait(60)

    monkeypatch.setattr(head_threads, "ThreadPoolExecutor", Pool)
    before = set(threading.enumerate())
    rounds = in_rounds(work, range(8), range(1000), 2, always)
    next(rounds)
    assert all(under_way.acquire(timeout=60) for _ in range(2))
    rounds.close()
    assert set(threading.enumerate()) == before, "nobody is left who could start a piece"
    assert sorted(started) == sorted([(chain, 0) for chain in range(8)] + [(0, 1), (1, 1)])


def test_the_threads_of_torch_are_as_before(two_threads):
    inside = []
    list(in_rounds(lambda chain, now: inside.append(torch.get_num_threads()), "ab", range(3), 2, always))
    assert set(inside) == {1}
    assert torch.get_num_threads() == 2
    rounds = in_rounds(lambda chain, now: None, "ab", range(3), 2, always)
    next(rounds)
    rounds.close()
    assert torch.get_num_threads() == 2


@pytest.mark.night(but=1)
@pytest.mark.slow
@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, torch.enable_grad])
def test_statistics_come_out_the_same_under_every_mode_of_gradients(two_threads, mode):
    Q = torch.randn(4, 1511, 7, generator=torch.Generator().manual_seed(0))
    expected = torch.softmax(Q.double() @ Q.double().mT / 7**0.5, -1)
    entropy = torch.special.entr(expected).sum(-1)
    with mode():
        found = attention_statistics(Q.clone().requires_grad_(mode is torch.enable_grad), Q, overview=5)
    torch.testing.assert_close(found.entropy.double(), entropy, atol=1e-5, rtol=1e-5)
    assert not found.entropy.requires_grad
    assert found.overview is not None
    blocks = expected[..., :303, :303].mean((-1, -2))
    torch.testing.assert_close(found.overview.mean[:, 0, 0].double(), blocks, atol=1e-8, rtol=1e-5)


@pytest.mark.slow
def test_a_picture_shows_what_was_done_and_nothing_of_what_is_under_way(two_threads, monkeypatch):
    """Blocks of 64 queries, block rows of the picture 150 high: most steps end in the middle of one.

    Each picture is taken after all pieces that were handed out, ahead of it or not.
    """
    handed_out: list[Future[Any]] = []

    class Pool(ThreadPoolExecutor):
        def submit(self, *given: Any, **named: Any) -> Future[Any]:
            handed_out.append(super().submit(*given, **named))
            return handed_out[-1]

    monkeypatch.setattr(head_threads, "ThreadPoolExecutor", Pool)
    Q = torch.randn(2, 1500, 8, generator=torch.Generator().manual_seed(1))
    weights = torch.softmax(Q.double() @ Q.double().mT / 8**0.5, -1)
    for step in attention_passes(Q, Q, overview=10, block=64):
        assert not wait(handed_out, timeout=60).not_done
        assert step.picture is not None
        there = step.picture().mean.double()
        band = (step.done - 1) // 150
        expected = weights[:, 150 * band : step.done].unflatten(-1, (10, 150)).mean((1, 3))
        torch.testing.assert_close(there[:, band], expected, atol=1e-7, rtol=1e-4)
    assert len(handed_out) == 2 * 24


def test_a_pass_that_is_cancelled_leaves_no_thread_behind(two_threads):
    Q = torch.randn(4, 4000, 8, generator=torch.Generator().manual_seed(2))
    before = threading.enumerate()
    with pytest.raises(Cancelled):
        attention_statistics(Q, Q, cancelled=lambda: True)
    assert not [thread for thread in threading.enumerate() if thread not in before]
