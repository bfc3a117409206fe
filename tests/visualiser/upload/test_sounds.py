"""A visitor's WAV file: its numbers, and files that are none."""

import io
import random
import struct
import wave
from typing import Any

import numpy as np
import pytest

from attention_core import InvalidInput
from visualiser.locale import LANGUAGES, text
from visualiser.models import sounds
from visualiser.upload import sounds as upload
from visualiser.upload.sounds import (
    KEPT_RATE,
    MOST_SECONDS,
    SOUND_LIMIT,
    canonical_sound,
    is_sound,
    read_sound,
    sound_sizes,
)


def written(raw: bytes, channels: int = 1, width: int = 2, rate: int = 16_000) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as opened:
        opened.setnchannels(channels)
        opened.setsampwidth(width)
        opened.setframerate(rate)
        opened.writeframes(raw)
    return file.getvalue()


@pytest.mark.parametrize(
    ("raw", "width", "expected"),
    [
        (bytes([0, 64, 128, 192, 255]), 1, [-1, -0.5, 0, 0.5, 127 / 128]),
        (struct.pack("<3h", -32768, 0, 16384), 2, [-1, 0, 0.5]),
        (b"\x00\x00\x80" + b"\x00\x00\x40" + b"\xff\xff\xff", 3, [-1, 0.5, -1 / 2**23]),
        (struct.pack("<2i", -(2**31), 2**30), 4, [-1, 0.5]),
    ],
)
def test_numbers_of_every_width_are_shares_of_the_largest(raw: bytes, width: int, expected: list[float]) -> None:
    found = read_sound("own", written(raw, width=width))
    np.testing.assert_allclose(found.samples.numpy(), expected, atol=1e-7)
    assert (found.name, found.rate) == ("own", 16_000)


def test_two_channels_are_their_mean() -> None:
    found = read_sound("own", written(struct.pack("<4h", 16384, 0, -16384, -16384), channels=2, rate=44_100))
    assert found.samples.tolist() == [0.25, -0.5]
    assert found.rate == 44_100


def test_a_file_that_ends_early_gives_what_is_there() -> None:
    whole = written(struct.pack("<100h", *range(100)))
    assert len(read_sound("own", whole[:-31]).samples) in (84, 85)


FLOAT = bytearray(written(b"\0" * 8, width=4))
FLOAT[20:22] = struct.pack("<H", 3)
CLAIMED = bytearray(written(b"\0\0" * 8))
CLAIMED[40:44] = struct.pack("<I", 2**31)

REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "sound_format"),
    "another file": (b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "sound_format"),
    "the first bytes alone": (b"RIFF\0\0\0\0WAVE", "sound_format"),
    "floats": (bytes(FLOAT), "sound_format"),
    "three channels": (written(b"\0" * 12, channels=3), "sound_format"),
    "no sample": (written(b""), "sound_empty"),
    "half a sample": (written(b"\0\0", width=2)[:-1], "sound_empty"),
    "slow": (written(b"\0" * 8, rate=100), "sound_rate"),
    "fast": (written(b"\0" * 8, rate=10**6), "sound_rate"),
    "long": (written(b"\0" * (8000 * MOST_SECONDS + 1), width=1, rate=8000), "sound_too_long"),
    "large": (b"RIFF" + b"\0" * SOUND_LIMIT, "sound_too_large"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_sound_is_a_sentence(name: str) -> None:
    body, code = REFUSED[name]
    with pytest.raises(InvalidInput) as caught:
        read_sound("own", body)
    assert caught.value.code == code
    assert str(caught.value).endswith(".")
    assert sound_sizes(body) == (0, 0)
    for lang in LANGUAGES:
        assert text(lang, f"error.{code}", **caught.value.details)


def test_nothing_is_read_of_a_file_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(upload, "_numbers", read)
    for name in REFUSED:
        test_what_is_no_sound_is_a_sentence(name)
    assert sound_sizes(written(b"\0" * 12, channels=2)) == (6, 16_000)


def chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def test_other_chunks_are_passed_over_and_the_numbers_come_soon() -> None:
    plain = written(struct.pack("<3h", 1, 2, 3))
    form, data = plain[12:36], plain[36:]
    for others in (chunk(b"LIST", b"INFOabc"), chunk(b"junk", b"data" * 9), chunk(b"bext", b"\0" * 603)):
        found = read_sound("own", plain[:12] + others + form + others + data + others)
        assert (found.samples * 2**15).tolist() == [1, 2, 3]
    for hostile in (chunk(b"a   ", b"") * 10**6 + form + data, data + form, form + chunk(b"LIST", b"") * 70 + data):
        with pytest.raises(InvalidInput, match="WAV"):
            read_sound("own", plain[:12] + hostile)


def test_the_form_with_a_kind_of_its_own_is_read_if_its_numbers_are_plain() -> None:
    guid = bytes.fromhex("0100000000001000800000aa00389b71")
    for kind, fits in ((guid, True), (b"\3" + guid[1:], False)):
        form = struct.pack("<HHIIHHHHI", 0xFFFE, 1, 16_000, 32_000, 2, 16, 22, 16, 4) + kind
        body = b"RIFF\0\0\0\0WAVE" + chunk(b"fmt ", form) + chunk(b"data", struct.pack("<2h", -(2**15), 2**14))
        assert is_sound(body)
        if fits:
            assert read_sound("own", body).samples.tolist() == [-1, 0.5]
        else:
            with pytest.raises(InvalidInput):
                read_sound("own", body)


@pytest.mark.parametrize("rate", [8_000, 11_025, KEPT_RATE])
def test_what_is_kept_is_the_sound_to_sixteen_bits(rate: int) -> None:
    raw = np.random.default_rng(rate).integers(-(2**15), 2**15, 1001).astype("<i2").tobytes()
    plain = written(raw, rate=rate)
    assert canonical_sound(read_sound("own", plain)) == plain
    loud = canonical_sound(read_sound("own", written(b"\xff\xff\xff\x7f\0\0\0\x80", width=4, rate=rate)))
    assert (read_sound("own", loud).samples * 2**15).tolist() == [2**15 - 1, -(2**15)]


@pytest.mark.parametrize("rate", [44_100, 48_000, 95_989])
def test_what_is_kept_has_no_more_samples_than_a_model_hears(rate: int) -> None:
    at = np.arange(rate) / rate
    heard, lost = np.sin(2 * np.pi * 440 * at), np.sin(2 * np.pi * 12_000 * at)
    raw = np.rint(8_000 * (heard + lost)).astype("<i2").tobytes()
    kept = canonical_sound(read_sound("own", written(raw, rate=rate)))
    found = read_sound("own", kept)
    assert found.rate == KEPT_RATE
    assert len(found.samples) == KEPT_RATE
    expected = 8_000 / 2**15 * np.sin(2 * np.pi * 440 * np.arange(KEPT_RATE) / KEPT_RATE)
    middle = slice(1000, -1000)  # a prime length has silence behind it: an edge, and a drift of half a sample
    np.testing.assert_allclose(found.samples.numpy()[middle], expected[middle], atol=1e-2)
    assert canonical_sound(found) == kept
    assert len(kept) == 44 + 2 * KEPT_RATE


def test_a_header_that_claims_more_than_there_is_takes_no_more_memory() -> None:
    assert len(read_sound("own", bytes(CLAIMED)).samples) == 8


def test_any_bytes_are_a_sound_or_a_sentence() -> None:
    draw, whole = random.Random(3), written(struct.pack("<50h", *range(50)))
    for _ in range(2000):
        torn = bytearray(whole)
        for _ in range(draw.randrange(1, 6)):
            torn[draw.randrange(min(48, len(torn)))] = draw.randrange(256)
        try:
            found = read_sound("own", bytes(torn[: draw.randrange(len(torn) + 1)]))
        except InvalidInput:
            continue
        assert 0 < len(found.samples) <= len(whole)
        assert float(found.samples.abs().max()) <= 1


def test_the_sound_that_ships_has_three_tones_and_a_pause() -> None:
    found = sounds.tones()
    assert (found.rate, len(found.samples)) == (16_000, 48_000)
    assert 0.3 < float(found.samples.abs().max()) < 1
    spans: dict[float, Any] = {220.0: (0.2, 0.7), 440.0: (0.8, 1.3), 330.0: (1.9, 2.6)}
    for hertz, (start, stop) in spans.items():
        heard = found.samples[round(start * 16_000) : round(stop * 16_000)].numpy()
        loudest = np.abs(np.fft.rfft(heard)).argmax() * 16_000 / len(heard)
        assert loudest == pytest.approx(hertz, abs=2)
    assert float(found.samples[round(1.31 * 16_000) : round(1.89 * 16_000)].abs().max()) == 0


@pytest.mark.slow
def test_names_of_sounds_are_those_that_are_there() -> None:
    own = written(struct.pack("<2h", 1, 2))
    assert sounds.settled("x", own=True) == "tones"
    assert sounds.settled("own", own=False) == "tones"
    assert sounds.settled("own", own=True) == "own"
    assert len(sounds.sound("own", own).samples) == 2
    assert sounds.key("own", own) != sounds.key("own", own + b"\0")
    assert sounds.seconds("own", written(b"\0" * 16_000)) == 0.5
    fast = written(b"\0" * 90, rate=44_100)
    for name, file, code in (("own", b"", "sound_own"), ("x", own, "unknown_sound"), ("own", fast, "sound_rate")):
        with pytest.raises(InvalidInput) as caught:
            sounds.sound(name, file)
        assert caught.value.code == code
