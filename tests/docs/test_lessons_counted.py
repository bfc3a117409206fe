"""The README and the page on lessons name each lesson that comes with the app, with its minutes."""

import re
from pathlib import Path
from typing import Final

from tests.in_node import in_node
from tests.visualiser.test_lessons import LESSONS

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE: Final = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
IN_WORDS: Final = {3: "three", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve", 20: "twenty"}
MINUTES: Final = {name: lesson["minutes"] for name, lesson in LESSONS.items()}


def test_the_menu_has_every_lesson():
    assert set(in_node("lesson/lesson", "(m) => [m.FIRST, ...m.SHIPPED]", [])) == LESSONS.keys()


def test_the_readme_counts_them():
    count, least, most = (IN_WORDS[number] for number in (len(MINUTES), min(MINUTES.values()), max(MINUTES.values())))
    assert f"{count}, of {least} to {most} minutes" in README
    assert f"{count} lessons, and how to make one" in README


def test_the_table_has_every_lesson_with_its_minutes():
    assert {
        name: int(minutes) for name, minutes in re.findall(r"^\| `([a-z0-9-]+)` \| (\d+) \|", PAGE, re.M)
    } == MINUTES
