"""Korean particles, chosen by the sound before them: 3은, 4는; n으로, d_k로.

What precedes may be Hangul, a number (10 is 십, 0.5 ends with 오), a Latin letter (n is 엔), a Greek letter or a power
(…제곱). Closing brackets, quotation marks and spaces are silent.
Source: 표준어 규정 and the letters' names in 외래어 표기법 (National Institute of Korean Language).
"""

import unicodedata
from typing import Final, Literal

PARTICLES: Final = frozenset(
    ("은/는", "이/가", "을/를", "과/와", "으로/로", "이라/라", "이며/며", "이고/고", "이면/면", "이어서/여서")
)
"""The pairs that a text may name: the form after a final consonant, then the form after a vowel."""

Sound = Literal["vowel", "ㄹ", "consonant"]

_NAMES: Final[dict[str, Sound]] = {
    **dict.fromkeys("036mnευ′", "consonant"),  # 영 삼 육 엠 엔 엡실론 윕실론 프라임
    **dict.fromkeys("178lr", "ㄹ"),  # 일 칠 팔 엘 알
    **dict.fromkeys("2459%∞", "vowel"),  # 이 사 오 구 퍼센트 무한대
}
_POWERS: Final = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")  # 제곱
_SYLLABLES: Final = range(ord("가"), ord("힣") + 1)
_ENDINGS: Final = 28  # of a Hangul syllable; the first is none, the ninth is ㄹ
_RIEUL: Final = 8


def with_particle(written: str, pair: str) -> str:
    """Return `written` with the form of `pair` that its sound asks for. Raise KeyError if `pair` is not in `PARTICLES`.

    After ㄹ the particle 으로/로 takes the form of a vowel: 서울로.
    """
    if pair not in PARTICLES:
        raise KeyError(f"no particle {pair!r}; there are {', '.join(sorted(PARTICLES))}")
    after_consonant, after_vowel = pair.split("/")
    sound = last_sound(written)
    return written + (after_vowel if sound == "vowel" or (sound == "ㄹ" and pair == "으로/로") else after_consonant)


def last_sound(written: str) -> Sound:
    """Return what the last sign that is read aloud ends with; "vowel" if none is read."""
    for sign in reversed(written):
        if sign in _POWERS:
            return "consonant"
        numerator = unicodedata.normalize("NFKC", sign).partition("\u2044")[0]  # ¼ is 사분의 일
        letter = numerator.lower()[-1:]
        if letter and ord(letter) in _SYLLABLES:
            ending = (ord(letter) - _SYLLABLES.start) % _ENDINGS
            return "vowel" if ending == 0 else "ㄹ" if ending == _RIEUL else "consonant"
        if letter in _NAMES:
            return _NAMES[letter]
        if letter.isalpha():
            return "vowel"  # the other letters' names: 에이 비 씨 … 알파 시그마
    return "vowel"
