"""Puts assets/ into the installed package; everything else about the package stands in pyproject.toml."""

from pathlib import Path

from setuptools import find_packages, setup

ASSETS = Path("assets")
# A clone in which scripts were checked holds their tools as well.
FILES = [path.relative_to(ASSETS) for path in ASSETS.rglob("*") if path.is_file()]

setup(
    packages=[*find_packages(include=["attention_core*", "visualiser*"]), "visualiser.assets"],
    package_dir={"visualiser.assets": "assets"},
    package_data={
        "attention_core": ["py.typed", "language/shipped/*", "learned/*.json", "prose/*/*.txt"],
        "visualiser.assets": [path.as_posix() for path in FILES if path.parts[0] != "node_modules"],
    },
)
