"""The mapped sequence (a link's source, a text of any length, an uploaded file) and the sentences about it."""

import math

import numpy as np
import pytest
import safetensors.numpy
import torch
from fastapi.testclient import TestClient

from attention_core import AttentionConfig, InvalidInput, compute, draw_inputs, tokens
from attention_core.mechanisms import MECHANISMS
from visualiser import locale
from visualiser.pages.map.sequence import LONGEST_TEXT, own_text, shortened, subject
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.routes import PREFIX
from visualiser.state import parameters, share
from visualiser.upload import read_upload


def asking(query: str, upload: bytes = b"", accept: str = "en") -> PageRequest:
    return PageRequest(f"page=map&{query}", None, frozenset(), upload, accept, "light", 0, "", {})


def test_a_drawn_source_is_the_configs_own_sequence() -> None:
    for source in ("structured", "gaussian"):
        _, notices, shown = subject(asking(f"source={source}&n=41&h=3&d_k=7&seed=5"))
        Q, K = shown.tensors()
        drawn = draw_inputs(AttentionConfig(n=41, h=3, d_k=7, seed=5, source=source))
        assert torch.equal(Q, drawn.Q)
        assert torch.equal(K, drawn.K)
        assert (shown.h, shown.n_q, shown.n_k, shown.d_k, shown.tokens, notices) == (3, 41, 41, 7, None, ())


def test_half_precision_is_kept_as_such() -> None:
    _, _, shown = subject(asking("n=41&h=3&d_k=7&dtype=bfloat16"))
    Q, K = shown.tensors()
    assert Q.dtype == K.dtype == torch.bfloat16
    assert Q.is_contiguous()


def test_normalised_queries_and_keys_are_those_of_explore() -> None:
    for dtype in ("float32", "float16"):
        _, _, shown = subject(asking(f"n=41&h=3&d_k=7&qk_norm=true&dtype={dtype}"))
        Q, K = shown.tensors()
        result = compute(AttentionConfig(n=41, h=3, d_k=7, tie=False, qk_norm=True, dtype=dtype, source="structured"))
        assert Q.dtype == getattr(torch, dtype)
        assert torch.equal(Q.float(), result.Q)
        assert torch.equal(K.float(), result.K)


def test_the_factor_grows_with_the_keys_that_are_mapped() -> None:
    """They are those of the text beside the link, or of the file, and fewer if the map is cut short."""
    words = " ".join(f"w{i}" for i in range(1024)).encode()
    file = safetensors.numpy.save({"Q": np.ones((3, 2), np.float32), "K": np.ones((64, 2), np.float32)})
    for query, given, n_k in (
        ("source=text&text=ignored", words, 1024),
        ("source=upload", file, 64),
        ("n=256", b"", 256),
    ):
        _, _, shown = subject(asking(f"{query}&log_n=true&scaling=none", given))
        assert shown.config.factor == pytest.approx(math.log(n_k) / math.log(32))
        assert shortened(shown, 16).config.factor == pytest.approx(4 / 5)


def test_a_short_text_comes_in_the_link_and_is_explores() -> None:
    _, _, shown = subject(asking("source=text&text=the+cat+saw+the+cat&h=2&d_model=14&positions=true"))
    config = AttentionConfig(source="text", text="the cat saw the cat", h=2, d_model=14, positions=True)
    Q, K = shown.tensors()
    drawn = draw_inputs(config)
    assert shown.tokens == ("the", "cat", "saw", "the", "cat")
    assert torch.equal(Q, drawn.Q)
    assert torch.equal(K, drawn.K)


def test_a_long_text_comes_beside_the_link() -> None:
    words = [f"w{i % 97}" for i in range(1013)]
    _, notices, shown = subject(asking("source=text&h=2&d_model=14&text=ignored", " ".join(words).encode()))
    assert shown.tokens == tuple(words)
    Q, _ = shown.tensors()
    assert Q.shape == (2, 1013, 7)
    # some processors add in another order at the matrix's edge
    torch.testing.assert_close(Q[:, 0], Q[:, 97], rtol=1e-6, atol=1e-6)
    assert (Q[:, 0] - Q[:, 1]).abs().max() > 0.1
    assert notices == ()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_without_a_text_the_pages_own_explanations_are_mapped(lang: str) -> None:
    _, notices, shown = subject(asking("source=text", accept=lang))
    assert shown.tokens is not None
    assert len(shown.tokens) > 1000
    assert shown.tokens[:3] == tokens(own_text(lang)[:200])[:3]
    assert locale.text(lang, "explain.pooling") in own_text(lang)
    assert notices == ()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_text_that_is_too_long_is_cut_and_a_notice_says_so(lang: str) -> None:
    most = int(share.parameters.bounds("map")["n"].maximum)
    _, notices, shown = subject(asking("source=text&split=characters", b"ab" * most, accept=lang))
    assert (shown.n_q, len(shown.tokens or ())) == (most, most)
    assert notices == (locale.text(lang, "notice.text_cut", n=most),)
    _, notices, shown = subject(asking("source=text", b"x y" + b" " * LONGEST_TEXT + b"z", accept=lang))
    assert (shown.tokens, notices) == (("x", "y"), (locale.text(lang, "notice.text_cut", n=2),))


def test_a_text_of_less_than_two_tokens_is_refused() -> None:
    for body in (b"cat", b"   ", "​".encode()):
        with pytest.raises(InvalidInput) as refused:
            subject(asking("source=text", body))
        assert refused.value.code == "text_empty"


def test_bytes_that_are_no_utf_8_are_read_as_far_as_they_go() -> None:
    _, _, shown = subject(asking("source=text", b"caf\xe9 \xff\xfe cat"))
    assert shown.tokens is not None
    assert shown.tokens[-1] == "cat"


def test_an_uploaded_file_may_be_long_here_and_not_elsewhere(client: TestClient) -> None:
    n = 613
    file = safetensors.numpy.save({"Q": np.ones((n, 3), np.float32), "K": np.ones((n, 3), np.float32)})
    answers = [
        client.post(f"{PREFIX}/upload", params={"name": "a.safetensors", **page}, content=file)
        for page in ({"page": "map"}, {}, {"page": "explore"}, {"page": "nowhere"})
    ]
    assert [answer.status_code for answer in answers] == [200, 422, 422, 422]
    lines = ["tensor,head,position,0", *(f"{name},0,{i},1" for name in "QK" for i in range(n))]
    assert read_upload("a.csv", "\n".join(lines).encode(), 613).Q.shape == (1, n, 1)
    with pytest.raises(InvalidInput):
        read_upload("a.csv", "\n".join(lines).encode(), 612)
    _, _, shown = subject(asking("source=upload", file))
    assert (shown.h, shown.n_q, shown.n_k, shown.d_k) == (1, n, n, 3)


def test_a_link_to_a_file_or_a_mechanism_that_is_not_here_shows_something_else_and_says_so() -> None:
    state, notices, shown = subject(asking("source=upload"))
    assert (state.config.source, shown.n_q) == ("structured", 4096)
    assert notices == (locale.text("en", "notice.no_upload"),)
    state, notices, _ = subject(asking("mechanism=additive&n=41"))
    assert state.config.mechanism == "dot_product"
    notice = locale.text("en", "notice.choice", name="mechanism", value="additive", used="dot_product")
    assert notices == (notice,)
    assert parameters.choices("map", "mechanism") == tuple(name for name, one in MECHANISMS.items() if one.products)
