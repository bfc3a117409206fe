"""How a model with a decoder begins and ends what it writes: numbers of a folder's JSON, and nothing else of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from attention_core.models.folder_files import ModelFiles, Sized

GENERATION: Final = "generation_config.json"
_MOST_LISTED: Final = 100_000
"""Ids of one list; Whisper suppresses a hundred."""


@dataclass(frozen=True)
class WritingRules:
    """The ids that steer a text that is written.

    start         before every text: what the decoder begins with, and what the model is made to write then
    ends          each ends the text
    banned        never written
    banned_first  not written as the first one after `start`
    languages     one of them stands where `start` has −1, the likeliest
    """

    start: tuple[int, ...]
    ends: frozenset[int] = frozenset()
    banned: frozenset[int] = frozenset()
    banned_first: frozenset[int] = frozenset()
    languages: frozenset[int] = frozenset()


UNKNOWN: Final = -1
"""The place of a language that the model finds by itself."""


def writing_rules(root: Path, found: Sized) -> WritingRules | None:
    """Return the rules of a folder's model; None if nothing says with what its decoder begins.

    `generation_config.json` comes before `config.json`. Without `decoder_start_token_id` a text begins as transformers
    begins one, with `bos_token_id`, and without that with the padding, as T5's does. Raises `InvalidInput` as
    `ModelFiles` does.
    """
    files = ModelFiles(root, found.name)
    return rules_of(found.config, files.json(GENERATION) if files.has(GENERATION) else {})


def rules_of(config: Mapping[str, Any], given: Mapping[str, Any]) -> WritingRules | None:
    """Return the rules that a configuration says, and what is given for writing before it, as `writing_rules` does."""
    settings = {**config, **{key: one for key, one in given.items() if one is not None}}
    begins = (_ids(settings.get(name)) for name in ("decoder_start_token_id", "bos_token_id", "pad_token_id"))
    first = next((one[0] for one in begins if one), None)
    if first is None:
        return None
    lone = [one[0] for one in _lists(settings.get("bad_words_ids")) if len(one) == 1]
    return WritingRules(
        start=(first, *_forced(settings)),
        ends=frozenset(_ids(settings.get("eos_token_id"))),
        banned=frozenset((*lone, *_ids(settings.get("suppress_tokens")))),
        banned_first=frozenset(_ids(settings.get("begin_suppress_tokens"))),
        languages=frozenset(_of_table(settings.get("lang_to_id"))),
    )


def _forced(settings: dict[str, Any]) -> tuple[int, ...]:
    """Return what follows the first id in every text: a language, a task, that no times are written."""
    places: dict[int, int] = {}
    listed = settings.get("forced_decoder_ids")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, list) and len(one) == 2 and _is_id(one[0]):
            places[one[0]] = one[1] if _is_id(one[1]) else UNKNOWN
    forced = _ids(settings.get("forced_bos_token_id"))
    if forced:
        places.setdefault(1, forced[0])
    found: list[int] = []
    while len(found) + 1 in places:
        found.append(places[len(found) + 1])
    tasks = settings.get("task_to_id")
    if not found and isinstance(tasks, dict) and settings.get("lang_to_id"):
        found = [UNKNOWN, *_ids(tasks.get("transcribe"))]
    without_times = _ids(settings.get("no_timestamps_token_id"))
    if without_times and without_times[0] not in found:
        found.append(without_times[0])
    return tuple(found)


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _ids(value: object) -> tuple[int, ...]:
    """Return the ids that a setting has: one, or a list of them; none for anything else."""
    listed = value[:_MOST_LISTED] if isinstance(value, list) else [value]
    return tuple(one for one in listed if isinstance(one, int) and _is_id(one))


def _lists(value: object) -> list[tuple[int, ...]]:
    return [_ids(one) for one in value[:_MOST_LISTED]] if isinstance(value, list) else []


def _of_table(value: object) -> tuple[int, ...]:
    return _ids(list(value.values())) if isinstance(value, dict) else ()
