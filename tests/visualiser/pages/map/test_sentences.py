"""A map's sentences in states where they once said what the weights did not show."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import AttentionInputs, compute, draw
from tests.visualiser.pieces import plainly
from visualiser import locale
from visualiser.maps.sinks import SHARE
from visualiser.reasons.kinds import SECTIONS
from visualiser.state import share
from visualiser.upload import canonical

Mapped = Callable[..., dict[str, list[Any]]]


@pytest.fixture
def describe(mapped: Mapped) -> Callable[..., list[str]]:
    """Return the sentences above a map, without the short one that stands first."""

    def ask(query: str, upload: bytes = b"") -> list[str]:
        return plainly(mapped(f"page=map&{query}", upload)["figures"][0].header["insight"])[1:]

    return ask


Describe = Callable[..., list[str]]


@pytest.mark.night
@pytest.mark.slow
def test_heads_are_compared_by_their_mean_entropy_and_every_sink_is_named(mapped: Mapped) -> None:
    header = mapped("page=map")["figures"][0].header
    columns = {column["label"]: column["values"] for column in header["tables"]["map"]["columns"]}
    entropy = np.array(columns["mean entropy (nats)"])
    short, heads, sink, _ = plainly(header["insight"])
    most, head = max(re.findall(r"([\d.]+) % in head (\d)", sink), key=lambda found: float(found[0]))
    assert short == f"One key takes {most} % of all the weight of head {head}: it is a sink."
    assert heads.startswith(f"Head {entropy.argmin() + 1} is the most selective")
    assert f"The least: head {entropy.argmax() + 1} with" in heads
    assert sink.startswith("Key 0 is a sink")
    assert re.findall(r"in head (\d)", sink) == ["1", "4", "5", "8"]


def test_a_sinks_share_is_the_mean_weight_of_its_key(describe: Describe) -> None:
    _, sink, _ = describe("n=200&h=4")
    weights = compute(share.read("page=map&n=200&h=4").state.config).weights[:, :, 0].mean(-1)
    shares = [float(percent) for percent in re.findall(r"([\d.]+) %", sink)]
    assert shares == pytest.approx([100 * float(weights[head]) for head in (0, 3)], rel=5e-3)
    assert "keys 0 … 0" not in sink


def test_many_sinks_are_counted(describe: Describe) -> None:
    Q, K = np.zeros((1, 70, 2), np.float32), np.zeros((1, 80, 2), np.float32)
    Q[..., 0], K[0, [3, 17, 41], 0] = 20, 5
    Q, K = torch.from_numpy(Q), torch.from_numpy(K)
    assert describe("source=upload", canonical(AttentionInputs(Q, K, K)))[1] == (
        "3 keys are sinks, each with at least 20 % of a head's weight; the most goes to key 3: 33.3 % in head 1."
    )


def test_uniform_weights_choose_nothing_and_make_no_diagonal(describe: Describe) -> None:
    (only,) = describe("n=500&h=2&scaling=custom&scale=0")
    assert only == ("Every query spreads its weight almost evenly over the keys that it sees: mean entropy 6.21 nats.")


def test_diagonals_that_the_mask_forbids_are_not_there(describe: Describe) -> None:
    (_, phrase) = describe("mask=window&window=3&n=500&h=2")
    assert phrase.endswith("The mask forbids every place where two of its copies meet.")


def test_two_tokens_hold_no_phrase(describe: Describe) -> None:
    assert not any("phrase" in sentence for sentence in describe("n=2"))


@pytest.mark.slow
def test_equal_words_are_alike_as_far_as_mask_and_positions_let_them(describe: Describe) -> None:
    query = "source=text&text=the+cat+and+the+dog"
    assert "all its rows are alike" in describe(query)[1]
    assert "only the mask can tell them apart" in describe(f"{query}&mask=causal")[1]
    assert "need not be alike" in describe(f"{query}&positions=true")[1]


@pytest.mark.slow
def test_a_window_bounds_the_entropy_that_a_head_is_measured_by(describe: Describe) -> None:
    most = re.search(r"of at most ([\d.]+) nats", describe("mask=window&window=100&n=1024")[0])
    seen = [math.log(min(query, 100) + 1 + min(1023 - query, 100)) for query in range(1024)]
    assert float(most[1] if most else 0) == pytest.approx(sum(seen) / 1024, abs=5e-3)


def test_queries_without_keys_count_in_no_mean(mapped: Mapped) -> None:
    Q, K = draw(0, "Q", 9, 3)[None], draw(0, "K", 4, 3)[None]
    inputs = AttentionInputs(Q, K, K)
    header = mapped("page=map&source=upload&mask=causal", canonical(inputs))["figures"][0].header
    entropy = compute(share.read("mask=causal").state.config, inputs).entropy[0, 5:]
    columns = {column["label"]: column["values"] for column in header["tables"]["map"]["columns"]}
    assert columns["mean entropy (nats)"] == pytest.approx([float(entropy.mean())], rel=1e-5)
    strips = {column["label"]: column["values"] for column in header["tables"]["strips"]["columns"]}
    assert list(strips["at query"]) == [5]


@pytest.mark.slow
def test_a_saturated_rows_weight_is_one(ask: Callable[..., list[Any]], mapped: Mapped) -> None:
    # scores of 10⁵, which float32 holds to some hundredths: the pass and the row differ by as much
    Q, K = 60 * draw(3, "Q", 130, 64)[None], 60 * draw(3, "K", 130, 64)[None]
    name = mapped("page=map&source=upload&scaling=none", canonical(AttentionInputs(Q, K, K)))["ended"][0].header["id"]
    for row in range(0, 130, 5):
        (part,) = ask("page/map/row", "page=map", id=name, head=1, row=row)
        assert "The largest weight, 1, is on key" in part.header["summaries"]["row"]


def test_a_row_of_equal_weights_has_no_largest(ask: Callable[..., list[Any]], mapped: Mapped) -> None:
    name = mapped("page=map&n=30&h=1&scaling=custom&scale=0&mask=causal")["ended"][0].header["id"]
    (part,) = ask("page/map/row", "page=map", id=name, head=1, row=3)
    assert part.header["summaries"]["row"].endswith("4 keys share the largest weight, 0.25 each.")
    (first,) = ask("page/map/row", "page=map", id=name, head=1, row=0)
    assert first.header["tables"]["row"]["caption"] == "Head 1, query 0: 1 key with the largest weight."


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_sink_is_defined_where_it_is_named(mapped: Mapped, lang: str) -> None:
    """In the tip of the sentence's numbers and in both helps of the page, with the share from which a key is one."""
    least = f"{round(100 * SHARE)}"
    gist, sentence = (
        one
        for one in mapped(f"page=map&n=200&h=4&lang={lang}")["figures"][0].header["insight"]
        if any(piece[3] == "sinks" for piece in one if not isinstance(piece, str))
    )
    word = {"en": "sink", "ko": "싱크"}[lang]
    reasons = [piece for one in (gist, sentence) for piece in one if not isinstance(piece, str)]
    assert len(reasons) == 3
    for _, _, made, section in reasons:
        assert word in made
        assert re.search(rf"\b{least} ?%", made)
        assert "Xiao" in locale.text(lang, f"reason.section.{section}")
        assert SECTIONS[section] == "https://arxiv.org/abs/2309.17453"
    for key in ("figure.map.hint", "explain.map"):
        definition = locale.text(lang, key)
        assert word in definition
        assert re.search(rf"\b{least} ?%", definition)
        assert "Xiao" in definition
