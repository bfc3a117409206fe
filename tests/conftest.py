"""One Chromium for the whole run: Playwright's synchronous driver can be started only once in a process."""

import os
import secrets
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import jaxtyping
import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests import spread
from visualiser.server.gradio import imports

# Tests run in parallel, one process a core, so more threads of torch would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The models that ship, unless a test names others: which of the Hub are offered depends on what is installed.
os.environ["HEADLIGHT_MODELS"] = "none"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# an example may take any time on a busy machine
settings.register_profile("headlight", deadline=None, max_examples=spread.EXAMPLES)
settings.register_profile("quick", deadline=None, max_examples=spread.QUICK_EXAMPLES)
settings.load_profile("headlight")


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("HEADLIGHT_DRAW", secrets.token_hex(4))  # the processes of a run draw alike
    spread.daily = config.option.markexpr == "quick"
    if spread.daily:
        settings.load_profile("quick")
        jaxtyping.config.update("jaxtyping_disable", True)  # every shape of every call: a sixth of the time


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import as the app does: no stub of gradio is rendered, and the collector rests until all is there."""
    with imports.quick():
        return (yield)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Import no test that the daily subset leaves out with its whole folder."""
    return True if spread.daily and spread.is_served(collection_path) else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one process a core, and one more in a run with browsers and servers, whose tests often wait for them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (config.option.markexpr != "quick")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> spread.ByFile | None:
    return spread.ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_report_header() -> str:
    return f"cases of browser tests: HEADLIGHT_DRAW={os.environ['HEADLIGHT_DRAW']} (docs/contributing.md)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = spread.in_order(items)
    named = config.args_source is pytest.Config.ArgsSource.ARGS or config.option.markexpr or config.option.keyword
    if spread.RUNS == 1 and not named:  # files, marks or names that somebody asks for have all their cases
        items[:], left = spread.split(items, os.environ["HEADLIGHT_DRAW"])
        config.hook.pytest_deselected(items=left)
    for item in items:
        if spread.quick(item):
            item.add_marker("quick")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the browser named by $HEADLIGHT_CHROMIUM, or a chromium on PATH."""
    named = os.environ.get("HEADLIGHT_CHROMIUM")
    path = shutil.which(named or "chromium")
    if path is None:
        pytest.fail(
            f"HEADLIGHT_CHROMIUM={named} is no program that can be started."
            if named
            else "No Chromium: set HEADLIGHT_CHROMIUM=/path/to/chromium, or put chromium on PATH."
        )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()
