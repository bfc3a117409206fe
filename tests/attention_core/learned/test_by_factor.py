"""The curve of the log-probability against the factor is a loop over runs, and the trained factor is near its top."""

from typing import Any

import pytest

from attention_core.language import shipped
from attention_core.learned import SayingModel, factor_curve, factor_everywhere, shipped_model
from attention_core.models import Factor, Hide, Mute
from tests.references.changed_model import changed

TEXTS = (
    "Anna Miller sees Ben Taylor . Ben Taylor sees Anna Miller",
    "the keys to the cabinet near the rivers are old .",
)


def model() -> Any:
    found = shipped_model("headlight")
    assert isinstance(found, SayingModel)
    return found


@pytest.mark.night(but=2)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("changes", [[Factor(3.0)], [Hide(2), Factor(0.4), Mute(1, 0)], []])
def test_the_curve_is_that_of_the_model_written_out(text: str, changes: list[Any]) -> None:
    found = factor_curve(model(), text, changes=changes)
    assert found is not None
    assert len(found.times) == 25
    assert found.times[0] == pytest.approx(0.1)
    assert found.times[12] == 1.0
    assert found.times[-1] == pytest.approx(10)
    own = shipped_model("headlight").run(text)
    others = [one for one in changes if not isinstance(one, Factor)]
    parameters = shipped(2).model.parameters
    for times, log in zip(found.times[::4], found.logs[::4], strict=True):
        logs = changed(parameters, own.ids, [*others, Factor(float(times))]).log_probabilities
        expected = sum(logs[row, true] for row, true in enumerate(own.ids[1:]))
        assert log == pytest.approx(expected, abs=1e-2)
    assert found.logs[found.best] == max(found.logs)


@pytest.mark.slow
def test_other_factors_stay() -> None:
    """A factor of one head is no factor of all: it is kept beside each value."""
    text = TEXTS[0]
    beside, alone = factor_curve(model(), text, changes=[Factor(0.0, [1], [2])]), factor_curve(model(), text)
    assert beside is not None
    assert alone is not None
    assert abs(beside.logs - alone.logs).max() > 0.1
    at_one = model().says(text, changes=[Factor(0.0, [1], [2])])
    assert beside.logs[12] == pytest.approx(at_one.text_log, abs=1e-4)


def test_a_text_that_the_model_knows_is_likeliest_near_the_trained_factor() -> None:
    found = factor_curve(model(), TEXTS[0], changes=[Factor(7.0)])
    assert found is not None
    assert 0.4 < found.times[found.best] < 2.5
    assert found.logs[found.best] - max(found.logs[0], found.logs[-1]) > 1


def test_the_factor_of_everything_is_the_last_of_all_layers_and_heads() -> None:
    assert factor_everywhere([Factor(2.0), Factor(3.0), Factor(4.0, layers=[0]), Factor(5.0, heads=[1])]) == Factor(3.0)
    assert factor_everywhere([Factor(4.0, layers=[0]), Hide(0)]) is None
