"""Texts are cut where a reader would, nothing is lost, and a file never stands in memory as a whole."""

from itertools import islice
from pathlib import Path

import pytest

from attention_core import InvalidInput
from attention_core.learned import shipped_model
from attention_core.learned.head_texts import file_passages, passages
from attention_core.learned.head_texts.cutting import MOST_POSITIONS, read_at_once
from attention_core.models import ModelFolder
from attention_core.prose import manual, prose
from tests.attention_core.models.small_folders import write
from tests.offline import offline


def test_a_text_is_cut_behind_a_paragraph_a_line_a_sentence_or_a_word():
    assert [*passages(["One two.\n\nThree four", "  "], 14)] == ["One two.", "Three four"]
    assert [*passages(["One two\nThree four"], 12)] == ["One two", "Three four"]
    assert [*passages(["One two. Three four"], 12)] == ["One two.", "Three four"]
    assert [*passages(["One two Three"], 10)] == ["One two", "Three"]
    assert [*passages(["aaaaabbbbbcc"], 5)] == ["aaaaa", "bbbbb", "cc"]


def test_nothing_of_a_long_text_is_lost():
    found = [*passages(manual())]
    assert max(map(len, found)) <= 600
    assert "".join("".join(found).split()) == "".join("".join(manual()).split())


def test_what_a_model_cannot_read_at_once_is_halved():
    text = " ".join(f"Anna sees Ben . Ben sees Anna ; number {number}" for number in range(40))
    model = shipped_model("headlight")
    found = [*read_at_once(model, [text])]
    assert not any(model.run(each).cut for each in found)
    assert " ".join(found).split() == text.split()


@pytest.mark.parametrize("name", ["llama", "bert"])
def test_nothing_is_lost_of_what_a_model_of_few_positions_reads(name: str, tmp_path: Path):
    """Such a model counts no more positions than it has, however long a text is."""
    with offline():
        write(tmp_path, name)
        model = ModelFolder(tmp_path).load(name)
    assert model.most_tokens < MOST_POSITIONS
    text = prose("english")[0]
    found = [*read_at_once(model, [text])]
    assert not any(model.run(each).cut for each in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_file_is_read_as_its_passages_are_taken(tmp_path: Path):
    file = tmp_path / "large.txt"
    file.write_text("One line of it.\n" * 200_000 + "\xff", "latin-1")  # what is no UTF-8 stands at the end
    assert len([*islice(file_passages(file), 5)]) == 5
    with pytest.raises(InvalidInput, match="UTF-8") as refused:
        list(file_passages(file))
    assert refused.value.code == "texts_encoding"


def test_a_character_may_lie_on_the_border_of_what_is_read_at_once(tmp_path: Path):
    file = tmp_path / "한.txt"
    file.write_text("a" + "가" * 100_000, "utf-8")
    assert "".join(file_passages(file)) == "a" + "가" * 100_000


def test_each_line_of_jsonl_is_a_text(tmp_path: Path):
    file = tmp_path / "some.jsonl"
    file.write_text('{"text": "One.", "more": 1}\n\n"Two."\n', "utf-8")
    assert [*file_passages(file)] == ["One.", "Two."]


@pytest.mark.parametrize("line", ['{"words": "One."}', "One.", "[" * 100_000, '"' + "a" * 2**20 + '"', "3"])
def test_a_line_without_a_text_is_refused_with_its_number(tmp_path: Path, line: str):
    file = tmp_path / "some.jsonl"
    file.write_text('"One."\n' + line, "utf-8")
    with pytest.raises(InvalidInput, match="Line 2 has no text") as refused:
        list(file_passages(file))
    assert refused.value.details == {"line": 2}
