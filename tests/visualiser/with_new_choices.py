"""A program that goes through a copy of the app with choices of its own (`tests.visualiser.recipes`).

Each function named `cosine_…`, `relu_…` or `strided_…` is one place. It holds the right number,
computed here anew with numpy, or the refusal by name. The program prints a JSON object: the name of each place, and
nothing or how it failed.
"""

import contextlib
import csv
import io
import json
import math
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gradio as gr
import numpy as np
import pytest
import torch

from attention_core import (
    AttentionConfig,
    InvalidInput,
    attention_statistics,
    compute,
    compute_rows,
    format_loss,
    layers,
    temperature,
    walk,
)
from attention_core.blocks.row_statistics import ROW_STATISTICS
from attention_core.config import settings
from attention_core.mechanisms import MECHANISMS
from attention_core.result import compute as computing
from attention_core.result.result import AttentionResult
from attention_core.result.streamed import StreamedCells
from attention_core.sharded.command_line import parse
from visualiser.drawing.cells import cells, quantity
from visualiser.drawing.score_curves import score_curves
from visualiser.export import cells_csv, html, npz, rows_csv, snippet
from visualiser.figures import entropy, gradient, heat_maps, jacobian, row_weights, score_distribution
from visualiser.locale import LANGUAGES, texts
from visualiser.locale.message_format import pieces
from visualiser.locale.required_texts import required
from visualiser.maps import geometry
from visualiser.pages.anatomy import live as anatomy
from visualiser.pages.cost import live as cost
from visualiser.pages.explore import frame, questions, reasons, sentences, take_away
from visualiser.pages.explore.endpoint import attention
from visualiser.pages.map import live as maps
from visualiser.pages.map.endpoint import long_sequence
from visualiser.pages.train import live as train
from visualiser.pages.uses import uses
from visualiser.pages.why import live as why
from visualiser.reasons.explained import explained
from visualiser.reasons.kinds import formula
from visualiser.server.admission.cost import Sized, shape_of
from visualiser.server.admission.cost import attention as price
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters, share
from visualiser.state.view import View

FIGURES = (heat_maps, score_distribution, entropy, gradient, row_weights, jacobian)
COSINE = AttentionConfig(n=7, h=3, d_k=5, tie=False, mechanism="cosine")
STRIDED = AttentionConfig(n=7, h=3, d_k=5, tie=False, mask="strided")
RELU = AttentionConfig(n=7, h=3, d_k=5, tie=False, normalisation="relu")
REFUSED = r"^normalisation must be one of softmax(, sink, sigmoid(, entmax)?)? .*; got 'relu'\.$"


def cosines(result: AttentionResult) -> np.ndarray:
    Q, K = (tensor.double().numpy() for tensor in (result.Q, result.K))
    lengths = np.linalg.norm(Q, axis=-1)[:, :, None] * np.linalg.norm(K, axis=-1)[:, None, :]
    return Q @ K.swapaxes(1, 2) / lengths


def softmax(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def entropies(p: np.ndarray) -> np.ndarray:
    return -(p * np.log(p)).sum(-1)


def close(found: Any, expected: Any, off: float = 2e-6) -> None:
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, rtol=off, atol=off)


def refuses(called: Callable[[], Any], sentence: str = REFUSED) -> None:
    """Fail unless the call, or what it yields, is refused by this sentence."""

    def through() -> None:
        found = called()
        if isinstance(found, Iterator):
            list(found)

    with pytest.raises((InvalidInput, gr.Error)) as refusal:
        through()
    assert re.match(sentence, str(refusal.value).strip('"')), refusal.value


def ranks_refuse(option: str, value: str, sentence: str) -> None:
    """Fail unless the command line of the ranks, which know dot products and sums over a row alone, refuses it."""
    with contextlib.redirect_stderr(io.StringIO()) as written, pytest.raises(SystemExit):
        parse(["file.safetensors", "--out", "folder", option, value])
    assert sentence in written.getvalue()


@contextlib.contextmanager
def streamed() -> Iterator[None]:
    before, computing.STREAMED_ABOVE = computing.STREAMED_ABOVE, 0
    try:
        yield
    finally:
        computing.STREAMED_ABOVE = before


def ask(query: str, page: str, lang: str, **extra: Any) -> PageRequest:
    return PageRequest(f"{query}&lang={lang}", None, frozenset(), b"", None, "light", 0, "", extra, page)


