"""What is said of a model of the Hub that is not fetched."""

from typing import Final

from attention_core.errors import InvalidInput
from attention_core.models.hub_asking import Lost
from attention_core.models.hub_connection import MOST_BYTES

_MEBIBYTE: Final = 2**20


def lost(problem: Lost, id: str) -> InvalidInput:
    """Return the error for what the Hub, or the way to it, did instead."""
    most = MOST_BYTES // _MEBIBYTE
    found = (
        InvalidInput("hub_missing", f"{id} is not on the Hub, or not at the commit that was asked for.", value=id),
        InvalidInput("hub_gated", f"The Hub gives {id} only to accounts that its owner has admitted.", value=id),
        InvalidInput("hub_offline", f"The Hub cannot be reached from here, so {id} was not fetched.", value=id),
        InvalidInput("hub_busy", f"The Hub gives no answer about {id} at present.", value=id),
        InvalidInput("hub_cut", f"The connection to the Hub was lost, and nothing of {id} was kept.", value=id),
        InvalidInput(
            "hub_slow", f"The Hub sends {id} too slowly to wait for it, and nothing of it was kept.", value=id
        ),
        InvalidInput(
            "hub_answer",
            f"The Hub's answer about {id} does not describe a model in at most {most} MB; check the address in "
            "HF_ENDPOINT.",
            value=id,
            limit=most,
        ),
    )
    return next(error for error in found if error.code == problem.code)


def wrong(id: str, file: str) -> InvalidInput:
    """Return the error for a file that is not what it should be."""
    return InvalidInput(
        "hub_wrong", f"{file} of {id} is not what it should be, and nothing of it was kept.", value=id, file=file
    )


def full(id: str, needed: int, left: int, limit: int) -> InvalidInput:
    """Return the error for bytes that do not fit beside the other models."""
    megabytes, there, most = -(-needed // _MEBIBYTE), max(0, left // _MEBIBYTE), limit // _MEBIBYTE
    return InvalidInput(
        "hub_full",
        f"{id} has {megabytes} MB to fetch, and {there} MB of {most} are left for fetched models.",
        value=id,
        megabytes=megabytes,
        left=there,
        limit=most,
    )


def no_disk(id: str, needed: int, left: int) -> InvalidInput:
    """Return the error for bytes that the disk has no room for."""
    megabytes, there = -(-needed // _MEBIBYTE), max(0, left // _MEBIBYTE)
    return InvalidInput(
        "hub_disk",
        f"{id} has {megabytes} MB to fetch, and the disk has room for {there} MB.",
        value=id,
        megabytes=megabytes,
        left=there,
    )
