"""A thread count that no other thread notices."""

import threading

import torch

from attention_core.threads import computing_with


def seen_elsewhere():
    """What a thread that has not computed before takes over."""
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
