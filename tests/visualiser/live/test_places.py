"""The line for long work: who works, who waits and behind how many."""

from visualiser.live.places import Places


def test_the_first_ones_work_and_the_others_wait_in_order() -> None:
    places = Places(2, longest=5)
    tickets = [places.enter() for _ in range(5)]
    assert [places.before(ticket) for ticket in tickets] == [0, 0, 1, 2, 3]
    assert places.full


def test_whoever_leaves_moves_everybody_behind_up() -> None:
    places = Places(2, longest=9)
    first, second, third, fourth = (places.enter() for _ in range(4))
    places.leave(third)  # gives up waiting
    assert [places.before(ticket) for ticket in (first, second, fourth)] == [0, 0, 1]
    places.leave(first)
    assert [places.before(ticket) for ticket in (second, fourth)] == [0, 0]
    assert not places.full
