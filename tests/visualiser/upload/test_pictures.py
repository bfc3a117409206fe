"""Pictures of strangers: what is read is the picture, upright and over white, and nothing else is opened or decoded."""

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from attention_core import InvalidInput
from visualiser.locale import LANGUAGES, text
from visualiser.upload import pictures
from visualiser.upload.pictures import canonical_picture, picture_pixels, read_picture

PIXELS = np.random.default_rng(5).integers(0, 256, (31, 47, 3), dtype=np.uint8)


def written(image: Image.Image, kind: str, **settings: Any) -> bytes:
    made = io.BytesIO()
    image.save(made, format=kind, **settings)
    return made.getvalue()


def code_of(body: bytes) -> str:
    with pytest.raises(InvalidInput) as problem:
        read_picture(body)
    for lang in LANGUAGES:
        assert text(lang, f"error.{problem.value.code}", **problem.value.details)
    assert picture_pixels(body) == 0 or problem.value.code == "picture_unreadable"
    return problem.value.code


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_png_is_read_to_the_pixel_and_written_anew_without_loss() -> None:
    for settings in ({}, {"compress_level": 0}, {"optimize": True}):
        body = written(Image.fromarray(PIXELS), "PNG", **settings)
        found = read_picture(body)
        assert np.array_equal(found.pixels, PIXELS)
        assert not found.over_white
        assert picture_pixels(body) == 31 * 47
    again = canonical_picture(PIXELS)
    assert np.array_equal(read_picture(again).pixels, PIXELS)
    assert canonical_picture(read_picture(again).pixels) == again


@pytest.mark.parametrize("settings", [{}, {"progressive": True}, {"subsampling": 2}, {"quality": 30}])
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_a_jpeg_is_read_as_pil_reads_it(mode: str, settings: dict[str, Any]) -> None:
    body = written(Image.fromarray(PIXELS).convert(mode), "JPEG", **settings)
    with Image.open(io.BytesIO(body)) as opened:
        expected = np.asarray(opened.convert("RGB"))
    assert np.array_equal(read_picture(body).pixels, expected)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize("orientation", range(10))
