"""The index of docs/decisions."""

from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "decisions"


def index() -> str:
    """Return a link to every decision, under its own title."""
    return "\n".join(f"- [{_title(path)}]({path.name})" for path in _files())


def navigation() -> list[str]:
    """Return the addresses of the index and of every decision."""
    return [f"decisions/{name}" for name in ("index.md", *(path.name for path in _files()))]


def _files() -> list[Path]:
    return sorted(path for path in _FOLDER.glob("*.md") if path.name != "index.md")


def _title(path: Path) -> str:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    if not first.startswith("# "):
        raise ValueError(f"{path.name} begins with no title")
    return first.removeprefix("# ")
