"""The npz file holds the result's tensors, opens without pickle, and can be uploaded again."""

import io
import json

import numpy as np
import torch

from attention_core import AttentionConfig, compute
from visualiser.export import npz
from visualiser.export.archive import STATISTICS, TENSORS
from visualiser.upload import read_upload


def test_everything_in_it_opens_without_pickle_and_equals_the_result():
    text = "한 번 더 한 번"
    config = AttentionConfig(source="text", text=text, h=3, d_k=5, tie=False, mask="window", window=1, scaling="d_k")
    result = compute(config)
    with np.load(io.BytesIO(npz(result)), allow_pickle=False) as file:
        for name in (*TENSORS, *STATISTICS, "mask"):
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
