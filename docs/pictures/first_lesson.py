"""Take the pictures of "Your first lesson" anew: `python -m docs.pictures.first_lesson`, with pngquant on the path.

A teacher and a class of students in real browsers hold the lesson's second step, as docs/teaching.md tells it.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.in_class import answered, follows, here, opened, phase, votes
from tests.browser.served import serving

FOLDER = Path(__file__).parent
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "device_scale_factor": 1}
ANSWERS = (1, 2, 0, 1, 2, 1)
"""What the students answer before they discuss."""
AFTER = (2, 2, 1, 2, 2, 2)
"""And what they answer then."""


@contextmanager
def class_of(browser: Browser, url: str) -> Iterator[tuple[Page, Page, list[Page]]]:
    """Open the teacher's page on this server; yield it, the teacher's phone and those of the students."""
    contexts = [browser.new_context(locale="en-US", viewport={"width": 1440, "height": 900})]
    contexts += [browser.new_context(locale="en-US", **PHONE) for _ in (0, *ANSWERS)]
    pages = [context.new_page() for context in contexts]
    pages[0].goto(url)
    painted(pages[0])
    try:
        yield pages[0], pages[1], pages[2:]
    finally:
        for context in contexts:
            context.close()


def painted(page: Page) -> None:
    page.locator("#figure-score-distribution[data-painted]").wait_for(state="attached")


def taken(page: Page, name: str) -> None:
    """Save what the page shows, with few colours."""
    page.mouse.move(640, 899)
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState !== 'running')")
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    subprocess.run(["pngquant", "--force", "--skip-if-larger", "--ext", ".png", "64", str(path)], check=False)


def main() -> None:
    """Hold the step and take the pictures."""
    with serving() as app, sync_playwright() as driver:
        path = shutil.which(os.environ.get("HEADLIGHT_CHROMIUM", "chromium"))
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with class_of(browser, app.url) as (teacher, remote, students):
            code = opened(teacher)
            for student in students:
                student.goto(f"{app.url}?room={code}")
                follows(student)
                painted(student)
            here(teacher, len(students))
            teacher.locator("#room-open").click()
            teacher.wait_for_function("() => document.querySelector('.class-qr').naturalWidth > 0")
            taken(teacher, "first-lesson-room")
            teacher.keyboard.press("Escape")
            teacher.locator("#lessons-open > summary").click()
            teacher.locator("#lesson-why-sqrt-d-k").wait_for()
            taken(teacher, "first-lesson-menu")
            teacher.locator("#lesson-why-sqrt-d-k").click()
            teacher.locator("#lesson-next").click()
            teacher.get_by_text("Step 2 of").wait_for()
            with teacher.expect_response("**/ticket?*") as response:
                teacher.locator("#room-remote > summary").click()
                teacher.locator("#remote-new").click()
            remote.goto(f"{app.url}?room={code}&remote=1#{response.value.json()['ticket']}")
            remote.locator("body[data-state=steers]").wait_for()
            remote.locator("#remote-ask:enabled").click()
            for student, answer in zip(students, ANSWERS, strict=True):
                phase(student, "open")
                votes(student, answer)
            taken(students[0], "first-lesson-vote")
            answered(teacher, len(students))
            remote.locator(f"#remote-answered[data-count='{len(students)}']").wait_for()
            taken(remote, "first-lesson-remote")
            taken(teacher, "first-lesson-asked")
            teacher.locator("#room-closed").click()
            phase(teacher, "closed")
            teacher.locator("#room-advice:not([hidden])").wait_for()
            taken(teacher, "first-lesson-discuss")
            teacher.locator("#room-discuss").click()
            for student, answer in zip(students, AFTER, strict=True):
                phase(student, "discuss")
                votes(student, answer, 2)
            answered(teacher, len(students))
            teacher.locator("#room-reveal").click()
            phase(teacher, "reveal")
            teacher.locator("#room-results").wait_for()
            painted(teacher)
            taken(teacher, "first-lesson-reveal")
        browser.close()


if __name__ == "__main__":
    main()
