"""The prose is there, whole, and long enough for a corpus."""

import pytest

from attention_core import InvalidInput
from attention_core.prose import LANGUAGES, manual, prose


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_forty_kilobytes_of_texts_of_one_length(language: str):
    texts = prose(language)
    sizes = [len(text.encode()) for text in texts]
    assert sum(sizes) >= 40_000
    assert min(sizes) >= 440
    assert max(sizes) <= 940
    assert len(set(texts)) == len(texts) >= 60
    assert not any("%" in text.splitlines() for text in texts)


def test_each_language_has_its_letters():
    hangul = [sum("가" <= letter <= "힣" for text in prose(language) for letter in text) for language in LANGUAGES]
    assert hangul[0] == 0
    assert hangul[1] > 10_000


def test_python_brings_its_manual():
    topics = list(manual())
    assert sum(map(len, topics)) > 400_000
    assert any("operator precedence" in topic.lower() for topic in topics)


def test_another_language_is_refused_by_name():
    with pytest.raises(InvalidInput) as refused:
        prose("french")
    assert refused.value.code == "unknown_choice"
