"""Scripts, styles and plotly: addressed by content, and no other file can be requested."""

import plotly
import pytest

from visualiser.server.http import assets, first_bytes
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.static_files import own_files


def test_plotly_is_the_installed_wheels() -> None:
    assert b"plotly.js v" in assets.plotly().plain[:200]
    assert str(assets.plotly_path()).startswith(plotly.__path__[0])


@pytest.mark.parametrize(
    "path",
    [
        "old/js/main.js",
        f"{assets.version()}/../app.py",
        f"{assets.version()}/js/../../app.py",
        f"{assets.version()}//etc/passwd",
        f"{assets.version()}/js",
        f"{assets.version()}/plotly.min.js",
        f"{assets.plotly_version()}/js/main.js",
    ],
)
def test_nothing_else_is_found(path: str) -> None:
    assert f"{PREFIX}/assets/{assets.version()}/js/main.js" in own_files()
    assert f"{PREFIX}/assets/{path}" not in own_files()


def test_tools_are_not_served() -> None:
    """The script checkers lie beside the scripts, and node's packages bring thousands more."""
    served = assets.scripts()
    assert "js/main.js" in served
    assert {name.split("/")[0] for name in served} == {"js", "css", "locales"}
    assert not any("node_modules" in name or "package" in name or "config" in name for name in served)


def test_the_first_bytes_name_scripts_that_exist() -> None:
    inserted = first_bytes.html("explore")
    for name in assets.scripts():
        folder = name.rpartition("/")[0]
        assert (f"{assets.version()}/{name}" in inserted) == (folder in ("js", "js/explore"))
    assert f"{assets.plotly_version()}/plotly.min.js" in inserted
