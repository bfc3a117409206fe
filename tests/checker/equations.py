"""Every equation in a text holds to the digits that it shows: "763 / 256 = 2.98", "√(0.127 + 0.0382) = 0.407".

An equation is what stands around " = " up to the next word. Its left side is computed from the numbers as they are
written, and must be the number on its right as it is written.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from visualiser.locale import number

_PARTS: Final = r"\d|[.()⌊⌋√·×/+−–,²¹⁰³⁴⁵⁶⁷⁸⁹⁻^∞ ]|ln|max|tanh|σ|e(?=\^)"
_EQUATION: Final = re.compile(rf"((?:{_PARTS})+) = (−?\d+(?:\.\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|−?∞)")
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_NUMBER: Final = r"\d+(?:\.\d+)?(?:[eE]-?\d+)?"


def wrong(text: str) -> Iterator[str]:
    """Yield the equations of a text that do not hold."""
    found = 0
    for left, right in _EQUATION.findall(text.replace(" ms", "")):
        found += 1
        value = computed(left)
        if not agrees(value, right):
            yield f"{left.strip()} is {value!r}, not {right}"
    if not found and " = " in text and re.search(r"\d = |= [−\d]", text):
        yield f"no equation is understood in “{text}”"


def computed(side: str) -> float:
    """Compute one side of an equation; NaN if it has no value."""
    stripped = side.strip(" ,." if "(" in side else " ,.()")
    python = re.sub(r"×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda power: "e" + power[1].translate(_RAISED), stripped)
    python = re.sub(r"([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda power: "**" + power[1].translate(_RAISED), python)
    python = python.replace("−", "-").replace("·", "*").replace("×", "*").replace("^", "**")
    python = re.sub(rf"√({_NUMBER})", r"sqrt(\1)", python).replace("√(", "sqrt(")
    python = re.sub(rf"ln ({_NUMBER})", r"ln(\1)", python)
    python = re.sub(r"⌊([^⌋]*)⌋", r"floor(\1)", python).replace("σ(", "sigmoid(")
    names: dict[str, Any] = {
        "sqrt": math.sqrt,
        "ln": math.log,
        "floor": math.floor,
        "max": max,
        "e": math.e,
        "tanh": math.tanh,
    }
    names["sigmoid"] = lambda x: 1 / (1 + math.exp(-x))
    try:
        return float(eval(python, {"__builtins__": {}}, names))  # noqa: S307 -- only digits and the signs above are left
    except (ArithmeticError, SyntaxError, ValueError):
        return math.nan


def agrees(value: float, written: str) -> bool:
    """Return True if the value is written so: a whole number in full, another one at three digits or more.

    A value halfway between two numbers may be written as either: the page's own rounding may lie on either side of it.
    """
    digits = max(3, len(re.sub(r"[^\d]|^[−0.]+|×10.*", "", written)))
    near = (math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf))
    if written in {number(one, count) for one in near for count in (3, digits)}:
        return True
    return value.is_integer() and written == number(int(value))
