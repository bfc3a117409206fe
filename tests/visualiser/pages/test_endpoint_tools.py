"""The endpoints as tools: a language model can choose and call them by their descriptions alone."""

import inspect
import json
import re

import pytest
from jsonschema import Draft202012Validator

from attention_core import BOUNDS, AttentionConfig, compute
from visualiser.pages import admitted, shell
from visualiser.pages.endpoint_tools import tool
from visualiser.server.admission.clients import Client
from visualiser.server.mcp import Tool, ToolRefused
from visualiser.state import parameters

TOOLS = {found.name: tool(found) for found in shell.ENDPOINTS.values()}
PROGRAM = Client("192.0.2.9")


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_says_what_it_does_takes_and_answers(name: str) -> None:
    found, function = TOOLS[name], shell.ENDPOINTS[name].function
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", found.name)  # a verb and what it is done to
    assert re.match(r"[A-Z]\w+ .{40,}\. Returns .{40,}\.$", found.about, re.DOTALL)
    assert list(found.takes["properties"]) == list(inspect.signature(function).parameters)
    for schema in (found.takes, found.answers):
        Draft202012Validator.check_schema(schema)
    for argument, taken in found.takes["properties"].items():
        assert len(taken["description"]) > 8, argument
        assert taken["type"] in ("integer", "number", "boolean", "string", "array")


def test_no_two_tools_have_one_name() -> None:
    assert len({found.name for found in TOOLS.values()}) == len(shell.ENDPOINTS)


@pytest.mark.parametrize("name", TOOLS)
def test_every_choice_is_an_enum_and_every_number_has_its_range(name: str) -> None:
    for argument, taken in TOOLS[name].takes["properties"].items():
        if taken["type"] == "string":
            assert argument in ("text", "pictures", "target", "sound", "changes") or len(taken["enum"]) > 1
        if taken["type"] in ("integer", "number") and argument not in ("head", "row"):
            assert taken["minimum"] < taken["maximum"], argument
        if taken["type"] == "array":
            assert taken["items"]["minimum"] < taken["items"]["maximum"]
            assert taken["maxItems"] > 1


def test_ranges_and_choices_are_those_of_the_page() -> None:
    for name, page in (("attention", "explore"), ("anatomy", "anatomy"), ("map", "map")):
        taken = TOOLS[name].takes["properties"]
        for argument in taken.keys() & BOUNDS.keys():
            bound = parameters.bounds(page)[argument]
            assert (taken[argument]["minimum"], taken[argument]["maximum"]) == (bound.minimum, bound.maximum)
    taken = TOOLS["attention"].takes["properties"]
    assert taken["source"]["enum"] == ["gaussian", "text", "model"]
    assert taken["scaling"]["enum"] == ["sqrt_d_k", "none", "d_k", "custom"]
    assert taken["scaling"]["default"] == "sqrt_d_k"


async def called(found: Tool, **given: object) -> dict[str, object]:
    answer = await found.call(PROGRAM, dict(given))
    Draft202012Validator(found.answers).validate(json.loads(json.dumps(answer)))
    return answer


@pytest.mark.slow
async def test_an_answer_is_the_endpoint_s_and_keeps_to_its_schema() -> None:
    answer = await called(TOOLS["attention"], n=11, h=2, seed=3)
    assert answer["entropy"] == compute(AttentionConfig(n=11, h=2, seed=3)).entropy.mean(-1).tolist()
    assert len((await called(TOOLS["cost"], sizes=[8]))["result"]) == 8  # type: ignore[arg-type]
    await called(TOOLS["anatomy"])
    await called(TOOLS["why"], n=4, d_ks=[2], seeds=1)
    await called(TOOLS["train"], steps=1, seeds=1, d_k=2)
    await called(TOOLS["map"], n=64, h=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 513}, "n must be between 2 and 512, got 513"),
        ({"n": "many"}, "n must be a whole number; got 'many'"),
        ({"scaling": "sqrt"}, "scaling must be one of sqrt_d_k, none, d_k, custom; got 'sqrt'."),
        ({"tokens": 3}, "got 'tokens'."),
    ],
)
async def test_what_an_endpoint_refuses_the_tool_refuses_in_the_same_words(
    given: dict[str, object], message: str
) -> None:
    with pytest.raises(ToolRefused, match=re.escape(message)):
        await TOOLS["attention"].call(PROGRAM, given)


async def test_calls_of_tools_count_among_the_calls_of_their_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(admitted._calls, PROGRAM.address, admitted.CALLS_EACH)
    with pytest.raises(ToolRefused, match=str(admitted.CALLS_EACH)):
        await TOOLS["attention"].call(PROGRAM, {})


async def test_a_call_that_needs_too_much_memory_is_refused_with_what_would_fit() -> None:
    with pytest.raises(ToolRefused, match=r"would fit|at most"):
        await TOOLS["map"].call(PROGRAM, {"n": 16384, "h": 16, "d_k": 1024})
