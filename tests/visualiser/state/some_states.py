"""States of pages as visitors leave them, for tests of links."""

import random
from typing import Any
from urllib.parse import urlencode

from attention_core.config import CHOICES
from visualiser.state import parameters, share
from visualiser.state.link_values import offered

NUMBERS = ("n", "d_model", "h", "d_k", "window", "seed")


def some_state(page: str, draw: random.Random) -> share.State:
    """Return a state of a page: some settings within its own ranges, the others at its defaults."""
    bounds = parameters.bounds(page)
    pairs: dict[str, Any] = {
        name: draw.randint(int(bounds[name].minimum), int(bounds[name].maximum))
        for name in NUMBERS
        if draw.random() < 0.4
    }
    pairs |= {name: draw.choice(offered(page, name)) for name in CHOICES if draw.random() < 0.4}
    for name, own in parameters.own(page).items():
        if own.choices and not own.many and draw.random() < 0.4:
            pairs[name] = draw.choice(own.choices)
    pairs |= {"row": draw.randint(0, 1), "pin": "h=2", "lang": draw.choice(["en", "ko"])} if draw.random() < 0.5 else {}
    return share.read(urlencode(pairs), "en", page).state
