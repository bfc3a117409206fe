"""Puts assets/ into the installed package; everything else about the package stands in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["attention_core*", "visualiser*"]), "visualiser.assets"],
    package_dir={"visualiser.assets": "assets"},
    package_data={"attention_core": ["py.typed"], "visualiser.assets": ["**/*"]},
)
