import pytest

from visualiser.theme import ACCENT, CALM, DIVERGING, HEADS, INK, ON_PAPER, THEMES, THEORY, WEIGHTS, head_line, template


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_marks_stand_out_on_both_backgrounds(theme: str):
    ground = template(theme)["layout"]["paper_bgcolor"]
    assert {
        colour: round(contrast(colour, ground), 1)
        for colour in (*HEADS, INK, ACCENT, CALM, THEORY)
        if contrast(colour, ground) < 3
    } == {}


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_its_background(theme: str):
    layout = template(theme)["layout"]
    ground = layout["paper_bgcolor"]
    texts = [
        layout["font"]["color"],
        layout["xaxis"]["tickfont"]["color"],
        layout["coloraxis"]["colorbar"]["tickfont"]["color"],
    ]
    assert min(contrast(colour, ground) for colour in texts) >= 4.5
    assert contrast(layout["hoverlabel"]["font"]["color"], layout["hoverlabel"]["bgcolor"]) >= 4.5


def test_sixteen_heads_look_different():
    assert len({tuple(head_line(head).items()) for head in range(1, 17)}) == 16


def test_weights_grow_lighter_all_the_way():
    lights = [luminance(colour) for _, colour in WEIGHTS]
    assert lights == sorted(lights)


def test_the_diverging_scale_is_lightest_and_grey_at_zero():
    lights = [luminance(colour) for _, colour in DIVERGING]
    middle = len(lights) // 2
    assert DIVERGING[middle][0] == 0.5
    assert lights[: middle + 1] == sorted(lights[: middle + 1])
    assert lights[middle:] == sorted(lights[middle:], reverse=True)
    assert len({DIVERGING[middle][1][i : i + 2] for i in (1, 3, 5)}) == 1


def test_a_scale_on_paper_begins_white_at_zero_and_darkens_away_from_it():
    weights, signed = (ON_PAPER[scale[0][1]] for scale in (WEIGHTS, DIVERGING))
    middle = len(signed) // 2
    assert weights[0] == [0.0, "#ffffff"]
    assert signed[middle] == [0.5, "#ffffff"]
    for ramp in (weights, signed[middle:], signed[middle::-1]):
        lights = [luminance(colour) for _, colour in ramp]
        assert lights == sorted(lights, reverse=True)
        assert contrast(ramp[-1][1], "#ffffff") >= 3


def test_an_unknown_theme_is_an_error():
    with pytest.raises(KeyError):
        template("sepia")
