"""The code holds no sentence for visitors, every key in the code has a text, and no text is unused."""

import ast
import re
from functools import cache
from pathlib import Path

from visualiser.locale import texts
from visualiser.locale.message import SHORT
from visualiser.locale.message_format import fields
from visualiser.pages.anatomy.layout import PRESETS as ANATOMY
from visualiser.pages.cost.layout import PRESETS as COST
from visualiser.pages.explore.presets import PRESETS as EXPLORE
from visualiser.pages.train.layout import PRESETS as TRAIN
from visualiser.reasons.kinds import KINDS

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted((ROOT / "visualiser").rglob("*.py"))
SCRIPTS = sorted((ROOT / "assets" / "js").rglob("*.js"))
SENTENCE = re.compile(r"[A-Za-z가-힣]{2,} [A-Za-z가-힣]{2,}")
KEY = re.compile(r"^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)+$")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# Files with words for programs and programmers: code to paste, the endpoint's English, raised errors.
FOR_PROGRAMS = {
    "visualiser/export/both_sides.py",
    "visualiser/export/page.py",
    "visualiser/export/script.py",
    "visualiser/export/learned_layer.py",
    "visualiser/export/model_run.py",
    "visualiser/pages/admitted.py",
    "visualiser/server/gradio/private.py",
    "visualiser/pages/docstrings.py",
    "visualiser/pages/endpoint_tools.py",
    "visualiser/server/mcp.py",
    # words of the server's log, never shown on a page
    "visualiser/server/log.py",
    "visualiser/server/log_rate.py",
    "visualiser/server/uvicorn/protocol.py",
    # programs for Redis
    "visualiser/server/rooms/redis_scripts.py",
    *(name_of(path) for path in PYTHON if path.name.endswith("endpoint.py")),
}


@cache
def constants(path: Path) -> list[str]:
    """Return string constants that are no docstrings and in no `raise`, log line or meaning for the documents."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    passed: set[int] = set()
    for node in nodes:
        body = getattr(node, "body", None)
        if isinstance(body, list):
            passed |= {
                id(item.value) for item in body if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
            }
        logs = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "exception"
        means = isinstance(node, ast.keyword) and node.arg == "meaning"
        table = isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "VIEW_MEANINGS"
        if isinstance(node, ast.Raise) or logs or means or table:
            passed |= {id(inner) for inner in ast.walk(node)}
    texts_in = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [str(node.value) for node in texts_in if id(node) not in passed]


def literals(path: Path) -> list[str]:
    """Return the quoted texts of a script, without comments, names of classes and the content of `${…}`."""
    source = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    source = re.sub(r"className: [^,}\n]*", "", source)
    return [re.sub(r"\$\{[^}]*\}", "", found[1:-1]) for found in re.findall(r'"[^"\n]*"|`[^`]*`', source)]


def test_python_holds_no_sentence() -> None:
    # no sentences: markup, styles, classes and font names
    markup = re.compile(r"[<>{}=;]|^rgba?\(|, sans|system-ui|async \(|\bnot-now\b")
    written = [(name_of(path), one) for path in PYTHON if name_of(path) not in FOR_PROGRAMS for one in constants(path)]
    assert [found for found in written if SENTENCE.search(found[1]) and not markup.search(found[1])] == []


def test_scripts_hold_no_sentence() -> None:
    # class names, words of CSS and of plotly, and an error caught before it reaches a visitor
    styles = {
        "layer under",
        "layer over",
        "layer chart-words",
        "row-mark is-locked",
        "mark-legend is-broken",
        "to right",
        "px solid ",
    }
    styles |= {"middle center", "top right", "top left", "bottom left", "bottom right"}
    styles |= {"11px system-ui", "the answer broke off"}
    written = [(name_of(path), text) for path in SCRIPTS for text in literals(path) if SENTENCE.search(text)]
    found = [one for one in written if not re.search(r"[#<>=]|gradient\(", one[1])]
    assert [one for one in found if one[1] not in styles] == []


def used_keys() -> tuple[set[str], set[str]]:
    """Return keys named whole, and the beginnings of keys that the code completes."""
    whole = {written for path in PYTHON for written in constants(path) if KEY.match(written)}
    starts: set[str] = set()
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                starts.add(str(node.values[0].value))
    for path in SCRIPTS:
        source = path.read_text(encoding="utf-8")
        whole |= set(re.findall(r'"([a-z]+\.[a-z_]+)"', source))
        starts |= set(re.findall(r"`((?:[a-z]+\.)+)\$\{", source))
    return whole, {start for start in starts if re.match(r"^[a-z]+\.", start)}


def test_every_key_in_the_code_has_a_text() -> None:
    whole, _ = used_keys()
    families = {key.split(".")[0] for key in texts("en")}
    named = {key for key in whole if key.split(".")[0] in families and "/" not in key}
    files = {"upload.safetensors"}
    assert named - set(texts("en")) - files == set()


def given_to(source: str, start: int) -> set[str] | None:
    """Return the names of the object literal that follows the key at `start`; None if they cannot be read there."""
    rest = source[start:].lstrip(", \n")
    if rest.startswith(")"):
        return set()
    depth, names, begins = 0, set[str](), True
    for piece in re.finditer(r"\.\.\.|[\w$]+|\"[^\"]*\"|`[^`]*`|\S", rest):
        one = piece[0]
        if one == "..." or (depth == 0 and one != "{"):
            return None
        if begins and depth == 1 and one.isidentifier():
            names.add(one)
        depth += (one in "{([") - (one in "})]")
        begins = one == "," or (depth == 1 and one == "{")
        if depth == 0:
            break
    return names


def test_scripts_fill_each_field_of_a_text() -> None:
    lacking = [
        (name_of(path), call[1], sorted(lack))
        for path in SCRIPTS
        for source in [path.read_text(encoding="utf-8")]
        for call in re.finditer(r'\b(?:text|say|fail)\(\s*"([a-z]+\.[\w.]+)"', source)
        if call[1] in texts("en")
        for given in [given_to(source, call.end())]
        if given is not None and (lack := fields(texts("en")[call[1]]) - given)
    ]
    assert lacking == []


def test_what_is_given_to_a_text_is_read() -> None:
    read = {
        'text("a.b")': set(),
        'text("a.b", { head, score: f({ no: 1 }), of: `${x}` })': {"head", "score", "of"},
        'text("a.b", { ...more, head })': None,
        'text("a.b", fields)': None,
    }
    assert {call: given_to(call, len('text("a.b"')) for call in read} == read


def test_no_text_is_left_over() -> None:
    whole, starts = used_keys()
    names = {key: key.removeprefix(SHORT) for key in texts("en")}  # the gist of a sentence has its key
    left = {key for key, name in names.items() if not {key, name} & whole and not name.startswith(tuple(starts))}
    assert left == set()


def test_every_hint_is_that_of_a_choice() -> None:
    hinted = {key.removeprefix("hint.") for key in texts("en") if key.startswith("hint.")}
    assert hinted
    assert hinted <= {key.removeprefix("choice.") for key in texts("en")}


def test_every_preset_has_a_name_and_a_promise() -> None:
    names = [*EXPLORE, *ANATOMY, *COST, *TRAIN]
    assert {f"{family}.{name}" for name in names for family in ("preset", "promise")} <= set(texts("en"))


def test_every_kind_of_number_has_a_formula() -> None:
    found = {kind for kind, one in KINDS.items() if not one.formula and f"reason.formula.{kind}" not in texts("en")}
    assert found <= {"product", "score"}  # each mechanism has its own