def answered(pieces: Iterator[bytes]) -> str:
    return b"".join(bytes(piece) for piece in pieces).decode("utf-8", "ignore")


def of_others(lang: str, name: str) -> list[str]:
    """Return the longest fixed part of each text that is keyed by another mechanism."""
    others = [one for one in MECHANISMS if one != name]
    keys = [key for key in required() if re.search(rf"[._]({'|'.join(others)})$", key)]
    own = "\n".join(texts(lang)[key] for key in required() if key.endswith(name))
    found = []
    for key in keys:
        if key.startswith(("reason.formula.", "choice.", "anatomy.")):
            continue  # one list of all mechanisms; the names of the controls; another page's
        longest = max((piece for piece in pieces(texts(lang)[key]) if isinstance(piece, str)), key=len)
        if longest not in own and longest not in texts(lang)["insight.variance"]:
            found.append(longest)
    return found


def only_cosine(written: str, lang: str) -> None:
    """Fail if a text is another mechanism's; the list of all formulas names each by itself."""
    for kind in ("product", "score"):
        written = written.replace(formula(lang, kind), "")
    for other in (*of_others(lang, "cosine"), "qᵢ · kⱼ", "QKᵀ", "tanh("):
        assert other not in written, other


def cosine_scores_and_weights() -> None:
    result = compute(COSINE)
    close(result.scores, cosines(result))
    close(result.scaled, cosines(result) / math.sqrt(5))
    close(result.weights, softmax(cosines(result) / math.sqrt(5)))
    close(result.entropy, entropies(softmax(cosines(result) / math.sqrt(5))))


def cosine_of_some_rows() -> None:
    close(compute_rows(COSINE, (5, 2)).scores, cosines(compute(COSINE))[:, [5, 2]])


def cosine_streamed() -> None:
    whole = compute(COSINE)
    with streamed():
        result = compute(COSINE)
    assert isinstance(result.cells, StreamedCells)
    close(result.tile(slice(2, 5), slice(1, 7)), softmax(cosines(whole) / math.sqrt(5))[:, 2:5, 1:7])
    close(result.entropy, entropies(softmax(cosines(whole) / math.sqrt(5))))
    close(result.score_variance, (cosines(whole) / math.sqrt(5)).var((1, 2)), 1e-5)


def cosine_in_a_number_format() -> None:
    result = compute(replace(COSINE, dtype="float16"))
    close(result.scores, cosines(result), 1e-3)
    close(result.weights, softmax(cosines(result) / math.sqrt(5)), 1e-3)
    assert format_loss(result) is not None


def cosine_is_not_predicted_by_footnote_4() -> None:
    result = compute(COSINE)
    assert (result.predicted_mean, result.predicted_variance) == (None, None)
    for lang in LANGUAGES:
        first = sentences.in_full(result)[0]
        assert first.key == "insight.scores.cosine"
        start = next(piece for piece in pieces(texts(lang)[first.key]) if isinstance(piece, str))
        assert first.written(lang).startswith(start)
        close(first.facts["measured"], (cosines(result) / math.sqrt(5)).var(), 1e-4)


def cosine_sentences_and_their_reasons() -> None:
    for lang in LANGUAGES:
        for config in (COSINE, replace(COSINE, source="text"), replace(COSINE, mask="causal")):
            result = compute(config)
            for row in (None, 3):
                view = View(lang=lang, row=row)
                explanations = explained(sentences.insight(result, view), lang, reasons.reasons(result, view))
                only_cosine(json.dumps(explanations, ensure_ascii=False), lang)


def cosine_arithmetic_of_every_cell() -> None:
    result = compute(COSINE)
    for lang in LANGUAGES:
        for stage in ("scores", "scaled", "masked", "weights"):
            for row in (None, 3):
                view = View(lang=lang, stage=stage, row=row)
                for figure in FIGURES:
                    shown = figure.table(result, view)
                    lines = range(len(shown.columns[0].values))
                    made = [column.made(line) for column in shown.columns if column.made for line in lines]
                    written = " ".join(one.written(lang) for one in made if one)
                    only_cosine(f"{shown.caption} {written} {figure.summary(result, view)}", lang)
        view = View(lang=lang, stage="scores")
        (column,) = [column for column in heat_maps.table(result, view).columns if column.kind == "product"]
        assert column.made is not None
        reason = column.made(0)
        assert reason is not None
        assert reason.key == "reason.made.scores.cosine"
        close(reason.facts["value"], cosines(result)[0].max())
        assert texts(lang)["reason.formula.product.cosine"] in formula(lang, "product")


