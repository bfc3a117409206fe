"""Where a notebook is looked at: at which address its browser reaches the kernel's port."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from visualiser.notebook import places
from visualiser.notebook.places import address, origin, place

PORT = 15013


@pytest.fixture
def with_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "find_spec", lambda name: name == "jupyter_server_proxy" or None)


@pytest.mark.parametrize(
    ("environment", "base", "advice"),
    [
        ({}, "http://127.0.0.1:15013/", "notebook.live_here"),
        ({"VSCODE_PID": "7"}, "http://127.0.0.1:15013/", "notebook.live"),
        ({"VSCODE_CWD": "/", "SSH_CONNECTION": "a b"}, "http://127.0.0.1:15013/", "notebook.live_forward"),
        (
            {"VSCODE_PID": "7", "CODESPACE_NAME": "n", "GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN": "app.example"},
            "https://n-15013.app.example/",
            "notebook.live",
        ),
        ({"JUPYTERHUB_SERVICE_PREFIX": "/user/a/"}, None, "notebook.hub"),
        *(
            ({name: "x"}, None, "notebook.hosted")
            for name in (
                "KAGGLE_KERNEL_RUN_TYPE",
                "DATABRICKS_RUNTIME_VERSION",
                "DEEPNOTE_PROJECT_ID",
                "SAGEMAKER_SPACE_NAME",
                "SAGEMAKER_INTERNAL_IMAGE_URI",
                "PAPERSPACE_NOTEBOOK_ID",
            )
        ),
    ],
)
def test_the_environment_says_it(environment: dict[str, str], base: str | None, advice: str) -> None:
    found = place(environment)
    assert (address(found, PORT), found.advice) == (base, advice)


@pytest.mark.usefixtures("with_proxy")
@pytest.mark.parametrize("prefix", ["/user/a/", "/user/a"])
def test_a_hub_with_a_proxy_leads_to_the_port_through_its_own_host(prefix: str) -> None:
    found = place({"JUPYTERHUB_SERVICE_PREFIX": prefix})
    assert address(found, PORT) == "/user/a/proxy/15013/"
    assert found.advice == "notebook.live"


@pytest.mark.usefixtures("with_proxy")
def test_a_hosted_notebook_is_named_and_one_that_has_a_proxy_goes_through_it() -> None:
    there = {"JUPYTERHUB_SERVICE_PREFIX": "/jupyter/default/"}
    assert place({"SAGEMAKER_SPACE_NAME": "x", **there}).base == "/jupyter/default/proxy/{port}/"
    closed = place({"KAGGLE_KERNEL_RUN_TYPE": "Interactive", **there})
    assert (closed.base, closed.name) == (None, "Kaggle")


@pytest.mark.usefixtures("with_proxy")
def test_so_does_a_server_that_is_this_kernels_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    for pid, base in ((4, "/four/"), (7, "/lab/"), (9, "/nine/")):
        (tmp_path / f"jpserver-{pid}.json").write_text(json.dumps({"pid": pid, "base_url": base}))
    assert address(place({"JPY_PARENT_PID": "7"}), PORT) == "/lab/proxy/15013/"
    assert address(place({"JPY_PARENT_PID": "8"}), PORT) == "http://127.0.0.1:15013/"


@pytest.mark.usefixtures("with_proxy")
def test_studio_lab_with_a_proxy_goes_through_its_own_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "jpserver-7.json").write_text(json.dumps({"pid": 7, "base_url": "/studiolab/default/jupyter/"}))
    found = place({"SAGEMAKER_INTERNAL_IMAGE_URI": "x", "JPY_PARENT_PID": "7"})
    assert (address(found, PORT), found.name) == ("/studiolab/default/jupyter/proxy/15013/", "")


def test_colab_is_asked_for_the_address_of_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def eval_js(script: str) -> str:
        asked.append(script)
        return "https://abc-colab.example"

    output: Any = ModuleType("google.colab.output")
    output.eval_js = eval_js
    for name, module in (("google.colab", ModuleType("google.colab")), ("google.colab.output", output)):
        monkeypatch.setitem(sys.modules, name, module)
    assert address(place({}), PORT) == "https://abc-colab.example/"
    assert asked == ["google.colab.kernel.proxyPort(15013, {'cache': false})"]


@pytest.mark.parametrize(
    ("of", "found"),
    [
        ("http://127.0.0.1:15013/", ""),
        ("/user/a/proxy/15013/", ""),
        ("https://n-15013.app.example/", "https://n-15013.app.example"),
    ],
)
def test_only_another_host_is_an_origin(of: str, found: str) -> None:
    assert origin(of) == found
