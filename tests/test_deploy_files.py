"""The files of deploy/ agree with one another, with the app's variables and with docs/deployment.md."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.programs import DEPLOY, ROOT
from visualiser.server import settings
from visualiser.server.http.addresses import PREFIX
from visualiser.server.live.body import BODY_LIMIT

BY_THE_IMAGE = {"GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"}
"""Variables of the guide that the Dockerfile sets itself."""

GUIDE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def directives(name: str) -> str:
    """Return a file of deploy/ without its comments."""
    return re.sub(r"(^|\s)#.*", r"\1", (DEPLOY / name).read_text(encoding="utf-8"))


def described() -> dict[str, str]:
    """Return the variables that settings.py reads, with the defaults in its docstrings; "none" without one."""
    found = {}
    for function in vars(settings).values():
        for name, default in re.findall(
            r"`(HEADLIGHT_\w+)`(?:[^(.:;]*\(([^) ]+))?", getattr(function, "__doc__", "") or ""
        ):
            found[name] = default or "none"
    return found


def tabled() -> dict[str, str]:
    """Return the variables of the guide's table with their defaults."""
    return dict(re.findall(r"^\| `((?:GRADIO|HEADLIGHT)_\w+)` \| `?([^`|]+?)`? \|", GUIDE, re.MULTILINE))


def test_the_guide_has_every_variable_with_its_default() -> None:
    table = {name: default for name, default in tabled().items() if name.startswith("HEADLIGHT_")}
    read = set(re.findall(r'"(HEADLIGHT_\w+)"', Path(settings.__file__).read_text(encoding="utf-8")))
    assert table == described()
    assert table.keys() == read


def test_the_guide_has_every_variable_of_the_proxy() -> None:
    written = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
    read = set(re.findall(r"\$\{(\w+)", written)) | set(re.findall(r"defined\((\w+)\)", written))
    assert read == {*re.findall(r"^\| `(PROXY_\w+)` \|", GUIDE, re.MULTILINE), "GRADIO_ROOT_PATH"}
    assert COMPOSE["services"]["proxy"]["environment"].keys() < read


@pytest.mark.parametrize(("name", "addresses"), [("haproxy.cfg", "balance source"), ("nginx.conf", "ip_hash")])
def test_nobody_is_sent_by_address(name: str, addresses: str) -> None:
    text = directives(name)
    assert addresses not in text
    assert not re.search(r"hash \$\w*addr|balance hdr\(x-forwarded-for\)|stick on src", text, re.IGNORECASE)


def test_no_address_has_more_than_a_quarter_of_a_replica_and_a_school_fits() -> None:
    school = 500
    haproxy, nginx = directives("haproxy.cfg"), directives("nginx.conf")
    backends = dict(re.findall(r"^backend (\w+)(.*?)(?=^\w|\Z)", haproxy, re.MULTILINE | re.DOTALL))
    upstreams = dict(re.findall(r"upstream (\w+) \{(.*?)\}", nginx, re.DOTALL))
    (in_all,), (each,) = numbers(r"^global\n\s+maxconn (\d+)", haproxy), numbers(r"sc_conn_cur\(0\) gt (\d+)", haproxy)
    assert 6 * school < each <= in_all / 3
    unused = numbers(r"pool-max-conn (\d+)", haproxy)
    places = {}
    for name, zone in (("replicas", "pages"), ("programs", "streams")):
        (places[name],) = numbers(r"maxconn (\d+)", backends[name])
        assert set(numbers(r"max_conns=(\d+)", upstreams[name])) == {places[name]}
        (own,) = numbers(r"sc_conn_cur\(1\) gt (\d+)", backends[name])
        assert numbers(rf"limit_conn {zone} (\d+);", nginx) == [own]
        assert 4 * own <= places[name]
        assert own >= (2 * school if name == "replicas" else 1)
    assert numbers(r"limit_conn files (\d+);", nginx) == [each]
    (places["files"],) = numbers(r"maxconn (\d+)", backends["files"])
    (replicas,) = numbers(r"HEADLIGHT_CONNECTIONS:-(\d+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    checks = 3
    assert sum(places.values()) + len(places) * sum(unused) + checks < replicas
    workers, (kept,) = 9, numbers(r"keepalive (\d+);", nginx)
    assert f"up to {workers} workers" in (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert places["replicas"] + places["programs"] + 2 * workers * kept < replicas
    assert f"HEADLIGHT_CONNECTIONS={replicas}" in GUIDE
    for number in (each, *places.values(), in_all):
        assert f"{number:,}" in GUIDE


def numbers(pattern: str, text: str) -> list[int]:
    return [int(found) for found in re.findall(pattern, text, re.MULTILINE)]


def test_the_largest_body_passes_and_no_larger_one() -> None:
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", directives("nginx.conf"))
    assert BODY_LIMIT <= int(megabytes) * 2**20 < 1.1 * BODY_LIMIT


def test_the_replicas_of_the_compose_file_are_those_that_the_proxy_looks_for() -> None:
    app, proxy = COMPOSE["services"]["app"], COMPOSE["services"]["proxy"]
    assert set(app["environment"]) == tabled().keys() - BY_THE_IMAGE
    own = {
        "HEADLIGHT_TRUST_PROXY": "1",
        "HEADLIGHT_CONNECTIONS": "8000",
        "HEADLIGHT_REDIS_URL": "redis://redis:6379/0",
    }
    assert "redis" in COMPOSE["services"]
    for name, default in (tabled() | own).items():
        if name in app["environment"]:
            assert app["environment"][name] == f"${{{name}:-{default.removeprefix('none')}}}"
    assert app["environment"]["GRADIO_ROOT_PATH"] == proxy["environment"]["GRADIO_ROOT_PATH"]
    dockerfile = directives("Dockerfile")
    (port,) = re.findall(r"EXPOSE (\d+)", dockerfile)
    assert f"GRADIO_SERVER_PORT={port}" in dockerfile
    assert set(re.findall(r"\b(GRADIO_\w+)=", dockerfile)) == BY_THE_IMAGE
    assert proxy["environment"]["PROXY_REPLICAS"] == f"app:{port}"
    assert (DEPLOY / app["build"]["context"] / app["build"]["dockerfile"]).samefile(DEPLOY / "Dockerfile")


def test_the_container_is_healthy_if_it_is_ready_and_nobody_is_root() -> None:
    dockerfile = directives("Dockerfile")
    assert f"{PREFIX}/ready" in dockerfile
    assert re.findall(r"^USER (\d+)$", dockerfile, re.MULTILINE) == ["10001"]
    assert "GRADIO_SERVER_NAME=0.0.0.0" in dockerfile


def test_the_image_is_given_everything_that_the_app_imports() -> None:
    copied = {
        name
        for line in re.findall(r"^COPY (?!--)(.+) \S+$", directives("Dockerfile"), re.MULTILINE)
        for name in line.split()
    }
    let_in = set(
        re.findall(r"^!(\S+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {"app.py", "assets", "attention_core", "visualiser"} < copied <= let_in
    assert all((ROOT / name).exists() for name in copied)
