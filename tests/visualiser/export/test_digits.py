"""Every number has the value that nine significant digits give it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visualiser.export.digits import digits
from visualiser.export.lines import exact

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(FLOATS, min_size=1, max_size=40))
def test_the_value_is_that_of_nine_digits(numbers):
    assert [float(text) for text in digits(np.array(numbers, np.float32))] == [float(exact(n)) for n in numbers]


@pytest.mark.parametrize("power", range(-45, 39))
def test_every_power_of_ten_and_its_neighbours(power):
    middle = np.float32(float(f"1e{power}"))
    up = np.nextafter(middle, np.float32(np.inf))
    down = np.nextafter(middle, np.float32(0))
    numbers = np.array([middle, up, -down, -middle], np.float32)
    assert [float(text) for text in digits(numbers)] == [float(exact(n)) for n in numbers.tolist()]


def test_texts_are_no_longer_than_nine_digits_and_come_row_by_row():
    numbers = np.random.default_rng(0).normal(size=(7, 11, 3)).astype(np.float32) ** 5
    texts = digits(numbers)
    assert [float(text) for text in texts] == [float(exact(n)) for n in numbers.ravel().tolist()]
    assert max(sum(map(str.isdigit, text.decode().split("e")[0].lstrip("-0."))) for text in texts) == 9


def test_a_number_between_two_roundings_is_written_by_itself():
    """Numbers such as 2.5 · 2⁻²³ have more than nine digits, and many end in a 5 at the tenth."""
    numbers = (np.arange(1, 200_000, 2, dtype=np.float32) * np.float32(2**-20)).astype(np.float32)
    assert [float(text) for text in digits(numbers)] == [float(exact(n)) for n in numbers.tolist()]
