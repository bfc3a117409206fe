"""The Anatomy page's answers (shapes, tensors, sentences and verdicts) against the core."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, layers, walk
from tests.visualiser.pieces import opened, plainly
from visualiser.locale import LANGUAGES, number, text, texts
from visualiser.pages.anatomy import endpoint as anatomy_endpoint
from visualiser.pages.anatomy import live as anatomy
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.tensors import pooled
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

TEXT = "one two three two"


def asked(query: str, **extra: Any) -> dict[str, dict[str, Any]]:
    """Return the headers of an answer's parts, by kind; the walk with its values filled in."""
    ask = PageRequest(f"page=anatomy&{query}", None, frozenset(), b"", "en", "light", 0, "", extra)
    found = {}
    for piece in anatomy.frame(ask):
        header, blocks = opened(piece)
        if header["part"] == "walk":
            header = {**header, **filled(header["values"], blocks)}
        found[header["part"]] = plainly(header)
    return found


def filled(entry: dict[str, Any], blocks: bytes) -> Any:
    def value(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        count = int(np.prod(node["s"]))
        return np.frombuffer(blocks, node["t"], count, node["at"]).reshape(node["s"])

    def fill(node: Any) -> Any:
        if isinstance(node, list):
            return [fill(child) for child in node]
        if isinstance(node, dict):
            return value(entry["values"][node["$"]]) if "$" in node else {key: fill(it) for key, it in node.items()}
        return node

    return fill(entry["structure"])


def test_the_boxes_follow_the_sizes_and_the_mechanism() -> None:
    dot = walk_steps.boxes(AttentionConfig(n=5, d_model=21, h=3, source="gaussian", layer=2))
    assert {name: box["numbers"] for name, box in dot.items()} == {
        "x": "5 × 21",
        "linear_q": "3 × 5 × 7",
        "linear_k": "3 × 5 × 7",
        "linear_v": "3 × 5 × 7",
        "attention": "3 × 5 × 7",
        "concat": "5 × 21",
        "linear_o": "5 × 21",
        "q": "5 × 7",
        "k": "5 × 7",
        "v": "5 × 7",
        "compare": "5 × 5",
        "scale": "5 × 5",
        "mask": "5 × 5",
        "softmax": "5 × 5",
        "matmul_v": "5 × 7",
    }
    assert dot["concat"]["symbols"] == "n × h·d_v"
    additive = walk_steps.boxes(AttentionConfig(n=5, d_model=21, h=3, mechanism="additive"))
    assert "x" not in additive  # drawn Q and K need no X
    assert "scale" not in additive  # the paper scales dot products only
    assert additive["add"]["numbers"] == "5 × 5 × 7"


def test_a_boxs_weights_stand_apart_from_its_output() -> None:
    boxes = walk_steps.boxes(AttentionConfig(n=5, d_model=22, h=3, source="text", text="a b c d e"))
    output = boxes["linear_o"]
    assert (output["weights"], output["sizes"]) == ("h·d_v × d_model", "21 × 22")
    assert (output["sign"], output["symbols"], output["numbers"]) == ("→", "n × d_model", "5 × 22")
    assert {name for name, box in boxes.items() if box["weights"]} == {"linear_q", "linear_k", "linear_v", "linear_o"}
    assert {name for name, box in boxes.items() if not box["sign"]} == {"x", "q", "k", "v"}
    additive = walk_steps.boxes(AttentionConfig(n=5, d_model=22, h=3, mechanism="additive"))
    assert additive["linear_wq"]["sizes"] == "7 × 7"
    assert (additive["linear_q"]["title"], additive["linear_q"]["weights"]) == ("q", "")  # drawn, not projected
    weights = layers(share.read(f"page=anatomy&text={TEXT}&h=3&d_model=22").state.config, 1)[0].W_O
    assert weights is not None
    table = asked(f"text={TEXT}&h=3&d_model=22")["figures"]["tables"]["anatomy"]
    assert "21 × 22" in str(table)
    assert tuple(weights.shape) == (21, 22)


NORMED = "qk_norm=true&log_n=true"


@pytest.mark.parametrize("query", ["", "mechanism=additive&mask=causal", "source=gaussian&n=5&d_k=3", "layer=3&h=3",
                                   NORMED, f"{NORMED}&mechanism=additive&layer=2"])  # fmt: skip
def test_the_tensors_are_the_cores(query: str) -> None:
    found = asked(f"text={TEXT}&row=2&head=2&{query}")
    state = share.read(f"page=anatomy&text={TEXT}&{query}").state
    layer = layers(state.config, state.config.layer)[-1]
    steps, attention = walk(layer, 2, 2), layer.attention
    sent = {name: tensor["values"] for name, tensor in found["walk"]["tensors"].items()}
    expected = {
        "Q": attention.Q[1], "V": attention.V[1], "scores": attention.scores[1], "masked": attention.masked[1],
        "weights": attention.weights[1], "head": attention.heads[1], "terms": steps.terms,
        "exponentials": steps.exponentials, "sums": steps.sums, "weighted": steps.weighted,
        "concatenation": attention.concatenation, "W_O": layer.W_O, "output": layer.output,
        "X": layer.X, "tanh": steps.own.get("tanh"),
        **{f"{kind}_{x}": steps.normed.get(f"{kind}_{x}") for kind in ("squares", "root", "normed") for x in "qk"},
        "w": layer.parameters["w"][1:2] if layer.parameters else None,
    }  # fmt: skip
    for name, tensor in expected.items():
        if tensor is None:
            assert name not in sent
        else:
            np.testing.assert_array_equal(sent[name], tensor.numpy(), err_msg=name)


@pytest.mark.parametrize("head", [1, 2, 3])
def test_the_largest_score_told_is_that_of_the_walked_head(head: int) -> None:
    found = asked(f"text={TEXT}&h=3&row=2&head={head}&step=exponentials&rows=one")
    config = share.read(f"page=anatomy&text={TEXT}&h=3").state.config
    masked = layers(config, 1)[-1].attention.masked[:, 2]
    assert number(float(masked[head - 1].max())) in found["walk"]["sentences"][0]
    assert len({number(float(own.max())) for own in masked}) == 3


def test_a_tensor_too_large_to_send_comes_as_exact_means_of_blocks() -> None:
    tensor = torch.arange(7 * 5, dtype=torch.float32).reshape(7, 5)
    expected = [[tensor[r : r + 3, c : c + 2].mean().item() for c in (0, 2, 4)] for r in (0, 3, 6)]
    assert pooled(tensor, 3, 2).tolist() == pytest.approx(np.array(expected))
    found = asked("source=gaussian&n=9&d_model=512&h=2")["walk"]
    sent = found["tensors"]["W_O"]
    layer = layers(share.read("page=anatomy&source=gaussian&n=9&d_model=512&h=2").state.config, 1)[0]
    assert (sent["rows"], sent["columns"], sent["block"], found["fits"]) == (512, 512, [4, 4], False)
    assert sent["values"].shape == (128, 128)
    assert layer.W_O is not None
    assert sent["values"][5, 7] == pytest.approx(layer.W_O[20:24, 28:32].mean().item(), rel=1e-5)


def test_a_step_that_the_layer_has_not_gives_way_to_the_next() -> None:
    assert asked("step=scaled&mechanism=additive")["state"]["controls"]["step"] == "masked"
    assert asked("step=tanh")["state"]["query"] == "page=anatomy&step=scores"
    assert asked("source=gaussian")["state"]["controls"]["step"] == "queries"
    assert asked("source=gaussian&layer=2")["state"]["controls"]["step"] == "input"


def test_a_long_text_is_cut_to_what_the_page_shows_and_says_so() -> None:
    found = asked("text=" + "+".join(f"w{i}" for i in range(70)))
    assert found["walk"]["sizes"]["n"] == 64
    assert found["state"]["notices"] == ["The text is too long: it has 70 tokens, and at most 64 are taken."]


@pytest.mark.night(but=1)
@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("mechanism", ["dot_product", "additive"])
@pytest.mark.parametrize("treated", ["", NORMED])
def test_every_step_has_sentences_in_both_languages_with_the_layers_numbers(
    lang: str, mechanism: str, treated: str
) -> None:
    query = f"text={TEXT}&mechanism={mechanism}&mask=causal&row=2&lang={lang}&{treated}"
    state = share.read(f"page=anatomy&{query}").state
    layer = layers(state.config, 1)[0]
    for step in walk_steps.steps(state.config):
        for rows in ("one", "all"):
            found = asked(f"{query}&step={step}&rows={rows}")
            assert found["walk"]["sentences"]
            assert not any("{" in sentence for sentence in found["walk"]["sentences"])
            assert (
                texts(lang)[f"anatomy.title.{walk_steps.treated(state.config, step)}"]
                in found["figures"]["summaries"]["walk"]
            )
    weights = layer.attention.weights[0, 2]
    answer = asked(f"{query}&step=weights")
    assert number(float(weights.max())) in answer["figures"]["insight"][-1]
    listed = ", ".join(number(float(weight)) for weight in weights)
    assert listed in answer["figures"]["summaries"]["walk"]


def test_the_verdict_comes_once_the_scores_are_there_and_says_the_real_key() -> None:
    query = "text=one+two+three+four&row=1&seed=3&predict=true"
    layer = layers(share.read(f"page=anatomy&{query}").state.config, 1)[0]
    best = int(layer.attention.weights[0, 1].argmax())
    prediction = {"name": "anatomy_largest", "answer": str((best + 1) % 4)}
    before = asked(query, prediction=prediction)
    assert "verdict" not in before
    assert asked(query, prediction=prediction, reveal=True)["verdict"]["real"] == [str(best)]
    assert "verdict" not in asked(f"{query}&step=weights", reveal=True)
    assert len(before["question"]["choices"]) == 4
    after = asked(f"{query}&step=weights", prediction=prediction)
    assert after["verdict"]["right"] is False
    assert after["verdict"]["real"] == [str(best)]
    assert number(float(layer.attention.weights[0, 1, best])) in after["verdict"]["sentences"][1]
    assert after["question"]["about"] == before["question"]["about"]
    right = asked(f"{query}&step=scores", prediction={**prediction, "answer": str(best)})
    assert right["verdict"]["right"] is True


def test_nothing_is_asked_once_the_answer_is_on_the_page_or_where_there_is_no_choice() -> None:
    assert asked("predict=true&step=scores")["question"]["kept"] is True
    assert "kept" not in asked("predict=true&step=values")["question"]
    assert "question" not in asked("step=values")
    for choiceless in ("mask=causal&row=0", "source=gaussian&n=9"):
        found = asked(f"predict=true&{choiceless}")
        assert "question" not in found
        assert "predict" not in found["state"]["query"]
        assert text("en", "predict.nothing") in found["state"]["notices"]
    # equal words have equal keys: either is right
    both = asked(
        "predict=true&text=a+b+a&row=1&seed=1&step=weights", prediction={"name": "anatomy_largest", "answer": "2"}
    )
    assert both["verdict"]["real"] == ["0", "2"]
    assert both["verdict"]["right"] is True


def test_the_endpoint_gives_every_step_of_a_query() -> None:
    values = {"h": 3, "d_model": 6, "d_k": 5, "mask": "causal", "seed": 2}
    found: Any = anatomy_endpoint.anatomy(**values, layer=2, head=3, row=1)
    layer = layers(AttentionConfig(**values, source="text", text="the cat sat down"), 2)[1]
    attention = layer.attention
    assert found["masked"][2:] == [None, None]
    assert found["q"] == attention.Q[2, 1].tolist()
    assert found["weights"] == attention.weights[2, 1].tolist()
    assert np.sum(found["terms"], -1) == pytest.approx(found["scores"], rel=1e-5)
    assert np.divide(found["exponentials"], found["exponentials_sum"]) == pytest.approx(found["weights"])
    assert found["output"] == layer.output[1].tolist()
    assert found["shapes"]["attention"] == [3, 4, 5]
    assert found["a"] == layers(layer.config, 1)[0].output[1].tolist()


def above(query: str) -> list[str]:
    return asked(query)["figures"]["insight"]


def test_d_k_below_one_is_not_rounded_down_to_one() -> None:
    (*_, widths) = above("h=16&d_model=8")
    assert "⌊" not in widths
    assert "d_model / h = 8 / 16 is below one" in widths


def test_a_later_layer_has_an_input_whatever_the_source() -> None:
    shapes = asked("source=gaussian&layer=2")["figures"]["summaries"]["anatomy"]
    assert shapes.startswith("X is n × d_model = 4 × 8")
    assert "without an X" in asked("source=gaussian")["figures"]["summaries"]["anatomy"]
    assert asked("source=gaussian")["walk"]["titles"]["queries"] == "The query qⁱ"
    sentences = asked("source=gaussian&layer=2")["walk"]["sentences"]
    assert not any("embedding" in sentence for sentence in sentences)


def test_equal_weights_have_no_largest() -> None:
    uniform = above("scaling=custom&scale=0&step=weights&text=one+two+three+four+five+six+seven+eight")
    assert uniform[-1].endswith(
        "all weights of position 7 “eight” are alike: 0.125 on each of the 8 keys that it sees."
    )
    alike = above("text=a+b+a&row=1&seed=1&step=weights")
    assert "is on 0 “a” and 2 “a” alike" in alike[-1]
    assert "leaves a single key" in above("mask=causal&row=0&step=weights")[-1]


def test_one_head_is_told_as_one() -> None:
    found = asked("h=1&step=concatenation")
    assert found["walk"]["sentences"] == [
        "There is one head, so its output bⁱ·¹ is all there is: h · d_v = 8 components."
    ]
    assert "1 heads" not in " ".join([*above("h=1"), *found["figures"]["summaries"].values()])


def test_an_embedding_with_positions_is_told_as_a_sum() -> None:
    assert asked("positions=true")["walk"]["positions"] is True
    assert asked("positions=false")["walk"]["positions"] is False
    assert asked("source=gaussian&positions=true&layer=2")["walk"]["positions"] is False


def test_a_control_that_is_left_out_is_not_recommended() -> None:
    assert "Choose a mask" in " ".join(asked("step=masked")["walk"]["sentences"])
    assert "Choose a mask" not in " ".join(asked("step=masked&hide=mask")["walk"]["sentences"])


def test_forbidden_keys_are_no_numbers_of_a_range() -> None:
    query = "source=gaussian&n=12&mask=causal&row=9&step=masked"
    masked = layers(share.read(f"page=anatomy&{query}").state.config, 1)[0].attention.masked[0, 9]
    low, high = number(float(masked[:10].min())), number(float(masked.max()))
    assert asked(query)["figures"]["summaries"]["walk"] == (
        f"Masked · query 9, head 1, layer 1: 10 numbers from {low} to {high}, and −∞ for 2 forbidden keys."
    )


@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    "query",
    [
        "n=5&d_k=3&source=gaussian&mask=causal&row=3",
        "mechanism=additive&rows=all&layer=2&hide=mask",
        "scaling=none&hide=mask",
    ],
)
def test_every_step_brings_the_sentences_that_it_shows_itself(query: str) -> None:
    walked = asked(query)["walk"]
    assert list(walked["said"]) == walked["steps"]
    for step in walked["steps"]:
        shown = asked(f"{query}&step={step}")["walk"]
        assert shown["said"] == walked["said"]
        assert " ".join(shown["sentences"]) == walked["said"][step]


def test_paper_does_not_ask_to_choose_a_mask() -> None:
    masked = asked("step=masked")["walk"]
    first, advice = masked["sentences"]
    assert (first, advice) == (texts("en")["anatomy.not_masked"], texts("en")["anatomy.try_mask"])
    assert masked["said"]["masked"] == first