def cosine_figures() -> None:
    result = compute(COSINE)
    for lang in LANGUAGES:
        for stage in ("scores", "scaled", "masked", "weights"):
            view = View(lang=lang, stage=stage, row=3)
            for figure in FIGURES:
                only_cosine(figure.drawing(result, view).json("light"), lang)
        view = View(lang=lang, stage="scores")
        assert quantity(result, view) == texts(lang)["figure.stage.scores_cosine"]
        close(cells(result, (1, 2, 3), "scores"), cosines(result))
        assert "QK" not in texts(lang)["choice.stage.scores"]  # the stage of every mechanism
    assert not len(score_curves(result).scores)  # the density of dot products


def cosine_on_explore() -> None:
    for lang in LANGUAGES:
        for more in ("", "&stage=scores&row=3", "&dtype=float16", "&mask=window&window=1", "&source=text&predict=true"):
            asked = ask(f"n=7&h=3&d_k=5&mechanism=cosine{more}", "explore", lang)
            only_cosine(answered(frame.frame(asked)), lang)
            assert not frame.shown_state(asked)[1], "a notice"
        asked = ask("n=7&h=3&d_k=5&mechanism=cosine&stage=scores", "explore", lang, row=3, table="heat-maps", line=1)
        only_cosine(answered(frame.row(asked)), lang)
        only_cosine(answered(frame.arithmetic_of(asked)), lang)
        for kind in take_away.KINDS.values():
            asked = ask("n=7&h=3&d_k=5&mechanism=cosine&stage=scores", "explore", lang, figure="heat-maps")
            assert answered(kind.content(asked))


def cosine_files() -> None:
    result = compute(COSINE)
    lines = list(csv.DictReader(io.StringIO(b"".join(cells_csv(result)).decode("utf-8-sig"))))
    close([float(line["score"]) for line in lines], cosines(result).flatten(), 1e-5)
    close([float(line["weight"]) for line in lines], softmax(cosines(result) / math.sqrt(5)).flatten(), 1e-5)
    rows = list(csv.DictReader(io.StringIO(b"".join(rows_csv(result)).decode("utf-8-sig"))))
    expected = entropies(softmax(cosines(result) / math.sqrt(5))).flatten()
    close([float(line["entropy_nats"]) for line in rows], expected, 1e-5)
    held = np.load(io.BytesIO(npz(result)))
    close(held["scores"], cosines(result))
    assert json.loads(str(held["config"]))["mechanism"] == "cosine"
    for lang in LANGUAGES:
        view = View(lang=lang, stage="scores", row=3)
        drawn = [(figure, result, figure.drawing(result, view)) for figure in FIGURES]
        page = html(drawn, view, None, [one.written(lang) for one in sentences.insight(result, view)])
        only_cosine(page.partition('<script type="text/plain"')[0], lang)
        assert texts(lang)["figure.stage.scores_cosine"] in page


def cosine_script() -> None:
    for config in (COSINE, replace(COSINE, mask="causal"), replace(COSINE, dtype="float16")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet(config), "snippet", "exec"), {})  # noqa: S102
        result = compute(config)
        lines = [line.split() for line in printed.getvalue().splitlines()[1:]]
        close([float(line[1]) for line in lines], result.entropy.double().mean(-1).numpy(), 1e-4)
        close([float(line[2]) for line in lines], result.score_variance.double().numpy(), 1e-3)


def cosine_costs_what_its_products_cost() -> None:
    dot = replace(COSINE, mechanism="dot_product")
    assert price(Sized(COSINE, shape_of(COSINE))) == price(Sized(dot, shape_of(dot)))


def cosine_endpoint() -> None:
    result = compute(COSINE)
    found: Any = attention(n=7, h=3, d_k=5, mechanism="cosine")
    close(found["entropy"], entropies(softmax(cosines(result) / math.sqrt(5))).mean(-1), 1e-5)
    assert found["predicted_score_variance"] is None


