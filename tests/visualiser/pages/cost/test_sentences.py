"""The Cost page's sentences, each in a state where another one would be false."""

from dataclasses import replace
from typing import Any

import pytest

from attention_core import CostConfig
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import CostPoint
from tests.visualiser.pages.cost.test_live import CONFIG, measured, point
from visualiser.figures.measurement import sentence
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.pages.cost import live, sentences
from visualiser.shipped import shipped
from visualiser.state import share

TIMES = {"additive_naive": 5e-5, "additive_chunked": 3e-5, "explicit": 1e-6, "fused": 1e-6}


def experiment(link: str) -> CostConfig:
    state = share.read(f"page=cost&{link}").state
    return live.experiment(state.config, str(state.own["varied"]))


def points(config: CostConfig, times: dict[str, float] = TIMES, slowed: float = 1.0) -> list[CostPoint]:
    """Return points of n² times; every second size's median is `slowed`, its fastest call is not."""
    found = []
    for place, size in enumerate(config.sizes):
        n, d_k = config.shape(size)
        for name, time in times.items():
            operations, fastest = CONTENDERS[name].operations(n, d_k, False), time * size**2
            seconds = fastest * (slowed if place % 2 else 1.0)
            bytes_ = CONTENDERS[name].bytes(n, d_k, False)
            found.append(
                CostPoint(name, "forward", size, n, d_k, operations, 0.0, 0, seconds, fastest, bytes_, calls=3)
            )
    return found


def describe(found: list[CostPoint], config: CostConfig = CONFIG, lang: str = "en") -> str:
    return " ".join(write_all(sentences.in_full(sentences.facts(found), config), lang))


def test_the_sentences_hold_the_measured_numbers() -> None:
    description = describe(measured())
    assert description.startswith("What does additive attention cost beside dot products, as n grows?")
    assert "At n = 64, d_k = 8 additive attention does 1 time the operations of dot products" in description
    assert "takes 30 times as long as torch's fused kernel: similar in theory, not in practice." in description
    assert "holds 50 times the memory of softmax(QKᵀ/√d_k)V, in blocks of queries 2 times" in description
    # the three sizes lie on a line: the standard error is 0, and 0.01 is the last digit shown
    assert "From n = 16 to 64 its time goes as n to the power 2 ± 0.01, the fused kernel's as 1 ± 0.01." in description


def test_the_ratio_stands_first_and_both_counts_say_why() -> None:
    found = sentences.facts(measured())
    short, lead, _, dearer, *_ = sentences.insight(found, CONFIG)
    assert short.written("en") == "Additive attention: 1 time the operations of dot products, 30 times the time."
    assert (lead.key, dearer.key) == ("cost.lead", "cost.dearer")
    size = {p.contender: p.operations.total for p in measured() if (p.n, p.d_k) == (64, 8)}
    assert (dearer.facts["additive"], dearer.facts["dot"]) == (size["additive_chunked"], size["fused"])
    assert "d_k = 8 additive attention takes" in dearer.written("en")


def test_what_is_not_dearer_is_not_called_so() -> None:
    pair = [point("additive_chunked", 16, 1.0, 1), point("fused", 16, 2.0, 1)]
    assert "cost.dearer" not in [each.key for each in sentences.insight(sentences.facts(pair), CONFIG)]


@pytest.mark.parametrize(("count", "phrase"), [(1, "1 point was not run"), (2, "2 points were not run")])
def test_one_point_is_not_several(count: int, phrase: str) -> None:
    left_out = [point("explicit", 128 * i, None, None, skipped="time") for i in range(1, count + 1)]
    assert phrase in describe([p for p in measured() if p.skipped is None] + left_out)


def test_many_projections_are_not_called_similar_in_theory() -> None:
    """At d_k = 1024 and n = 32 the projections of queries and keys are 4 n d² of 4 n d² + 6 n² d: 95.5 %."""
    config = experiment("varied=d_k&n=32")
    description = describe(points(config), config)
    assert "similar in theory" not in description
    assert (
        "does 33.5 times the operations of dot products, 96% of them for W_q q and W_k k, and takes 30 times"
        in description
    )


@pytest.mark.parametrize("factor", [1.4, 0.5])
def test_what_is_as_fast_as_theory_says_is_not_called_different_in_practice(factor: float) -> None:
    """1.5 + d_k / n operations at n = 2048, so a time below 3 times as long is theory's own."""
    config = experiment("varied=n")
    description = describe(points(config, {**TIMES, "additive_chunked": factor * TIMES["fused"]}), config)
    assert f"and takes {factor:g} times as long" in description
    assert "in practice" not in description


