"""Scripts, styles and plotly: addressed by content, and nothing else can be asked for."""

import gzip

import plotly
import pytest

from visualiser.live import assets, first_bytes


def test_every_script_is_there_under_the_common_version() -> None:
    asset = assets.find(assets.version(), "js/main.js")
    assert asset is not None
    assert asset.plain == (assets.ROOT / "js" / "main.js").read_bytes()
    assert gzip.decompress(asset.gzipped) == asset.plain


def test_plotly_is_the_installed_wheels() -> None:
    asset = assets.find(assets.plotly_version(), "plotly.min.js")
    assert asset is not None
    assert asset.plain[:200].decode().splitlines()[1:2] != []
    assert str(assets.plotly_path()).startswith(plotly.__path__[0])


@pytest.mark.parametrize(
    ("version", "path"),
    [
        ("old", "js/main.js"),
        (assets.version(), "../app.py"),
        (assets.version(), "js/../../app.py"),
        (assets.version(), "/etc/passwd"),
        (assets.version(), "js"),
        (assets.version(), "plotly.min.js"),
    ],
)
def test_nothing_else_is_found(version: str, path: str) -> None:
    assert assets.find(version, path) is None


def test_the_first_bytes_name_scripts_that_exist() -> None:
    inserted = first_bytes.html("explore")
    for name in assets.scripts():
        folder = name.rpartition("/")[0]
        assert (f"{assets.version()}/{name}" in inserted) == (folder in ("js", "js/explore"))
    assert f"{assets.plotly_version()}/plotly.min.js" in inserted
