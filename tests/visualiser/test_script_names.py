"""What a script quotes is written elsewhere, too: a name that stands there alone is misspelt or needless."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "assets" / "js").rglob("*.js"))
WRITING = {
    "assets/js": ".js",
    "assets/first": ".js",
    "assets/offline": ".js",
    "assets/types": ".ts",
    "assets/css": ".css",
    "assets/locales": "en.json",
    "visualiser": ".py",
    "attention_core": ".py",
    "tests": (".py", ".mjs"),
}
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[A-Za-z0-9]")
UNREAD = re.compile(
    r"/\*.*?\*/|(?<![:\"'])//[^\n]*"  # comments
    r"|(?:from|import)\s*\(?\s*\"[^\"]+\""  # modules: the compiler finds them
    r"|\"M[\d. aAcChHlLmMvVzZ-]+\"",  # drawings
    re.DOTALL,
)
QUOTED = re.compile(r'"([^"\n]*)"|`([^`]*)`')
SYMBOLS = ROOT / "assets/js/words/latex.js"
"""Its names are LaTeX's."""

BROWSERS = {  # names of the web platform, each used once
    *("aria-labelledby", "aria-orientation", "aria-valuemin", "auxclick", "border-right", "cx", "data-name"),
    *(
        "dragleave",
        "en-GB",
        "evenodd",
        "fullscreenchange",
        "last-of-type",
        "noreferrer",
        "readwrite",
        "tablist",
        "x-wav",
    ),
    *("KeyP", "mi", "mo", "mrow", "mspace", "msqrt"),
}
KEPT = {  # names under which a browser keeps something: another one would lose it
    *("handover", "headlight-led", "headlight-lesson", "headlight-lined", "headlight-pages", "headlight-questions"),
    *("headlight-remote", "headlight-steered", "headlight-upload", "headlight-welcomed"),
}
ENDS = {"in_texts"}  # what a key is completed with
SETS = {"QKVW", "Ll", "bfnrt", "dW", "hnmpqkwHJKQVX"}  # of letters
HANDLES = {  # classes and ids that today no style and no test asks for
    *("ask-kind", "class-offers", "class-remote", "concluded", "editor-propose", "editor-right"),
    *(
        "file-said",
        "first-layer",
        "handout-print",
        "has-problem",
        "head-back",
        "head-numbers",
        "head-run",
        "head-shown",
        "lesson-extra",
        "lesson-load",
        "make-own",
        "map-in",
        "map-out",
    ),
    *("models-dialog", "models-title", "pictures-help", "play-on", "prediction-cover-why", "prepared-open"),
    *("remote-lesson", "room-copy", "room-wall-shut", "title-model-heads"),
}


def quoted(script: Path) -> Iterator[str]:
    """Yield the names in the texts of a script, without what `${…}` puts there."""
    for plain, template in QUOTED.findall(UNREAD.sub("", script.read_text(encoding="utf-8"))):
        yield from NAME.findall(re.sub(r"\$\{[^}]*\}", "", plain or template))


def written(folders: Collection[str] = WRITING) -> Counter[str]:
    """Count each name in all that could name the same thing."""
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.name.endswith(WRITING[folder]))
    own = Path(__file__).resolve()
    return Counter(name for path in files if path != own for name in NAME.findall(path.read_text(encoding="utf-8")))


def test_no_name_in_a_script_stands_alone() -> None:
    count, known = written(), BROWSERS | KEPT | ENDS | SETS | HANDLES
    names = {name for script in SCRIPTS if script != SYMBOLS for name in quoted(script)}
    assert {name for name in names if count[name] == 1} - known == set()
    assert known - names == set()
