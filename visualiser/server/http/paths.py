"""The path of a request as gradio's routes see it, below whatever path the whole app is served at."""

from starlette.types import Scope


def route_path(scope: Scope) -> str:
    """The path without `root_path`, which a proxy may have left on or taken off; it begins with a slash."""
    path, root = scope["path"], scope.get("root_path", "").rstrip("/")
    if root and (path == root or path.startswith(f"{root}/")):
        path = path[len(root) :]
    return path or "/"
