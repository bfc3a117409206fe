"""Programs behind the proxies: both requests of a call reach the replica that knows the call."""

import http.client
import inspect
import json
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from gradio_client import Client

from tests.deploy.conftest import PROXIES, Site
from visualiser.pages.explore import endpoint


def called(url: str, seed: int) -> dict[str, object]:
    """Call /attention over plain HTTP without cookies, ask, then fetch; return the answer."""
    address = urlsplit(url)
    chosen = {"n": 8, "h": 2, "d_k": 4, "tie": False, "seed": seed}
    data = [chosen.get(name, each.default) for name, each in inspect.signature(endpoint.attention).parameters.items()]
    path, event = f"{address.path}gradio_api/call/attention", ""
    for method, body in (("POST", json.dumps({"data": data})), ("GET", None)):
        with closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)) as connection:
            connection.request(method, path + event, body, {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            text = answer.read().decode()
        assert answer.status == 200, text
        if body:
            event = f"/{json.loads(text)['event_id']}"
    name, result = text.strip().split("\n")[-2:]
    assert name == "event: complete", text
    return json.loads(result.removeprefix("data: "))[0]


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_call_of_two_requests_is_answered(site: Site, proxy: str) -> None:
    for seed in range(6):
        answer = called(site.url(proxy), seed)
        assert (answer["n"], answer["h"]) == (8, 2)


@pytest.mark.parametrize("proxy", PROXIES)
def test_gradio_s_client_works_below_a_sub_path(site: Site, proxy: str) -> None:
    client = Client(site.url(proxy, "/headlight"), verbose=False)
    try:
        answer = client.predict(n=8, h=2, d_k=4, api_name="/attention")
        assert (answer["n"], answer["h"], len(answer["entropy"])) == (8, 2, 2)
    finally:
        client.close()
