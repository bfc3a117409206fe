import pytest

from visualiser.drawing.labels import label, placed, said, thinned, token_axis, visible, width


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("cat", "cat"),
        ("<b>", "&lt;b&gt;"),
        ("&amp;", "&amp;amp;"),
        ("$x$", "&#36;x&#36;"),
        ("incomprehensible", "incompreh…"),
        ("가나다라마바사아자차카", "가나다라마바사아자…"),
        ("👩‍👩‍👧" * 12, "👩‍👩‍👧" * 9 + "…"),
        ("🇰🇷", "🇰🇷"),
        ("مرحبا", "\u2068مرحبا\u2069"),
        (" ##נ", "\u2068␣##נ\u2069"),
        ("אבגדהוזחטיך", "\u2068אבגדהוזחט…\u2069"),
        ("a\u202eb", "ab"),
        (" ", "␣"),
        ("\n", "⏎"),
        ("\x07", "␀"),
        ("<" * 11, "&lt;" * 9 + "…"),
    ],
)
def test_a_label_shows_the_token_and_interprets_nothing(token: str, shown: str):
    assert label(token) == shown


def test_a_sentence_names_a_position_with_its_token_and_keeps_its_own_direction():
    assert placed(3, None) == "3"
    assert placed(1, ["a", " <b>\n"]) == "1 “␣<b>⏎”"
    assert placed(0, ["القطة"]) == "0 “\u2068القطة\u2069”"
    assert said("incomprehensible") == "incomprehensible"


def test_a_table_has_the_letters_of_a_token_alone():
    assert visible(" القطة\t") == "␣القطة⇥"


def test_a_huge_token_costs_no_more_than_its_beginning():
    assert label("x" * 10**6) == "x" * 9 + "…"
    assert len(label("e" + "\u0301" * 10**6)) <= 160


@pytest.mark.parametrize("n", [1, 2, 12, 13, 31, 512])
def test_at_most_twelve_labels(n: int):
    chosen = thinned(n)
    assert 1 <= len(chosen) <= 12
    assert chosen[0] == 0
    assert chosen[-1] < n


def test_positions_without_tokens_are_plain_integers():
    assert "ticktext" not in token_axis(None, 31)


def test_labels_left_out_are_still_known_to_the_hover():
    tokens = [f"t{i}" for i in range(31)]
    axis = token_axis(tokens, 31)
    assert axis["ticktext"] == [tokens[i] for i in axis["tickvals"]]
    assert axis["labelalias"] == {str(i): token for i, token in enumerate(tokens)}


@pytest.mark.parametrize(("token", "expected"), [("", 0), ("abc", 3), ("주의", 3.6), ("Ａb", 2.8), ("👍🏽a", 2.8)])
def test_letters_that_are_drawn_wide_take_more_room(token: str, expected: float):
    assert width(token) == pytest.approx(expected)
