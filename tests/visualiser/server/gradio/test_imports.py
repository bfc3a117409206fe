"""The app imports gradio without its stubs, and with all of its components' methods."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
CODE = """
import gc, json, sys

opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
{imports}
import gradio
print(json.dumps({{
    "stubs": sum(name.endswith(".pyi") for name in opened),
    "change": callable(gradio.Slider.change),
    "collects": gc.isenabled(),
    "finders": len(sys.meta_path),
}}))
"""


def imported(imports: str) -> dict[str, int]:
    output = subprocess.run(
        [sys.executable, "-c", CODE.format(imports=imports)], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return json.loads(output)


@pytest.fixture(scope="module")
def plain() -> dict[str, int]:
    """Return what gradio's own import does."""
    return imported("")


@pytest.mark.night
@pytest.mark.slow
def test_gradio_opens_its_stubs(plain: dict[str, int]) -> None:
    assert plain["stubs"] > 40  # else the module of this test is no longer needed


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize(
    "imports",
    [
        "from visualiser.server.gradio import imports\nwith imports.quick():\n    import gradio",
        "import app",
    ],
)
def test_the_app_opens_none_and_has_every_method(imports: str, plain: dict[str, int]) -> None:
    assert imported(imports) == {**plain, "stubs": 0}
