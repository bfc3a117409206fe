"""Calls of programs wait in the same lines as visitors' requests, by cost and address."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from types import NoneType, UnionType
from typing import Any, Final, get_args

import gradio as gr
from anyio.to_thread import run_sync

from attention_core import AttentionConfig, InvalidInput
from attention_core.errors import shown
from visualiser.locale import text
from visualiser.server.admission.clients import UNKNOWN, Client, client_of
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import admission
from visualiser.server.admission.fitting import Fit, Smaller, lowered, stand_in_text
from visualiser.server.admission.flight import run_in_turn
from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio.listeners import CallerGone, listeners
from visualiser.server.gradio.queue import answered_event
from visualiser.server.live.body import PARSERS
from visualiser.state import parameters

CALLS_EACH: Final = 64
"""The most calls of one address with a listening client, waiting ones included: an eighth of gradio's."""

_calls: Final[Counter[str]] = Counter()

Price = Callable[[dict[str, Any]], Cost]


@dataclass(frozen=True)
class Endpoint:
    """An endpoint for programs, named `name`; a page's package declares it as `endpoint.ENDPOINT`.

    `run` is True if a call is as long as a page's run. `tool` is its name for language models, which says what it does.
    """

    name: str
    function: Callable[..., Any]
    price: Price
    tool: str
    run: bool = False


def admitted(function: Callable[..., Any], price: Price, *, run: bool = False) -> Callable[..., Any]:
    """Wrap `function` for gradio: same parameters, run in one of our threads when admitted.

    A call begins only if its client listens, and stops if the client leaves. With `run` it waits in the line of long
    runs. A full line and a call that costs too much raise `gr.Error`.
    """
    signature = inspect.signature(function)

    @wraps(function)
    async def call(request: gr.Request, *given: Any) -> Any:
        named = signature.bind(*given)
        named.apply_defaults()
        who = _client(request)
        event = answered_event()
        try:
            if event is None:
                return await call_endpoint(function, price, who, named.arguments, run=run)
            await listeners.wait_for_listener(event, request.session_hash, who.address)
            work = call_endpoint(function, price, who, named.arguments, run=run)
            return await listeners.run_while_listening(work, event, request.session_hash)
        except CallerGone as gone:
            raise gr.Error("The program that called has left, or never listened.", print_exception=False) from gone

    # gradio reads parameters and types here, and passes the request to a parameter of type Request
    own = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=gr.Request)
    vars(call)["__signature__"] = signature.replace(parameters=[own, *signature.parameters.values()])
    call.__annotations__ = {"request": gr.Request, **function.__annotations__}
    del vars(call)["__wrapped__"]
    return call


async def call_endpoint(
    function: Callable[..., Any], price: Price, who: Client, named: dict[str, Any], *, run: bool = False
) -> Any:
    """Return the answer of `function` to these arguments, all of them given, when its turn has come.

    Raises `gr.Error` for arguments of another type, for a full line and for a call that costs too much. It stops if
    the caller is cancelled.
    """
    _require_types(inspect.signature(function), named)
    lines = admission()
    try:
        with _under_way(who.address):
            needs = await run_sync(price, named, limiter=PARSERS)  # it may tokenize a text
            await lines.require(needs, _smaller(named, price), run=run)
            enter = lines.run if run else lines.enter
            return await run_in_turn(lambda: enter(who, needs), lambda: function(**named))
    except Refusal as refusal:
        raise gr.Error(text("en", refusal.key, **refusal.fields), print_exception=False) from refusal


@contextmanager
def _under_way(address: str) -> Iterator[None]:
    """Count one call of this address as under way. Raise `Refusal` if `CALLS_EACH` are already."""
    if _calls[address] >= CALLS_EACH:
        raise Refusal("error.too_many_calls", 503, limit=CALLS_EACH)
    _calls[address] += 1
    try:
        yield
    finally:
        _calls[address] -= 1
        if not _calls[address]:
            del _calls[address]


def _require_types(signature: inspect.Signature, named: dict[str, Any]) -> None:
    """Raise `gr.Error` for a value of another type than its parameter's: gradio passes on any JSON value."""
    for name, value in named.items():
        annotation = signature.parameters[name].annotation
        kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
        if not any(_is(value, kind) for kind in kinds):
            expected = " or ".join(_KINDS[kind] for kind in kinds)
            raise gr.Error(f"{name} must be {expected}; got {shown(value)}", print_exception=False)


_KINDS: Final[dict[Any, str]] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    list[int]: "a list of whole numbers",
    NoneType: "null",
}
"""The types of endpoint parameters, as messages name them."""


def _is(value: Any, kind: Any) -> bool:
    if kind == list[int]:
        return isinstance(value, list) and all(_is(item, int) for item in value)
    if kind is int:  # JavaScript has one type of number
        return type(value) is int or (isinstance(value, float) and value.is_integer())
    if kind is float:
        return type(value) in (int, float)
    return isinstance(value, kind)


def config_of(given: dict[str, Any], page: str) -> AttentionConfig | None:
    """Return the configuration within the page's bounds; None if the endpoint refuses it in words."""
    known = {name for name in AttentionConfig.__dataclass_fields__ if name in given}
    try:
        config = AttentionConfig(**{name: given[name] for name in known if given[name] is not None})
    except (InvalidInput, TypeError):
        return None
    bounds = parameters.bounds(page)
    within = all(getattr(config, name, 0) <= bounds[name].maximum for name in ("n", "h", "d_k"))
    return config if within and parameters.lacking_choice(page, config) is None else None


def _smaller(given: dict[str, Any], price: Price) -> Smaller:
    """Return a function to the largest smaller call that fits some bytes: fewer tokens or heads, or a narrower head."""
    came = {name: int(given[name]) for name in ("n", "h", "d_k") if given.get(name) is not None}

    def fit(room: int) -> Fit | None:
        config = config_of(given, parameters.EXPLORE)
        short = given | stand_in_text(config) if config else given
        return lowered(came, lambda name, value: price({**short, name: value}).memory <= room, 2)

    return fit


def bound_error(work: str, requested: int, most: int, fit: Fit | None) -> gr.Error:
    """Return the error for `requested` units of work where `most` are allowed; `work` names them as a product."""
    instead = f"; {fit.name} = {fit.value} would fit" if fit else ""
    return gr.Error(f"{work} must be at most {most}, got {requested}{instead}", print_exception=False)


def _client(request: gr.Request | None) -> Client:
    if request is None or request.client is None:
        return Client(UNKNOWN)
    headers = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in request.headers.items()]
    return client_of({"client": (request.client.host, 0), "headers": headers})
