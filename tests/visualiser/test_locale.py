import ast
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from visualiser.locale import LANGUAGES, number, text, texts
from visualiser.locale.message_format import fields

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = json.loads((ROOT / "tests" / "scripts" / "numbers.json").read_text(encoding="utf-8"))
"""Numbers as the scripts write them as well."""


def test_both_languages_have_the_same_keys():
    assert set(texts("en")) == set(texts("ko"))


def test_no_translation_asks_for_a_field_that_the_english_text_does_not_know():
    english, korean = texts("en"), texts("ko")
    assert {key for key in english if not fields(korean[key]) <= fields(english[key])} == set()


SYMBOLS = re.compile(
    r"(?<![A-Za-z])[A-Za-z]+_[A-Za-z]+(?![A-Za-z])"
    r"|(?<![A-Za-z_'’.])(?:[B-Zb-rt-z]|QK|(?:softmax|exp|ln|tanh|diag)(?=\())(?![A-Za-z_'’])"
    r"|[Α-Ωα-ω√Σ∂‖∞⌊⌋×±−≤≥∘½′^ⁱᴴʲʰᵀ⁻⁰¹²³⁴-⁹₀-₉ᵢⱼ]|(?<![가-힣])·"
)
"""d_k, W_Q, single letters, functions and signs of formulas. A Korean particle may follow without a space.

The words A, a and s (seconds) are no symbols, nor are abbreviations such as s.d. and the dot of a Korean list.
"""


def symbols(template: str) -> Counter[str]:
    """Count the symbols of a text outside its fields."""
    return Counter(SYMBOLS.findall(re.sub(r"\{[^}]*\}", "", template)))


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("e^H of {n} keys", ["e", "^", "H"]),
        ("eᴴ, qⁱ kʲ, 10⁻⁹", ["e", "ᴴ", "q", "ⁱ", "k", "ʲ", "⁻", "⁹"]),
        ("W_Q에 d_k개, ½ ‖o‖²", ["W_Q", "d_k", "½", "‖", "o", "‖", "²"]),
        ("softmax(QKᵀ / √d_k) V", ["softmax", "QK", "ᵀ", "√", "d_k", "V"]),
        ("1 − tanh²(x) ∘ α", ["−", "²", "x", "∘", "α"]),
        ("A key's 1 s.d. at {d_k} s, 확대·축소 q·k", ["q", "·", "k"]),
    ],
)
def test_symbols_are_found_in_a_text(template: str, found: list[str]) -> None:
    assert symbols(template) == Counter(found)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_names_the_same_symbols_as_often(lang: str) -> None:
    english, other = texts("en"), texts(lang)
    apart = {key: (symbols(english[key]), symbols(other[key])) for key in english}
    assert {key: (first - then, then - first) for key, (first, then) in apart.items() if first != then} == {}


@pytest.mark.parametrize(("lang", "nouns"), [("en", ("norm", "trace")), ("ko", ("노름", "대각합"))])
def test_norm_and_trace_stand_behind_their_own_nouns(lang: str, nouns: tuple[str, str]) -> None:
    """The nearest of the two nouns, or of their symbols, before each number is its own."""
    found = 0
    for template in texts(lang).values():
        for field, own, other in (("{norm}", *nouns), ("{trace}", *reversed(nouns))):
            template = template.replace("\u00a0", " ").replace("‖J‖", nouns[0]).replace("tr J", nouns[1])
            before = template.partition(field)[0].lower() if field in template else None
            if before is not None:
                before = before.replace("‖j‖", nouns[0]).replace("tr j", nouns[1])  # signs stand for the nouns
                assert before.rfind(own) > before.rfind(other), template
                found += 1
    assert found >= 12


def test_no_text_is_empty():
    assert all(value.strip() for lang in LANGUAGES for value in texts(lang).values())


@cache
def written() -> tuple[set[str], set[str]]:
    """Return all constant texts of the code, and those with which an f-string begins."""
    sources = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "visualiser").rglob("*.py")]
    nodes = [node for tree in sources for node in ast.walk(tree)]
    firsts = [node.values[0] for node in nodes if isinstance(node, ast.JoinedStr)]
    texts_of = [
        {one.value for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        for found in (nodes, firsts)
    ]
    return texts_of[0], texts_of[1]


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["figure", "table", "insight"])
def test_every_key_is_used_somewhere(prefix: str):
    """A key occurs whole in the code, or matches the constant parts of an f-string."""
    whole, begun = written()
    starts = tuple(start for start in begun if start.startswith(f"{prefix}."))
    shown_by_the_page = (".title", ".hint")
    keys = [key for key in texts("en") if key.startswith(f"{prefix}.") and not key.endswith(shown_by_the_page)]
    assert [key for key in keys if key not in whole and not key.startswith(starts)] == []


def test_a_missing_key_or_field_is_an_error():
    with pytest.raises(KeyError):
        text("en", "figure.nowhere")
    with pytest.raises(KeyError):
        text("en", "figure.head")
    with pytest.raises(KeyError, match="no language 'xx'; there are en, "):
        text("xx", "figure.head", head=1)


def test_fields_are_filled_and_floats_are_written_at_three_digits():
    assert text("en", "figure.head", head=3) == "head 3"
    assert text("ko", "figure.head", head=3) == "헤드 3"
    assert text("en", "figure.gradient.title") == "Gradient"
    assert text("en", "live.cell", head=1, query=2, key=3.14159).endswith("query 2 → key 3.14")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((float(value), written) for value, written in NUMBERS),
        (4096, "4096"),
        (-3, "−3"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
    ],
)
def test_numbers_have_three_significant_digits(value: float, written: str):
    assert number(value) == written


@pytest.mark.night
@pytest.mark.slow
def test_a_file_of_texts_is_all_that_makes_a_language(tmp_path: Path) -> None:
    """With one more file, links, controls, answers and the script's settings have one more language."""
    for path in (ROOT / "assets").iterdir():
        if path.name != "locales":
            (tmp_path / path.name).symlink_to(path)
    shutil.copytree(ROOT / "assets" / "locales", tmp_path / "locales")
    french = dict(texts("en")) | {"language.name": "Français", "figure.head": "tête {head}"}
    (tmp_path / "locales" / "fr.json").write_text(json.dumps(french), encoding="utf-8")
    found = subprocess.run([sys.executable, "-c", SPEAKING, tmp_path], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == [["en", "fr", "ko"], "n=7&lang=fr", "tête 3", ["English", "Français", "한국어"]]


SPEAKING = """
import json, pathlib, sys
from visualiser import asset_folder
asset_folder.ASSETS = pathlib.Path(sys.argv[1])
from visualiser.locale import text
from visualiser.pages import elements, shell
from visualiser.server.gradio.building import configuration
from visualiser.state import share
state = share.read("n=7&lang=fr").state
components = [part["props"] for part in configuration(shell.build())["components"]]
(radio,) = [props for props in components if props.get("elem_id") == "control-lang"][:1]
shared = list(elements.shared_settings("explore")["locales"]), share.canonical(state)
print(json.dumps([*shared, text(state.lang, "figure.head", head=3), [name for name, _ in radio["choices"]]]))
"""
