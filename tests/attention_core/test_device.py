"""The device of the products."""

import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, compute
from attention_core.device import resolve


@pytest.fixture
def machine(monkeypatch):
    """Simulate a machine with the given devices."""

    def equip(*devices):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in devices)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in devices)

    return equip


@pytest.mark.parametrize(
    ("devices", "expected"), [(("cuda", "mps"), "cuda"), (("cuda",), "cuda"), (("mps",), "mps"), ((), "cpu")]
)
def test_auto_takes_the_fastest_there_is(machine, devices, expected):
    machine(*devices)
    assert resolve("auto") == torch.device(expected)


def test_a_device_can_be_named(machine):
    machine("cuda")
    assert resolve("cpu") == torch.device("cpu")


def test_a_device_that_is_not_there(machine):
    machine("mps")
    with pytest.raises(InvalidInput, match=r"^device must be one that this machine has \(mps, cpu\); got 'cuda'\.$"):
        compute(AttentionConfig(), device="cuda")


def test_an_unknown_device():
    with pytest.raises(InvalidInput, match=r"^device must be one of auto, cuda, mps, cpu; got 'tpu'\.$"):
        resolve("tpu")
