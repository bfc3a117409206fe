"""A mouse and a finger that do by accident what visitors do, before they drag on purpose."""

import random

from playwright.sync_api import Page

MISHAPS = ["miss", "select all", "double click", "right click", "let go outside", "chord", "lost capture"]
"""What comes before a drag of the mouse."""

TOUCHES = ["scroll", "cancelled", "second finger", "tap beside", "lost capture"]
"""What comes before a drag of a finger."""

# a capture may be lost at any time: another element takes it, or the browser needs the pointer
_LOST = """() => addEventListener("pointermove", ({ target, pointerId }) => {
  if (target.hasPointerCapture?.(pointerId)) target.releasePointerCapture(pointerId);
}, { once: true, capture: true })"""


def disturbances(draws: random.Random, kinds: list[str], rounds: int) -> list[str]:
    """Return each kind so many times, in an order drawn at random."""
    return draws.sample(kinds * rounds, len(kinds) * rounds)


class Mouse:
    """Drags with the main button."""

    kinds = MISHAPS

    def __init__(self, page: Page, draws: random.Random) -> None:
        self.page, self.draws = page, draws

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 2) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()

    def disturbs(self, what: str, x: float, y: float) -> None:
        """Do one of the things that came before a drag that stuck, at or beside a place."""
        draws, page = self.draws, self.page
        match what:
            case "miss":
                self.drag((x + draws.uniform(-30, 30), y + draws.choice([-14, 14])), (x - 80, y + 3))
            case "select all":
                page.evaluate("document.activeElement?.blur()")
                page.keyboard.press("Control+a")
            case "double click":
                page.mouse.dblclick(x, y - 22)
            case "right click":
                page.mouse.move(x, y)
                page.mouse.down(button="right")
                page.mouse.move(x + 9, y, steps=2)
                page.mouse.up(button="right")
                page.keyboard.press("Escape")
            case "let go outside":
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.move(-20, -20)
                page.mouse.up()
            case "chord":
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.down(button="right")
                page.mouse.up()
                page.mouse.up(button="right")
            case _:
                page.evaluate(_LOST)
                self.drag((x, y), (x + draws.uniform(-20, 20), y + 2))


class Finger:
    """Drags on a screen that is touched."""

    kinds = TOUCHES

    def __init__(self, page: Page, draws: random.Random) -> None:
        self.page, self.draws = page, draws
        self.device = page.context.new_cdp_session(page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """Send one event: `touchStart`, `touchMove`, `touchEnd` or `touchCancel`, with where the fingers are."""
        where = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self.device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 4) -> None:
        self.touch("touchStart", start)
        for step in range(1, steps + 1):
            part = step / steps
            self.touch("touchMove", (start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])))
        self.touch("touchEnd")

    def disturbs(self, what: str, x: float, y: float) -> None:
        """Do one of the things that may come before a drag, at or beside a place."""
        draws, page = self.draws, self.page
        match what:
            case "scroll":
                way = draws.choice([-90, 90])
                self.drag((x, y), (x + draws.uniform(-4, 4), y + way))
                self.drag((x, y + way), (x, y))
            case "cancelled":
                self.touch("touchStart", (x, y))
                self.touch("touchMove", (x + 20, y))
                self.touch("touchCancel")
            case "second finger":
                self.touch("touchStart", (x, y))
                self.touch("touchStart", (x, y), (x + 40, y + 20))
                self.touch("touchMove", (x - 12, y), (x + 50, y + 20))
                self.touch("touchEnd", (x - 12, y))
                self.touch("touchEnd")
            case "tap beside":
                self.touch("touchStart", (x - 40, y + 16))
                self.touch("touchEnd")
            case _:
                page.evaluate(_LOST)
                self.drag((x, y), (x + draws.uniform(-25, 25), y + 2))
