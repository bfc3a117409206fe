"""The path of a request as gradio's routes see it, below the path that the whole app is served at."""

from starlette.types import Scope


def route_path(scope: Scope) -> str:
    """Return the path without `root_path`, which a proxy may have kept or removed. It begins with a slash."""
    path, root = scope["path"], scope.get("root_path", "").rstrip("/")
    if root and (path == root or path.startswith(f"{root}/")):
        path = path[len(root) :]
    return path or "/"
