"""The bound of descriptors, and the number of connections that fit it."""

import subprocess
import sys

import pytest

from visualiser.server.http.descriptors import RESERVE, connections_that_fit

ASK = """
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
wanted = 700 if hard == resource.RLIM_INFINITY else min(hard, 700)
resource.setrlimit(resource.RLIMIT_NOFILE, (300, wanted))
from visualiser.server.http.descriptors import raise_limit
print(raise_limit() == wanted == resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("wanted", "limit", "fitting"),
    [(4000, None, 4000), (4000, 100_000, 4000), (4000, 1024, 1024 - RESERVE), (4000, 256, 32), (4000, 4, 1)],
)
def test_connections_leave_a_reserve(wanted, limit, fitting):
    assert connections_that_fit(wanted, limit) == fitting


def test_the_bound_is_raised_as_far_as_it_goes():
    if sys.platform == "win32":
        from visualiser.server.http.descriptors import raise_limit

        assert raise_limit() is None
    else:
        assert subprocess.check_output([sys.executable, "-c", ASK], text=True).strip() == "True"
