"""A copy of the app that follows the recipes of docs/architecture.md: a mechanism, a normalisation and a mask more.

The copy has `mechanisms/cosine.py` and `normalisations/relu.py` from this folder, the changes in `CHANGED`,
and the words of `words.json` in each language. Nothing else differs.
"""

import json
import shutil
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
HERE: Final = Path(__file__).resolve().parent
CHANGED: Final = {
    "attention_core/config.py": {
        '"additive": False}': '"additive": False, "cosine": True}',
        '"normalisation": ("softmax", ': '"normalisation": ("softmax", "relu", ',
        '"mask": ("none", "causal", "window")': '"mask": ("none", "causal", "window", "strided")',
    },
    "attention_core/exact/mask_choices.py": {
        "MASKS: Mapping": """
class Strided(Mask):
    def allows(self, query, key):
        return (key - query) % 2 == 0


MASKS: Mapping""",
        '    "mask",\n    {\n': """    "mask",
    {
        "strided": MaskChoice(lambda config: Strided(), "(key - query) % 2 == 0"),
""",
    },
}
"""The changes: every choice has its name in `config.py`, every mask its entry."""


def followed(folder: Path) -> Path:
    """Copy the app into `folder` and follow both recipes there; return the folder."""
    for package in ("attention_core", "visualiser"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "assets").mkdir()
    for path in (ROOT / "assets").iterdir():
        if path.name != "locales":
            (folder / "assets" / path.name).symlink_to(path)
    for name, changes in CHANGED.items():
        changed = folder / name
        source = changed.read_text(encoding="utf-8")
        for there, then in changes.items():
            assert source.count(there) == 1, there
            source = source.replace(there, then)
        changed.write_text(source, encoding="utf-8")
    shutil.copy(HERE / "cosine.py", folder / "attention_core" / "mechanisms")
    shutil.copy(HERE / "relu.py", folder / "attention_core" / "normalisations")
    (folder / "assets" / "locales").mkdir()
    words = json.loads((HERE / "words.json").read_text(encoding="utf-8"))
    for lang, own in words.items():
        texts = json.loads((ROOT / "assets" / "locales" / f"{lang}.json").read_text(encoding="utf-8"))
        written = json.dumps({**texts, **own}, ensure_ascii=False)
        (folder / "assets" / "locales" / f"{lang}.json").write_text(written, encoding="utf-8")
    return folder
