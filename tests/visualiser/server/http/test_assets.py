"""Scripts, styles and plotly: addressed by content, and nothing else can be asked for."""

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


def test_the_first_bytes_name_scripts_that_exist() -> None:
    inserted = first_bytes.html("explore")
    for name in assets.scripts():
        folder = name.rpartition("/")[0]
        assert (f"{assets.version()}/{name}" in inserted) == (folder in ("js", "js/explore"))
    assert f"{assets.plotly_version()}/plotly.min.js" in inserted
