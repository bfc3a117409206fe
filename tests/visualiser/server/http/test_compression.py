"""Contents are compressed as the request accepts, and smaller later."""

import gzip
import threading
import weakref

import brotli
import pytest

from visualiser.server.http.compression import Packed, Packer

TEXT = b"attention is all you need, " * 97


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("BR", "br"),
        ("deflate", "identity"),
        ("", "identity"),
        ("gzip;q=0", "identity"),
        ("gzip;q=0.0", "identity"),
        ("gzip;q=0.00", "identity"),
        ("gzip; q = 0.000", "identity"),
        ("gzip;q=0.001", "gzip"),
        ("brotli, xgzip", "identity"),
    ],
)
def test_the_smallest_accepted_encoding_is_chosen(accepted: str, encoding: str) -> None:
    assert Packed(TEXT, "text/css").encoding(accepted) == encoding


def test_what_is_small_or_compressed_already_stays_as_it_is() -> None:
    assert Packed(b"body {}", "text/css").encoding("br, gzip") == "identity"
    assert Packed(TEXT, "font/woff2").encoding("br, gzip") == "identity"
    assert Packed(TEXT, "image/png").encoding("br, gzip") == "identity"
    assert Packed(TEXT, "image/svg+xml").encoding("br, gzip") == "br"


def test_every_encoding_gives_the_content_back() -> None:
    packed = Packed(TEXT, "text/css")
    for thorough in (False, True):
        assert brotli.decompress(packed.pack("br", thorough=thorough)) == TEXT
        assert gzip.decompress(packed.pack("gzip", thorough=thorough)) == TEXT
    assert packed.kept("identity") == TEXT
    assert packed.kept("br") == packed.pack("br", thorough=True)


def test_the_tag_is_the_contents() -> None:
    assert Packed(TEXT, "text/css").tag == Packed(TEXT, "text/plain").tag != Packed(TEXT + b".", "text/css").tag


def test_the_packer_makes_what_is_still_kept_smaller() -> None:
    packer, packed, gone = Packer(), Packed(TEXT * 7, "text/css"), Packed(TEXT, "text/css")
    quick = packed.pack("br")
    packer._waiting.put((weakref.ref(gone), "br"))
    del gone
    packer.later(packed, "br")
    last = Packed(TEXT, "text/plain")
    packer.later(last, "gzip")
    while last.kept("gzip") is None:  # it packs one after the other
        pass
    assert packed.kept("br") == packed.pack("br", thorough=True) != quick


def test_a_packer_with_too_much_to_do_leaves_the_rest_as_it_is() -> None:
    packer = Packer(waiting=3)
    packer._thread = threading.current_thread()  # so nothing leaves the queue
    kept = [Packed(TEXT, "text/css") for _ in range(5)]
    for one in kept:
        packer.later(one, "br")
    assert packer._waiting.qsize() == 3
