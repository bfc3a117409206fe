"""The page's controls, moved as a visitor moves them (by slider, typing and keys), and the values they show."""

import math
from typing import Any

from playwright.sync_api import Locator, Page

SLIDERS = ("d_k", "h", "scale", "sink", "softcap", "d_model", "n", "window", "columns", "head")
RADIOS = (
    *("scaling", "normalisation", "mechanism", "source", "split", "mask", "colour", "colour_range", "dtype"),
    *("stage", "lang"),
)
FLAGS = ("tie", "positions", "qk_norm", "log_n", "subtract_max")
NUMBERS = ("seed", "row")

_SHOWN = """([sliders, radios, flags, numbers]) => {
  const found = {};
  const of = (name, inside) => document.querySelector(`#control-${name} ${inside}`);
  for (const name of sliders) {
    const [range, number] = ["range", "number"].map((type) => of(name, `input[type=${type}]`));
    const [at, value, low, high] = [range.value, number.value, number.min, number.max].map(Number);
    const logarithmic = () => Math.round((Number(range.max) * Math.log(value / low)) / Math.log(high / low));
    found[name] = at === (of(name, ".log-slider") ? logarithmic() : value) ? value : `range ${at}, number ${value}`;
  }
  for (const name of radios) found[name] = of(name, "input:checked")?.value ?? null;
  for (const name of flags) found[name] = of(name, "input").checked;
  for (const name of numbers) {
    const { value } = of(name, "input");
    found[name] = value === "" ? null : Number(value);
  }
  found.text = of("text", "textarea").value;
  return found;
}"""

_AGREE = f"""([groups, wanted]) => {{
  const shown = ({_SHOWN})(groups);
  return Object.entries(wanted).every(([name, value]) => shown[name] === value);
}}"""

_GROUPS = [list(SLIDERS), list(RADIOS), list(FLAGS), list(NUMBERS)]


def shown(page: Page) -> dict[str, Any]:
    """Return the value of every control. A slider whose halves disagree gives a text with both."""
    return page.evaluate(_SHOWN, _GROUPS)


def wait_shown(page: Page, **wanted: Any) -> None:
    """Wait until the controls show these values."""
    page.wait_for_function(_AGREE, arg=[_GROUPS, wanted])


def reveal(page: Page, selector: str) -> Locator:
    """Open the menus and folds around an element, as a visitor does, and return it; on a phone, press its name."""
    found = page.locator(selector)
    for menu in found.locator("xpath=ancestor::details[not(@open)]").all():
        menu.locator("summary").first.click()
    if found.first.is_visible():
        return found
    names = page.locator(".control-names")
    if names.is_visible() and (one := found.first.evaluate("(element) => element.closest('.one')?.id")):
        names.locator(f"[aria-controls={one}]").click()
    elif found.locator("xpath=ancestor::*[@id='group-more']").count():
        page.locator("[aria-controls=group-more]").click()
    return found


def page_link(name: str) -> str:
    """Return the selector of a page's name in the banner, which leads there."""
    return f"#control-page a[data-page={name}]"


def press(page: Page, selector: str) -> None:
    """Click a button, which may stand in a closed menu."""
    reveal(page, selector).click()


def slider(page: Page, name: str) -> Locator:
    """Return the part of a slider that is dragged."""
    return reveal(page, f"#control-{name} input[type=range]")


def box(page: Page, name: str) -> Locator:
    """Return the box in which a number or a text is typed."""
    return reveal(page, f"#control-{name} textarea" if name == "text" else f"#control-{name} input[type=number]")


def slide(page: Page, name: str, value: float) -> None:
    """Move a slider to a value, which on a logarithmic one must be the value of a step."""
    target = slider(page, name)
    if page.locator(f"#control-{name} .log-slider").count():
        ends = page.locator(f"#control-{name} input[type=number]")
        low, high = (float(ends.get_attribute(end) or "") for end in ("min", "max"))
        steps = int(target.get_attribute("max") or "")
        at = round(steps * math.log(value / low) / math.log(high / low))
        assert round(low * (high / low) ** (at / steps)) == value, f"{name} has no step of {value}"
        target.fill(str(at))
    else:
        target.fill(str(value))


def write(page: Page, name: str, value: Any) -> None:
    """Replace the content of a control's box as a visitor types it: key by key, then Tab."""
    target = box(page, name)
    target.click()
    target.press("ControlOrMeta+a")
    target.press("Delete")
    if str(value):
        target.press_sequentially(str(value))
    target.press("Tab")


def choose(page: Page, name: str, value: str) -> None:
    """Pick one of a control's radio buttons."""
    reveal(page, f"#control-{name} input[value='{value}']").check()


def tick(page: Page, name: str, on: bool) -> None:
    """Set or clear a control's check box."""
    reveal(page, f"#control-{name} input[type=checkbox]").set_checked(on)


def begin(page: Page) -> None:
    """Start the run of the page, unless it has begun by itself, as short work may at any moment."""
    page.locator("[data-run]").wait_for()
    page.evaluate(
        "() => { const start = document.getElementById('run-start'); if (start.checkVisibility()) start.click(); }"
    )
