"""The environment variables of Headlight, each read in one place and checked.

Every function raises `ValueError` for a value that it cannot use. Its sentence has the variable, what is expected and
what was given. `require` asks them all before anything starts: a server with the wrong bound is worse than one that
does not start.
"""

import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from visualiser.server.free_memory import free_memory

MEBIBYTE = 2**20
LEAST_MEMORY = 512
SERVED_MEMORY, SERVED_MODELS = 1024, 2048
"""MiB for computations and for models where visitors are strangers, and the least of both for an owner."""


def memory(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_MEMORY_MB` (1024 MiB) in bytes: the most memory the server may use beyond what its start takes.

    Without it an owner's is a quarter of the memory that was free at the start, if that is more. With less
    than `LEAST_MEMORY`, a run on some page would not fit.
    """
    default = _default(environment, SERVED_MEMORY, 4)
    return _whole("HEADLIGHT_MEMORY_MB", environment, default, LEAST_MEMORY, 2**20) * MEBIBYTE


def is_own(environment: Mapping[str, str] = os.environ) -> bool:
    """Return True if the visitor is the machine's owner: nobody reaches the server from elsewhere.

    That is what its variables tell: it listens on loopback, behind no proxy and below no sub-path, is not shared and no
    Space. All defaults that depend on who is served ask here.
    """
    shown = environment.get("GRADIO_ROOT_PATH", "").strip() or environment.get("GRADIO_SHARE", "").lower() == "true"
    loopback = server_name(environment) in ("127.0.0.1", "localhost", "::1")
    return loopback and not shown and not space(environment) and trusted_proxies(environment) == 0


def _default(environment: Mapping[str, str], served: int, part: int) -> int:
    """Return MiB: `served`, or for an owner one part of so many of the free memory, if that is more."""
    return max(served, free_memory() // part // MEBIBYTE) if is_own(environment) else served


def run_memory(environment: Mapping[str, str] = os.environ) -> int:
    """Return the bytes that one long run may take: a tenth of `memory`, since two work at once; an owner's has both."""
    return memory(environment) // _run_part(environment)


def enough_memory(run: int, environment: Mapping[str, str] = os.environ) -> int:
    """Return MiB for `memory` with which one long run may take so many bytes."""
    return rounded(_run_part(environment) * run)


def _run_part(environment: Mapping[str, str]) -> int:
    return 5 if is_own(environment) else 10


def rounded(needed: int) -> int:
    """Return MiB that hold so many bytes, as a round number that somebody can type."""
    return -(-needed // (128 * MEBIBYTE)) * 128


def trusted_proxies(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_TRUST_PROXY` (0): the number of proxies in front.

    Each proxy adds the address it saw to X-Forwarded-For. With 0 the header is ignored, since anybody can write one.
    """
    return _whole("HEADLIGHT_TRUST_PROXY", environment, 0, 0, 16)


def origins(environment: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Return `HEADLIGHT_ORIGINS`, comma-separated: further origins whose pages may ask this server to compute."""
    listed = (origin.strip().rstrip("/").lower() for origin in environment.get("HEADLIGHT_ORIGINS", "").split(","))
    found = frozenset(origin for origin in listed if origin)
    for origin in found:
        scheme, _, host = origin.partition("://")
        if scheme not in ("http", "https") or not host or any(sign in host for sign in "*/ \t\r\n"):
            raise ValueError(f"HEADLIGHT_ORIGINS must hold origins such as https://school.example; got {origin!r}.")
    return found


def frame_ancestors(environment: Mapping[str, str] = os.environ) -> str:
    """Return `HEADLIGHT_FRAME_ANCESTORS` (*): the pages that may frame Headlight, as in Content-Security-Policy."""
    written = environment.get("HEADLIGHT_FRAME_ANCESTORS", "").strip() or "*"
    if any(sign in written for sign in ";,") or not written.isascii() or not written.isprintable():
        raise ValueError(f"HEADLIGHT_FRAME_ANCESTORS must be sources as in Content-Security-Policy; got {written!r}.")
    return written


def connections(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_CONNECTIONS` (4000): the most open connections, or fewer if the system allows fewer files."""
    return _whole("HEADLIGHT_CONNECTIONS", environment, 4000, 16, 10**6)


def idle_minutes(environment: Mapping[str, str] = os.environ) -> float:
    """Return `HEADLIGHT_IDLE_MINUTES` (15): minutes without a question after which a map is dropped."""
    return _number("HEADLIGHT_IDLE_MINUTES", environment, 15, 0.01, 10**6)


def room_hours(environment: Mapping[str, str] = os.environ) -> float:
    """Return `HEADLIGHT_ROOM_HOURS` (4): hours after which a room of a class ends by itself."""
    return _number("HEADLIGHT_ROOM_HOURS", environment, 4, 0.01, 24)


def redis_url(environment: Mapping[str, str] = os.environ) -> str:
    """Return `HEADLIGHT_REDIS_URL` (none): the Redis in which rooms live; without it, in this process's memory."""
    written = environment.get("HEADLIGHT_REDIS_URL", "").strip()
    if not written:
        return written
    scheme, mark, rest = written.partition("://")
    if not mark or not rest or scheme not in ("redis", "rediss", "unix"):
        # the rest is not shown: it may hold a password
        raise ValueError(
            "HEADLIGHT_REDIS_URL must begin with redis://, rediss:// or unix://; got "
            f"{f'{scheme}://…' if mark else 'an address without one'}."
        )
    try:
        there = scheme == "unix" or (bool(urlsplit(written).hostname) and urlsplit(written).port != 0)
    except ValueError:
        there = False
    if not there:
        raise ValueError("HEADLIGHT_REDIS_URL must be as redis://host:6379/0; got another host or port.")
    return written


AUTO: Final = "auto"


def device(environment: Mapping[str, str] = os.environ) -> str:
    """Return `HEADLIGHT_DEVICE` (auto): cpu, cuda or mps for every work, or auto, which decides by its size."""
    written = environment.get("HEADLIGHT_DEVICE", "").strip().lower() or AUTO
    if written not in (AUTO, "cpu", "cuda", "mps"):
        raise ValueError(f"HEADLIGHT_DEVICE must be {AUTO}, cpu, cuda or mps; got {written!r}.")
    return written


class OfferedModels(NamedTuple):
    """The models that a server offers beside its own two.

    folder  whose subfolders are models; None without one
    hub     ids of the Hugging Face Hub, and the words `LISTED` and `SMALL`
    """

    folder: Path | None
    hub: tuple[str, ...]


LISTED: Final = "list"
"""All models of the shipped list."""
SMALL: Final = "small"
"""Those of it that a small machine loads."""
_NONE: Final = "none"


def offered_models(environment: Mapping[str, str] = os.environ) -> OfferedModels:
    """Return `HEADLIGHT_MODELS`: with commas, a folder of models, ids of the Hub, `list` or `small`, or `none`.

    Without it, and if transformers is there: the whole list for a server that only its own machine reaches, the small
    models of it on a Space, and nothing for any other, whose owner decides what strangers may have fetched.
    """
    written = environment.get("HEADLIGHT_MODELS", "").strip()
    if not written:
        if find_spec("transformers") is None:
            return OfferedModels(None, ())
        return OfferedModels(None, (SMALL,) if space(environment) else (LISTED,) if is_own(environment) else ())
    if (whole := _folder(written)) is not None:  # its name may have commas
        return OfferedModels(whole, ())
    found, folders = list[str](), list[Path]()
    for part in dict.fromkeys(filter(None, (one.strip() for one in written.split(",")))):
        if (folder := _folder(part)) is not None:
            folders.append(folder)
        elif part in (LISTED, SMALL) or _is_id(part):
            found.append(part)
        elif part != _NONE:
            raise ValueError(
                "HEADLIGHT_MODELS must be a folder that can be read, ids such as openai-community/gpt2, "
                f"{LISTED}, {SMALL} or {_NONE}; got {part!r}."
            )
    if len(folders) > 1:
        raise ValueError(f"HEADLIGHT_MODELS must be one folder at most, beside ids of the Hub; got {written!r}.")
    return OfferedModels(folders[0] if folders else None, tuple(found))


def texts(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return `HEADLIGHT_TEXTS`: a folder of .txt and .jsonl files over which heads are read; None without it."""
    written = environment.get("HEADLIGHT_TEXTS", "").strip()
    if not written:
        return None
    folder = _folder(written)
    if folder is None:
        raise ValueError(f"HEADLIGHT_TEXTS must be a folder that can be read; got {written!r}.")
    return folder


def _folder(written: str) -> Path | None:
    try:
        folder = Path(written).expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # no such place, a ring of links, a name that none can have
        return None
    return folder if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK) else None


def _is_id(written: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", written, re.ASCII) is not None


def downloads(environment: Mapping[str, str] = os.environ) -> Path:
    """Return `HEADLIGHT_DOWNLOADS` (none): where models of the Hub are kept; without it headlight/models in the user's
    cache."""
    written = environment.get("HEADLIGHT_DOWNLOADS", "").strip()
    try:
        if not written:
            cache = environment.get("XDG_CACHE_HOME", "").strip()
            return (Path(cache) if cache else Path.home() / ".cache") / "headlight" / "models"
        folder = Path(written).expanduser().absolute()
        there = next(one for one in (folder, *folder.parents) if one.exists())
        if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
            return folder
    except (OSError, RuntimeError, ValueError):
        if not written:  # nobody's home
            return Path(tempfile.gettempdir()) / "headlight" / "models"
    raise ValueError(f"HEADLIGHT_DOWNLOADS must be a folder that can be written; got {written!r}.")


def download_bytes(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_DOWNLOAD_MB` in bytes (8192 MiB): the most that models of the Hub take on the disk."""
    return _whole("HEADLIGHT_DOWNLOAD_MB", environment, 8192, 1, 2**24) * MEBIBYTE


def model_memory(environment: Mapping[str, str] = os.environ) -> int:
    """Return `HEADLIGHT_MODEL_MB` (2048 MiB) in bytes: the most that loaded models take.

    Without it an owner's is half of the memory that was free at the start, if that is more.
    """
    default = _default(environment, SERVED_MODELS, 2)
    return _whole("HEADLIGHT_MODEL_MB", environment, default, 1, 2**20) * MEBIBYTE


def server_name(environment: Mapping[str, str] = os.environ) -> str:
    """Return `GRADIO_SERVER_NAME` (127.0.0.1): the address on which the server listens, of IPv6 without brackets.

    `listening.require` tells if this machine has it.
    """
    written = environment.get("GRADIO_SERVER_NAME", "").strip()
    return written.removeprefix("[").removesuffix("]") or "127.0.0.1"


def server_port(environment: Mapping[str, str] = os.environ) -> int | None:
    """Return `GRADIO_SERVER_PORT`: the port; None without it, for the first free one from 7860 on."""
    written = environment.get("GRADIO_SERVER_PORT", "").strip()
    if not written:
        return None
    if not (written.isascii() and written.isdecimal() and len(written) <= 5 and 1 <= int(written) <= 65535):
        raise ValueError(f"GRADIO_SERVER_PORT must be a whole number from 1 to 65535; got {written!r}.")
    return int(written)


def root_path(environment: Mapping[str, str] = os.environ) -> str:
    """Return `GRADIO_ROOT_PATH` (none): the sub-path below which a proxy shows the pages, or their whole address."""
    written = environment.get("GRADIO_ROOT_PATH", "")
    if written and re.fullmatch(r"(https?://[^/?#\s]+(/[^/?#]+)*|(/[^/?#]+)+)/?", written) is None:
        raise ValueError(
            "GRADIO_ROOT_PATH must be a path such as /headlight, or an address such as https://school.example/headlight"
            f"; got {written!r}."
        )
    return written


def temporary_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return `GRADIO_TEMP_DIR` (gradio in the system's temporary folder), in which files can be written.

    gradio makes it, and models of a folder are read by way of the system's, which `TMPDIR` names.
    """
    try:
        system = Path(tempfile.gettempdir())
    except OSError:
        written = environment.get("TMPDIR", "")
        raise ValueError(f"TMPDIR must be a folder that can be written; got {written!r}.") from None
    folder = Path(environment.get("GRADIO_TEMP_DIR", "") or system / "gradio")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, ValueError):
        raise ValueError(f"GRADIO_TEMP_DIR must be a folder that can be written; got {str(folder)!r}.") from None


def require(environment: Mapping[str, str] = os.environ) -> None:
    """Return if all variables can be used; else print the first problem on stderr and end the process with status 2."""
    with refusing():
        for read in _CHECKED:
            read(environment)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn a `ValueError` of this block into its sentence on stderr, and end the process with status 2."""
    try:
        yield
    except ValueError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(2)


_CHECKED: Final[tuple[Callable[[Mapping[str, str]], Any], ...]] = (
    memory,
    trusted_proxies,
    origins,
    frame_ancestors,
    connections,
    idle_minutes,
    room_hours,
    redis_url,
    device,
    offered_models,
    texts,
    temporary_folder,
    downloads,
    download_bytes,
    model_memory,
    server_port,
    root_path,
)
"""Every variable that this project reads, and those of gradio that would break it without a word."""


def space(environment: Mapping[str, str] = os.environ) -> str:
    """Return `SPACE_ID`: OWNER/NAME of the Space that this process is; empty elsewhere."""
    return environment.get("SPACE_ID", "").strip()


def mcp_server(environment: Mapping[str, str] = os.environ) -> bool:
    """Return `GRADIO_MCP_SERVER` (True with `gradio[mcp]`): True if language models may call the endpoints as tools.

    It needs no package; installing gradio's extra switches it on.
    """
    written = environment.get("GRADIO_MCP_SERVER", "").strip().lower()
    return written == "true" if written else find_spec("mcp") is not None


def _whole(name: str, environment: Mapping[str, str], default: int, least: int, most: int) -> int:
    value = _number(name, environment, default, least, most)
    if value != int(value):
        raise ValueError(f"{name} must be a whole number from {least} to {most}; got {environment[name].strip()!r}.")
    return int(value)


def _number(name: str, environment: Mapping[str, str], default: float, least: float, most: float) -> float:
    written = environment.get(name, "").strip()
    try:
        value = float(written) if written else float(default)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:.12g} to {most:.12g}; got {written!r}.")
    return value
