"""Every sentence for visitors, in their language, and the format of numbers.

The texts are in `assets/locales/LANG.json`: flat keys such as "figure.entropy.title", with fields in braces
(`visualiser.locale.message_format`). Each file there makes a language.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from visualiser.asset_folder import ASSETS
from visualiser.locale.message_format import fill, plain
from visualiser.locale.required_texts import required

_FOLDER: Final = ASSETS / "locales"
_FIRST: Final = "en"

LANGUAGES: Final = (_FIRST, *sorted({path.stem for path in _FOLDER.glob("*.json")} - {_FIRST}))
"""The languages there is a file for, the one of visitors with another language first."""

_SUPERSCRIPT: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@cache
def texts(lang: str) -> MappingProxyType[str, str]:
    """Return all texts of a language by key.

    Raise KeyError if the language has no file, or if its file lacks a text of a registered mechanism or mask.
    """
    if lang not in LANGUAGES:
        raise KeyError(f"no language {lang!r}; there are {', '.join(LANGUAGES)}")
    found = json.loads((_FOLDER / f"{lang}.json").read_text(encoding="utf-8"))
    if missing := [key for key in required() if key not in found]:
        raise KeyError(f"{lang}.json lacks {', '.join(missing)}")
    return MappingProxyType(found)


def text(lang: str, key: str, /, **values: object) -> str:
    """Return the text of `key` with its fields filled in; `number` writes the floats.

    Raise KeyError if the key or a field is missing: a page with a hole is worse than a failing test.
    """
    return plain(in_parts(lang, key, values))


def in_parts(lang: str, key: str, values: Mapping[str, object]) -> list[Any]:
    """Return the same text as `filled` parts."""
    return fill(texts(lang)[key], lang, values, _written)


def _written(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def number(value: float, digits: int = 3) -> str:
    """Write a number with `digits` significant digits: 0.0312, 511, 1.2×10⁻⁷; a true minus sign, no trailing zeros.

    Integers are written in full: a count is exact, and 4096 tokens are not 4100.
    """
    if isinstance(value, int):
        return str(value).replace("-", "−")
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    mantissa, exponent = f"{value + 0.0:.{digits - 1}e}".split("e")  # a product may be −0
    power = int(exponent)
    if value == 0 or -5 < power < 6:
        plain = f"{float(f'{mantissa}e{exponent}'):.{max(0, digits - 1 - power)}f}"
    else:
        plain = mantissa
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    if value != 0 and not -5 < power < 6:
        plain += "×10" + str(power).translate(_SUPERSCRIPT)
    return plain.replace("-", "−")


def exact(value: float) -> int | float:
    """Return a whole number as an int, which `text` writes in full: a prediction of 1024 must not read 1020."""
    return int(value) if float(value).is_integer() else value
