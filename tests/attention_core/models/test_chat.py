"""Chat templates of strangers: rendered in a process that has little and ends soon."""

import pytest

from attention_core.models.pictured import chat_child
from attention_core.models.pictured.chat import around
from tests.attention_core.models.small_pictured import TEMPLATE


def test_what_stands_around_a_text_is_found_for_each_number_of_pictures() -> None:
    assert around(TEMPLATE, {}, "<image>", 2) == {
        0: ("user: ", "\nok:"),
        1: ("user: <image>", "\nok:"),
        2: ("user: <image><image>", "\nok:"),
    }


def test_a_template_of_texts_alone_gets_placeholders() -> None:
    template = "{{ eos_token }}{% for one in messages %}[{{ one['content'] + '' }}]{% endfor %}"
    assert around(template, {"eos_token": "</s>"}, "<image>", 1) == {0: ("</s>[", "]"), 1: ("</s>[<image>", "]")}


def test_a_template_without_a_place_for_pictures_has_none() -> None:
    template = (
        "{% for one in messages[0]['content'] %}{% if one['type'] == 'text' %}{{ one['text'] }}{% endif %}{% endfor %}"
    )
    assert around(template, {}, "<image>", 3) == {0: ("", "")}


@pytest.mark.slow
@pytest.mark.parametrize(
    "template",
    [
        "{{ raise_exception('no') }}",
        "{% for",
        "{{ 'a' * 10000000000 }}",
        "{{ messages[0]['content'].__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__.os.system('true') }}",
        "{{ messages[0].clear() }}",
        "{{ 'a' * 100000 }}",
    ],
)
def test_a_template_that_breaks_says_nothing(template: str) -> None:
    assert around(template + "{{ messages[0]['content'] }}", {}, "<image>", 1) == {}


@pytest.mark.night
def test_a_template_that_counts_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "{% for a in range(99999) %}" * 3 + "{% set b = 1 %}" + "{% endfor %}" * 3
    assert around(line, {}, "<image>", 1) == {}
    assert chat_child.MOST_SECONDS < 5
