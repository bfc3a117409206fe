"""Four lessons as classes play them, by the script that plays all: on a projector, phones, in Korean, in a frame."""

from argparse import Namespace

import pytest
from playwright.sync_api import Browser

from benchmarks.played_class import play
from tests.browser.framed import platform


@pytest.mark.parametrize(
    ("name", "window", "talk", "questions"),
    [
        ("why-sqrt-d-k", (1280, 720), False, 4),
        ("additive-or-dot", (1920, 1080), True, 2),
        ("saturation", (1920, 1080), True, 2),
        ("heads", (1920, 1080), True, 2),
    ],
)
def test_nothing_goes_wrong_in_a_class(
    chromium: Browser, app_url: str, name: str, window: tuple[int, int], talk: bool, questions: int
) -> None:
    """No page loads twice, no figure is too small or cut, nothing is untranslated or told before its reveal."""
    before = list(chromium.contexts)
    try:
        with platform(app_url) as outside:
            chosen = Namespace(window=window, talk=talk, pictures=None)
            played = play(chromium, app_url, outside, [name], chosen)
    finally:
        for context in chromium.contexts:
            if context not in before:
                context.close()
    assert played.questions == questions
    assert played.wrong == []
