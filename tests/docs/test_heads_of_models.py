"""The page on heads of models says what the code says and measures."""

from pathlib import Path

import pytest

from attention_core.learned import (
    HEAD_MEASURES,
    LABELS,
    PATCH_MEASURES,
    corpus_measures,
    footnote_4,
    head_measures,
    labels,
    patched_heads,
    rollout,
    shipped_model,
    why,
)

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "heads-of-models.md").read_text(encoding="utf-8")
ROWS = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
MODEL = shipped_model("headlight")


def test_every_measure_is_in_the_table_with_its_unit():
    found = {row[0]: row[1] for row in ROWS if row[0].strip("`") in HEAD_MEASURES and len(row) == 4}
    assert found == {f"`{name}`": measure.unit for name, measure in HEAD_MEASURES.items()}


def test_the_stated_rule_decides_what_a_label_is():
    found = corpus_measures(MODEL)
    assert "score ≥ (1 + chance) / 2" in PAGE
    assert {*LABELS} <= {*HEAD_MEASURES, *PATCH_MEASURES, "agreement", "bracket"}
    local = found.score("local", 1, 2)
    assert 0.5 < local.value < (1 + local.chance) / 2
    assert "L1H2 local .56" in PAGE
    first = [f"{found.scores[name][0, 0]:.2f}"[1:] for name in ("local", "agreement")]
    assert "({} and {} for L1H1)".format(*first) in PAGE


def test_the_rows_and_chances_are_those_of_the_text():
    found = corpus_measures(MODEL)
    score = found.score("induction", 2, 1)
    assert f"the {score.rows:,} of {score.of:,} rows" in PAGE.replace("\n", " ")
    even = [f"{found.score(name, 1, 1).chance:.2f}"[1:] for name in ("sink", "delimiter")]
    assert "for the first token and delimiters {} and {} for the model that ships".format(*even) in PAGE
    assert f"{score.value:.2f}"[1:] in PAGE


def test_the_heads_of_the_shipped_model_are_those_of_the_table():
    found = corpus_measures(MODEL)
    [heading] = [row for row in ROWS if row[0] == "head"]
    within = [name for name, measure in HEAD_MEASURES.items() if measure.of_any_text]
    assert heading == ["head", *within, "labels"]
    table = {row[0]: row[1:] for row in ROWS if len(row) == len(heading) and row[0].startswith("L")}
    given = labels(found)
    assert list(table) == [f"L{layer}H{head}" for layer in (1, 2) for head in (1, 2, 3, 4)]
    for place, (*cells, named) in table.items():
        layer, head = int(place[1]) - 1, int(place[3]) - 1
        for name, cell in zip(within, cells, strict=True):
            if cell == "–":
                assert found.score(name, layer + 1, head + 1).rows == 0
                continue
            digits = len(cell.partition(".")[2])
            assert float(found.means[name][layer, head]) == pytest.approx(float(cell), abs=0.51 * 10**-digits)
        assert named == (", ".join(f"{one.measure} {one.score:.2f}" for one in given[layer][head]) or "–")
    found_4 = footnote_4(found.means)
    assert found_4 is not None
    assert f"Of {found_4.heads} heads {found_4.near} has a ratio" in PAGE
    place = f"L{found_4.layer}H{found_4.head}"
    assert f"the median is {found_4.median:.0f}, and the largest, of {place}, {found_4.largest:.0f}." in PAGE


def test_the_example_says_what_it_gives():
    run = MODEL.run("Anna Miller sees Ben Taylor . Ben")
    assert f"{float(head_measures(run, MODEL.delimiters)['previous_token'][0, 0]):.2f}"[1:] == ".90"
    assert "layers × heads, .90" in PAGE
    assert (run.tokens[7], run.tokens[5]) == ("Ben", "Taylor")
    assert float(run.layers[1].weights[0, 7, 5]) > 0.9
    assert why(run.layers[1], head=1, row=7, key=5).rounded(digits=2, most=4).count == 12


def test_what_a_second_text_takes_away_is_as_stated():
    one, other = (f"Anna {a} sees Ben {b} . Ben {b} sees Anna" for a, b in (("Miller", "Taylor"), ("Taylor", "Miller")))
    assert f'own, other = "{one}", "{other}"' in PAGE
    found = patched_heads(MODEL, one, other, " Miller")
    assert f"−{-found.log:.3f} after the one, −{-found.other_log:.2f} after".replace("−0.", "−.") in PAGE
    first, second = found.nats.argsort()[:2].tolist()
    assert (found.heads[first], found.heads[second]) == ((1, 0), (0, 3))
    taken = [f"{-float(found.nats[at]):.2f}" for at in (first, second)]
    assert "head 2.1 takes {} nats away, 1.4 takes {}".format(*taken) in PAGE


def test_what_rollout_gives_is_what_the_page_says():
    run = MODEL.run("Anna Miller sees Ben Taylor . Ben")
    shares, head = rollout(run)[1, 7], run.layers[1].weights[0, 7]
    told = [f"{float(one):.2f}"[1:] for one in (shares[5], shares[0], head[5])]
    assert run.tokens[0] == "<bos>"
    assert "gives {} to *Taylor* and {} to `<bos>`, where head 2.1 alone reads *Taylor* with {}".format(*told) in PAGE
