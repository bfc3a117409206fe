"""All lines together: nobody waits for memory or a place that only they could return."""

import pytest

from attention_core.experiments import HeadsExperiment
from tests.alone import alone
from visualiser.pages.cost import live as cost_page
from visualiser.pages.train.price import training_cost
from visualiser.server import settings
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import LIGHT, LIGHT_SECONDS, SMALL_SECONDS, Admission
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters


def test_the_next_batch_of_an_answer_does_not_wait_behind_who_waits_for_its_memory() -> None:
    admission, somebody = Admission(2**30, 2), Client("a", "tab")
    share = int(LIGHT * 2**30) // 2
    export = admission.enter(somebody, Cost(0.01, share - 10))
    export.rest(export.memory)  # between two batches it holds memory but no place
    frame = admission.enter(somebody, Cost(0.01, 1000))
    assert not frame.turn_came
    batch = admission.next_batch(somebody)
    assert batch.turn_came
    batch.leave()
    export.leave()
    assert frame.turn_came


def test_two_of_a_school_behind_one_address_train_at_the_same_time() -> None:
    admission = Admission(2**30, 2)
    largest = training_cost(HeadsExperiment(h=(8,), classes=64, m=8, mlp=True, seeds=10))
    first, second = (admission.run(Client("a school", tab), largest) for tab in ("one", "two"))
    assert first.turn_came
    assert second.turn_came
    third = admission.run(Client("elsewhere", "tab"), largest)
    assert not third.turn_came
    first.leave()
    assert third.turn_came


def test_one_tab_has_half_of_the_light_places() -> None:
    admission = Admission(2**30, 4)
    mine = [admission.enter(Client("a", "tab"), Cost(0.1, 1000)) for _ in range(3)]
    other = admission.enter(Client("a", "another tab"), Cost(0.1, 1000))
    assert [ticket.turn_came for ticket in (*mine, other)] == [True, True, False, True]


@pytest.mark.parametrize("heavy", [Cost(10.0, 1000), Cost(0.1, 300 * 2**20)])
def test_heavy_work_takes_no_place_of_light_work(heavy: Cost) -> None:
    """Long work and large work both count as heavy."""
    admission = Admission(2**30, 2)
    many = [admission.enter(Client(f"heavy-{number}"), heavy) for number in range(3)]
    assert [many[0].turn_came, many[2].turn_came] == [True, False]
    assert admission.enter(Client("light"), Cost(0.1, 1000)).turn_came


def test_small_work_is_one_after_the_other_and_waits_for_nothing_larger() -> None:
    admission, tabs = Admission(2**30, 4), [Client("a", f"tab-{number}") for number in range(8)]
    for tab in tabs:
        for seconds in (0.1, 10.0):
            admission.enter(tab, Cost(seconds, 1000))
    small = [admission.enter(tab, Cost(0.02, 1000)) for tab in tabs[:3]]
    assert [ticket.turn_came for ticket in small] == [True, False, False]
    small[0].leave()
    assert [ticket.turn_came for ticket in small[1:]] == [True, False]


@pytest.mark.parametrize("memory", [settings.LEAST_MEMORY, 1024])
@pytest.mark.parametrize("page", parameters.PAGES)
def test_with_the_least_memory_every_page_opens_and_runs(
    page: str, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_MEMORY_MB", str(memory))
    monkeypatch.setattr(cost_page, "BYTES", settings.memory() // 6)  # read when the process started
    admission = Admission(settings.memory(), 2)
    ask = PageRequest("", None, frozenset(), b"", "en", "light", 0, "http://x/", {}, page)
    found = LIVE[page].answer(None)
    assert found is not None
    assert admission.enter(ask.client, found[1](ask)).turn_came
    run = LIVE[page].run
    if run is not None:
        assert admission.run(ask.client, run[1](ask)).turn_came


def test_lines_begin_above_their_bounds() -> None:
    admission = Admission(2**30, 2)
    most = admission._most_light
    lines = {
        (SMALL_SECONDS, most): admission.small,
        (SMALL_SECONDS * 1.001, most): admission.light,
        (LIGHT_SECONDS, most): admission.light,
        (LIGHT_SECONDS * 1.001, most): admission.heavy,
        (SMALL_SECONDS, most + 1): admission.heavy,
    }
    assert [admission._line(Cost(*of)) is line for of, line in lines.items()] == [True] * 5


def test_what_would_never_have_its_turn_is_refused_with_numbers() -> None:
    admission = Admission(2**30, 2)
    for enter in (admission.enter, admission.run):
        with pytest.raises(Refusal, match=r"error\.too_costly") as refused:
            enter(Client("a", "tab"), Cost(1.0, 2**29))
        assert refused.value.status == 422
        assert refused.value.fields["needs"] == 512
    assert (admission.compute.taken, admission.long.taken) == (0, 0)


@pytest.mark.parametrize("one_more", [0, 1])
def test_work_may_take_all_the_memory_that_there_is(one_more: int) -> None:
    admission = Admission(2**30, 2)
    compute, long = (Cost(0.1, memory.total + one_more) for memory in (admission.compute, admission.long))
    works = [
        lambda: admission.enter(Client("a"), compute),
        lambda: admission.run(Client("a"), long),
        lambda: alone(admission.require(compute)),
        lambda: alone(admission.require(long, run=True)),
    ]
    for work in works:
        if one_more:
            with pytest.raises(Refusal, match=r"error\.too_costly"):
                work()
        else:
            work()


def test_an_owner_is_told_with_which_memory_it_would_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = Cost(1.0, 2**29)
    with pytest.raises(Refusal) as refused:
        Admission(2**30, 2).enter(Client("a", "tab"), cost)
    assert refused.value.key == "error.too_costly_own"
    enough = int(str(refused.value.fields["enough"]))
    assert enough == 1664  # 512 MiB are 0.32 of 1600
    Admission(enough * 2**20, 2).enter(Client("a", "tab"), cost).leave()
    monkeypatch.setenv("GRADIO_ROOT_PATH", "/headlight")
    with pytest.raises(Refusal) as refused:
        Admission(2**30, 2).enter(Client("a", "tab"), cost)
    assert refused.value.key == "error.too_costly"
