"""A visitor's file of weights: what is read of each format, its one form, and what is refused before it is read."""

import io
import json
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from attention_core import InvalidInput
from visualiser import models
from visualiser.held import is_name
from visualiser.models.file_weights import ReadFile, read_file
from visualiser.upload import FILE_LIMIT
from visualiser.upload.weights import MOST_TOKENS, clean_token, read_weights, sizes_of_weights
from visualiser.upload.weights_kept import kept_weights

TOKENS = ["<s>", " The", " cat", "\n", "고양이"]


def weights(*before: int, n: int = 5, seed: int = 0) -> NDArray[np.float32]:
    found = np.tril(np.random.default_rng(seed).random((*before, n, n), dtype=np.float32) + 0.1)
    return found / found.sum(-1, keepdims=True)


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def read(name: str, body: bytes) -> ReadFile:
    return read_file(name, body, MOST_TOKENS)


W = weights(3, 2)
LISTED = np.array(TOKENS)
FORMS = {
    "layers": ("a.npz", lambda: npz(weights=W, tokens=LISTED)),
    "a batch of one in each layer": ("a.npz", lambda: npz(attentions=W[:, None], tokens=LISTED)),
    "an array for each layer": ("a.npz", lambda: npz(**{f"arr_{at}": one for at, one in enumerate(W)}, tokens=LISTED)),
    "a cache": (
        "a.npz",
        lambda: npz(
            **{f"blocks.{at}.attn.hook_pattern": one[None] for at, one in enumerate(W)},
            **{f"blocks.{at}.attn.hook_q": np.ones((5, 600)) for at in range(3)},
            tokens=LISTED,
        ),
    ),
    "safetensors": (
        "a.safetensors",
        lambda: safetensors.numpy.save(
            {f"blocks.{at}.attn.hook_pattern": one for at, one in enumerate(W)}, {"tokens": json.dumps(TOKENS)}
        ),
    ),
    "columns first": ("a.npz", lambda: npz(weights=np.asfortranarray(W), tokens=LISTED)),
    "doubles": ("a.npz", lambda: npz(weights=W.astype(np.float64), tokens=LISTED)),
    "another order of bytes": ("a.npz", lambda: npz(weights=W.astype(">f4"), tokens=LISTED.astype(">U5"))),
}


@pytest.mark.parametrize("form", FORMS)
def test_layers_and_tokens_are_those_of_the_file(form: str) -> None:
    name, body = FORMS[form]
    run = read(name, body()).run
    assert [tuple(layer.weights.shape) for layer in run.layers] == [(2, 5, 5)] * 3
    for layer, expected in zip(run.layers, W, strict=True):
        np.testing.assert_array_equal(layer.weights.numpy(), expected)
    assert list(run.lines[0].tokens) == TOKENS


def test_an_array_alone_has_positions_for_tokens() -> None:
    run = read("a.npy", npy(W[0])).run
    np.testing.assert_array_equal(run.layers[0].weights.numpy(), W[0])
    assert run.lines[0].tokens == tuple("01234")


def test_two_sequences_have_a_list_of_tokens_each() -> None:
    cross = weights(2, n=5)[:, :4] * 0 + 0.2
    body = npz(
        **{"encoder/weights": W[0], "cross/weights": cross, "source/tokens": LISTED, "target/tokens": LISTED[:4]}
    )
    run = read("a.npz", body).run
    assert [(line.name, list(line.tokens)) for line in run.lines] == [("source", TOKENS), ("target", TOKENS[:4])]


@pytest.mark.parametrize("form", FORMS)
def test_the_one_form_is_the_same_run(form: str) -> None:
    found = read(FORMS[form][0], FORMS[form][1]())
    held = models.taken_up(found.file, MOST_TOKENS)
    assert held is not None
    assert is_name(found.name)
    assert models.known(found.name) is held.model
    assert models.is_fixed(found.name)
    assert (held.model.layers, held.model.h, held.model.most_tokens) == (3, 2, 5)
    run = held.model.run("")
    assert [layer.name for layer in run.layers] == [layer.name for layer in found.run.layers]
    assert run.lines == found.run.lines
    for layer, expected in zip(run.layers, W, strict=True):
        np.testing.assert_array_equal(layer.weights.numpy(), expected)


def test_it_is_held_no_longer_than_somebody_has_it() -> None:
    found = read("a.npz", npz(weights=weights(2, seed=9)))
    held = models.taken_up(found.file, MOST_TOKENS)
    assert models.taken_up(found.file, MOST_TOKENS) is held
    del held
    assert models.known(found.name) is None
    with pytest.raises(InvalidInput) as problem:
        models.find(found.name)
    assert problem.value.code == "weights_file_gone"


