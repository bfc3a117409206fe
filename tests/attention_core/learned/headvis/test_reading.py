"""A head's file of HeadVis opens as what it says, and any other is refused before work is done for it."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from attention_core import InvalidInput
from attention_core.learned.headvis import LARGEST, Bins, TokenWeight, read_headvis
from tests import draws
from tests.attention_core.learned.headvis.head_file import AS_THEIRS, said_in_english, with_field


def refused(file: bytes, code: str = "") -> InvalidInput:
    """Return the refusal of a file, which says in English what the page says."""
    with pytest.raises(InvalidInput) as problem:
        read_headvis(file, "L0H0.json")
    assert str(problem.value) == said_in_english(problem.value)
    assert problem.value.code == (code or problem.value.code)
    return problem.value


def traced(work: Callable[[], object]) -> int:
    """Return the most bytes that Python held meanwhile."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_file_as_theirs_opens():
    found = read_headvis(AS_THEIRS.encode(), "L3H11.json")
    assert (found.layer, found.head) == (4, 12)  # theirs count from 0
    first, second = found.sequences
    assert (first.id, first.interval, first.tokens) == (40, 1, ("The", " cat", "é", "\ufffd"))
    assert first.max_activation is None
    assert [*zip(first.q.tolist(), first.k.tolist(), first.values.tolist(), strict=True)] == [
        (0, 0, 1.0), (1, 0, 0.9300000071525574), (1, 1, 0.004999999888241291), (2, 0, 0.5), (2, 2, 0.25),
    ]  # fmt: skip
    assert (second.q.tolist(), second.k.tolist(), second.values.tolist()) == ([0, 1], [0, 1], [1.0, 0.75])
    assert found.distances == Bins((0, 1, 2, 4), (3.005, 0.93, 0.5))
    assert found.queries == (TokenWeight("The", 1.0), TokenWeight(" cat", 0.935))
    assert found.keys == (TokenWeight("The", 2.43),)
    assert found.activations == Bins((0, 0.5, 1), (0, 16384))
    assert found.statistics == {"n_samples": 2, "mean_max_activation": None}


def test_each_row_says_how_much_of_it_is_in_the_file():
    found = read_headvis(AS_THEIRS.encode(), "L0H0.json")
    np.testing.assert_allclose(found.sequences[0].row_sums, [1, 0.935, 0.75, 0], rtol=0, atol=1e-8)
    assert found.smallest == 0.004999999888241291
    assert read_headvis(b'{"sequences": []}').smallest is None


def test_bands_are_those_of_the_file_the_strongest_first():
    found = read_headvis(AS_THEIRS.encode(), "L0H0.json")
    assert [(band, [one.id for one in texts]) for band, texts in found.bands.items()] == [(10, [7]), (1, [40])]


def test_sequences_are_all_that_a_file_must_have():
    found = read_headvis(b'\xef\xbb\xbf{"sequences": [], "histogram": {}, "statistics": null}', "L0H0.json")
    assert (found.sequences, found.bands, found.distances, found.activations) == ((), {}, None, None)
    assert (found.queries, found.keys, found.statistics) == ((), (), {})


def test_a_path_has_the_name(tmp_path: Path):
    file = tmp_path / "L1H2.json"
    file.write_text(AS_THEIRS, "utf-8")
    assert (read_headvis(file).layer, read_headvis(file).head) == (2, 3)


def test_an_object_of_json_is_a_file():
    found = read_headvis(json.loads(AS_THEIRS))
    assert [one.id for one in found.sequences] == [40, 7]


@pytest.mark.parametrize(
    "name", ["", "mine.json", "L1H2.json.bak", "l1h2.json", "L-1H2.json", "L1H٣.json", "L1H2.json\n"]
)
def test_a_name_without_layer_and_head_says_none(name: str):
    found = read_headvis(AS_THEIRS.encode(), name)
    assert (found.layer, found.head) == (None, None)


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path):
    file = tmp_path / "L0H0.json"
    with file.open("wb") as opened:
        opened.truncate(2**36)  # 64 GB without a block on the disk
    with pytest.raises(InvalidInput) as problem:
        read_headvis(file)
    assert (problem.value.code, problem.value.details["limit"]) == ("headvis_size", 16)
    padded = AS_THEIRS.encode().ljust(LARGEST)
    assert len(read_headvis(padded, "L0H0.json").sequences) == 2
    assert refused(padded + b" ").code == "headvis_size"


@pytest.mark.parametrize(
    "file",
    [b"", b"{", b"\xff\xfe{}", '{"sequences": []}'.encode("utf-16"), b'{"sequences": [], "a": ' + b"9" * 5000 + b"}",
     b'{"sequences": []} []', b'"\\', b'{"a": "' + b'\\"' * 5000 + b"\\"],
)  # fmt: skip
def test_what_is_no_json_is_refused(file: bytes):
    assert refused(file).code == "headvis_json"


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b"[{}, "])
def test_what_nests_deeply_is_refused(opening: bytes):
    assert refused(opening * 9).code == "headvis_deep"
    assert refused(b'{"sequences": [], "a": ' + b"[" * 8).code == "headvis_deep"