def cosine_is_not_walked_through() -> None:
    refuses(
        lambda: walk(layers(COSINE, 1)[0], 0),
        r"^mechanism must be one of dot_product, additive to be walked through; got 'cosine'\.$",
    )
    close(layers(COSINE, 1)[0].attention.scores, cosines(compute(COSINE)))
    for lang in LANGUAGES:
        reading = share.read(f"page=anatomy&mechanism=cosine&lang={lang}")
        assert reading.state.config.mechanism == "dot_product"
        assert any("cosine" in notice for notice in reading.notices)
        assert answered(anatomy.frame(ask("mechanism=cosine", "anatomy", lang)))


def cosine_is_not_mapped() -> None:
    for lang in LANGUAGES:
        reading = share.read(f"page=map&mechanism=cosine&lang={lang}")
        assert reading.state.config.mechanism == "dot_product"
        assert any("cosine" in notice for notice in reading.notices)
    with pytest.raises(TypeError, match="mechanism"):
        long_sequence(n=65, h=2, mechanism="cosine")
    ranks_refuse("--mechanism", "cosine", "unrecognized arguments: --mechanism cosine")


def cosine_leaves_the_other_pages_alone() -> None:
    for lang in LANGUAGES:
        for page, live in {"why": why, "cost": cost, "train": train}.items():
            with_it = answered(live.LIVE.frame[0](ask("mechanism=cosine", page, lang)))
            without = answered(live.LIVE.frame[0](ask("", page, lang)))
            assert len(with_it) > 0
            assert ("cosine" in with_it.lower()) == ("cosine" in without.lower()) or "mechanism=cosine" in with_it


def cosine_is_asked_questions() -> None:
    assert uses()["mechanism"]["cosine"] == ["scaling", "scale", "log_n"]
    assert len(questions.draws(replace(COSINE, source="upload"))) == 1  # no parameters, so no seed
    asked = questions.askable(share.read("mechanism=cosine").state, COSINE)
    assert {"unscaled_entropy", "causal_entropy", "narrow_head"} <= set(asked)


def relus(result: AttentionResult) -> np.ndarray:
    scores = (result.Q.double() @ result.K.double().mT).numpy() / math.sqrt(result.config.d_k)
    positive = np.maximum(scores if result.mask is None else np.where(result.mask.numpy(), scores, 0.0), 0.0)
    total = positive.sum(-1, keepdims=True)
    return np.divide(positive, total, out=np.zeros_like(positive), where=total > 0)


def relu_weights_and_output() -> None:
    for config in (RELU, replace(RELU, mask="causal"), replace(RELU, mask="window", window=1)):
        result = compute(config)
        close(result.weights, relus(result))
        close(result.output, relus(result) @ result.V.double().numpy(), 1e-5)
        assert (result.weights == 0).float().mean() > 0.2
        close(compute_rows(config, (5, 2)).weights, relus(result)[:, [5, 2]])


def relu_has_no_statistics() -> None:
    result = compute(RELU)
    for name in ROW_STATISTICS:
        refuses(lambda name=name: result.statistic(name))
    refuses(lambda: result.jacobian(1, 0))
    refuses(lambda: temperature(result))


def relu_is_not_streamed() -> None:
    with streamed():
        refuses(lambda: compute(RELU))


def relu_has_no_number_format() -> None:
    refuses(lambda: compute(replace(RELU, dtype="float16")))
    refuses(lambda: compute(replace(RELU, subtract_max=False)))
    assert format_loss(compute(RELU)) is None


def relu_is_not_walked_through() -> None:
    layer = layers(RELU, 1)[0]
    close(layer.attention.weights, relus(compute(RELU)))
    refuses(lambda: walk(layer, 0))


def relu_files() -> None:
    result = compute(RELU)
    lines = list(csv.DictReader(io.StringIO(b"".join(cells_csv(result)).decode("utf-8-sig"))))
    close([float(line["weight"]) for line in lines], relus(result).flatten(), 1e-5)
    view = View()
    refuses(lambda: rows_csv(result))
    refuses(lambda: npz(result))
    refuses(lambda: snippet(RELU))
    refuses(lambda: html([(heat_maps, result, heat_maps.drawing(result, view))], view))


