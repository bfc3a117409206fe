"""What pages declare for the check of lessons: it is that of the link's own reading, and the scripts' tests have it."""

import json
from pathlib import Path
from typing import Any

from visualiser.locale import LANGUAGES, texts
from visualiser.pages.explore import CHANGES
from visualiser.pages.map import MOST_TOKENS
from visualiser.server.http import assets
from visualiser.state import parameters
from visualiser.state.declared import declared

WRITTEN = Path(__file__).parents[2] / "scripts" / "declared.json"
ON_A_CPU = 16_384


def on_a_cpu(node: Any) -> Any:
    """Return declarations as a machine without a GPU has them: the Map is shorter there."""
    match node:
        case dict():
            return {name: on_a_cpu(one) for name, one in node.items()}
        case list() | tuple():
            return [on_a_cpu(one) for one in node]
        case bool() | str():
            return node
        case _:
            return node - MOST_TOKENS + ON_A_CPU if node in (MOST_TOKENS, MOST_TOKENS - 1) else node


def test_the_scripts_tests_have_the_present_declarations() -> None:
    """If not, write the left side into the file; `run.sh write` gives it its form."""
    assert on_a_cpu(declared()) == json.loads(WRITTEN.read_text(encoding="utf-8"))


def test_they_are_served_beside_the_lessons() -> None:
    served = assets.scripts()["lessons/declared.json"]
    assert json.loads(served.plain) == json.loads(json.dumps(declared()))
    assert served.media_type == "application/json"


def test_every_question_belongs_to_a_page() -> None:
    """Explore's are a change and a measure each, in one sentence; the Map shares one of them."""
    asked = {name.split(".")[1] for name in texts(LANGUAGES[0]) if name.startswith("predict.") and "question" in name}
    named = {name for page in parameters.PAGES if page != "explore" for name in parameters.questions(page)}
    assert named == asked - {"change"}
    assert {name.partition("_")[0] for name in parameters.questions("explore")} == {*CHANGES, "narrow"}
    assert all(map(parameters.questions, parameters.PAGES))
