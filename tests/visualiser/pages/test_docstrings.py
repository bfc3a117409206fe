"""Docstrings of endpoints name the choices and ranges that are declared now."""

import pytest

from visualiser.pages import docstrings, shell
from visualiser.state import parameters


def test_names_in_braces_are_replaced_and_others_stay() -> None:
    n = parameters.bounds("why")["n"]
    allowed: dict[str, docstrings.Allowed] = {
        "task": ("one", "two", "three"),
        "n": n,
        "sizes": docstrings.Several(n, 3),
    }

    @docstrings.allowing(**allowed)
    def endpoint() -> None:
        """task: {task}; n: {n}; sizes: {sizes}; the set {h}."""

    expected = "task: one, two or three; n: 2 to 128; sizes: at most 3 values from 2 to 128; the set {h}."
    assert endpoint.__doc__ == expected
    assert docstrings.allowed_of(endpoint) == allowed


def test_words_without_a_place_are_an_error() -> None:
    def endpoint() -> None:
        """n: {n}."""

    with pytest.raises(KeyError, match=r"The docstring of endpoint has no \{task\}\."):
        docstrings.allowing(task=("one",))(endpoint)


def test_one_choice_needs_no_conjunction() -> None:
    assert docstrings.in_words(("none",)) == "none"


def test_arguments_come_first_in_their_section_or_make_one() -> None:
    written = docstrings.with_arguments("Do it.\n\nReturns:\n    x", ["n: tokens", "h: heads"])
    assert written == "Do it.\n\nArgs:\n    n: tokens\n    h: heads\n\nReturns:\n    x"
    assert docstrings.with_arguments("Do it.\n\nArgs:\n    own: more", ["n: tokens"]) == (
        "Do it.\n\nArgs:\n    n: tokens\n    own: more"
    )


@pytest.mark.parametrize("name", shell.ENDPOINTS)
def test_every_name_in_braces_has_been_replaced(name: str) -> None:
    assert "{" not in (shell.ENDPOINTS[name].function.__doc__ or "")
