"""Models of the Hugging Face Hub that Headlight knows by name: revision, weights, licence and what each takes.

Commits, sizes and SHA-256 are those that several projects have published for these files; so sizes are known without a
network, and a mirror can give no other weights. A licence is the one that the Hub states; for CLIP, of which it states
none, it is that of OpenAI's repository.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

__all__ = ["HUB_LIST", "KINDS", "SMALL_BYTES", "Listed"]

KINDS: Final = ("text", "translation", "picture", "picture_and_text")
"""What a model takes: a text, a text that it writes in another language, a picture, or a picture and a text."""

SMALL_BYTES: Final = 600 * 10**6
"""The most memory of a model that a small machine loads, in bytes."""


@dataclass(frozen=True)
class Listed:
    """A model of the Hub.

    id            `organisation/name`
    revision      the commit whose files are fetched
    licence       as SPDX writes it
    takes         one of `KINDS`
    weight_bytes  of its file of numbers
    width         bytes of a number there
    sha256        of that file; None if only the Hub says it
    layers        of attention, an encoder's and a decoder's together; 0 if only its files say it
    h             heads of each
    """

    id: str
    revision: str
    licence: str
    takes: str
    weight_bytes: int
    width: int = 4
    sha256: str | None = None
    layers: int = 0
    h: int = 0

    @property
    def loaded_bytes(self) -> int:
        """Bytes in memory, four for each number."""
        return self.weight_bytes * 4 // self.width


_LISTED: Final = (
    Listed(  # 5,717,416 numbers by its shapes; its header is as small as others'
        "WinKawaks/vit-tiny-patch16-224", "77d1485af66b34d4ed0fe95dbb0c60c7496f950b", "Apache-2.0", "picture",
        4 * 5_717_416, layers=12, h=3,
    ),
    Listed(
        "sentence-transformers/all-MiniLM-L6-v2", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41", "Apache-2.0", "text",
        90_868_376, 4, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 6, 12,
    ),
    Listed(
        "google-t5/t5-small", "df1b051c49625cf57a3d0d8d3863ed4d13564fe4", "Apache-2.0", "translation", 242_043_056, 4,
        "bd944e5f1b3ad9b70dd9d00010a517059e19265671076b8b0a4a58d9491842bc", 18, 8,
    ),
    Listed(
        "EleutherAI/pythia-70m", "a39f36b100fe8a5377810d56c3f4789b9c53ac42", "Apache-2.0", "text", 166_029_852, 2,
        "ebfa4e2f18696ebd83716a0d39fe2c025f2ff8483f72a83ca59c475692fc9d15", 6, 8,
    ),
    Listed(
        "HuggingFaceTB/SmolLM2-135M", "93efa2f097d58c2a74874c7e644dbc9b0cee75a2", "Apache-2.0", "text", 269_060_552, 2,
        "80521b40281d6ce74e35c9282c22539e75aa0ac8578892b2a59955ef78d55da1", 30, 9,
    ),
    Listed(
        "openai-community/gpt2", "607a30d783dfa663caf39e06633721c8d4cfcd7e", "MIT", "text", 548_105_171, 4,
        "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707", 12, 12,
    ),
    Listed(  # the commit that converted its weights; its tower of vision is shown
        "openai/clip-vit-base-patch32", "b33cedfd0df4e43b8238760678fcc89e1a0d38b3", "MIT", "picture",
        605_157_884, 4, "99d28a652e6ec46629ab7047a0ac82c69b1fe11e0ce672c43af65d3a9a3fc05d", 12, 12,
    ),
    Listed(
        "HuggingFaceTB/SmolVLM-256M-Instruct", "7e3e67edbbed1bf9888184d9df282b700a323964", "Apache-2.0",
        "picture_and_text", 513_028_808, 2, "74dea5904032e5ae99a2e0eef5179e6ac0f1dedc3ab0c7c2a5d4d387c843203e", 30, 9,
    ),
    Listed(
        "Qwen/Qwen3-0.6B", "c1899de289a04d12100db370d81485cdf75e47ca", "Apache-2.0", "text", 1_503_300_328, 2,
        "f47f71177f32bcd101b7573ec9171e6a57f4f4d31148d38e382306f42996874b", 28, 16,
    ),
)  # fmt: skip

HUB_LIST: Final[Mapping[str, Listed]] = MappingProxyType({one.id: one for one in _LISTED})
"""The models by their ids, the smallest in memory first."""
