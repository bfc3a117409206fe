"""A thread count that affects no other thread."""

import threading

import torch

from attention_core.threads import computing_with


def seen_elsewhere():
    """Return the thread count that a new thread inherits."""
    seen = []

    def compute():
        torch.ones(10).sum()
        seen.append(torch.get_num_threads())

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    return seen[0]


def test_only_the_calling_thread_computes_with_it():
    before = torch.get_num_threads()
    other = before + 1
    with computing_with(other):
        assert torch.get_num_threads() == other
        assert seen_elsewhere() == before
    assert torch.get_num_threads() == before
    assert seen_elsewhere() == before


def test_it_is_put_back_after_an_error():
    before = torch.get_num_threads()
    try:
        with computing_with(before + 1):
            raise KeyError
    except KeyError:
        assert torch.get_num_threads() == before