def test_brackets_in_tokens_open_nothing():
    tokens = ["[" * 50 + '"', '\\"[[[[[[[[[[', "}"]
    file = json.loads(with_field(tokens, "sequences", 0, "tokens"))
    file["sequences"][0].update(seq_len=3, attention_indices=[], attention_values=[])
    assert read_headvis(json.dumps(file).encode(), "L0H0.json").sequences[0].tokens == tuple(tokens)


@pytest.mark.parametrize("filling", [b"[],", b"{},", b'"",', b'"a[",'])
def test_many_small_things_are_refused(filling: bytes):
    file = b'{"sequences": [' + filling * (2**23 // len(filling)) + b"0]}"
    assert refused(file).code == "headvis_crowded"


@pytest.mark.parametrize("wide", ["", "\U0001d7fb"], ids=["ascii", "wide"])
@pytest.mark.parametrize("number", ["257,", "0.5,"])
def test_numbers_take_sixteen_times_their_bytes_at_most(wide: str, number: str):
    """All that Python makes of a file is traced; of these it makes the most."""
    head = f'{{"sequences": [], "{wide}": ['
    file = (head + number * (2**20 // len(number)) + "1]}").encode()
    assert traced(lambda: read_headvis(file)) < 16 * len(file)


def test_strings_take_192_bytes_each_at_most():
    """So half a million of them, the most that are read, take 96 MB."""
    count = 2**15
    file = ('{"sequences": [], "": [' + '"\u0100a",' * count + "1]}").encode()
    assert traced(lambda: read_headvis(file)) < 192 * count


FULL = LARGEST - 100


@pytest.mark.parametrize(
    ("code", "filling", "head", "tail"),
    [
        ("headvis_crowded", "[", "", ""),
        ("headvis_crowded", '{"a":', "", ""),
        ("headvis_crowded", "[],", '{"sequences": [', "0]}"),
        ("headvis_crowded", '"a",', '{"sequences": [{"tokens": [', '"a"]}]}'),
        ("headvis_json", "9", '{"sequences": ', "}"),
        ("headvis_crowded", '\\"', '{"', ""),
        ("headvis_json", "\xff", "", ""),
    ],
)
def test_a_hostile_file_of_the_largest_size_is_refused_before_work_begins(
    code: str, filling: str, head: str, tail: str
):
    file = (head + filling * (FULL // len(filling.encode())) + tail).encode()
    seconds = process_time()
    memory = traced(lambda: refused(file, code))
    assert memory < 4 * LARGEST
    assert process_time() - seconds < 10  # of the processor; each takes less than one


def test_a_million_tokens_are_refused_and_a_long_text_is_not():
    tokens = [""] * 10**6
    one = {"sequence_id": 0, "interval": 1, "tokens": tokens, "seq_len": len(tokens), "attention_indices": []}
    refused(json.dumps({"sequences": [{**one, "attention_values": []}]}).encode(), "headvis_crowded")
    far = {**one, "tokens": tokens[:200_000], "seq_len": 200_000, "attention_values": [0.5]}
    file = json.dumps({"sequences": [{**far, "attention_indices": [200_000**2 - 1]}]}).encode()
    [found] = read_headvis(file).sequences  # a row and a column of it would be 40 billion cells
    assert (int(found.q[0]), int(found.k[0])) == (199_999, 199_999)


def test_a_key_that_stands_twice_is_refused():
    file = AS_THEIRS.replace('"interval": 10', '"interval": 10, "interval": 1').encode()
    problem = refused(file)
    assert (problem.code, problem.details) == ("headvis_field", {"field": "'interval'"})
    assert refused(b'{"sequences": [], "ours": {"a": 1, "a": 1}}').details == {"field": "'a'"}
    assert refused(rb'{"\u202e": 1, "\u202e": 1}').details == {"field": r"'\u202e'"}


FIRST = "sequences", 0
WRONG: list[tuple[str, Any, tuple[str | int, ...], str]] = [
    ("headvis_field", None, ("sequences",), "sequences"),
    ("headvis_field", {}, ("sequences",), "sequences"),
    ("headvis_field", [], FIRST, "sequences[0]"),
    ("headvis_field", "The", (*FIRST, "tokens"), "sequences[0].tokens"),
    ("headvis_field", ["The", 1, "", ""], (*FIRST, "tokens"), "sequences[0].tokens"),
    ("headvis_field", ["a", "b", "c", "\ud800"], (*FIRST, "tokens"), "sequences[0].tokens"),
    ("headvis_field", "7", (*FIRST, "sequence_id"), "sequences[0].sequence_id"),
    ("headvis_field", True, (*FIRST, "interval"), "sequences[0].interval"),
    ("headvis_field", 4.0, (*FIRST, "seq_len"), "sequences[0].seq_len"),
    ("headvis_field", [0, 4, 5, 8, 10.0], (*FIRST, "attention_indices"), "sequences[0].attention_indices"),
    ("headvis_field", [0, 4, 5, 8, False], (*FIRST, "attention_indices"), "sequences[0].attention_indices"),
    ("headvis_field", [1, "1", 1, 1, 1], (*FIRST, "attention_values"), "sequences[0].attention_values"),
    ("headvis_field", "high", (*FIRST, "max_activation"), "sequences[0].max_activation"),
    ("headvis_field", [], ("qk_distance_histogram",), "qk_distance_histogram"),
    ("headvis_field", {"bin_edges": [0, 1]}, ("histogram",), "histogram.bin_values"),
    ("headvis_field", {}, ("top_key_tokens",), "top_key_tokens"),
    ("headvis_field", ["The"], ("top_key_tokens",), "top_key_tokens[0]"),
    ("headvis_field", [{"weight": 1}], ("top_query_tokens",), "top_query_tokens[0].token"),
    ("headvis_field", [1], ("statistics",), "statistics"),
    ("headvis_field", [1], ("statistics", "n_samples"), "statistics"),
    ("headvis_field", 5, (*FIRST, "seq_len"), "sequences[0].tokens"),
    ("headvis_field", [1, 1], (*FIRST, "attention_values"), "sequences[0].attention_values"),
    ("headvis_field", [0, 1], ("histogram", "bin_edges"), "histogram.bin_values"),
    ("headvis_index", [0, 4, 5, 8, 16], (*FIRST, "attention_indices"), "sequences[0].attention_indices"),
    ("headvis_index", [-1, 4, 5, 8, 10], (*FIRST, "attention_indices"), "sequences[0].attention_indices"),
    ("headvis_index", [0, 4, 5, 8, 2**70], (*FIRST, "attention_indices"), "sequences[0].attention_indices"),
    ("headvis_index", [0, 4, 5, 10, 10], (*FIRST, "attention_indices"), "sequences[0].attention_indices"),
    ("headvis_number", 0, (*FIRST, "interval"), "sequences[0].interval"),
    ("headvis_number", 2**31, (*FIRST, "interval"), "sequences[0].interval"),
    ("headvis_number", 2**63, (*FIRST, "sequence_id"), "sequences[0].sequence_id"),
    ("headvis_number", [1, 1, 1, 1, -0.01], (*FIRST, "attention_values"), "sequences[0].attention_values"),
    ("headvis_number", [1, 1, 1, 1, 1.02], (*FIRST, "attention_values"), "sequences[0].attention_values"),
    ("headvis_number", [1, 1, 1, 1, 10**400], (*FIRST, "attention_values"), "sequences[0].attention_values"),
    ("headvis_number", 2, (*FIRST, "max_activation"), "sequences[0].max_activation"),
    ("headvis_number", [0, 0.5, 0.5], ("histogram", "bin_edges"), "histogram.bin_edges"),
    ("headvis_number", [0, -1], ("histogram", "bin_values"), "histogram.bin_values"),
    ("headvis_number", [{"token": "The", "weight": -1}], ("top_key_tokens",), "top_key_tokens[0].weight"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "value", "path", "field"), WRONG)
def test_what_the_format_does_not_have_is_refused_by_its_place(
    code: str, value: Any, path: tuple[str | int, ...], field: str
):
    problem = refused(with_field(value, *path))
    assert (problem.code, problem.details["field"]) == (code, field)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("old", ["0.25]", "2.43", "3.005", "16384", "0.75}", '2, "mean'])
def test_a_number_that_is_none_is_refused(number: str, old: str):
    new = old.replace(old.rstrip(']}, "mean'), number)
    file = AS_THEIRS.replace(old, new)
    assert file != AS_THEIRS
    assert refused(file.encode()).code == "headvis_number"


@pytest.mark.parametrize(
    "lost", ["tokens", "seq_len", "interval", "sequence_id", "attention_indices", "attention_values"]
)
def test_a_text_without_one_of_its_fields_is_refused(lost: str):
    file = json.loads(AS_THEIRS)
    del file["sequences"][1][lost]
    problem = refused(json.dumps(file).encode())
    assert (problem.code, problem.details["field"]) == ("headvis_field", f"sequences[1].{lost}")


def test_a_file_with_bytes_changed_opens_or_is_refused():
    generator = np.random.default_rng(draws.seed("headvis"))
    found = set[str]()
    alphabet = np.frombuffer(b'[]{}",:0123456789.-eE\\ntu\xc3\x00', np.uint8)
    for _ in range(draws.cases(3000)):
        file = np.frombuffer(AS_THEIRS.encode(), np.uint8).copy()
        places = generator.integers(len(file), size=generator.integers(1, 4))
        file[places] = generator.choice(alphabet, len(places))
        try:
            read_headvis(file.tobytes(), "L0H0.json")
        except InvalidInput as problem:
            found.add(problem.code)
    assert all(code.startswith("headvis_") for code in found)
    assert {"headvis_json", "headvis_field"} <= found
