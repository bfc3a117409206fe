"""Pytest plugin: write down which tests run which line of attention_core and visualiser, with coverage's contexts.

The files $HEADLIGHT_COVERED/modules.* are coverage's own data, one for each process.
"""

import os
import warnings
from pathlib import Path

import pytest
from coverage import Coverage

from benchmarks.mutations.sites import ROOT

_coverage = Coverage(
    data_file=str(Path(os.environ["HEADLIGHT_COVERED"]) / "modules"),
    data_suffix=True,
    include=[f"{ROOT}/{name}/*" for name in ("attention_core", "visualiser")],
    config_file=False,
)


def pytest_configure() -> None:
    Path(os.environ["HEADLIGHT_COVERED"]).mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():  # of torch without the slow tracer, say; warnings are errors here
        warnings.simplefilter("ignore")
        _coverage.start()


def pytest_runtest_protocol(item: pytest.Item) -> None:
    _coverage.switch_context(item.nodeid)


def pytest_sessionfinish() -> None:
    with warnings.catch_warnings():  # xdist's own process runs no line of ours
        warnings.simplefilter("ignore")
        _coverage.stop()
        _coverage.save()