def relu_figures_and_their_words() -> None:
    result = compute(RELU)
    close(cells(result, (1, 2, 3), "weights"), relus(result))
    for lang in LANGUAGES:
        view = View(lang=lang, row=3)
        assert heat_maps.drawing(result, view)
        for figure in (score_distribution, entropy, gradient, jacobian):
            refuses(lambda figure=figure: figure.drawing(result, view))  # noqa: B023
        for figure in FIGURES:
            refuses(lambda figure=figure: figure.table(result, view))  # noqa: B023
            refuses(lambda figure=figure: figure.summary(result, view))  # noqa: B023
        refuses(lambda: sentences.insight(result, view))  # noqa: B023
        refuses(lambda: reasons.reasons(result, view))  # noqa: B023


def relu_is_not_mapped() -> None:
    refuses(lambda: geometry.options(RELU))
    refuses(
        lambda: long_sequence(n=65, h=2, normalisation="relu"), r"normalisation must be softmax.* here, got 'relu'$"
    )
    ranks_refuse(
        "--normalisation", "relu", "must be one of softmax, sink, sigmoid here: others need all scores of a row"
    )


def relu_endpoint() -> None:
    refuses(lambda: attention(n=7, h=3, d_k=5, normalisation="relu"))


def relu_links() -> None:
    assert "normalisation" in settings()
    for page in parameters.PAGES:
        for lang in LANGUAGES:
            reading = share.read(f"page={page}&normalisation=relu&lang={lang}")
            assert any("relu" in notice for notice in reading.notices), page
            assert reading.state.config.normalisation == "softmax"
            assert "relu" not in share.canonical(reading.state)


def relu_on_every_page() -> None:
    lives = {"explore": frame.frame, "why": why.frame, "anatomy": anatomy.frame, "map": maps.frame}
    for page, answer in lives.items():
        for lang in LANGUAGES:
            assert "“relu”" in answered(answer(ask("normalisation=relu&n=7", page, lang))), page


def strides(config: AttentionConfig) -> np.ndarray:
    at = np.arange(config.n)
    return (at - at[:, None]) % 2 == 0


def strided_weights_in_memory_and_streamed() -> None:
    whole = compute(STRIDED)
    scores = (whole.Q.double() @ whole.K.double().mT).numpy() / math.sqrt(5)
    weights = softmax(np.where(strides(STRIDED), scores, -np.inf))
    close(whole.weights, weights)
    with streamed():
        passed = compute(STRIDED)
    close(passed.tile(slice(None), slice(None)), weights)
    close(passed.largest_weight, weights.max(-1))
    mapped = attention_statistics(whole.Q, whole.K, overview=7, **geometry.options(STRIDED))
    close(mapped.entropy, whole.entropy)
    assert mapped.overview is not None
    close(mapped.overview.mean, weights)
    assert geometry.keys(STRIDED, 7, 7).tolist() == [4, 3, 4, 3, 4, 3, 4]
    edges = np.arange(8)
    assert (geometry.hidden(STRIDED, edges, edges, 7, 7) == ~strides(STRIDED)).all()


def strided_script_and_files() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet(STRIDED), "snippet", "exec"), {})  # noqa: S102
    entropy = [float(line.split()[1]) for line in printed.getvalue().splitlines()[1:]]
    close(entropy, compute(STRIDED).entropy.double().mean(-1), 1e-4)
    lines = list(csv.DictReader(io.StringIO(b"".join(cells_csv(compute(STRIDED))).decode("utf-8-sig"))))
    assert [line["allowed"] == "1" for line in lines] == [*np.tile(strides(STRIDED).flatten(), 3)]


def strided_words_and_pages() -> None:
    messages = sentences.in_full(compute(STRIDED))
    assert "insight.mask.strided" in [one.key for one in messages]
    lives = {"explore": frame.frame, "anatomy": anatomy.frame}
    for lang in LANGUAGES:
        other = next(piece for piece in pieces(texts(lang)["insight.mask.causal"]) if isinstance(piece, str))
        for page, answer in lives.items():
            written = answered(answer(ask("mask=strided&n=7", page, lang)))
            assert '"mask":"strided"' in written, page
            assert other not in written


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = {}
    for name, place in list(globals().items()):
        if name.startswith(("cosine_", "relu_", "strided_")) and callable(place):
            try:
                place()
                found[name] = ""
            except (Exception, pytest.fail.Exception):
                found[name] = traceback.format_exc()
    sys.stdout.write(json.dumps(found))
