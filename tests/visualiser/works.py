"""Random work of every kind that visitors can request: its stated cost, and a call that does it."""

import io
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, urlencode

import numpy as np
import safetensors.numpy
import torch

from attention_core import AttentionConfig, CostConfig, attention_statistics, measure_costs
from attention_core.experiments import QUALITY_CHOICES
from visualiser.maps.geometry import options
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.cost.live import BYTES
from visualiser.pages.cost.price import measurement_cost
from visualiser.pages.explore import take_away
from visualiser.pages.map.store import STORE
from visualiser.pages.map.tiles import AT_ONCE, SIDE, highest
from visualiser.pages.why import COMPARED
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.cost import upload as upload_cost
from visualiser.server.live import routes
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page import with_error_part
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import parameters, share
from visualiser.upload.beforehand import sizes_from_header

HIDDEN: Final = 2**26
"""Most hidden units of additive attention, h · n_q · n_k · d_k, that are drawn: more take seconds."""

_BATCH: Final = 2**18  # bytes of a file made ahead of its reader (`visualiser.server.admission.flight`)
_AHEAD: Final = 2**20  # bytes of a run: it may be 16 parts ahead, and most are small


Tensors = dict[str, np.ndarray]


@dataclass(frozen=True)
class Work:
    """A piece of work: `make` does it and yields its answer, `cost` is its estimate, `label` its settings.

    `waiting` is the number of bytes that may wait for their reader before the work waits, too; None for all.
    """

    label: str
    cost: Cost
    make: Callable[[], Iterator[bytes]]
    waiting: int | None = None

    def done(self, parts: int | None = None) -> int:
        """Do the work or so many parts, keep what waits for its reader, and return the bytes of the answer."""
        kept: deque[bytes] = deque()
        size = held = 0
        for piece in islice(self.make(), parts):
            kept.append(piece)
            size, held = size + len(piece), held + len(piece)
            while self.waiting is not None and held > self.waiting:
                held -= len(kept.popleft())
        return size


def asking(query: str, page: str, upload: bytes = b"", **extra: object) -> PageRequest:
    """Return a request as a browser sends it."""
    return PageRequest(query, None, frozenset(), upload, "en", "light", 0, "http://x/", extra, page)


def frame(page: str, query: str, upload: bytes = b"", **extra: object) -> Work:
    """Return the work of a page's whole update."""
    ask = asking(query, page, upload, **extra)
    answer, price = LIVE[page].frame
    return Work(query, price(ask), lambda: with_error_part(answer)(ask))


def question(page: str, name: str, query: str, upload: bytes = b"", **extra: object) -> Work:
    """Return the work of a page's smaller request."""
    ask = asking(query, page, upload, **extra)
    answer, price = LIVE[page].subrequests[name]
    return Work(f"{query} {extra}", price(ask), lambda: with_error_part(answer)(ask))


def file(kind: str, query: str, upload: bytes = b"") -> Work:
    """Return the work of a download from Explore."""
    ask = asking(query, "explore", upload, figure="heat-maps")
    return Work(query, take_away.KINDS[kind].price(ask), lambda: take_away.KINDS[kind].content(ask), _BATCH)


def run(page: str, query: str, upload: bytes = b"") -> Work:
    """Return the work of a page's long run."""
    ask = asking(query, page, upload)
    live = LIVE[page].run
    assert live is not None
    work, price = live
    return Work(query, price(ask), lambda: with_error_part(work)(ask, Run()), _AHEAD)


def explore(random: Random, **given: object) -> str:
    """Draw a link of Explore, with the `given` parameters."""
    n, h, d_k = sized(random, 2, 512), sized(random, 1, 16), sized(random, 1, 1024)
    named: dict[str, Any] = {
        "n": n, "h": h, "d_k": d_k, "d_model": sized(random, 8, 1024), "tie": "false",
        "mechanism": "additive" if h * n**2 * d_k < HIDDEN and random.random() < 0.4 else "dot_product",
        "mask": random.choice(("none", "causal", "window")),
        "scaling": random.choice(("none", "sqrt_d_k")),
        "source": random.choice(("gaussian", "structured", "text")),
        "dtype": random.choice(("float32", "float16", "bfloat16")),
        "stage": random.choice(("weights", "scores", "masked")),
        "positions": random.choice(("true", "false")),
        "qk_norm": random.choice(("true", "false", "false")),
        "normalisation": random.choice(("softmax", "softmax", "softmax", "sink", "sigmoid", "entmax")),
        "softcap": random.choice((0, 0, 0, 20)),
        **given,
    }  # fmt: skip
    if named["normalisation"] != "softmax" or named["softcap"]:
        named["dtype"] = "float32"  # there is no entmax in a format, and no script of the others
    return written(random, named)


