"""Joins scripts into bundles, each with all that its first script imports (docs/decisions/bundles.md).

A script becomes a function that returns its exports and runs once, when the first script that imports it does, so names
of two scripts never meet. An import is taken as a constant. That is exact: no exported name changes its value, and no
script imports itself through others (`tests/visualiser/test_script_layers.py`). Scripts are prettier's; eslint
(`headlight/bundled`) refuses texts in which a line looks like a comment, an import or an export.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from posixpath import basename, dirname, join, normpath
from typing import Final

LATER: Final = "js/later/"
"""Each script of this folder begins a bundle of its own."""

_ONCE: Final = (
    "const __made={};const __need=(name)=>__made[name]??=__own[name]();const __asked=async(name)=>{"
    "if(name in __own)return __need(name);throw new TypeError(`${name} is not in this bundle`)};\n"
)
_COMMENT: Final = re.compile(r"[ ]*/\*\*(?:[^*]|\*(?!/))*\*/|^[ ]*//.*\n", re.MULTILINE)
_INDENTED: Final = re.compile(r"\n\s+")
_IMPORT: Final = re.compile(r'^import (?:(?:\{([^{}]*)\}|\* as (\w+)) from )?"([^"\n]+)";\n', re.MULTILINE)
_LIST: Final = re.compile(r'^export \{([^{}]*)\}(?: from "([^"\n]+)")?;\n', re.MULTILINE)
_DECLARED: Final = re.compile(
    r"^export (?=(?:(?:async )?function\*? |class |const )(\w+)|const \[([^\]]*)\] =)", re.MULTILINE
)
_ASKED: Final = re.compile(r'\bimport\((?:"([^"]+)"|`([^`$]*)(\$\{[\w.]+\})([^`$]*)`)\)')
_LEFT: Final = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)


class _Script:
    """One script, read."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.needed: list[str] = []
        """The scripts that it imports, in their order, and patterns of those that it asks for."""
        self._first: list[str] = []
        self._shown: list[str] = []
        text = _COMMENT.sub("", text)
        text = _LIST.sub(self._listed, _DECLARED.sub(self._declared, _IMPORT.sub(self._imported, text)))
        if left := _LEFT.search(_ASKED.sub("", text)) or self._changing(text):
            raise ValueError(f"assets/{path}: no bundle can hold `{left[0]}` (docs/decisions/bundles.md)")
        shown = ",".join(self._shown)
        body = _INDENTED.sub("\n", _ASKED.sub(self._asked, text)).strip()
        self.text = f'"{path}"(){{{"".join(self._first)}\n{body}\nreturn{{{shown}}}}}'
        self.names = [name.partition(":")[0] for name in self._shown]

    def _changing(self, text: str) -> re.Match[str] | None:
        """Find an exported variable, whose value an importing script would not see change."""
        names = "|".join(re.escape(name.rpartition(":")[2]) for name in self._shown)
        return re.search(rf"^(?:let|var) [^=;\n]*\b(?:{names})\b.*", text, re.MULTILINE) if names else None

    def _address(self, name: str) -> str:
        return normpath(join(dirname(self.path), name))

    def _need(self, name: str) -> str:
        self.needed.append(self._address(name))
        return f'__need("{self.needed[-1]}")'

    def _imported(self, found: re.Match[str]) -> str:
        names, whole, name = found.groups()
        taken = "{" + ",".join(_pairs(names, "{}:{}")) + "}" if names else whole
        self._first.append(f"const {taken}={self._need(name)};" if taken else f"{self._need(name)};")
        return ""

    def _declared(self, found: re.Match[str]) -> str:
        self._shown += (found[1] or found[2]).split(", ")
        return ""

    def _listed(self, found: re.Match[str]) -> str:
        if found[2]:
            need = self._need(found[2])
            self._first.append(f"{need};")
            self._shown += [f"{shown}:{need}.{name}" for name, shown in _names(found[1])]
        else:
            self._shown += _pairs(found[1], "{1}:{0}")
        return ""

    def _asked(self, found: re.Match[str]) -> str:
        name, before, chosen, after = found.groups()
        path = self._address(name or before)
        if path.startswith(LATER):
            return f'import("./{basename(path)}")'
        self.needed.append(path if name else f"{path}/*{after}")
        return f'__asked("{path}")' if name else f"__asked(`{path}/{chosen}{after}`)"


def _names(listed: str) -> Iterable[tuple[str, str]]:
    """Yield the pairs of ``a as b, c``."""
    for one in filter(None, map(str.strip, listed.split(","))):
        name, _, shown = one.partition(" as ")
        yield name, shown or name


def _pairs(listed: str, form: str) -> list[str]:
    return [name if name == shown else form.format(name, shown) for name, shown in _names(listed)]


def _matching(name: str, texts: Mapping[str, str]) -> list[str]:
    """Return the paths that a pattern means."""
    found = [path for path in texts if fnmatchcase(path, name)] if "*" in name else [name] if name in texts else []
    if not found:
        raise ValueError(f"there is no script assets/{name}")
    return found


def bundles(texts: Mapping[str, str], firsts: Mapping[str, str]) -> dict[str, str]:
    """Return bundles by their paths, of scripts by theirs; `firsts` has the first script of each bundle.

    Raises
    ------
    ValueError
        If a script imports, exports or asks in a way that no bundle can hold.
    """
    scripts = {path: _Script(path, text) for path, text in texts.items()}
    made = {}
    for bundle, first in firsts.items():
        needed, waiting = {}, [first]
        while waiting:
            script = scripts[waiting.pop()]
            if script.path not in needed:
                needed[script.path] = script.text
                waiting += [path for name in script.needed for path in _matching(name, texts)]
        own = ",\n".join(needed[path] for path in sorted(needed))
        names = scripts[first].names
        end = f'export const{{{",".join(names)}}}=__need("{first}");' if names else f'__need("{first}");'
        made[bundle] = f"{_ONCE}const __own={{\n{own}}};\n{end}\n"
    return made
