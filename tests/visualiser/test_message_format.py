"""Plurals, lists and particles; the cases of tests/scripts/messages.json hold in the browser too."""

import json
import string
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visualiser.locale import LANGUAGES, texts
from visualiser.locale.message_format import Field, Inner, Value, fields, fill, pieces, plain
from visualiser.locale.particles import PARTICLES, last_sound, with_particle

CASES = json.loads((Path(__file__).parents[1] / "scripts" / "messages.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("lang", "template", "values", "words"), CASES)
def test_a_text_is_filled_in_as_its_language_asks(lang: str, template: str, values: dict[str, Any], words: str) -> None:
    assert plain(fill(template, lang, values, str)) == words


def test_the_sound_of_every_syllable_is_that_of_its_final_consonant() -> None:
    """Unicode's canonical decomposition names the final consonant by a letter of its own."""
    for code in range(ord("가"), ord("힣") + 1):
        final = unicodedata.normalize("NFD", chr(code))[2:]
        expected = "vowel" if not final else "ㄹ" if final == "\u11af" else "consonant"
        assert last_sound(f"1{chr(code)}") == expected


READ = {"영": "0", "일": "1", "이": "2", "삼": "3", "사": "4", "오": "5", "육": "6", "칠": "7", "팔": "8", "구": "9"}


@pytest.mark.parametrize(("name", "digit"), READ.items())
@pytest.mark.parametrize("pair", sorted(PARTICLES))
def test_a_number_takes_the_particle_of_its_last_digits_name(name: str, digit: str, pair: str) -> None:
    assert with_particle(f"4{digit}", pair).removeprefix(f"4{digit}") == with_particle(name, pair).removeprefix(name)


NAMES = "에이 비 시 디 이 에프 지 에이치 아이 제이 케이 엘 엠 엔 오 피 큐 알 에스 티 유 브이 더블유 엑스 와이 제트"
LETTERS = dict(zip(string.ascii_lowercase, NAMES.split(), strict=True))


@pytest.mark.parametrize(("letter", "name"), LETTERS.items())
def test_a_letter_takes_the_particle_of_its_name(letter: str, name: str) -> None:
    assert last_sound(letter) == last_sound(letter.upper()) == last_sound(name)


@pytest.mark.parametrize("template", ["{", "}", "{n", "{n|one:#}", "{n|one:#|few:#}", "{ n }"])
def test_a_broken_template_is_an_error(template: str) -> None:
    with pytest.raises(ValueError, match=r"lone|lacks"):
        pieces(template)


def test_an_unknown_particle_is_an_error() -> None:
    with pytest.raises(KeyError, match="no particle '은/을'"):
        fill("{n|은/을}", "ko", {"n": 1}, str)


@given(st.text())
def test_braces_written_twice_are_braces(written: str) -> None:
    assert plain(fill(written.replace("{", "{{").replace("}", "}}"), "en", {}, str)) == written


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_can_be_read_and_names_known_particles(lang: str) -> None:
    found = [piece for template in texts(lang).values() for piece in pieces(template) if isinstance(piece, Field)]
    assert {field.particle for field in found} <= {"", *PARTICLES}
    assert fields("{a} {b|one:#|other:#} {c|은/는}") == {"a", "b", "c"}


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("count", range(4))
def test_each_value_is_a_part_of_its_own_whatever_signs_it_has(lang: str, count: int) -> None:
    typed = ["#", "a\U0010f000b\U0010fffdc", "{n}"][:count]
    inner = Inner(fill("<{n}>", lang, {"n": 7}, str))
    values = {"inner": inner, "n": 5, "typed": typed}
    parts = fill("{{{inner|이/가} {n|one:# key|other:## keys}: {typed}", lang, values, str)
    numbers = [Value("n", 0, "7"), Value("n", 0, "5"), Value("n", 0, "5")]
    texts = [Value("typed", place, one) for place, one in enumerate(typed)]
    assert [part for part in parts if isinstance(part, Value)] == [*numbers, *texts]
    listed = {"en": ["", "#", f"# and {typed[1:2] and typed[1]}", f"#, {typed[1:2] and typed[1]} and {{n}}"]}
    listed["ko"] = [", ".join(typed)] * 4
    assert plain(parts) == f"{{<7>이 55 keys: {listed[lang][count]}"
