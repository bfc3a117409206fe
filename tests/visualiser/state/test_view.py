from typing import Any

import pytest

from attention_core import InvalidInput
from visualiser.state.view import VIEW_CHOICES, View


def test_defaults_show_all_heads_on_one_scale():
    assert View() == View(head=0, row=None, colour="linear", colour_range="quantile", columns=0, theme="light")


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ({"colour": "rainbow"}, "unknown_choice", "colour must be one of linear, log; got 'rainbow'."),
        ({"colour_range": 1}, "unknown_choice", "colour_range must be one of quantile, full, per_head; got 1."),
        ({"theme": "sepia"}, "unknown_choice", "theme must be one of light, dark; got 'sepia'."),
        ({"head": -1}, "out_of_range", "head must be at least 0; got -1."),
        ({"head": "two"}, "not_a_number", "head must be a whole number; got 'two'."),
        ({"row": True}, "not_a_number", "row must be a whole number; got True."),
        ({"columns": 9}, "out_of_range", "columns must be between 0 and 8; got 9."),
    ],
)
def test_a_wrong_value_names_what_was_expected(given: dict[str, Any], code: str, message: str):
    with pytest.raises(InvalidInput) as error:
        View(**given)
    assert str(error.value) == message
    assert error.value.code == code


def test_every_choice_is_accepted():
    for field, choices in VIEW_CHOICES.items():
        for value in choices:
            given: dict[str, Any] = {field: value}
            assert getattr(View(**given), field) == value


def test_a_head_or_row_left_over_from_a_larger_result_is_ignored():
    view = View(head=7, row=40)
    assert view.heads(8) == (7,)
    assert view.heads(3) == (1, 2, 3)
    assert view.single(8) == 7
    assert view.single(3) == 1
    assert view.locked(41) == 40
    assert view.locked(40) is None


def test_one_or_two_columns_mean_a_narrow_screen():
    assert [View(columns=columns).narrow for columns in (0, 1, 2, 3)] == [False, True, True, False]


@pytest.mark.parametrize("field", ["head", "row", "columns"])
def test_a_wrong_number_is_refused_under_its_own_name(field: str):
    given: dict[str, Any] = {field: -1}
    with pytest.raises(InvalidInput, match=f"^{field} ") as refused:
        View(**given)
    assert refused.value.details["field"] == field


def test_shared_is_another_name_of_full() -> None:
    assert View(colour_range="shared") == View(colour_range="full") != View()
