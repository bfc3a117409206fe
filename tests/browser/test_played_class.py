"""Lessons as classes play them, by the script that plays all: on a projector, phones, in Korean, in a frame.

The gate plays one of seven lessons, a night all.
"""

from argparse import Namespace

from playwright.sync_api import Browser

from tests import draws
from tests.browser.framed import platform
from tests.browser.played_class import play

CLASSES = (
    ("why-sqrt-d-k", (1280, 720), False, 4),
    ("additive-or-dot", (1920, 1080), True, 2),
    ("saturation", (1920, 1080), True, 2),
    ("heads", (1920, 1080), True, 2),
    ("after-sqrt-d-k", (1920, 1080), True, 5),
    ("learned-heads", (1280, 720), False, 5),
    ("take-a-head-away", (1280, 720), False, 3),
)
"""Lesson, teacher's window, whether it is presented, and the number of its questions."""


def test_nothing_goes_wrong_in_a_class(chromium: Browser, app_url: str) -> None:
    """No page loads twice, no figure is too small or cut, nothing is untranslated or told before its reveal."""
    for name, window, talk, questions in draws.chosen(CLASSES):
        before = list(chromium.contexts)
        try:
            with platform(app_url) as outside:
                chosen = Namespace(window=window, talk=talk, pictures=None)
                played = play(chromium, app_url, outside, [name], chosen)
        finally:
            for context in chromium.contexts:
                if context not in before:
                    context.close()
        assert (name, played.questions, played.wrong) == (name, questions, [])
