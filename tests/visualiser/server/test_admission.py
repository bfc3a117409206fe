"""The lines together: nobody waits for what only they themselves could give back."""

from visualiser.server.admission import LIGHT, Admission
from visualiser.server.clients import Client
from visualiser.server.cost import Cost


def test_the_next_batch_of_an_answer_does_not_wait_behind_who_waits_for_its_memory() -> None:
    admission, somebody = Admission(2**30, 2), Client("a", "tab")
    share = int(LIGHT * 2**30) // 2
    export = admission.enter(somebody, Cost(0.01, share - 10))
    export.rest(export.memory)  # between two batches: the memory is held, the place is not
    frame = admission.enter(somebody, Cost(0.01, 1000))
    assert not frame.turn_came
    batch = admission.again(somebody)
    assert batch.turn_came
    batch.leave()
    export.leave()
    assert frame.turn_came
