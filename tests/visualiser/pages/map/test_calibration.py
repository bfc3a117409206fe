"""The plan: times follow from a speed, the limit is right, and the measurement is bounded and done once."""

import math

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import AttentionConfig
from tests.draws import cases
from visualiser.gpu import device_name
from visualiser.maps.kept import expected_bytes
from visualiser.pages.map import calibration, pass_price
from visualiser.pages.map import price as map_price
from visualiser.pages.map.calibration import Speed, limit, longest
from visualiser.pages.map.store import MOST_BYTES
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import MEBIBYTE, Cost, Shape, Sized
from visualiser.server.admission.entry import Admission
from visualiser.server.live.page_request import PageRequest


@pytest.mark.parametrize("edge", [1, 2, 3, 57, 100, 101])
def test_the_longest_sequence_that_fits_is_found(edge: int) -> None:
    assert longest(lambda n: n <= edge, 100) == min(max(2, edge), 100)


def test_the_time_is_that_of_the_cells() -> None:
    speed = Speed((1e-8, 4e-8), 2.0)
    plain, causal = AttentionConfig(), AttentionConfig(mask="causal")
    assert speed.seconds(plain, 3, 1000, 2000, 64) == pytest.approx(3 * 1000 * 2000 * 1e-8)
    assert speed.seconds(plain, 3, 1000, 2000, 160) == pytest.approx(3 * 1000 * 2000 * 2.5e-8)
    assert speed.seconds(plain, 3, 1000, 2000, 16) == pytest.approx(3 * 1000 * 2000 * 1e-8)
    assert speed.seconds(plain, 3, 1000, 2000, 512) == pytest.approx(3 * 1000 * 2000 * 8e-8)
    # twice the time a cell, but half of the cells, and a block of further keys in every row
    assert speed.seconds(causal, 1, 4000, 4000, 64) == pytest.approx((4000 * 4001 / 2 + 256 * 4000) * 2e-8)


def test_the_limit_is_a_minute_where_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calibration._known, device_name(), (Speed((1e-6, 1e-6), 1.0), math.inf))
    found = limit(AttentionConfig(), 3, 64, "auto")
    assert 3 * found**2 * 1e-6 <= 60.0 < 3 * (found + 1) ** 2 * 1e-6


def room(monkeypatch: pytest.MonkeyPatch, megabytes: int) -> Admission:
    """Return a server with so much memory, and time for everything."""
    own = Admission(megabytes * MEBIBYTE, 2)
    monkeypatch.setattr(pass_price, "admission", lambda: own)
    monkeypatch.setitem(calibration._known, device_name(), (Speed((1e-13, 1e-13), 1.0), math.inf))
    return own


def test_a_crowd_that_asks_for_drawn_maps_of_one_size_is_priced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    room(monkeypatch, 4095)
    asked: list[Sized] = []
    monkeypatch.setattr(calibration, "has_room", lambda of: bool(asked.append(of)) or of.shape.n_q <= 300)
    found = [calibration.roomiest(AttentionConfig(seed=seed, mask="causal"), 3, 64) for seed in range(20)]
    assert found == [300] * 20
    assert len({of.shape.n_q for of in asked}) == len(asked)


def test_the_limit_is_half_of_the_store_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    room(monkeypatch, 4096)
    found = limit(AttentionConfig(), 16, 1024, "auto")
    assert (
        expected_bytes(AttentionConfig(), 16, found, found, 1024)
        <= MOST_BYTES // 2
        < expected_bytes(AttentionConfig(), 16, found + 1, found + 1, 1024)
    )


@pytest.mark.slow
@settings(
    max_examples=cases(40),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(1, 16), st.integers(1, 1024), st.sampled_from((512, 640, 1024, 4096)))
def test_a_pass_of_the_length_that_fits_is_let_in(
    monkeypatch: pytest.MonkeyPatch, h: int, d_k: int, megabytes: int
) -> None:
    """A longer one is mapped as far as it fits, and priced so."""
    own, config = room(monkeypatch, megabytes), AttentionConfig()
    most = limit(config, h, d_k, device_name())

    def of(n: int) -> Sized:
        return Sized(config, Shape(h, n, n, d_k, d_k))

    def price(n: int) -> Cost:
        query = f"n={n}&h={h}&d_k={d_k}&tie=false&source=gaussian"
        return map_price.run(PageRequest(query, None, frozenset(), b"", "en", "light", 0, "http://x/", {}, "map"))

    own.run(Client("192.0.2.7"), price(most)).leave()
    assert price(most) == pass_price.run_cost(of(most))
    if most < calibration.parameters.bounds("map")["n"].maximum:
        assert not pass_price.has_room(of(most + 1))
        assert price(most + 1) == price(16_384) == price(most)


def test_the_limit_is_the_pages_where_both_suffice() -> None:
    assert limit(AttentionConfig(), 1, 8, "auto") == calibration.parameters.bounds("map")["n"].maximum


def test_the_machine_is_measured_once_for_a_while_and_the_best_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = iter([Speed((2e-8, 3e-8), 2.5), Speed((1e-8, 5e-8), 3.0)])
    monkeypatch.setattr(calibration, "_measured", lambda device: next(measured))
    monkeypatch.setattr(calibration, "_known", {})
    now = [0.0]
    monkeypatch.setattr(calibration.time, "monotonic", lambda: now[0])
    assert calibration.speed("auto") == calibration.speed("auto") == Speed((2e-8, 3e-8), 2.5)
    now[0] = calibration.RENEWED + 1
    assert calibration.speed("auto") == Speed((1e-8, 3e-8), 2.5)


def test_measuring_takes_few_cells_and_gives_a_plausible_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, threads = [], set()
    passes = calibration.attention_passes

    def watched(Q, K, **options):
        asked.append(Q.shape[0] * K.shape[0])
        for step in passes(Q, K, **options):
            threads.add(torch.get_num_threads())
            yield step

    monkeypatch.setattr(calibration, "attention_passes", watched)
    found = calibration._measured("cpu")
    assert len(asked) == 3
    assert sum(asked) <= 1e7
    assert threads == {1}  # of two, one would spin while the other waits for a core, and the spinning would count
    assert all(1e-11 < seconds < 1e-4 for seconds in found.per_cell)
    assert found.per_cell[0] <= found.per_cell[1]
    assert 1.0 <= found.masked <= 3.0
