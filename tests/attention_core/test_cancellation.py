"""Work stops at the first checkpoint after the request, leaves nothing behind, and disturbs no other work."""

import threading
from collections.abc import Callable, Generator
from contextvars import copy_context

import pytest
import torch

from attention_core import AttentionConfig, Cancelled, checkpoint, compute, stopping, stopping_each
from attention_core.exact.products import _MULTIPLICATIONS, product


class Asked:
    """Counts checkpoints and stops work from the `last`-th on; never if `last` is None."""

    def __init__(self, last: int | None = None) -> None:
        self.count = 0
        self._last = last

    def __call__(self) -> bool:
        self.count += 1
        return self._last is not None and self.count >= self._last


def test_nothing_stops_work_that_nobody_asked_to():
    checkpoint()
    with stopping(lambda: False):
        checkpoint()


def test_work_stops_when_it_is_asked_to():
    with stopping(lambda: True), pytest.raises(Cancelled, match=r"^Stopped\.$") as caught:
        checkpoint()
    assert (caught.value.done, caught.value.total) == (None, None)
    checkpoint()


def test_work_inside_other_work_stops_with_it():
    outer = Asked()
    with stopping(outer):
        with stopping(lambda: False):
            checkpoint()
        assert outer.count == 1
        with stopping(lambda: True), pytest.raises(Cancelled):
            checkpoint()
        checkpoint()
    with stopping(lambda: True), stopping(lambda: False), pytest.raises(Cancelled):
        checkpoint()


def test_a_request_is_over_after_an_error():
    with pytest.raises(ZeroDivisionError), stopping(lambda: True):
        raise ZeroDivisionError
    checkpoint()


def in_thread(work: Callable[[], None]) -> BaseException | None:
    """Run `work` in a thread of its own; return the exception that it raised."""
    raised: list[BaseException] = []

    def caught() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=caught)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def test_another_thread_hears_nothing_of_it_unless_it_takes_the_context_along():
    with stopping(lambda: True):
        assert in_thread(checkpoint) is None
        context = copy_context()
        assert isinstance(in_thread(lambda: context.run(checkpoint)), Cancelled)
    checkpoint()


def test_another_context_hears_nothing_of_it():
    apart = copy_context()
    with stopping(lambda: True):
        apart.run(checkpoint)
        with pytest.raises(Cancelled):
            checkpoint()


def counting(closed: list[int]) -> Generator[int, None, None]:
    try:
        for number in range(5):
            checkpoint()
            yield number
    finally:
        closed.append(1)


def test_pieces_are_made_under_the_request_whichever_context_asks_for_them():
    left = threading.Event()
    closed: list[int] = []
    pieces = stopping_each(left.is_set, counting(closed))
    assert copy_context().run(next, pieces) == 0
    checkpoint()  # no request is set between two pieces
    assert copy_context().run(next, pieces) == 1
    left.set()
    with pytest.raises(Cancelled):
        copy_context().run(next, pieces)
    assert closed == [1]
    checkpoint()


def test_pieces_come_through_whole_and_their_maker_is_closed_where_nobody_asks_on():
    closed: list[int] = []
    assert list(stopping_each(lambda: False, counting(closed))) == [0, 1, 2, 3, 4]
    pieces = stopping_each(lambda: False, counting(closed))
    next(pieces)
    pieces.close()
    assert closed == [1, 1]
    assert list(stopping_each(lambda: False, [7, 8])) == [7, 8]


@pytest.mark.parametrize("mechanism", ["dot_product", "additive"])
@pytest.mark.parametrize("source", ["gaussian", "structured", "text"])
def test_a_result_asks_before_every_head_that_is_drawn_and_every_block(mechanism, source):
    """Draws check once per head and tensor, projections once per head: more heads give more checkpoints."""
    asked = []
    for h in (2, 5):
        count = Asked()
        with stopping(count):
            compute(AttentionConfig(n=11, h=h, d_k=7, tie=False, mechanism=mechanism, source=source))
        asked.append(count.count)
    assert asked[1] - asked[0] >= 2 * 3  # Q and K of three more heads


@pytest.mark.slow
def test_a_large_product_asks_between_its_heads():
    left, right = torch.ones(5, 4, 2**14), torch.ones(1, 2**14, 2**13)
    assert left[0].numel() * right.shape[-1] == _MULTIPLICATIONS
    asked = Asked()
    with stopping(asked):
        found = product(left, right)
    assert asked.count == 1 + 5
    assert found.shape == (5, 4, 2**13)
    assert (found == 2**14).all()
    tall = Asked()
    with stopping(tall):
        assert torch.equal(product(left.flatten(0, 1), right[0]), found.flatten(0, 1))  # rows of one head
    assert tall.count == 1 + 5
