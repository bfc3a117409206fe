"""What every test has: its tier, fixed seeds, and one Chromium a process.

Playwright's synchronous driver can be started only once in a process.
"""

import json
import os
import random
import shutil
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import jaxtyping
import numpy as np
import pytest
import torch
from _pytest.terminal import TerminalReporter
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests import draws, tiers
from visualiser.server.gradio import imports

# Tests run in parallel, one process a core, so more threads of torch would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The models that ship, unless a test names others: which of the Hub are offered depends on what is installed.
os.environ["HEADLIGHT_MODELS"] = "none"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# The bounds of a class server: an owner's follow from the machine's free memory, which is never the same twice.
os.environ["HEADLIGHT_MEMORY_MB"], os.environ["HEADLIGHT_MODEL_MB"] = "1024", "2048"

# jsonschema would make the grammars of addresses, for three seconds; no schema here names that format.
sys.modules["rfc3987_syntax"] = None  # pyright: ignore[reportArgumentType]

# An example may take any time on a busy machine. The gate repeats its examples, and keeps none of an earlier run.
settings.register_profile("gate", deadline=None, max_examples=draws.EXAMPLES, derandomize=True, database=None)
settings.register_profile("night", deadline=None, max_examples=draws.EXAMPLES, database=None, print_blob=True)
settings.load_profile("gate" if draws.NIGHT is None else "night")

collect_ignore = [] if os.name == "posix" else ["test_ci_parts.py"]  # .ci/run needs a shell

SLOWEST: Final = 10
"""Files of tests that a run names at its end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--gate", action="store_true", help="of the tests that are named, run those of the gate")
    parser.addoption("--report", type=Path, help="write failed tests and seconds of files to this JSON file")
    parser.addoption("--done", type=Path, help="write tests that pass here, and leave out files that it has whole")


def pytest_configure(config: pytest.Config) -> None:
    if draws.NIGHT is not None:
        config.option.hypothesis_seed = draws.NIGHT
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(ToldAtOnce(config))


class ToldAtOnce:
    """Tells of each test of a night when it ends: one that is stopped has told what it found, and can go on."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._red = set[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a red test with what repeats it; write down one that is through and was never red."""
        terminal: TerminalReporter | None = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed:
            self._red.add(report.nodeid)
        if report.failed and terminal is not None:
            terminal.write("\n")  # behind the dots
            terminal.write_line(_command(report.nodeid))
            terminal.write_line(report.longreprtext)
        done: Path | None = self._config.option.done
        if done and report.when == "teardown" and report.nodeid not in self._red:
            with done.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")


def _command(name: str) -> str:
    """Return what repeats a test of this night."""
    return f"bash tests/night.sh --seed {draws.NIGHT} '{name}'"


def _is_quick(config: pytest.Config) -> bool:
    return config.option.markexpr == "quick"


def _is_gate(config: pytest.Config) -> bool:
    """Return True for a run of the gate: one that names no files, marks or tests, or says `--gate`."""
    if config.option.gate:
        return True
    named = config.args_source is pytest.Config.ArgsSource.ARGS or config.option.markexpr or config.option.keyword
    return draws.NIGHT is None and not named


_checked = set[str]()
"""Files of tests of the core of which one has run in this process."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Check the shapes of each call of the core, in the gate in one test of a file (docs/decisions/fast-tests.md)."""
    file = item.nodeid.partition("::")[0]
    first = file.startswith("tests/attention_core/") and file not in _checked
    _checked.add(file)
    checked = not _is_quick(item.config) and (first or not _is_gate(item.config))
    jaxtyping.config.update("jaxtyping_disable", not checked)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import as the app does: no stub of gradio is rendered, and the collector rests until all is there."""
    with imports.quick():
        return (yield)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no folder of tests that a run leaves out."""
    quick = _is_quick(config)
    return True if (quick or _is_gate(config)) and tiers.is_left_out(collection_path, quick) else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one process a core: each takes half a minute to collect, and browsers need cores, too."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> tiers.ByFile | None:
    return tiers.ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_report_header() -> str:
    return f"the night of HEADLIGHT_NIGHT={draws.NIGHT}" if draws.NIGHT is not None else "every draw is fixed"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = tiers.in_order(items)
    if _is_gate(config):
        browsed = any(item.nodeid.startswith(tiers.BROWSER) for item in items)
        if browsed and not config.option.gate and (unknown := tiers.unknown_journeys(items)):
            raise pytest.UsageError(f"{tiers.JOURNEYS.name} names no test: {', '.join(unknown)}")
        kept = tiers.of_gate(items)
        gate = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in gate])
        items[:] = kept
    if config.option.done and config.option.done.exists():
        items[:] = tiers.of_open_files(items, set(config.option.done.read_text(encoding="utf-8").splitlines()))
    for item in tiers.of_quick(items):
        item.add_marker("quick")


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    """Begin each test with the same global generators, whichever test came before."""
    random.seed(draws.SEED)
    np.random.seed(draws.SEED % 2**32)
    torch.manual_seed(draws.SEED)


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print the slowest files; write them and the failed tests to `--report`."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[tiers.part(report.nodeid)] += report.duration
    if len(seconds) > SLOWEST:
        terminalreporter.section(f"{SLOWEST} slowest files")
        for name in sorted(seconds, key=seconds.__getitem__, reverse=True)[:SLOWEST]:
            terminalreporter.write_line(f"{seconds[name]:6.1f} s  {name}")
    red = [*terminalreporter.stats.get("failed", []), *terminalreporter.stats.get("error", [])]
    failed = list(dict.fromkeys(report.nodeid for report in red))
    if draws.NIGHT is not None and failed:
        terminalreporter.section("each of these again by one command")
        for name in failed:
            terminalreporter.write_line(_command(name))
    if config.option.report:
        config.option.report.write_text(json.dumps({"failed": failed, "seconds": seconds}), encoding="utf-8")


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