REFUSALS: dict[str, tuple[str, Any, str]] = {
    "another kind of file": ("a.csv", lambda: b"Q", "upload_format"),
    "no archive": ("a.npz", lambda: b"nothing", "upload_unreadable"),
    "cut off": ("a.npy", lambda: npy(W)[:-4], "upload_truncated"),
    "pickled layers": ("a.npz", lambda: npz(layers=np.array([1, "a", None], dtype=object)), "weights_file_none"),
    "a pickled array": ("a.npy", lambda: npy(np.array([1, None], dtype=object)), "upload_dtype"),
    "pickled tokens": ("a.npz", lambda: npz(w=W, tokens=np.array(TOKENS, dtype=object)), "weights_file_strings"),
    "tokens that are numbers": ("a.npz", lambda: npz(w=W, tokens=np.arange(5)), "weights_file_strings"),
    "tokens of another number": ("a.npz", lambda: npz(w=W, tokens=LISTED[:4]), "weights_file_tokens"),
    "queries and keys": ("a.npz", lambda: npz(Q=-W[0], K=3 * W[0]), "weights_file_none"),
    "a long text": ("a.npy", lambda: npy(np.zeros((1, 513, 513), np.float16)), "weights_file_size"),
    "scores": ("a.npy", lambda: npy(-W), "weights_file_values"),
    "no number": ("a.npy", lambda: npy(W * np.nan), "weights_file_values"),
    "several of a batch": (
        "a.npz",
        lambda: npz(**{"a.pattern": weights(2, 3), "b.pattern": weights(2, 3)}),
        "weights_file_batch",
    ),
    "many numbers": ("a.npz", lambda: npz(w=np.zeros((16, 512, 512), np.float16)), "weights_file_numbers_many"),
    "many layers": ("a.npy", lambda: npy(np.zeros((257, 1, 2, 2))), "weights_file_layers"),
    "a name twice": (
        "a.safetensors",
        lambda: twice(),
        "upload_duplicate",
    ),
    "metadata of no list": (
        "a.safetensors",
        lambda: safetensors.numpy.save({"w": W}, {"tokens": "a b"}),
        "weights_file_strings",
    ),
    "too many bytes": ("a.npy", lambda: bytes(FILE_LIMIT + 1), "weights_too_large"),
}


def twice() -> bytes:
    one = '"a.pattern": {"dtype": "F32", "shape": [1, 1, 1], "data_offsets": [0, 4]}'
    header = f"{{{one}, {one}}}".encode()
    return len(header).to_bytes(8, "little") + header + bytes(4)


@pytest.mark.parametrize("case", REFUSALS)
def test_what_is_refused_is_told_in_a_sentence(case: str) -> None:
    name, body, code = REFUSALS[case]
    with pytest.raises(InvalidInput) as problem:
        read(name, body())
    assert problem.value.code == code


def test_names_and_tokens_of_a_stranger_are_short_and_steer_nothing() -> None:
    body = safetensors.numpy.save(
        {f"{first}{'z' * 400}<b>\x1b[31m.pattern": one for first, one in zip("ab", W, strict=False)},
        {"tokens": json.dumps(["\x1b[2J", "x" * 900, "\n", "", "é"])},
    )
    run = read("a.safetensors", body).run
    assert [len(layer.name) for layer in run.layers] == [60, 64]  # the second has a number: its end is the same
    assert all("<" not in layer.name and "\x1b" not in layer.name for layer in run.layers)
    assert [*run.lines[0].tokens] == ["�[2J", "x" * 39 + "…", "\n", "", "é"]


def test_sizes_are_known_before_anything_is_read() -> None:
    body = npz(w=W, tokens=LISTED)
    assert (sizes_of_weights("a.npz", body, MOST_TOKENS).numbers, W.size) == (150, 150)
    assert sizes_of_weights("a.npz", b"nothing", MOST_TOKENS).numbers == 0
    assert set(read_weights("a.npz", body, MOST_TOKENS).arrays) == {"w"}


@pytest.mark.parametrize("at", [3, 20, 60, 140, -1])
def test_a_form_that_was_tampered_with_is_none_or_the_run(at: int) -> None:
    file = bytearray(read("a.npz", npz(weights=W)).file)
    file[at] ^= 0x15
    kept = kept_weights(bytes(file), MOST_TOKENS)
    assert kept is None or len(kept.layers) == 3


def test_a_form_whose_numbers_are_no_weights_is_refused_when_it_is_read() -> None:
    file = bytearray(read("a.npz", npz(weights=W)).file)
    file[-4:] = np.float32(-1).tobytes()
    held = models.taken_up(bytes(file), MOST_TOKENS)
    assert held is not None
    with pytest.raises(InvalidInput) as problem:
        held.model.run("")
    assert problem.value.code == "weights_file_values"


def test_a_form_of_more_than_a_page_shows_is_none() -> None:
    file = read("a.npz", npz(weights=W)).file
    assert kept_weights(file, 5) is not None
    assert kept_weights(file, 4) is None
    assert kept_weights(file[:-4], MOST_TOKENS) is None


def test_a_token_keeps_its_signs() -> None:
    assert clean_token("👩‍🔬 \t") == "👩‍🔬 \t"
