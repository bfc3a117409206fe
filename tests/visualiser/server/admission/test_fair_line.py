"""The line: turns go round among addresses and tabs; places and memory never exceed their bound, and none is lost."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.alone import alone
from visualiser.server.admission.clients import Client
from visualiser.server.admission.fair_line import PATIENCE, FairLine, Full, Memory, Ticket


def a_line(
    places: int = 1, memory: int = 100, each: int = 9, longest: int = 1000, longest_each: int = 1000
) -> FairLine:
    return FairLine(places, Memory(memory), each=each, longest=longest, longest_each=longest_each)


def served(line: FairLine, tickets: list[Ticket]) -> list[str]:
    """Return the order of turns if each ticket works and leaves."""
    order = []
    while at_work := [ticket for ticket in tickets if ticket.working]:
        order.append(f"{at_work[0].client.address}{at_work[0].client.tab}")
        at_work[0].leave()
    return order


def test_a_hundred_requests_of_one_wait_for_themselves() -> None:
    line = a_line()
    tickets = [line.enter(Client("a")) for _ in range(100)]
    tickets += [line.enter(Client("b")), line.enter(Client("c"))]
    assert served(line, tickets)[:5] == ["a", "a", "b", "c", "a"]


def test_turns_go_round_among_addresses_and_within_one_among_tabs() -> None:
    line = a_line()
    names = ["a1", "a1", "a1", "a2", "a3", "b1", "b1"]
    first = line.enter(Client("z"))
    tickets = [line.enter(Client(name[0], name[1])) for name in names]
    first.leave()
    assert served(line, tickets) == ["a1", "b1", "a2", "b1", "a3", "a1", "a1"]


def test_who_made_up_many_tabs_takes_turns_with_the_own_address_alone() -> None:
    line = a_line()
    first = line.enter(Client("z"))
    tickets = [line.enter(Client("rude", str(tab))) for tab in range(50)]
    tickets += [line.enter(Client("polite", "x")) for _ in range(3)]
    first.leave()
    assert [index for index, name in enumerate(served(line, tickets)) if name == "politex"] == [1, 3, 5]


def test_one_tab_has_no_more_places_than_each() -> None:
    line = a_line(places=4, each=2)
    mine = [line.enter(Client("a", "1")) for _ in range(4)]
    assert [ticket.working for ticket in mine] == [True, True, False, False]
    other = line.enter(Client("a", "2"))
    assert other.working


def test_memory_is_shared_fairly_and_what_wants_much_is_not_passed_over_for_ever() -> None:
    line = a_line(places=50, each=50, memory=100)
    large = line.enter(Client("a"), 90)
    assert large.working  # alone, more than half
    assert not line.enter(Client("a"), 5).working  # but nothing besides it
    small = line.enter(Client("b"), 10)
    assert small.working
    large.leave()
    waits = line.enter(Client("c"), 100)
    assert not waits.working
    passed = 0
    while True:
        ticket = line.enter(Client(f"d{passed}"), 1)
        if not ticket.working:
            break
        passed += 1
        ticket.leave()
    assert passed <= PATIENCE


def test_an_answer_on_its_way_keeps_its_bytes_and_no_place() -> None:
    line = a_line(places=1, memory=100)
    first = line.enter(Client("a"), 100)
    second = line.enter(Client("b"), 60)
    first.rest(50)
    assert (line.memory.taken, second.working) == (50, False)
    first.rest(20)
    assert line.memory.taken == 20 + 60
    assert second.working
    first.leave()
    first.leave()
    assert line.memory.taken == 60


def test_nobody_stands_still_for_memory_that_only_readers_hold() -> None:
    line = a_line(places=50, each=50, memory=100)
    unread = line.enter(Client("a"), 90)
    unread.rest(90)
    assert not unread.in_the_way
    waits = line.enter(Client("b"), 50)
    assert unread.in_the_way
    for number in range(3 * PATIENCE):
        passing = line.enter(Client(f"c{number}"), 1)
        assert passing.working
        assert not passing.in_the_way
        passing.leave()
    unread.leave()
    assert waits.working
    assert not waits.in_the_way


def test_an_answer_is_in_nobodys_way_where_nobody_waits_for_memory() -> None:
    line = a_line(places=2, each=1, memory=100)
    unread = line.enter(Client("a"), 30)
    unread.rest(30)
    working = line.enter(Client("a"), 20)
    waits = line.enter(Client("a"), 90)  # waits for its own tab and address
    assert working.working
    assert not waits.working
    assert not unread.in_the_way


def test_lines_that_share_memory_hear_of_what_becomes_free() -> None:
    memory = Memory(10)
    one, other = (FairLine(1, memory, each=1, longest=9, longest_each=9) for _ in range(2))
    first, second = one.enter(Client("a"), 8), other.enter(Client("b"), 8)
    assert not second.working
    first.leave()
    assert second.working


def test_a_full_line_lets_in_who_waits_least_and_pushes_out_the_last_of_who_waits_most() -> None:
    line = a_line(longest=5, longest_each=3)
    at_work = line.enter(Client("z"))
    mine = [line.enter(Client("a")) for _ in range(3)]
    with pytest.raises(Full):
        line.enter(Client("a"))
    line.enter(Client("b"))
    line.enter(Client("c"))
    with pytest.raises(Full):
        line.enter(Client("a", "another tab of the one that waits most"))
    line.enter(Client("d"))
    assert [ticket.pushed_out for ticket in mine] == [False, False, True]
    line.enter(Client("e"))
    assert [ticket.pushed_out for ticket in mine] == [False, True, True]
    with pytest.raises(Full):  # five wait, one of each address
        line.enter(Client("f"))
    assert line.waiting == 5
    at_work.leave()
    line.enter(Client("f"))


def test_who_makes_up_tabs_keeps_nobody_out_of_a_line() -> None:
    line = a_line(longest=64, longest_each=4)
    at_work = line.enter(Client("z"))
    rude = [line.enter(Client("rude", str(tab))) for tab in range(64)]
    with pytest.raises(Full):
        line.enter(Client("rude", "one tab more"))
    polite = [line.enter(Client("polite", str(number))) for number in range(10)]
    assert not any(ticket.pushed_out for ticket in polite)
    assert line.waiting == 64
    at_work.leave()
    turns = served(line, [*rude, *polite])
    assert [index for index, name in enumerate(turns) if name.startswith("polite")] == list(range(1, 21, 2))


def test_who_is_pushed_out_is_told_and_forgotten() -> None:
    class Refused(Exception):
        pass

    async def visit() -> None:
        line = a_line(longest=2)
        at_work = line.enter(Client("z"))
        kept, pushed = line.enter(Client("a")), line.enter(Client("a"))
        pushed.refusal = Refused()
        waiting = asyncio.create_task(pushed.turn())
        await asyncio.sleep(0)
        newcomer = line.enter(Client("b"))
        with pytest.raises(Refused):
            await waiting
        with pytest.raises(Refused):  # also for a later question
            await pushed.turn()
        assert pushed.before == 0
        for ticket in (pushed, at_work, kept, newcomer):
            ticket.leave()
        assert (line.waiting, line.working, line.memory.taken) == (0, 0, 0)

    alone(visit())


def test_whoever_waits_is_called_and_whoever_goes_is_forgotten() -> None:
    async def visit() -> None:
        line = a_line()
        first, second, third = (line.enter(Client(name)) for name in "abc")
        waiting = [asyncio.create_task(ticket.turn()) for ticket in (second, third)]
        await asyncio.sleep(0)
        assert (second.before, third.before, line.before_a_newcomer()) == (1, 2, 3)
        second.leave()
        assert third.before == 1
        first.leave()
        await waiting[1]
        waiting[0].cancel()
        third.leave()
        assert (line.waiting, line.working, line.memory.taken) == (0, 0, 0)

    alone(visit())


@pytest.mark.slow
@given(st.data())
def test_whatever_comes_and_goes_places_and_memory_hold_and_nothing_is_lost(data: st.DataObject) -> None:
    places, total = data.draw(st.integers(1, 4)), data.draw(st.integers(5, 40))
    each = data.draw(st.integers(1, places))
    line = a_line(places, total, each)
    there: list[Ticket] = []
    for _ in range(data.draw(st.integers(1, 60))):
        wish = data.draw(st.sampled_from(("enter", "enter", "leave", "rest")))
        if wish == "enter":
            client = Client(data.draw(st.sampled_from("abc")), data.draw(st.sampled_from("12")))
            there.append(line.enter(client, data.draw(st.integers(0, total))))
        elif there:
            ticket = data.draw(st.sampled_from(there))
            if wish == "leave":
                ticket.leave()
                there.remove(ticket)
            else:
                ticket.rest(data.draw(st.integers(0, total)))
        working = [ticket for ticket in there if ticket.working]
        assert line.working == len(working) <= places
        assert max(Counter(ticket.client for ticket in working).values(), default=0) <= each
        assert line.memory.taken == sum(ticket.memory for ticket in there if ticket.turn_came) <= total
        assert line.waiting == sum(not ticket.turn_came for ticket in there)
    for _ in range(len(there)):  # every turn comes as those before leave
        next(ticket for ticket in there if ticket.turn_came).leave()
        there = [ticket for ticket in there if not ticket.turn_came or ticket in line._held]
    assert (there, line.working, line.waiting, line.memory.taken) == ([], 0, 0, 0)


def test_a_ticket_is_in_the_line_that_gave_it_and_in_no_other() -> None:
    line, other = a_line(), a_line()
    ticket = line.enter(Client("a"))
    assert ticket.is_in(line)
    assert not ticket.is_in(other)
