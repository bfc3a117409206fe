"""The styles: type has the sizes of one scale."""

import re
from pathlib import Path

import pytest

from visualiser.asset_folder import ASSETS

SIZES = ("tick", "text", "lead", "title", "large", "index")
FILES = sorted(Path(ASSETS, "css").glob("*.css"))
# type that grows with its figure (anatomy.css) starts from the scale; a box fits the type of what it holds (fitted.js);
# a drawing that is as wide as so many heights of the words around it has type in its own units
ALLOWED = re.compile(
    rf"inherit|0|var\(--(?:{'|'.join(SIZES)}|type|drawn)\)|calc\(var\(--fit\) \* var\(--(?:{'|'.join(SIZES)}|type)\)\)"
)


def values(style: str, name: str) -> list[str]:
    """Return the values that a style gives to a property."""
    found = re.findall(rf"(?<![-\w]){name}:\s*([^;}}]+)", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    return [value.replace("!important", "").strip() for value in found]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_size_of_type_is_one_of_the_scale(file: Path) -> None:
    style = file.read_text(encoding="utf-8")
    assert [size for size in values(style, "font-size") if not ALLOWED.fullmatch(size)] == []
    assert [font for font in values(style, "font") if font != "inherit"] == []
    assert all(re.match(r"max\(var\(--(tick|text)\), ", grown) for grown in values(style, "--type"))
    assert values(style, "--drawn") == (["18px"] if file.stem == "class" else [])


def test_the_scale_is_defined_in_one_place_and_used() -> None:
    styles = {file.stem: file.read_text(encoding="utf-8") for file in FILES}
    for size in SIZES:
        assert [name for name, style in styles.items() if values(style, f"--{size}")] in (
            ["root"],
            ["present", "root"],  # the projector's own
        )
        assert any(f"font-size: var(--{size})" in style for style in styles.values())