def test_a_picture_is_upright(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    smooth = np.zeros((64, 96, 3), np.uint8)
    smooth[:32, :32], smooth[32:, 64:] = (240, 10, 10), (10, 10, 240)
    found = read_picture(written(Image.fromarray(smooth), kind, exif=exif)).pixels.astype(int)
    turned = {
        2: smooth[:, ::-1], 3: smooth[::-1, ::-1], 4: smooth[::-1], 5: smooth.transpose(1, 0, 2),
        6: np.rot90(smooth, -1), 7: smooth[::-1, ::-1].transpose(1, 0, 2), 8: np.rot90(smooth),
    }.get(orientation, smooth)  # fmt: skip
    assert found.shape == turned.shape
    assert np.abs(found - turned.astype(int)).mean() < 3


def test_transparent_parts_lie_over_white_in_every_kind_of_png() -> None:
    image = Image.fromarray(PIXELS).convert("RGBA")
    alpha = np.full((31, 47), 255, np.uint8)
    alpha[:5], alpha[5:9] = 0, 128
    image.putalpha(Image.fromarray(alpha))
    found = read_picture(written(image, "PNG"))
    assert found.over_white
    assert np.all(found.pixels[:5] == 255)
    assert np.array_equal(found.pixels[9:], PIXELS[9:])
    mixed = np.rint((PIXELS[5:9].astype(float) * 128 + 255 * 127) / 255)
    assert np.abs(found.pixels[5:9] - mixed).max() <= 1
    for mode, key in (("P", 3), ("L", 7), ("RGB", (1, 2, 3))):
        body = written(Image.fromarray(PIXELS).convert(mode), "PNG", transparency=key)
        assert read_picture(body).pixels.shape == PIXELS.shape
    palette = Image.new("P", (4, 4), 1)
    palette.putpalette([0, 0, 0, 9, 9, 9])
    assert np.all(read_picture(written(palette, "PNG", transparency=1)).pixels == 255)
    assert not read_picture(written(palette, "PNG", transparency=0)).over_white


def test_sixteen_bits_become_eight() -> None:
    grey = (np.arange(31 * 47).reshape(31, 47) * 45).astype(np.uint16)
    found = read_picture(written(Image.fromarray(grey), "PNG")).pixels
    assert np.array_equal(found, np.repeat((grey >> 8).astype(np.uint8)[:, :, None], 3, 2))


@pytest.mark.slow
def test_a_large_picture_is_reduced() -> None:
    for kind in ("PNG", "JPEG"):
        found = read_picture(written(Image.new("RGB", (3000, 2000), (200, 30, 90)), kind))
        assert found.pixels.shape == (683, 1024, 3)
        assert np.abs(found.pixels.astype(int) - (200, 30, 90)).max() <= 3


def test_what_is_refused_before_anything_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(*given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(pictures, "_decoded", decoded)
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    assert code_of(bomb) == "picture_pixels"
    assert code_of(written(Image.new("L", (6000, 4100)), "PNG")) == "picture_pixels"
    assert code_of(written(Image.new("L", (6000, 4100)), "JPEG")) == "picture_pixels"
    assert code_of(written(Image.new("L", (700, 100)), "PNG")) == "picture_narrow"
    assert code_of(bytes(8 * 2**20 + 1)) == "picture_too_large"
    for kind in ("GIF", "WEBP", "BMP", "TIFF", "PPM", "ICO"):
        assert code_of(written(Image.fromarray(PIXELS), kind)) == "picture_format"
    for other in (b"", b"<svg/>", b"%!PS-Adobe", b"\x89PNG", b"\xff\xd8"):
        assert code_of(other) == "picture_format"
    moving = written(Image.fromarray(PIXELS), "PNG", save_all=True, append_images=[Image.new("RGB", (47, 31))])
    assert code_of(moving) == "picture_animated"
    scans = written(Image.fromarray(PIXELS), "JPEG", progressive=True)
    assert code_of(scans[:-2] + b"\xff\xda" * 60 + scans[-2:]) == "picture_unreadable"


def test_texts_and_profiles_of_a_png_never_reach_the_decoder() -> None:
    body = written(Image.fromarray(PIXELS), "PNG")
    head, rest = body[:33], body[33:]
    swollen = zlib.compress(bytes(50_000_000))
    for kind, data in (
        (b"zTXt", b"a\0\0" + swollen),
        (b"iCCP", b"a\0\0" + swollen),
        (b"iTXt", b"a\0\1\0\0\0" + swollen),
    ):
        assert np.array_equal(read_picture(head + chunk(kind, data) + rest).pixels, PIXELS)


def test_a_file_with_several_pictures_is_read_by_the_decoder_of_one() -> None:
    body = written(Image.fromarray(PIXELS), "MPO", save_all=True, append_images=[Image.new("RGB", (47, 31))])
    assert read_picture(body).pixels.shape == PIXELS.shape


WHOLE = [
    written(Image.fromarray(PIXELS), "PNG"),
    written(Image.fromarray(PIXELS), "JPEG"),
    written(Image.fromarray(PIXELS), "JPEG", progressive=True),
    written(Image.fromarray(PIXELS).quantize(8), "PNG", transparency=2),
]


@given(st.sampled_from(WHOLE), st.data())
def test_a_damaged_file_is_read_or_refused_in_words(body: bytes, data: st.DataObject) -> None:
    broken = bytearray(body[: data.draw(st.integers(0, len(body)))])
    for _ in range(data.draw(st.integers(0, 4))):
        if broken:
            broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    code, shape = "picture_", (1, 1, 3)
    try:
        shape = read_picture(bytes(broken)).pixels.shape
    except InvalidInput as problem:
        code = problem.code
    assert code.startswith("picture_")
    assert shape[2] == 3
    assert 1 <= max(shape[:2]) <= 1024


@pytest.mark.slow
@given(st.binary(max_size=300), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"]))
def test_any_bytes_are_refused_in_words(body: bytes, beginning: bytes) -> None:
    assert code_of(beginning + body) in ("picture_format", "picture_unreadable", "picture_pixels", "picture_narrow")
