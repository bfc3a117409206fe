"""The binary form of a drawing, decoded by its description and compared with the original arrays."""

from typing import Any

import numpy as np
import pytest

from attention_core import AttentionConfig, compute
from tests.in_node import in_node
from tests.visualiser.pieces import opened
from visualiser.drawing.drawing import Drawing
from visualiser.figures.plots.heat_maps import drawing
from visualiser.server.live import wire

DTYPES = {"f4": "<f4", "u1": "u1", "i4": "<i4", "b1": "?"}


def array(described: dict[str, Any], blocks: bytes) -> np.ndarray:
    count = int(np.prod(described["s"]))
    dtype = np.dtype(DTYPES[described["t"]])
    assert described["at"] % 4 == 0
    return np.frombuffer(blocks, dtype, count, described["at"]).reshape(described["s"])


def heat_map(z: np.ndarray, low: float, high: float) -> Drawing:
    data = [{"type": "heatmap", "z": z, "coloraxis": "coloraxis"}, {"type": "scatter", "y": np.arange(3.0)}]
    return Drawing("heat-maps", data, {"coloraxis": {"cmin": np.float64(low), "cmax": np.float64(high)}, "title": "t"})


def test_cells_are_one_byte_each_with_zero_for_masked() -> None:
    values = np.array([[0.0, 0.5, 1.0], [np.nan, 2.0, -1.0], [1 / 254, 0.499 / 254, 253.6 / 254]], dtype=np.float32)
    assert wire.cells(values, 0.0, 1.0).tolist() == [[1, 128, 255], [0, 255, 1], [2, 1, 255]]
    assert np.isnan(values[1, 0]), "the result's tensor must not be written to"


def test_a_scale_without_extent_paints_one_colour() -> None:
    assert wire.cells(np.full((2, 2), 3.0, dtype=np.float32), 3.0, 3.0).tolist() == [[1, 1], [1, 1]]


def test_a_drawing_travels_as_structure_and_values() -> None:
    z = np.linspace(0, 1, 15, dtype=np.float32).reshape(3, 5)
    part = wire.Part()
    header, blocks = opened(part.close({"entry": wire.entry(part, wire.encode_drawing(heat_map(z, 0.0, 1.0)), ())}))
    entry = header["entry"]
    structure = entry["structure"]
    values = entry["values"]
    assert structure["layout"]["title"] == "t"
    codes = array(values[structure["data"][0]["z"]["$"]], blocks)
    np.testing.assert_array_equal(codes, np.rint(z * 254) + 1)
    np.testing.assert_array_equal(array(values[structure["data"][1]["y"]["$"]], blocks), [0, 1, 2])
    assert values[structure["layout"]["coloraxis"]["cmax"]["$"]] == 1.0


def test_a_known_structure_is_not_sent_again_and_new_numbers_do_not_change_its_hash() -> None:
    part = wire.Part()
    first = wire.entry(part, wire.encode_drawing(heat_map(np.zeros((2, 2), dtype=np.float32), 0.0, 1.0)), ())
    second = wire.entry(
        part, wire.encode_drawing(heat_map(np.ones((2, 2), dtype=np.float32), 0.0, 2.0)), {first["hash"]}
    )
    assert second["hash"] == first["hash"]
    assert "structure" in first
    assert "structure" not in second


def test_another_structure_has_another_hash() -> None:
    part = wire.Part()
    one, other = ({"title": title, "y": np.zeros(2)} for title in ("a", "b"))
    assert wire.entry(part, one, ())["hash"] != wire.entry(part, other, ())["hash"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.float64(0.25), 0.25), (np.int64(7), 7), (np.float32("nan"), None), (np.float64("inf"), None)],
)
def test_a_numpy_number_becomes_json(value: np.generic, expected: object) -> None:
    assert wire.Part().number_or_block(value) == expected


def test_wide_numbers_travel_as_32_bits() -> None:
    part = wire.Part()
    described = [
        part.number_or_block(np.array([1.5, -2.0])),
        part.number_or_block(np.array([3, -4])),
        part.number_or_block(np.array([True])),
    ]
    header, blocks = opened(part.close({"of": described}))
    assert [item["t"] for item in header["of"]] == ["f4", "i4", "b1"]
    assert array(header["of"][0], blocks).tolist() == [1.5, -2.0]
    assert array(header["of"][1], blocks).tolist() == [3, -4]


READ = """async (m, bytes) => {
  const all = Uint8Array.from(bytes);
  const stream = new ReadableStream({ start(c) {
    for (let at = 0; at < all.length; at += 7) c.enqueue(all.slice(at, at + 7));
    c.close();
  } });
  const found = [];
  for await (const { header, blocks } of m.parts(stream)) {
    const drawing = m.revive(header.entry, blocks, new Map());
    const { z, type } = drawing.data[1];
    const x = Array.from(m.decode(header.x, blocks)).map(String);
    found.push({ codes: Array.from(z), shape: z.shape, type, cmax: drawing.layout.coloraxis.cmax, x });
  }
  return found;
}"""


@pytest.mark.slow
def test_the_script_reads_what_python_wrote() -> None:
    """A real drawing, sent through the wire in pieces of 7 bytes, gives back structure and numbers."""
    shown = drawing(compute(AttentionConfig(n=5, h=2, d_k=3)))
    part = wire.Part()
    header = {
        "entry": wire.entry(part, wire.encode_drawing(shown), ()),
        "x": part.number_or_block(np.array([1.5, np.nan])),
    }
    sent = part.close(header)
    axis = shown.layout["coloraxis"]
    expected = {
        "codes": wire.cells(shown.data[1]["z"], float(axis["cmin"]), float(axis["cmax"])).flatten().tolist(),
        "shape": [5, 5],
        "type": "heatmap",
        "cmax": float(axis["cmax"]),
        "x": ["1.5", "NaN"],
    }
    assert in_node("server/wire", READ, [*sent, *sent]) == [expected, expected]
