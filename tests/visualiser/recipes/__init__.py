"""A copy of the app that follows the recipes of docs/architecture.md: one more mechanism, one more normalisation.

The copy has `mechanisms/cosine.py` and `normalisations/sigmoid.py` from this folder, their names in `config.py`, and
the words of `words.json` in each language. Nothing else differs.
"""

import json
import shutil
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
HERE: Final = Path(__file__).resolve().parent
NAMED: Final = {
    '"additive": False}': '"additive": False, "cosine": True}',
    '"normalisation": ("softmax",)': '"normalisation": ("softmax", "sigmoid")',
}
"""The changes of `config.py`: every mechanism and normalisation has its name there."""


def followed(folder: Path) -> Path:
    """Copy the app into `folder` and follow both recipes there; return the folder."""
    for package in ("attention_core", "visualiser"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "assets").mkdir()
    for path in (ROOT / "assets").iterdir():
        if path.name != "locales":
            (folder / "assets" / path.name).symlink_to(path)
    config = folder / "attention_core" / "config.py"
    source = config.read_text(encoding="utf-8")
    for there, then in NAMED.items():
        assert source.count(there) == 1, there
        source = source.replace(there, then)
    config.write_text(source, encoding="utf-8")
    shutil.copy(HERE / "cosine.py", folder / "attention_core" / "mechanisms")
    shutil.copy(HERE / "sigmoid.py", folder / "attention_core" / "normalisations")
    (folder / "assets" / "locales").mkdir()
    words = json.loads((HERE / "words.json").read_text(encoding="utf-8"))
    for lang, own in words.items():
        texts = json.loads((ROOT / "assets" / "locales" / f"{lang}.json").read_text(encoding="utf-8"))
        written = json.dumps({**texts, **own}, ensure_ascii=False)
        (folder / "assets" / "locales" / f"{lang}.json").write_text(written, encoding="utf-8")
    return folder
