"""Fair eviction: if all places are taken, one of the group that has most of them gives way."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

Group = TypeVar("Group", int, str)


def gives_way(groups: Mapping[str, Group], newcomer: Group, idle: Callable[[str], bool]) -> str | None:
    """Return the name that loses its place to a member of the group `newcomer`; None if none does.

    `groups` maps each name that has a place to its group. Of the largest group the first that is `idle` gives way; if
    none is, its first one, but only if the newcomer's group has at least two less.
    """
    many = Counter(groups.values())
    largest = max(many, key=lambda group: (many[group], group == newcomer))
    theirs = [name for name, group in groups.items() if group == largest]
    for name in theirs:
        if idle(name):
            return name
    return theirs[0] if many[largest] > many[newcomer] + 1 else None
