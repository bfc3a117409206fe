"""The texts of the page and of the lessons, as a careful reader of each language meets them: particles and terms."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from visualiser.asset_folder import ASSETS
from visualiser.locale import LANGUAGES, text, texts
from visualiser.locale.particles import PARTICLES, with_particle


def lessons(lang: str) -> Iterator[tuple[str, str]]:
    """Yield every text of every lesson, with its place."""

    def walk(node: Any, place: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, dict):
            if set(node) == set(LANGUAGES):
                yield place, node[lang]
            else:
                for name, value in node.items():
                    yield from walk(value, f"{place}/{name}")
        elif isinstance(node, list):
            for at, value in enumerate(node):
                yield from walk(value, f"{place}/{at}")

    for path in sorted((ASSETS / "lessons").glob("*[!a].json")):  # no schema
        yield from walk(json.loads(path.read_text(encoding="utf-8")), path.stem)


def written(lang: str) -> list[tuple[str, str]]:
    """Return every text for visitors, with its place."""
    return [*texts(lang).items(), *lessons(lang)]


COPULA: Final = frozenset(
    pair.split("/")[0] for pair in PARTICLES if pair[1:].startswith(("라", "며", "고", "면", "어"))
)
"""이고, 이며 … are right behind a vowel as well."""
FORMS: Final = {form: pair for pair in PARTICLES for form in pair.split("/") if form not in COPULA}
ENDING: Final = "|".join(sorted(FORMS, key=len, reverse=True))
AFTER_FIELD: Final = re.compile(rf"\{{[^{{}}|]*\}}(?:{ENDING})(?![가-힣])")
"""A particle behind a field that does not choose it; a longer word may follow a field, such as 이상."""
AFTER_SIGN: Final = re.compile(rf"([^\s가-힣{{}}*“”‘’\"'.,:;]*[^\s가-힣{{}}*“”‘’\"'.,:;])({ENDING})(?![가-힣])")
READ: Final = {"Tab": "탭", "Home": "홈", "Concat": "콘캣"}
"""Words that are read as words, not by their last letter."""


def wrong_particles(sentence: str) -> list[str]:
    found = [match[0] for match in AFTER_FIELD.finditer(sentence)]
    for match in AFTER_SIGN.finditer(re.sub(r"\{[^{}]*\}", " ", sentence)):
        sign, form = match[1].lstrip("("), match[2]
        if sign.endswith(")"):
            continue  # the word before the brackets decides
        if with_particle(READ.get(sign, sign), FORMS[form]) != READ.get(sign, sign) + form:
            found.append(match[0])
    return found


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("{n}로 나눕니다", ["{n}로"]),
        ("{n|으로/로} 나눕니다", []),
        ("10⁻²⁴로 줄고 √d_k로 나눕니다", ["10⁻²⁴로"]),
        ("10⁻²⁴으로 줄고 float32로 셉니다", []),
        ("d_k은 64는 3며 2이며", ["d_k은", "3며"]),
        ("{n}이상, 0으로, n × 10로", ["10로"]),
        ("¼은 ½이 ¾는 ¼는", ["¾는", "¼는"]),
    ],
)
def test_a_wrong_particle_is_found(sentence: str, wrong: list[str]) -> None:
    assert wrong_particles(sentence) == wrong


def test_every_particle_behind_a_number_or_a_symbol_is_the_one_that_the_rule_gives() -> None:
    assert {place: wrong for place, sentence in written("ko") if (wrong := wrong_particles(sentence))} == {}


def test_a_power_of_ten_and_a_size_have_the_particle_of_their_sound() -> None:
    gradient = text(
        "ko", "why.sweep.gradient", high=8, unscaled_from=4e-3, unscaled_to=2e-24, scaled_to=1.0, additive_to=1.0
    )
    assert "2×10⁻²⁴으로" in gradient
    sizes = {"n": 2, "d_model": 10, "h": 1, "d_k": 4, "d_v": 4, "width": 4}
    assert "2 × 10으로" in text("ko", "anatomy.shapes", **sizes)


def test_no_list_and_no_clause_is_joined_by_the_word_of_forms() -> None:
    assert [place for place, sentence in written("ko") if re.search(r" 및 |및 ", sentence)] == []
    assert text("ko", "predict.several_right", answers=["ㄱ", "ㄴ"]) == text(
        "ko", "predict.several_right", answers=["ㄱ, ㄴ"]
    )


ONE_TERM: Final[Mapping[str, Mapping[str, str]]] = {
    "ko": {
        r"그래디언트|그레이디언트|구배": "기울기",
        r"(?<![가-힣])셀(?![가-힣]*프)": "칸",
        r"수열": "시퀀스",
        r"(?<!히트)(?<!비트)맵": "지도, 히트맵",
        r"어텐션 지도|열지도": "히트맵",
        r"소프트 ?최대": "소프트맥스",
        r"질의|쿼리 ?벡터들": "쿼리",
        r"자코비": "야코비",
        r"가법|덧셈 어텐션": "가산",
        r"도트 ?곱|점곱": "내적",
    },
    "en": {
        r"\bheatmaps?\b": "heat map",
        r"\bmatri(?:x|ces) entr(?:y|ies)\b|\bgrid entr(?:y|ies)\b": "cell",
        r"\bdot product, unscaled\b|\bnon-scaled\b": "unscaled dot product",
        r"\bsoft-max\b": "softmax",
        r"\battention (?:probabilit|coefficient)\w*": "weight",
        r"\blogits?\b": "score",
        r"\bstructured\b": "planted",
        r"\bis no distribution\b|\bare no distribution\b": "is not a distribution",
    },
}
"""By language: words that the page does not use, and the term that it has for the same thing (docs/glossary.md)."""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_thing_has_one_term(lang: str) -> None:
    found = {
        (place, other[0]): term
        for term_of in [ONE_TERM[lang]]
        for pattern, term in term_of.items()
        for place, sentence in written(lang)
        if (other := re.search(pattern, sentence, re.IGNORECASE))
    }
    assert found == {}


@pytest.mark.parametrize(("broken", "rows", "verb"), [(1, 256, "is"), (2, 256, "are"), (1, 1, "is"), (0, 3, "are")])
def test_a_verb_agrees_with_the_number_that_it_is_about(broken: int, rows: int, verb: str) -> None:
    counted = f"{broken} of {rows} {'row' if rows == 1 else 'rows'} {verb} not"
    for key in ("insight.format.broken", "table.broken"):
        assert text("en", key, broken=broken, rows=rows).startswith(counted)
    scores = text("en", "insight.format.scores", count=broken, cells=rows, format="float16")
    assert scores.startswith(counted.replace("row", "score"))
    curves = text("en", "train.state", finished=broken, curves=rows)
    assert curves == f"{broken} of {rows} {'curve' if rows == 1 else 'curves'} {verb} trained."