def anatomy(random: Random) -> str:
    """Draw a link of Anatomy."""
    n, h, d_k = sized(random, 2, 64), sized(random, 1, 16), sized(random, 1, 512)
    named = {
        "n": n, "h": h, "d_k": d_k, "d_model": sized(random, 2, 512), "tie": "false",
        "layer": random.randint(1, 4), "source": random.choice(("gaussian", "text")),
        "mechanism": "additive" if h * n**2 * d_k < HIDDEN and random.random() < 0.4 else "dot_product",
        "qk_norm": random.choice(("true", "false")),
    }  # fmt: skip
    return written(random, named)


def written(random: Random, named: Mapping[str, Any]) -> str:
    """Return a link; if its source is text, add a text of `n` characters."""
    text = {"split": "characters", "text": ("abcdefghij " * 57)[: int(named["n"])]} if named["source"] == "text" else {}
    return urlencode({**named, **text})


def sized(random: Random, least: int, most: int) -> int:
    """Draw a size on a logarithmic scale; one in five is the largest."""
    return most if random.random() < 0.2 else round(least * (most / least) ** random.random())


def tensors(random: Random, longest: int = 512) -> Tensors:
    """Draw a visitor's own Q, K and V, of at most a million numbers."""
    h, n_q, n_k = sized(random, 1, 16), sized(random, 2, longest), sized(random, 2, longest)
    d_k, d_v = sized(random, 1, 256), sized(random, 1, 256)
    h = max(1, min(h, 2**20 // (n_q * d_k + n_k * (d_k + d_v))))
    shapes = {"Q": (h, n_q, d_k), "K": (h, n_k, d_k), "V": (h, n_k, d_v)}
    rng = np.random.default_rng(random.randrange(2**32))
    return {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def upload(random: Random, kind: str) -> Work:
    """Return the reading of a file of Q, K and V."""
    given = tensors(random)
    body = _FORMATS[kind](random, given)
    cost = upload_cost(sizes_from_header(f"a.{kind}", body, 512), len(body))
    label = f"{len(body)} { ({name: tensor.shape for name, tensor in given.items()}) }"
    return Work(label, cost, lambda: routes.read_file(f"a.{kind}", body, "en", 512))


def _safetensors(random: Random, given: Tensors) -> bytes:
    dtype = random.choice((np.float16, np.float32, np.float64))
    return safetensors.numpy.save({name: tensor.astype(dtype) for name, tensor in given.items()})


def _npz(random: Random, given: Tensors) -> bytes:
    stream, dtype = io.BytesIO(), random.choice((np.float16, np.float32, np.float64))
    save: Callable[..., None] = random.choice((np.savez, np.savez_compressed))
    save(stream, **{name: tensor.astype(dtype) for name, tensor in given.items()})
    return stream.getvalue()


def _csv(random: Random, given: Tensors) -> bytes:
    digits = random.choice((3, 9))
    lines = ["tensor,head,position," + ",".join(map(str, range(max(tensor.shape[2] for tensor in given.values()))))]
    for name, heads in given.items():
        for head, rows in enumerate(heads):
            for at, row in enumerate(rows):
                lines.append(f"{name},{head},{at}," + ",".join(f"{number:.{digits}g}" for number in row))
    return "\n".join(lines).encode()


_FORMATS: Final[Mapping[str, Callable[[Random, Tensors], bytes]]] = MappingProxyType(
    {"safetensors": _safetensors, "npz": _npz, "csv": _csv}
)


def kept(random: Random, cells: int = 2**23) -> tuple[str, Kept]:
    """Make a map that the server keeps, without the page; return its name and the map."""
    h, n_q, d_k = sized(random, 1, 16), sized(random, 2, 16384), sized(random, 1, 256)
    n_k = n_q if random.random() < 0.5 else sized(random, 2, 16384)
    while n_q * n_k > cells:
        n_q, n_k = max(2, n_q // 2), max(2, n_k // 2)
    h = max(1, min(h, cells // (n_q * n_k)))
    mask = random.choice(("none", "causal", "window"))
    config = AttentionConfig(h=h, d_k=d_k, tie=False, mask=mask, window=64)
    generator = torch.Generator().manual_seed(random.randrange(2**32))
    Q, K = (torch.randn(h, n, d_k, generator=generator) for n in (n_q, n_k))
    tokens = tuple(f"word{i}" for i in range(max(n_q, n_k))) if random.random() < 0.3 else None
    found = Kept(config, Q, K, tokens, attention_statistics(Q, K, overview=BINS, **options(config)))
    name = f"work-{random.randrange(2**60)}"
    STORE.put(name, found)
    return name, found


def map_question(random: Random, name: str) -> Work:
    """Return the work of a request about a kept map."""
    id_, map_ = kept(random)
    h, n_q, d_k = map_.Q.shape
    n_k = map_.K.shape[1]
    more: dict[str, Any] = {"head": random.randint(1, h)}
    if name == "tiles":
        level = random.randint(0, highest(map_))
        side = SIDE << level
        places = [[i, j] for i in range(-(-n_q // side)) for j in range(-(-n_k // side))]
        more |= {"level": level, "tiles": random.sample(places, min(len(places), random.choice((1, AT_ONCE))))}
    elif name == "reveal":
        asked = random.choice(("narrow_head", "far_head", "sink_weight", "keys_used"))
        more |= {"prediction": {"name": asked, "answer": "none"}}
    elif name == "row":
        more["row"] = random.randrange(n_q)
    elif name == "figure":
        more |= {"figure": random.choice(("map", "strips", "row")), "row": random.randrange(n_q)}
        if random.random() < 0.5:
            more |= {
                "across": sized(random, 1, max(n_q, n_k)),
                "top": random.randrange(n_q),
                "left": random.randrange(n_k),
            }
    work = question("map", name, "", id=id_, **more)
    label = f"h={h} n_q={n_q} n_k={n_k} d_k={d_k} {map_.config.mask} {'tokens ' if map_.tokens else ''}{more}"
    return replace(work, label=label)


def map_run(random: Random, cells: int = 2**26) -> Work:
    """Return the work of a pass."""
    h, n, d_k = sized(random, 1, 16), sized(random, 2, 16384), sized(random, 1, 1024)
    while h * n**2 > cells:
        h, n = max(1, h // 2), n if h > 1 else n // 2
    while h * n * d_k > 2**22:
        d_k //= 2
    named = {
        "n": n, "h": h, "d_k": d_k, "d_model": 64, "tie": "false",
        "mask": random.choice(("none", "causal", "window")),
        "source": random.choice(("gaussian", "structured")),
        "dtype": random.choice(("float32", "float16", "bfloat16")),
    }  # fmt: skip
    return run("map", urlencode(named))


def map_run_text(random: Random, longest: int = 8192) -> Work:
    """Return the work of a pass over a text."""
    named = {"source": "text", "h": random.choice((1, 2)), "d_k": 16, "d_model": random.choice((64, 512))}
    return run("map", urlencode({**named, "tie": "false"}), _text(random, longest))


def _text(random: Random, most: int) -> bytes:
    return " ".join(["x" * random.randint(1, 12)] * sized(random, 2, most)).encode()


def map_run_upload(random: Random) -> Work:
    """Return the work of a pass over a visitor's own Q and K."""
    return run("map", "source=upload", safetensors.numpy.save(tensors(random, 4096)))


def map_plan(random: Random) -> Work:
    """Return the work of the answer to a control of the Map."""
    kind = random.choice(("link", "text", "upload"))
    if kind == "link":
        return frame("map", urlencode({"n": sized(random, 2, 16384), "source": "structured", "h": 4}))
    if kind == "text":
        return frame("map", f"source=text&split={random.choice(('words', 'characters'))}", _text(random, 200_000))
    return frame("map", "source=upload", safetensors.numpy.save(tensors(random, 4096)))


def training(random: Random) -> Work:
    """Return the work of a training of a few steps. Its memory does not grow with them."""
    named: dict[str, Any] = {"seeds": sized(random, 1, 10), "steps": 50}
    if random.random() < 0.5:
        named |= {
            "experiment": "heads",
            "heads": random.choice(("1", "8")),
            "m": random.randint(1, 8),
            "classes": random.choice((8, 16, 32, 64)),
            "mlp": random.choice(("true", "false")),
        }
    else:
        named |= {
            "experiment": "quality",
            "task": random.choice(("reverse", "recall", "noisy")),
            "mechanisms": random.choice(QUALITY_CHOICES["mechanism"]),
            "widths": random.choice(("4", "64", "256", "1024")),
        }
    return run("train", urlencode(named))


def measurement(random: Random) -> Work:
    """Return a measurement of one size without a time limit, because what a page skips depends on the machine."""
    size, other = (2 ** random.randint(5, 10) for _ in range(2))
    config = CostConfig(varied="n", sizes=(size,), d_k=other, seconds=600.0, measuring=0.0, bytes=BYTES)

    def make() -> Iterator[bytes]:
        return (repr(point).encode() for point in measure_costs(config))

    return Work(f"n={size} d_k={other}", measurement_cost(config), make, 0)


def why(random: Random) -> str:
    """Draw a link of Why √d_k."""
    named = {"n": sized(random, 2, 128), "d_k": sized(random, 1, 1024), "seeds": sized(random, 1, 10), "tie": "false"}
    own = {"scaling": "custom", "scale": 0.3} if random.random() < 0.3 else {}
    return urlencode({**named, **own, "curves": random.choice(COMPARED)})


def reveal(random: Random) -> Work:
    """Return the work of a verdict of Explore, on a change or on a head."""
    named = random.choice(parameters.own("explore")["question"].choices)
    link = f"{explore(random, tie=random.choice(('true', 'false')), dtype='float32')}&predict=true&question={named}"
    body = safetensors.numpy.save(tensors(random)) if random.random() < 0.2 else b""
    state = share.read(f"{link}{'&source=upload' if body else ''}", page="explore").state
    name = "narrow_head" if named == "narrow_head" and state.config.h > 1 else "change"  # else it is refused
    return question("explore", "reveal", share.canonical(state), body, prediction={"name": name, "answer": "none"})


def pinned(random: Random) -> Work:
    """Return the work of an update of Explore with a pinned state."""
    return frame("explore", f"{explore(random)}&pin={quote(explore(random), safe='')}")


def explore_upload(random: Random) -> Work:
    """Return the work of an update that shows a file or has one pinned."""
    body = safetensors.numpy.save(tensors(random))
    return frame("explore", random.choice(("source=upload", "n=9&pin=source%3Dupload")), body)


KINDS: Final[Mapping[str, Callable[[Random], Work]]] = MappingProxyType(
    {
        "frame": lambda r: frame("explore", explore(r)),
        "pinned": pinned,
        "uploaded": explore_upload,
        "row": lambda r: question("explore", "row", explore(r), row=1),
        "reveal": reveal,
        **{f"file {kind}": lambda r, kind=kind: file(kind, explore(r)) for kind in take_away.KINDS},
        "why": lambda r: frame("why", why(r)),
        "curves": lambda r: question("why", "curves", why(r)),
        "anatomy": lambda r: frame("anatomy", anatomy(r)),
        "cost page": lambda r: frame("cost", "predict=false", reveal=True),
        "train page": lambda r: frame("train", "predict=false", reveal=True),
        "map plan": map_plan,
        **{
            f"map {name}": lambda r, name=name: map_question(r, name)
            for name in ("tiles", "row", "figure", "csv", "npz", "reveal")
        },
        "map run": map_run,
        "map run text": map_run_text,
        "map run upload": map_run_upload,
        "training": training,
        "measurement": measurement,
        **{f"upload {kind}": lambda r, kind=kind: upload(r, kind) for kind in ("safetensors", "npz", "csv")},
    }
)
