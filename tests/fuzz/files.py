"""Uploads: npz, safetensors and CSV with right tensors, then with a few bytes of them changed."""

import io
import json
import struct
import zipfile
from random import Random

import numpy as np
from PIL import Image

from tests.attention_core.learned.headvis.head_file import AS_THEIRS
from tests.fuzz.draws import junk, often, words

SHAPES = ((4, 8), (2, 4, 8), (7, 3), (1, 1), (3,), (0, 4), (2, 2, 2, 2), (33, 16))
DTYPES = ("<f4", "<f8", "<f2", "<i4", "|b1", "<c8", "<U3", "|O")


def file(random: Random) -> tuple[str, bytes]:
    """Return a file's name and content."""
    ending, made = random.choice((("npz", _npz), ("safetensors", _safetensors), ("csv", _csv), ("npy", _npy)))
    content = made(random)
    if often(random, 0.5):
        content = mutated(random, content)
    if often(random, 0.1):
        ending = random.choice(("npz", "csv", "safetensors", "exe", ""))
    return f"{words(random)}.{ending}", content


def picture(random: Random) -> bytes:
    """Return a PNG or JPEG of a few pixels, one that claims many, or one with a few bytes changed."""
    size = random.choice(((1, 1), (7, 3), (32, 32), (640, 2), (2, 640)))
    stream, mode = io.BytesIO(), random.choice(("RGB", "RGBA", "L", "P", "1"))
    kind = random.choice(("PNG", "JPEG", "GIF", "BMP"))
    made = Image.new(mode, size)
    (made.convert("RGB") if kind == "JPEG" else made).save(stream, kind)
    content = stream.getvalue()
    if kind == "PNG" and often(random, 0.2):  # the size in its header is 0, small or far beyond what is taken
        at = 16 + 4 * random.randrange(2)
        content = content[:at] + struct.pack(">I", random.choice((0, 9, 2**20, 2**31 - 1))) + content[at + 4 :]
    return mutated(random, content) if often(random, 0.5) else content


def sound(random: Random) -> bytes:
    """Return a WAV of a few samples, one whose header claims something else, or one with a few bytes changed."""
    channels, width = random.choice((1, 2, 3)), random.choice((1, 2, 3, 4))
    rate = random.choice((8_000, 16_000, 44_100, 16_001, 0, 2**31))
    raw = random.randbytes(random.choice((0, 1, 60, 4800)))
    kind = random.choice((1, 1, 1, 3, 0xFFFE))
    block = channels * width
    form = struct.pack("<HHIIHH", kind, channels, rate, (rate * block) % 2**32, block, 8 * width)
    length = len(raw) if often(random, 0.8) else random.choice((0, 9, 2**31, 2**32 - 1))
    content = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + form + b"data" + struct.pack("<I", length) + raw
    return mutated(random, content) if often(random, 0.5) else content


def weights(random: Random) -> tuple[str, bytes]:
    """Return a name and a head's file of HeadVis, with a few bytes changed now and then, or any array file."""
    if often(random, 0.4):
        return file(random)
    name, content = random.choice(("L0H0.json", "L3H11.json", "L0H0.js")), AS_THEIRS.encode()
    return name, mutated(random, content) if often(random, 0.7) else content


def mutated(random: Random, content: bytes) -> bytes:
    """Change, cut off, double or remove a few bytes."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(changed)) if changed else 0
        match random.randrange(5):
            case 0 if changed:
                changed[at] = random.randrange(256)
            case 1:
                del changed[at:]
            case 2:
                changed[at:at] = random.randbytes(random.randrange(1, 40))
            case 3:
                del changed[at : at + random.randrange(1, 40)]
            case _:
                changed += changed[at : at + 200]
    return bytes(changed)


def _array(random: Random) -> np.ndarray:
    shape = random.choice(SHAPES[:3] if often(random, 0.7) else SHAPES)
    dtype = "<f4" if often(random, 0.7) else random.choice(DTYPES[:-1])
    values = np.array([random.gauss(0, 1) for _ in range(int(np.prod(shape)))]).reshape(shape)
    if often(random, 0.1) and values.size:
        values.flat[0] = random.choice((np.nan, np.inf, 1e300))
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(dtype)


def _named(random: Random) -> dict[str, np.ndarray]:
    names = ("Q", "K", "V") if often(random, 0.7) else random.sample(("Q", "K", "V", "q", "W"), 2)
    same = _array(random) if often(random, 0.7) else None
    return {name: same if same is not None else _array(random) for name in names}


def _npz(random: Random) -> bytes:
    out = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if often(random, 0.5) else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, array in _named(random).items():
            archive.writestr(_entry(f"{name}.npy" if often(random, 0.95) else f"../{name}.npy", kind), _bytes(array))
        if often(random, 0.05):
            archive.writestr(_entry("Q2.npy", kind), b"\0" * 10**6)
    return out.getvalue()


def _entry(name: str, kind: int) -> zipfile.ZipInfo:
    """Return an entry without the time of day, so that a number always means the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = kind
    return entry


def _bytes(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def _npy(random: Random) -> bytes:
    return _bytes(_array(random))


def _safetensors(random: Random) -> bytes:
    header, blocks, at = {}, [], 0
    for name, array in _named(random).items():
        with np.errstate(over="ignore"):
            data = array.astype("<f4", casting="unsafe").tobytes() if array.dtype.kind in "fib" else b""
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        blocks.append(data)
        if often(random, 0.1):
            header[name][random.choice(("dtype", "shape", "data_offsets"))] = junk(random)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text) if often(random, 0.95) else random.randrange(2**64)) + text + b"".join(blocks)


def _csv(random: Random) -> bytes:
    lines = []
    for name, array in _named(random).items():
        rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
        for row in rows[:40]:
            lines.append(",".join([name, *map(str, row.tolist())]))
    if often(random, 0.2):
        lines.insert(random.randrange(len(lines) + 1), words(random))
    return random.choice(("\n", "\r\n", "\r")).join(lines).encode("utf-8", "surrogatepass")
