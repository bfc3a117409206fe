"""Codes, secrets and tokens: a code names a room, a secret makes its teacher, a token identifies a tab.

A code follows from the room's secret by scrypt. So nobody else can take it again after a restart, when the server has
forgotten every room: finding another secret for a given code takes weeks of a core.
"""

import hashlib
import hmac
import re
import secrets
from typing import Final

from visualiser.server.http.room_code import ALPHABET, LENGTH

_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{22,64}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")
_SALT: Final = b"headlight room 1"
SCRYPT_COST = 2**14
"""scrypt's N: a code takes 40 ms and 16 MB."""


def code_of(secret: str) -> str:
    """Return the code of a secret."""
    derived = hashlib.scrypt(secret.encode(), salt=_SALT, n=SCRYPT_COST, r=8, p=1, dklen=16)
    number = int.from_bytes(derived, "big")
    signs = []
    for _ in range(LENGTH):
        number, sign = divmod(number, len(ALPHABET))
        signs.append(ALPHABET[sign])
    return "".join(signs)


def is_secret(written: str) -> bool:
    """True if this has the form of a secret."""
    return _SECRET.fullmatch(written) is not None


def is_token(written: str) -> bool:
    """True if this has the form of a tab's token."""
    return _TOKEN.fullmatch(written) is not None


def hash_of(secret: str) -> str:
    """Return the hash that is kept of a secret. It has 128 random bits, so a fast hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def belongs(secret: str, kept: str) -> bool:
    """True if `kept` is this secret's hash; takes the same time for every other secret."""
    return hmac.compare_digest(hash_of(secret), kept)


def name_of(token: str, kept: str) -> str:
    """Return the hash that is kept of a tab's token in the room with this hash of its secret."""
    return hashlib.blake2b(token.encode(), key=bytes.fromhex(kept), digest_size=12).hexdigest()


def new_secret() -> str:
    """Return 128 random bits in the form of a secret."""
    return secrets.token_urlsafe(16)


def group_of(address: str, kept: str = "") -> int:
    """Return the group, of 256, to which an address belongs: in the room with this hash of its secret, or in all.

    It separates clients that invent tabs from the others, and reveals next to nothing of an address.
    """
    return hashlib.blake2b(address.encode(), key=bytes.fromhex(kept), digest_size=1).digest()[0]


def new_name() -> str:
    """Return a random name, for a room's life and for a question."""
    return secrets.token_urlsafe(9)
