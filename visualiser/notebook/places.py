"""Where a notebook is looked at, and so at which address its browser reaches the app of the kernel."""

import importlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

_PROXY: Final = "jupyter_server_proxy"
_CODESPACE: Final = ("CODESPACE_NAME", "GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN")
_CLOSED: Final[Mapping[str, str]] = MappingProxyType(
    {"KAGGLE_KERNEL_RUN_TYPE": "Kaggle", "DATABRICKS_RUNTIME_VERSION": "Databricks", "DEEPNOTE_PROJECT_ID": "Deepnote"}
)
"""Hosted notebooks by a variable that each sets: a browser reaches no port of their machines."""
_HOSTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "SAGEMAKER_SPACE_NAME": "SageMaker",
        "SAGEMAKER_INTERNAL_IMAGE_URI": "SageMaker",  # Studio Lab has no space, and names the image it runs
        "PAPERSPACE_NOTEBOOK_ID": "Paperspace",
    }
)
"""Those whose ports are reached through jupyter-server-proxy alone."""


@dataclass(frozen=True)
class Place:
    """A notebook's browser.

    base     address that leads to a port of the kernel's machine, `{port}` in it, ending in a slash: of another host,
             a path of the notebook's own host, or loopback. None if no address is known to lead there
    advice   key of the sentence that stands below the frame
    name     of a hosted notebook, which the sentence names
    """

    base: str | None
    advice: str
    name: str = ""


_LOOPBACK: Final = "http://127.0.0.1:{port}/"


def place(environment: Mapping[str, str] = os.environ) -> Place:
    """Return where this kernel's notebook is looked at, by what its environment says."""
    if _is_colab():
        return Place(None, "notebook.live")  # the address is asked of Colab once the port is known
    if (hosted := _named(_CLOSED, environment)) is not None:
        return hosted
    if {"CODESPACE_NAME", "GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN"} <= environment.keys() and _is_vs_code(
        environment
    ):
        name, domain = environment["CODESPACE_NAME"], environment["GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN"]
        return Place(f"https://{name}-{{port}}.{domain}/", "notebook.live")
    if _is_vs_code(environment):
        remote = (
            "SSH_CONNECTION" in environment or "REMOTE_CONTAINERS" in environment or "WSL_DISTRO_NAME" in environment
        )
        return Place(_LOOPBACK, "notebook.live_forward" if remote else "notebook.live")
    if find_spec(_PROXY) is not None and (base := _of_jupyter(environment)) is not None:
        return Place(f"{base}proxy/{{port}}/", "notebook.live")
    if (hosted := _named(_HOSTED, environment)) is not None:
        return hosted
    if "JUPYTERHUB_SERVICE_PREFIX" in environment or "BINDER_SERVICE_HOST" in environment:
        return Place(None, "notebook.hub")
    return Place(_LOOPBACK, "notebook.live_here")


def address(found: Place, port: int) -> str | None:
    """Return the address of a port for the notebook's browser, ending in a slash; None if none is known."""
    if _is_colab():
        output: Any = importlib.import_module("google.colab.output")
        told = output.eval_js(f"google.colab.kernel.proxyPort({port}, {{'cache': false}})")
        return f"{str(told).rstrip('/')}/"
    return None if found.base is None else found.base.format(port=port)


def origin(of: str) -> str:
    """Return scheme and host of another host's address; empty for loopback and for a path of the notebook's own."""
    scheme, mark, rest = of.partition("://")
    host = rest.split("/")[0]
    return f"{scheme}://{host}" if mark and not host.startswith("127.0.0.1:") else ""


def _named(hosts: Mapping[str, str], environment: Mapping[str, str]) -> Place | None:
    name = next((name for variable, name in hosts.items() if variable in environment), None)
    return None if name is None else Place(None, "notebook.hosted", name)


def _is_colab() -> bool:
    return "google.colab" in sys.modules


def _is_vs_code(environment: Mapping[str, str]) -> bool:
    return "VSCODE_PID" in environment or "VSCODE_CWD" in environment


def _of_jupyter(environment: Mapping[str, str]) -> str | None:
    """Return the path at which the notebook's own server is, ending in a slash; None if it is not found."""
    if prefix := environment.get("JUPYTERHUB_SERVICE_PREFIX"):
        return prefix if prefix.endswith("/") else f"{prefix}/"
    parent = environment.get("JPY_PARENT_PID")
    try:
        runtime = Path(importlib.import_module("jupyter_core.paths").jupyter_runtime_dir())
        for file in runtime.glob("jpserver-*.json"):
            told = json.loads(file.read_text(encoding="utf-8"))
            if str(told.get("pid")) == parent:
                return str(told.get("base_url", "/"))
    except (ImportError, OSError, ValueError):
        pass
    return None
