"""What the page's curves are compared with is right by somebody else's numbers."""

import mpmath
import numpy as np
import pytest

from tests.browser.comparison import log_bessel


@pytest.mark.parametrize("order", [0, 0.5, 3, 31.5, 255.5])
def test_the_bessel_function_is_mpmaths(order: float) -> None:
    size = np.array([1e-8, 1e-3, 0.7, 5.0, 31.0, 452.5])
    expected = [float(mpmath.log(mpmath.besselk(order, one))) for one in size]
    np.testing.assert_allclose(log_bessel(order, size), expected, rtol=1e-12, atol=1e-12)