def test_a_noisy_machine_gives_no_exponent_and_says_how_its_calls_differ() -> None:
    """Every second median is eight times its fastest call, as on a machine that does something else."""
    config = experiment("varied=n")
    description = describe(points(config, slowed=8.0), replace(config, sizes=config.sizes[:6]))
    assert "to the power" not in description
    assert "the times follow no power of n closely enough to name one (standard error" in description
    smooth = describe(points(config), config)
    assert "From n = 256 to 2048 its time goes as n to the power 2 ± 0.01" in smooth
    uneven = [p for p in points(config, slowed=8.0) if p.size <= 1024]
    assert "a median took 8 times the fastest" in describe(uneven, config)
    assert "fastest" not in smooth


def test_two_sizes_have_no_exponent() -> None:
    assert "power" not in describe([p for p in measured() if p.size < 64])


def test_blocks_that_hold_as_much_as_one_tensor_are_not_said_to_save() -> None:
    """At n = 32 and d_k = 8 all queries are one block."""
    config = replace(experiment("varied=n&d_k=8"), sizes=(16, 32))
    assert "holds 4.89 times the memory of softmax(QKᵀ/√d_k)V, in blocks of queries 5.11 times (forward" in describe(
        points(config), config
    )


def test_each_figure_is_summed_up_at_the_largest_size_that_most_ways_reached() -> None:
    time = sentence(measured(), "time").written("en")
    ways = "additive with one tensor 32.8, additive in blocks 0.48, softmax(QKᵀ/√d_k)V 0.064 and fused kernel 0.032"
    assert time == f"Forward at n = 32, d_k = 8, in milliseconds: {ways}."
    memory = sentence(measured(), "memory").written("en")
    assert "in megabytes: additive with one tensor 0.16, additive in blocks 0.0064" in memory
    alone = sentence([p for p in measured() if p.contender == "fused"], "time").written("en")
    assert alone == "Forward at n = 64, d_k = 8, in milliseconds: fused kernel 0.064."
    assert sentence([], "time").written("en") == text("en", "cost.nothing")
    backward = [replace(p, passes="forward_backward") for p in measured()]
    assert sentence(backward, "time").written("en") == text("en", "cost.nothing_forward")


@pytest.mark.parametrize(
    ("time", "fastest", "rights"),
    [
        (0.4, 0.4, ["same"]),
        (2.04, 1.96, ["few", "same"]),  # within what its calls leave open
        (2.04, 2.02, ["few"]),
        (28.5, 28.5, ["tens"]),
        (60.0, 1.0, ["more", "same", "few", "tens"]),
    ],
)
def test_every_answer_that_the_calls_leave_open_is_right(time: float, fastest: float, rights: list[str]) -> None:
    pair = [point("additive_chunked", 16, time, 1), point("fused", 16, 1.0, 1)]
    found = sentences.facts([replace(pair[0], fastest=fastest), pair[1]])
    because = f"Measured at n = 16, d_k = 8: {time:g} times as long ({fastest:g} to {time:g}, as single calls differ)"
    for answer in sentences.RATIO.choices:
        verdict = sentences.verdict(found, {"prediction": {"name": "cost_ratio", "answer": answer}})
        assert verdict is not None
        assert (verdict.right, verdict.real) == (answer in rights, rights)
        assert verdict.sentences[1].written("en").startswith(because)


def test_a_time_below_the_clock_s_tick_is_no_ratio() -> None:
    pair = [point("additive_chunked", 16, 1.0, 1), point("fused", 16, 0.0, 1)]
    found = sentences.facts(pair)
    assert sentences.verdict(found, {"prediction": {"name": "cost_ratio", "answer": "same"}}) is None
    assert [each.key for each in sentences.in_full(found, CONFIG)] == ["cost.lead"]


def test_the_plan_states_the_bound_as_the_figure_draws_it() -> None:
    config: Any = replace(CONFIG, bytes=2**29, seconds=0.3, total=45.0)
    plan = sentences.plan(config)[1].written("en")
    assert "would take more than 0.3 s or 537 MB is not made" in plan
    assert "measures n = 16, 32 and 64, four ways each" in plan


def test_the_shipped_measurement_is_told_in_its_own_numbers() -> None:
    config, kept = experiment("varied=n"), shipped("cost")
    description = describe([live.point_from(entry) for entry in kept.results], config)
    # 0.12749 s against 0.012801 s at n = 2048; 1,665 against 1,099 million operations
    assert "At n = 2048, d_k = 64 additive attention does 1.52 times the operations" in description
    assert "takes 9.96 times as long as torch's fused kernel: similar in theory, not in practice." in description
    assert "5 points were not run" in description
