"""The npz file holds the result's tensors, opens without pickle, and can be uploaded again."""

import io
import json

import numpy as np
import torch

from attention_core import AttentionConfig, compute
from visualiser.export import Origin, npz, npz_pieces
from visualiser.export.archive import MOMENTS, TENSORS
from visualiser.listed_statistics import IN_FILES
from visualiser.upload import read_upload


def test_everything_in_it_opens_without_pickle_and_equals_the_result():
    text = "한 번 더 한 번"
    config = AttentionConfig(source="text", text=text, h=3, d_k=5, tie=False, mask="window", window=1, scaling="d_k")
    result = compute(config)
    with np.load(io.BytesIO(npz(result)), allow_pickle=False) as file:
        for name in (*TENSORS, *(each.name for each in IN_FILES), *MOMENTS, "mask"):
            np.testing.assert_array_equal(file[name], getattr(result, name).numpy(), err_msg=name)
        np.testing.assert_allclose(file["scores"] * np.float32(file["factor"]), result.scaled.numpy(), rtol=1e-6)
        assert file["tokens"].tolist() == ["한", "번", "더", "한", "번"]
        assert AttentionConfig(**json.loads(str(file["config"]))) == config


def test_a_result_without_mask_or_tokens_has_neither():
    with np.load(io.BytesIO(npz(compute(AttentionConfig(n=3, h=2))))) as file:
        assert {"mask", "tokens", "rows"}.isdisjoint(file.files)


def test_it_can_be_uploaded_again():
    result = compute(AttentionConfig(n=17, h=3, d_k=7, tie=False))
    inputs = read_upload("headlight.npz", npz(result))
    again = compute(AttentionConfig(source="upload"), inputs)
    assert torch.equal(again.weights, result.weights)


ORIGIN = Origin(link="?n=7", seed="3", headlight="1.2.3", torch="4.5", plotly="6.7", date="2026-01-02T03:04:05Z")


def test_its_origin_is_json_and_no_hindrance_to_an_upload():
    result = compute(AttentionConfig(n=7, h=2))
    body = npz(result, ORIGIN)
    with np.load(io.BytesIO(body), allow_pickle=False) as file:
        assert json.loads(str(file["origin"])) == ORIGIN.values
    assert torch.equal(read_upload("headlight.npz", body).Q, result.Q)


def test_it_comes_a_head_at_a_time_and_is_the_same_file_each_time():
    config = AttentionConfig(n=37, h=5, d_k=3, tie=False, mask="causal")
    result = compute(config)
    pieces = list(npz_pieces(result))
    assert b"".join(pieces) == npz(result) == npz(compute(config))
    head = result.weights[0].numel() * 4
    assert max(map(len, pieces)) < head + 8192  # the list of members comes last, headers beside the numbers
    assert sum(map(len, pieces)) > 10 * head


def test_nothing_is_computed_before_it_is_asked_for():
    result = compute(AttentionConfig(n=7, h=2, mask="causal"))
    pieces = npz_pieces(result)
    next(pieces)
    assert "output" not in vars(result)
    assert len(list(pieces)) > 2 * 6
    assert "output" in vars(result)


def test_a_head_that_lies_column_by_column_is_written_row_by_row():
    """A drawn Q is stored column by column."""
    result = compute(AttentionConfig(n=7, h=1, d_k=5, tie=False))
    with np.load(io.BytesIO(npz(result)), allow_pickle=False) as file:
        for name in TENSORS:
            np.testing.assert_array_equal(file[name], getattr(result, name).numpy(), err_msg=name)
            assert file[name].flags.c_contiguous
