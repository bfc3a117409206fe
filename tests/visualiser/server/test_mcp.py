"""A language model's own client finds the endpoints as tools, and compares the entropy of two configurations."""

import statistics
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from attention_core import AttentionConfig, compute
from tests.browser.served import serving

pytestmark = pytest.mark.slow  # an app of its own


@pytest.fixture(scope="module")
def app_url() -> Iterator[str]:
    """Serve the app with tools, as an operator asks for them."""
    with serving(GRADIO_MCP_SERVER="True") as app:
        yield app.url


@asynccontextmanager
async def session(app_url: str) -> AsyncIterator[ClientSession]:
    async with (
        streamable_http_client(f"{app_url}gradio_api/mcp/") as (read, write, _),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        yield client


@pytest.mark.night
async def test_a_client_chooses_a_tool_and_compares_two_configurations(app_url: str) -> None:
    means = []
    async with session(app_url) as client:
        listed = (await client.list_tools()).tools
        (tool,) = [one for one in listed if "entropy" in (one.description or "").partition(".")[0]]
        assert tool.name == "measure_attention"
        for scaling in tool.inputSchema["properties"]["scaling"]["enum"][:2]:
            answer = await client.call_tool(tool.name, {"d_k": 512, "seed": 1, "scaling": scaling})
            assert not answer.isError
            assert answer.structuredContent is not None
            config = AttentionConfig(d_k=512, seed=1, scaling=scaling)
            expected = compute(config, device="cpu").entropy.mean(-1).tolist()
            assert answer.structuredContent["entropy"] == pytest.approx(expected, abs=1e-5)
            means.append(statistics.mean(answer.structuredContent["entropy"]))
    scaled, unscaled = means
    assert scaled > 2.5 > 0.5 > unscaled  # nats; footnote 4: without the factor softmax saturates


async def test_a_refusal_reaches_the_model_as_a_sentence(app_url: str) -> None:
    async with session(app_url) as client:
        answer = await client.call_tool("measure_attention", {"n": 513})
    assert answer.isError
    assert [part.text for part in answer.content if part.type == "text"] == ["n must be between 2 and 512, got 513"]


@pytest.mark.night
def test_a_stream_is_refused_before_it_holds_anything(app_url: str) -> None:
    with httpx.Client(base_url=app_url, headers={"accept": "text/event-stream"}) as client:
        assert client.get("gradio_api/mcp/").status_code == 405
        assert client.get("gradio_api/mcp/sse").status_code == 404
