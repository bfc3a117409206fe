"""What a process was handed: the last few things, by names that nobody guesses."""

import pytest

from visualiser.held import MOST, Held, is_name, new_name, title


def test_the_last_few_things_are_held() -> None:
    held: Held[int] = Held(3)
    names = [new_name("x") for _ in range(7)]
    for number, name in enumerate(names):
        held.put(name, number)
    assert [held.find(name) for name in names] == [None, None, None, None, 4, 5, 6]
    assert MOST >= 3


def test_a_thing_put_again_counts_once() -> None:
    held: Held[int] = Held(2)
    first, second = new_name("x"), new_name("x")
    for number, name in enumerate((first, second, second)):
        held.put(name, number)
    assert [held.find(first), held.find(second)] == [0, 2]


@pytest.mark.parametrize(
    ("called", "named"), [("BertModel", "BertModel"), ("a b/<c>&@", "abc"), ("", "notebook"), ("고양이", "notebook")]
)
def test_a_name_has_its_title_and_a_secret_part(called: str, named: str) -> None:
    names = {new_name(called) for _ in range(50)}
    assert len(names) == 50
    assert all(is_name(name) and title(name) == named for name in names)
    assert min(len(name.split("@")[1]) for name in names) >= 24  # hexadecimal digits, 96 bits


@pytest.mark.parametrize(
    "name", ["headlight", "gpt2", "a@b", "@" + "0" * 24, "x@" + "g" * 24, "x@" + "0" * 24 + "\n", "../x"]
)
def test_other_names_are_none(name: str) -> None:
    assert not is_name(name)
    assert title(name) == name
