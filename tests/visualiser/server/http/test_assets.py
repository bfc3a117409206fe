"""Scripts, styles and plotly: addressed by content, and no other file can be requested."""

import hashlib
import re
from pathlib import Path

import plotly
import pytest

from visualiser.server.http import assets, first_bytes
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.static_files import own_files


def version(script: bytes) -> bytes:
    found = re.match(rb"/\*\*\n\* plotly\.js (?:\(cartesian - minified\) )?v([\d.]+)\n", script)
    assert found
    return found[1]


def test_plotly_draws_what_the_installed_wheel_checks() -> None:
    """Python checks figures against the schema of its own plotly.js; another version may draw them otherwise."""
    wheels = Path(plotly.__path__[0]) / "package_data" / "plotly.min.js"
    assert version(assets.plotly().plain) == version(wheels.read_bytes())


def test_plotly_is_the_published_package() -> None:
    """The file of plotly.js-cartesian-dist-min 4.1.1 on npm, unchanged."""
    assert hashlib.sha512(assets.plotly().plain).hexdigest() == (
        "123d8338bca944f64b66b667bc30f64e216c01f09a53315740109a20d9e9433e"
        "bbdc53be2285fc7a56d0e3b8901f528c68574b668753a484477fa46fb6d5d0c5"
    )


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
    pictures = {name for name in served if name.startswith("shipped/pictures/")}
    assert len(pictures) == 3
    assert {name.split("/")[0] for name in set(served) - pictures} == {
        "bundle",
        "js",
        "css",
        "locales",
        "lessons",
        "offline",
    }
    assert not any("node_modules" in name or "package" in name or "config" in name for name in served)


def test_the_first_bytes_load_the_bundle_and_nothing_else_of_ours() -> None:
    inserted = first_bytes.html("explore")
    loaded = re.findall(rf"{assets.version()}/([^\"]+)\"", inserted)
    assert sorted(loaded) == [assets.BUNDLE, assets.BUNDLE, "css/print.css"]
    assert re.search(
        r'<link rel="stylesheet" media="print" href="[^"]+/css/print\.css">', inserted
    )  # browsers load it last
    assert "plotly" not in inserted
