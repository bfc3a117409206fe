"""The environment variables of Headlight, each read in one place and checked.

Every function raises `ValueError` for a value that it cannot use, and names the variable: a server with the wrong bound
is worse than one that does not start.
"""

import math
import os
from collections.abc import Mapping
from importlib.util import find_spec

MEBIBYTE = 2**20
LEAST_MEMORY = 512


def memory(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_MEMORY_MB` in bytes (1024 MiB): the most memory the server may use beyond what its start takes.

    With less than `LEAST_MEMORY`, a run on some page would not fit.
    """
    return int(_number("HEADLIGHT_MEMORY_MB", environment, 1024, LEAST_MEMORY, 2**20)) * MEBIBYTE


def trusted_proxies(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_TRUST_PROXY` (0): the number of proxies in front.

    Each proxy adds the address it saw to X-Forwarded-For. With 0 the header is ignored, since anybody can write one.
    """
    return int(_number("HEADLIGHT_TRUST_PROXY", environment, 0, 0, 16))


def origins(environment: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Return `HEADLIGHT_ORIGINS`, comma-separated: further origins whose pages may ask this server to compute."""
    listed = (origin.strip().rstrip("/").lower() for origin in environment.get("HEADLIGHT_ORIGINS", "").split(","))
    found = frozenset(origin for origin in listed if origin)
    for origin in found:
        if not origin.startswith(("http://", "https://")) or "*" in origin or origin.count("/") != 2:
            raise ValueError(f"HEADLIGHT_ORIGINS must hold origins such as https://school.example; got {origin!r}.")
    return found


def frame_ancestors(environment: Mapping[str, str] = os.environ) -> str:
    """Return `HEADLIGHT_FRAME_ANCESTORS` (*): the pages that may frame Headlight, as in Content-Security-Policy."""
    written = environment.get("HEADLIGHT_FRAME_ANCESTORS", "").strip() or "*"
    if any(sign in written for sign in ";,\r\n"):
        raise ValueError(f"HEADLIGHT_FRAME_ANCESTORS must be sources with spaces between; got {written!r}.")
    return written


def connections(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_CONNECTIONS` (4000): the most open connections, or fewer if the system allows fewer files."""
    return int(_number("HEADLIGHT_CONNECTIONS", environment, 4000, 16, 10**6))


def idle_minutes(environment: Mapping[str, str] = os.environ) -> float:
    """Return `HEADLIGHT_IDLE_MINUTES` (15): minutes without a question after which a map is dropped."""
    return _number("HEADLIGHT_IDLE_MINUTES", environment, 15, 0.01, 10**6)


def room_hours(environment: Mapping[str, str] = os.environ) -> float:
    """Return `HEADLIGHT_ROOM_HOURS` (4): hours after which a room of a class ends by itself."""
    return _number("HEADLIGHT_ROOM_HOURS", environment, 4, 0.01, 24)


def redis_url(environment: Mapping[str, str] = os.environ) -> str:
    """Return `HEADLIGHT_REDIS_URL` (none): the Redis in which rooms live; without it, in this process's memory."""
    written = environment.get("HEADLIGHT_REDIS_URL", "").strip()
    if written and not written.startswith(("redis://", "rediss://", "unix://")):
        # not shown: it may hold a password
        raise ValueError("HEADLIGHT_REDIS_URL must begin with redis://, rediss:// or unix://.")
    return written


def space(environment: Mapping[str, str] = os.environ) -> str:
    """Return `SPACE_ID`: OWNER/NAME of the Space that this process is; empty elsewhere."""
    return environment.get("SPACE_ID", "").strip()


def mcp_server(environment: Mapping[str, str] = os.environ) -> bool:
    """Return `GRADIO_MCP_SERVER` (True with `gradio[mcp]`): True if language models may call the endpoints as tools.

    It needs no package, but who installs gradio's extra wants it.
    """
    written = environment.get("GRADIO_MCP_SERVER", "").strip().lower()
    return written == "true" if written else find_spec("mcp") is not None


def _number(name: str, environment: Mapping[str, str], default: float, least: float, most: float) -> float:
    written = environment.get(name, "").strip()
    try:
        value = float(written) if written else float(default)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}; got {written!r}.")
    return value
