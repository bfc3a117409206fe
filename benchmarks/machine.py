"""The machine of a measurement: without it a number in milliseconds says nothing."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("torch", "gradio", "plotly", "numpy")


def described(chromium: str | None = None) -> list[str]:
    """Return lines with the processor, cores, memory, versions, the date and the load before."""
    return [
        f"machine   {processor()}, {os.cpu_count()} cores, {memory()}, {platform.system()} {platform.release()}",
        f"versions  Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        + (f", Chromium {chromium}" if chromium else ""),
        f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"load      {load()}",
    ]


def load() -> str:
    """Return the load average over 1, 5 and 15 minutes. The benchmark adds to it while it runs."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return " ".join(f"{average:.2f}" for average in os.getloadavg())


def processor() -> str:
    """Return the model of the processor."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return platform.processor() or platform.machine()


def memory() -> str:
    """Return the memory of the machine."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return "memory unknown"
    return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"
