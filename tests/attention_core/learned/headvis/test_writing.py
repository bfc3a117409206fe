"""What is written of a head is a plain computation over the model's own weights, and opens as what was written."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import Cancelled, InvalidInput, stopping
from attention_core.language import corpus
from attention_core.learned import shipped_model
from attention_core.learned.head_texts import TextReading, read_texts
from attention_core.learned.headvis import HeadVisHead, headvis_bytes, read_headvis, write_headvis
from attention_core.learned.over_corpus import text_of
from attention_core.models import ModelFolder
from tests.attention_core.learned.headvis.head_file import AS_THEIRS, said_in_english
from tests.attention_core.models import small_folders

MODEL = shipped_model("headlight")
TEXTS = [text_of(document) for document in corpus()[:12]] + ["Ben"]
LAYER, HEAD = 2, 4


@pytest.fixture(scope="module")
def reading() -> TextReading:
    return read_texts(MODEL, TEXTS)


@pytest.fixture(scope="module")
def folder(reading: TextReading, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("run") / "new"
    write_headvis(found, MODEL, reading, "corpus")
    return found


@pytest.fixture(scope="module")
def found(folder: Path) -> HeadVisHead:
    return read_headvis(folder / "heads" / "L1H3.json")


def weights() -> dict[int, tuple[tuple[str, ...], np.ndarray]]:
    """Return each passage's tokens and the weights of one head, by the passage's number."""
    runs = {number: MODEL.run(text) for number, text in read_texts(MODEL, TEXTS).sample.items()}
    return {
        number: (run.tokens, run.layers[LAYER - 1].weights[HEAD - 1].double().numpy())
        for number, run in runs.items()
        if len(run.tokens) > 1
    }


def same(one: HeadVisHead, other: HeadVisHead) -> bool:
    plain = ("layer", "head", "distances", "queries", "keys", "activations", "statistics")
    of_texts = ("id", "interval", "tokens", "max_activation")
    return (
        all(getattr(one, field) == getattr(other, field) for field in plain)
        and len(one.sequences) == len(other.sequences)
        and all(
            all(getattr(a, field) == getattr(b, field) for field in of_texts)
            and all(torch.equal(getattr(a, field), getattr(b, field)) for field in ("q", "k", "values"))
            for a, b in zip(one.sequences, other.sequences, strict=True)
        )
    )


def test_what_is_written_reads_back_as_it_was(found: HeadVisHead):
    assert same(read_headvis(headvis_bytes(found), "L1H3.json"), found)
    assert len(found.sequences) > 10
    theirs = read_headvis(AS_THEIRS.encode(), "L3H11.json")
    assert same(read_headvis(headvis_bytes(theirs), "L3H11.json"), theirs)


def test_of_each_row_the_largest_weights_are_written(found: HeadVisHead):
    own = weights()
    assert {one.id for one in found.sequences} == {*own}
    for one in found.sequences:
        tokens, p = own[one.id]
        assert one.tokens == tokens
        there = np.zeros(p.shape, dtype=bool)
        there[one.q, one.k] = True
        for row, kept in zip(p, there, strict=True):
            largest = np.sort(row[row >= 0.005])[::-1][:8]
            np.testing.assert_allclose(np.sort(row[kept])[::-1], largest, rtol=0, atol=0)
        np.testing.assert_allclose(one.values, p[there], rtol=0, atol=0.5001e-4)
        np.testing.assert_allclose(one.row_sums, np.where(there, p, 0).sum(1), rtol=0, atol=4.1e-4)
        assert one.max_activation == pytest.approx(p[1:, 1:].max(), abs=0.5001e-4)
    assert min(float(one.row_sums.min()) for one in found.sequences) < 0.95  # some row is not whole


def test_bands_have_as_many_texts_by_their_largest_weight(found: HeadVisHead):
    own = weights()
    assert [*found.bands] == [5, 4, 3, 2, 1]
    sizes = [len(texts) for texts in found.bands.values()]
    assert max(sizes) - min(sizes) <= 1
    strongest = [[own[one.id][1][1:, 1:].max() for one in found.bands[band]] for band in range(1, 6)]
    for lower, higher in pairwise(strongest):
        assert max(lower) <= min(higher) + 1e-4


def test_histograms_and_tokens_are_sums_over_the_file(found: HeadVisHead):
    assert found.distances is not None
    assert found.activations is not None
    apart = np.zeros(13)
    queries: dict[str, float] = {}
    keys: dict[str, float] = {}
    for one in found.sequences:
        for q, k, value in zip(one.q.tolist(), one.k.tolist(), one.values.tolist(), strict=True):
            apart[0 if q == k else 1 + int(np.log2(abs(q - k)))] += value
            for sums, place in ((queries, q), (keys, k)):
                sums[one.tokens[place]] = sums.get(one.tokens[place], 0) + value
    np.testing.assert_allclose(found.distances.values, apart, rtol=0, atol=1e-4)
    assert found.distances.edges == (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
    for listed, sums in ((found.queries, queries), (found.keys, keys)):
        assert [one.weight for one in listed] == pytest.approx(sorted(sums.values(), reverse=True)[:50], abs=1e-4)
        assert all(one.weight == pytest.approx(sums[one.token], abs=1e-4) for one in listed)
    strongest = [one.max_activation or 0 for one in found.sequences]
    assert found.activations.values == tuple(np.histogram(np.clip(strongest, 0, 1), 50, (0, 1))[0].tolist())
    assert found.statistics["n_samples"] == len(strongest)
    assert found.statistics["mean_max_activation"] == pytest.approx(np.mean(strongest), abs=1e-4)


def test_the_folder_has_what_headvis_and_its_loaders_ask_for(reading: TextReading, folder: Path):
    config, scatter = (json.loads((folder / file).read_text("utf-8")) for file in ("config.json", "scatter_data.json"))
    assert config["model_name"] == "headlight"
    assert config["heads"] == [[layer, head] for layer in (0, 1) for head in range(4)]
    assert {file.name for file in (folder / "heads").iterdir()} == {
        f"L{layer}H{head}.json" for layer, head in config["heads"]
    }
    assert (config["n_layers"], config["n_heads"], config["n_intervals"]) == (2, 4, 5)
    assert config["head_data_pattern"] == "L{layer}H{head}.json"
    asked = {**config["pipeline_config"], **config}
    needed = "model_name", "dataset_name", "n_sequences", "seq_len", "dtype", "attn_implementation"
    assert all(asked[field] is not None for field in needed)
    assert (asked["dataset_name"], asked["n_sequences"]) == ("corpus", reading.measures.documents)
    shown = {one["key"] for one in config["custom_plots"] + config["custom_tables"]}
    assert shown <= {*json.loads((folder / "heads" / "L0H2.json").read_text("utf-8"))}
    assert [(row["layer"], row["head"]) for row in scatter] == [(layer, head) for layer in (0, 1) for head in range(4)]
    ours = {"self_attention_score": "own_token", "prev_token_score": "previous_token", "pattern_entropy": "entropy"}
    for theirs, measure in {**ours, "qk_distance": "distance"}.items():
        assert theirs in config["metrics"]
        assert theirs in config["metric_descriptions"]
        assert scatter[5][theirs] == pytest.approx(reading.measures.score(measure, 2, 2).value, abs=0.5001e-4)


def test_a_folder_with_something_in_it_stays_as_it_is(reading: TextReading, folder: Path, tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(InvalidInput) as problem:
        write_headvis(tmp_path, MODEL, reading, "corpus")
    assert problem.value.code == "headvis_folder"
    assert str(problem.value) == said_in_english(problem.value)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_that_nobody_could_open_is_not_written(found: HeadVisHead, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("attention_core.learned.headvis.parsing.LARGEST", 1000)
    with pytest.raises(InvalidInput) as problem:
        headvis_bytes(found)
    assert problem.value.code == "headvis_size"
    assert headvis_bytes(replace(found, sequences=(), queries=(), keys=(), activations=None))


def test_a_caller_that_left_stops_the_work(reading: TextReading, tmp_path: Path):
    with pytest.raises(Cancelled), stopping(lambda: True):
        write_headvis(tmp_path, MODEL, reading, "corpus")
    assert not [*tmp_path.iterdir()]


@pytest.fixture(scope="module")
def translating(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("models")
    small_folders.write(root, "t5")
    return ModelFolder(root).load("t5", lambda done: None)


def test_layers_that_read_another_text_have_no_file(translating: Any, tmp_path: Path):
    text = "The cat sees the keys to the cabinet"
    run = translating.run(text)
    write_headvis(tmp_path, translating, read_texts(translating, [text]), "one")
    own = {layer for layer, ends in enumerate(run.between) if ends == (0, 0)}
    assert 0 < len(own) < translating.layers
    files = {file.name for file in (tmp_path / "heads").iterdir()}
    assert files == {f"L{layer}H{head}.json" for layer in own for head in range(translating.h)}
    encoder = read_headvis(tmp_path / "heads" / "L0H0.json").sequences[0]  # reads later keys, too
    assert bool((encoder.k > encoder.q).any())
