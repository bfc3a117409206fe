"""A hostile visitor harms nobody: polite visitors are answered, memory stays bounded, all that was taken comes back.

Each round attacks one server process in one way, or in several drawn ones, while a polite visitor drags, sends a file
and trains. The visit's end is the attack's; an attack opens 1,500 connections at most.
"""

import time
from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from tests import draws
from tests.attacks.attacked import Attacked, Found, attacked
from tests.attacks.contents import FOREIGN
from tests.attacks.known import KNOWN, LOADS, ORDINARY
from tests.process_resources import look

pytestmark = pytest.mark.slow

SEED: Final = draws.seed("attacks")
MEMORY: Final = 1000.0
"""Megabytes above the fresh app's."""

AFTER: Final = 3.0
"""Seconds of the processor after the attackers have left; what they had asked for takes minutes."""

COMBINED: Final = 4
"""How many rounds attack in several drawn ways at once."""

FINE: Final = {"200", "201", "204", "connections"}
"""What happens to somebody honest at the attackers' address."""


@pytest.fixture(scope="module")
def app() -> Iterator[Attacked]:
    """Serve one app for all rounds."""
    with attacked() as running:
        yield running


def nothing_is_harmed(found: Found) -> None:
    """Check what no attack may reach."""
    assert found.refused == [], "the polite visitor is answered, whatever comes"
    assert found.peak <= MEMORY
    assert found.cpu_after <= AFTER
    assert found.files <= 2
    assert found.log == []
    assert found.disk == []
    assert not [name for name in FOREIGN if found.counts[name]]
    assert set(found.honest) <= FINE, found.honest
    assert found.counts["connections"], "the attack has begun"


@pytest.mark.parametrize("name", LOADS)
def test_an_attack_harms_nobody(app: Attacked, name: str) -> None:
    nothing_is_harmed(app.round([name], SEED))


@pytest.mark.parametrize("number", range(COMBINED))
def test_attacks_together_harm_nobody(app: Attacked, number: int) -> None:
    random = Random(SEED + number)
    names = [ORDINARY, *random.sample(list(KNOWN), random.randint(2, 4))]
    print(f"At once: {names}")  # noqa: T201 - pytest shows it with a failure
    nothing_is_harmed(app.round(names, SEED + number))


def test_threads_and_files_come_back(app: Attacked) -> None:
    """Ours end after five idle seconds, gradio's after up to twelve."""
    now, most = look(app.pid), (app.fresh.threads + 2, app.fresh.files + 2)
    for _ in range(240):
        if now.threads <= most[0] and now.files <= most[1]:
            break
        time.sleep(0.5)
        now = look(app.pid)
    assert now.threads <= most[0]
    assert now.files <= most[1]
