"""Parameters that a docstring explains together, one by one: griffe gives them all the first one's type and default."""

import re

GROUP = re.compile(r"^(\w+(?:, \w+)+)\n((?: {4}.*\n?)+)", re.MULTILINE)


def apart(docstring: str) -> str:
    """Repeat the sentence of "a, b" for each of them, in the section of parameters."""
    before, heading, rest = docstring.partition("Parameters\n----------\n")
    section, *others = re.split(r"(?=^\w+\n-{3,}\n)", rest, maxsplit=1, flags=re.MULTILINE)
    alone = GROUP.sub(lambda found: "".join(f"{name}\n{found[2]}" for name in found[1].split(", ")), section)
    return "".join((before, heading, alone, *others))
