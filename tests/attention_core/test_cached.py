"""A cached property is computed once for each object, and one object's computation keeps no other waiting."""

import threading

from attention_core.cached import cached_property


class Slow:
    """An object whose value waits until it may come."""

    def __init__(self, name: str) -> None:
        self.name, self.calls = name, 0
        self.begun, self.may_end = threading.Event(), threading.Event()

    @cached_property
    def value(self) -> str:
        """The object's name."""
        self.calls += 1
        self.begun.set()
        assert self.may_end.wait(60)
        return self.name


def test_a_value_is_computed_once_for_each_object() -> None:
    first, second = Slow("first"), Slow("second")
    for one in (first, second):
        one.may_end.set()
        assert [one.value, one.value, one.calls] == [one.name, one.name, 1]
    assert Slow.value.__doc__ == "The object's name."


def test_an_object_does_not_wait_for_the_value_of_another() -> None:
    slow, quick = Slow("slow"), Slow("quick")
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(slow.value))
    thread.start()
    assert slow.begun.wait(60)
    quick.may_end.set()
    assert (quick.value, found) == ("quick", [])
    slow.may_end.set()
    thread.join(60)
    assert found == ["slow"]
