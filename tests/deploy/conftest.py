"""Two replicas at /, one below /headlight, and both proxies in front of each, started once for all tests here."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.served import FLEETING, Served
from tests.browser.visits import PATIENCE, Visits
from tests.deploy.asked import readiness, tell, training
from tests.deploy.programs import HAProxy, Nginx, certificate
from tests.ports import free_port
from tests.visualiser.server.rooms.redis_server import RedisServer

PATHS = ("", "/headlight")
PROXIES = ("haproxy", "nginx")


class Site:
    """The replicas, and the proxies by their program and the path they serve."""

    def __init__(self, folder: Path, ends: ExitStack) -> None:
        self.folder = folder
        self.redis = RedisServer(folder)
        ends.callback(self.redis.kill)
        self.ports = [free_port() for _ in range(3)]
        self.replicas: dict[int, Served] = {}
        ends.callback(self._end_replicas)
        with ThreadPoolExecutor() as several:
            list(several.map(self.start, range(3)))
        first, second, below = self.ports
        nobody = free_port()
        signed = certificate(folder)
        self.secure = HAProxy(folder, free_port(), (first, second), tls=free_port(), certificate=signed)
        ends.callback(self.secure.end)
        self.proxies: dict[tuple[str, str], HAProxy | Nginx] = {("haproxy", ""): self.secure}
        for make, path, replicas in (
            (Nginx, "", (first, second)),
            # one of two replicas is down from the start
            (HAProxy, "/headlight", (nobody, below)),
            (Nginx, "/headlight", (nobody, below)),
        ):
            proxy = make(folder, free_port(), replicas, path)
            ends.callback(proxy.end)
            self.proxies[make.__name__.lower(), path] = proxy

    def start(self, number: int) -> None:
        """Start a replica at its port, or start it again, and wait until it takes visitors."""
        path = {"GRADIO_ROOT_PATH": "/headlight"} if number == 2 else {}
        self.replicas[number] = replica = Served(
            self.ports[number], FLEETING, HEADLIGHT_TRUST_PROXY="1", HEADLIGHT_REDIS_URL=self.redis.url, **path
        )
        while readiness(replica.url) != 200:
            """It is still compressing its files; a proxy that meets it so twice sends nobody there for a while."""

    def url(self, proxy: str, path: str = "") -> str:
        return self.proxies[proxy, path].url

    def serving(self, url: str, headers: Mapping[str, str]) -> int:
        """Return the number of the replica that serves a visitor with these headers: only it knows their runs."""
        with training(url, headers) as (run, _, _):
            running = [number for number in (0, 1) if self.replicas[number].process.poll() is None]
            (known,) = [number for number in running if tell(self.replicas[number].url, run, "resume")[0] == 204]
            tell(self.replicas[known].url, run, "cancel")
        return known

    def kill(self, number: int) -> None:
        """End a replica like a crash."""
        self.replicas[number].process.kill()
        self.replicas[number].end()

    def _end_replicas(self) -> None:
        for replica in self.replicas.values():
            if replica.process.poll() is None:
                replica.process.kill()  # at once: no client waits any more
                replica.end()


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """Yield a folder for the proxies' files: nginx's workers run as `nobody` and cannot enter pytest's own folder."""
    made = Path(tempfile.mkdtemp(prefix="headlight-deploy-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def site(folder: Path) -> Iterator[Site]:
    with ExitStack() as ends:
        yield Site(folder, ends)


@pytest.fixture
def open_behind(chromium: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Yield `open_behind(url, query="", **options)`: a new visitor of a proxy; see `Visits.open`."""
    visits = Visits(chromium, "")

    def visit(url: str, query: str = "", **options: Any) -> Page:
        return visits.open(query, url=url, painted=False, **options)

    yield visit
    visits.end()


@pytest.fixture
def open_another(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Yield `open_another(**options)`: an empty page of a new visitor, for addresses of another site."""
    contexts = []

    def visit(**options: Any) -> Page:
        context = chromium.new_context(locale="en-US", viewport={"width": 1360, "height": 900}, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield visit
    for context in contexts:
        context.close()
