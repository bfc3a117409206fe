"""Links: every parameter of every page, in range and out of it, in every encoding of browsers and people."""

from random import Random
from urllib.parse import quote, quote_plus

from attention_core import CHOICES
from tests.fuzz.draws import MARK, NUMBERS, often, one, words
from visualiser.state import parameters
from visualiser.state.view import VIEW_CHOICES

FLAGS = ("tie", "positions", "predict", "mlp")
SMALL = {"n": 40, "d_model": 128, "h": 8, "d_k": 128}
"""Upper sizes of most links: the test concerns the meaning of requests, not the amount of computation."""

LARGE = 0.03
"""The share of numbers drawn from the whole range of the page."""


def link(random: Random, page: str | None = None, depth: int = 3) -> str:
    """Return a query string, mostly of `page`."""
    if page is None or often(random, 0.1):
        page = random.choice(parameters.PAGES)
    names = [name for name in _names(page) if often(random, 0.3)]
    if page == "map" and "n" not in names:
        names.append("n")  # 4,096 if omitted
    pairs = [(name, _value(random, page, name)) for name in names]
    if page != parameters.PAGES[0]:
        pairs.insert(0, ("page", page if often(random, 0.95) else words(random)))
    if often(random, 0.3):
        pairs.append((words(random), words(random)))
    if depth and often(random, 0.15):
        pairs.append(("pin", link(random, depth=depth - 1) if often(random, 0.9) else words(random)))
    if pairs and often(random, 0.1):
        pairs.append(random.choice(pairs))  # twice
    random.shuffle(pairs)
    return _written(random, pairs)


def _names(page: str) -> tuple[str, ...]:
    from attention_core import BOUNDS

    return (*BOUNDS, *CHOICES, *VIEW_CHOICES, *FLAGS, "text", "head", "row", "columns", *parameters.own(page))


def _value(random: Random, page: str, name: str) -> str:
    return one(
        random,
        (0.75, lambda drawn: _right(drawn, page, name)),
        (0.15, lambda drawn: drawn.choice(NUMBERS)),
        (0.10, words),
    )


def _right(random: Random, page: str, name: str) -> str:
    own = parameters.own(page).get(name)
    if own is not None and own.choices:
        return ",".join(random.sample(own.choices, random.randint(1, 2))) if own.many else random.choice(own.choices)
    if name in FLAGS:
        return random.choice(("true", "false"))
    if choices := CHOICES.get(name) or VIEW_CHOICES.get(name):
        return random.choice(choices)
    if name == "text":
        return " ".join(random.choices((MARK, "the", "cat", "고양이", "👩‍👩‍👧‍👦"), k=random.randint(1, 12)))
    bound = parameters.bounds(page).get(name)
    if bound is None:
        return str(random.randrange(40))
    most = bound.maximum if often(random, LARGE) else min(bound.maximum, SMALL.get(name, bound.maximum))
    low, high = min(bound.minimum, most), most
    return str(random.randint(int(low), int(high)) if isinstance(bound.step, int) else random.uniform(low, high))


def _written(random: Random, pairs: list[tuple[str, str]]) -> str:
    encode = random.choice((quote, quote_plus, quote_plus, _every, lambda value: quote(quote(value, errors="replace"))))
    parts = [f"{_safe(encode, name)}={_safe(encode, value)}" for name, value in pairs]
    joint = "&" if often(random, 0.95) else random.choice((";", "&&", "&amp;"))
    return ("?" if often(random, 0.1) else "") + joint.join(parts)


def _safe(encode, value: str) -> str:
    """Encode a value; a lone surrogate, which no encoding has, stays as it is."""
    try:
        return encode(value)
    except UnicodeEncodeError:
        return value


def _every(value: str) -> str:
    """Percent-encode every byte."""
    return "".join(f"%{byte:02x}" for byte in value.encode())
