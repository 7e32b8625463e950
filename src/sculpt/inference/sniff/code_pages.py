"""Which code page makes the most plausible letters of the high bytes of a sample.

In: a `Sample` that is not UTF-8. Out: an `Encoding`. Words with high bytes are decoded by each code
page; frequent letters count for it, and letters of two scripts in one word, capitals after small
letters, signs inside words and undefined bytes count against it. Two-byte encodings are judged by
how many of their characters are common ones.

Invariant: the codec that is returned decodes any bytes. Cost: at most `_MAX_WORDS` words for each
of about 25 code pages, 30 ms in all.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from sculpt.inference.sniff.model import Encoding
from sculpt.inference.sniff.sample import Sample

_WORD = re.compile(rb"[A-Za-z]{0,20}[\x80-\xff][A-Za-z\x80-\xff]{0,40}")
"""Bounded: a long run of letters without a high byte would take time quadratic in its length."""
_MAX_WORDS = 300
_PAIRED = 0.5
"""The least share of high bytes beside another one in an encoding of two bytes."""
_HEAD = 1 << 16


def _weights(*groups: tuple[float, str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for weight, letters in groups:
        for letter in letters:
            found[letter] = weight
            found.setdefault(letter.upper(), weight * 0.8)
    return found


_WEST = _weights(
    (1.0, "éäöü"), (0.9, "èàáíóñçß"), (0.8, "êâôúã"), (0.6, "øåæ"), (0.5, "ûîëõ"),
    (0.4, "ïòùœšž"), (0.3, "ì"), (0.15, "ýðþÿ"),
)  # fmt: skip
_CENTRAL = _weights(
    (1.0, "łęý"), (0.9, "ąóčěřšžáéí"), (0.8, "śżćůöüäôőâ"), (0.6, "ńúăşţňťî"), (0.4, "źďűľßđ"),
    (0.1, "ĺŕçë"),
)  # fmt: skip
_TURKISH = _weights((1.0, "ış"), (0.9, "üöç"), (0.8, "ğİ"), (0.4, "âîûéäß"))
_BALTIC = _weights((0.9, "āēīšžųūė"), (0.8, "ąčęįņļģķ"), (0.7, "õäöü"), (0.4, "ńśźżłćó"))
_CYRILLIC = _weights(
    (1.0, "оеаинтсрвлкмдпу"), (0.7, "яыьгзбчйхжшюцщэф"), (0.4, "іїєёъґ"), (0.1, "ђѓќўџљњјћѕ")
)
_GREEK = _weights((1.0, "αοιετσνηυρπκς"), (0.7, "λμδγχθφβωάέήίόύώ"), (0.5, "ξζψ"))
_HEBREW = _weights((0.9, "אבגדהוזחטיכלמנסעפצקרשתםןףץך"))
_ARABIC = _weights((1.0, "املنرويهتب"), (0.7, "ةدسعفقكحجشخطصضذزغثظىأإآءئؤ"))
_THAI = _weights((0.8, "".join(map(chr, range(0x0E01, 0x0E3B)))), (0.7, "เแโใไ็่้์"))

CODE_PAGES: tuple[tuple[str, dict[str, float], float], ...] = (
    ("cp1252", _WEST, 0.0),
    ("latin-1", _WEST, -0.1),
    ("iso8859-15", _WEST, -0.15),
    ("cp1250", _CENTRAL, -0.2),
    ("iso8859-2", _CENTRAL, -0.25),
    ("cp1254", _TURKISH, -0.15),
    ("iso8859-9", _TURKISH, -0.2),
    ("cp1257", _BALTIC, -0.25),
    ("mac-roman", _WEST, -0.4),
    ("cp850", _WEST, -0.4),
    ("cp437", _WEST, -0.45),
    ("cp852", _CENTRAL, -0.5),
    ("cp1251", _CYRILLIC, -0.1),
    ("koi8-r", _CYRILLIC, -0.15),
    ("cp866", _CYRILLIC, -0.4),
    ("iso8859-5", _CYRILLIC, -0.3),
    ("mac-cyrillic", _CYRILLIC, -0.4),
    ("cp1253", _GREEK, -0.15),
    ("iso8859-7", _GREEK, -0.2),
    ("cp1255", _HEBREW, -0.15),
    ("cp1256", _ARABIC, -0.15),
    ("iso8859-6", _ARABIC, -0.25),
    ("cp874", _THAI, -0.2),
)
"""Codecs, the weights of their letters, and how common the codec is."""
_SIGNS = frozenset("£€°§©®™–—‘’“”„«»•…½¼¾²³±µ×·ºª¡¿\xa0№")
_JOINS = frozenset("’'\xad\xa0–")
"""Signs that may be between letters."""
_ALONE = 0.3
"""At most this for a letter that is a word: more likely it is a sign."""
_TWO_BYTES = (
    ("cp932", "のにはをたがとしてで一日年大人本中"),
    ("euc_jp", "のにはをたがとしてで一日年大人本中"),
    ("gb18030", "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分"),
    ("big5", "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分"),
    ("cp949", "이다는에의가을한고지로기사대도서시구동인자정일수"),
)  # fmt: skip
"""Codecs of two bytes, and some of their most common characters."""


def by_letters(sample: Sample) -> Encoding:
    """The most plausible code page."""
    found: Counter[bytes] = Counter()
    for piece in sample.pieces:
        found.update(word[0] for word in islice(_WORD.finditer(piece.data), 4_000))
    words = [word for word, _ in found.most_common(_MAX_WORDS)]
    high = sum(byte >= 0x80 for word in words for byte in word)
    trust = min(1.0, 0.4 + high / 20)
    scored = [
        (_plausibility(words, codec, weights) * trust + prior, codec)
        for codec, weights, prior in CODE_PAGES
    ]
    if _is_paired(words):
        scored += [
            (_commonness(sample.head[:_HEAD], codec, common) * trust, codec)
            for codec, common in _TWO_BYTES
        ]
    scored.sort(reverse=True)
    best = scored[0][0]
    sharpness = 6 + 2 * math.sqrt(min(high, 400))
    shares = [(math.exp((score - best) * sharpness), codec) for score, codec in scored]
    # Code pages that give the same text are the same answer.
    rivals = [(share, codec) for share, codec in shares[1:] if _differs(words, codec, shares[0][1])]
    total = 1 + sum(share for share, _ in rivals)
    next_share, runner_up = rivals[0] if rivals else (0.0, None)
    sure = 0.99 if best > 0.2 else 0.6 if best > -0.5 else 0.3
    return Encoding(shares[0][1], sure / total, runner_up, sure * next_share / total)


def _differs(words: Iterable[bytes], codec: str, other: str) -> bool:
    return any(word.decode(codec, "replace") != word.decode(other, "replace") for word in words)


def _is_paired(words: list[bytes]) -> bool:
    """Are most high bytes beside another one?"""
    runs = [run for word in words for run in re.findall(rb"[\x80-\xff]+", word)]
    high = sum(map(len, runs))
    return sum(len(run) for run in runs if len(run) > 1) > _PAIRED * high


def _plausibility(words: list[bytes], codec: str, weights: dict[str, float]) -> float:
    """How plausible the letters of some words are, for each high byte."""
    total, high = 0.0, 0
    is_latin = "é" in weights or "ā" in weights
    for word in words:
        text = word.decode(codec, "replace")
        before = ""
        for ix, char in enumerate(text):
            if char >= "\x80":
                high += 1
                after = text[ix + 1 : ix + 2]
                total += _letter(char, before, after, weights, is_latin)
            before = char
    return total / max(1, high)


def _letter(char: str, before: str, after: str, weights: dict[str, float], is_latin: bool) -> float:
    """How plausible a character is between its neighbours."""
    if char == "\ufffd":
        return -4.0
    if char < "\xa0":
        return -1.5
    inside = before.isalpha() and after.isalpha()
    if not char.isalpha() and not unicodedata.combining(char):
        if char in _JOINS:
            return 0.7
        return -1.0 if inside or char not in _SIGNS else 0.6
    weight = weights.get(char, -0.4)
    if not before and not after:
        return min(weight, _ALONE)
    if before.islower() and char.isupper():
        weight -= 1.5
    if not is_latin:
        if (before.isalpha() and before < "\x80") or (after.isalpha() and after < "\x80"):
            weight -= 1.5
    elif before >= "\x80" and before.isalpha():
        weight -= 0.6  # accented letters are rarely neighbours
    return weight


def _commonness(head: bytes, codec: str, common: str) -> float:
    """How many of the characters of two bytes are common ones."""
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    try:
        text = head[: end + 1 or None].decode(codec)
    except UnicodeDecodeError as error:
        if error.end < len(head) - 4 or end >= 0:
            return -4.0
        text = head[: error.start].decode(codec)
    counts = Counter(char for char in text if char >= "\x80")
    total = sum(_common_weight(char, codec, common) * count for char, count in counts.items())
    return total / max(1, sum(counts.values()))


def _common_weight(char: str, codec: str, common: str) -> float:
    if char in common:
        return 1.3
    lead = char.encode(codec)[0]
    if codec in ("cp932", "euc_jp"):
        if "\u3040" <= char <= "\u30ff":
            return 1.0
        return -0.5 if "\uff61" <= char <= "\uff9f" else 0.6 if char < "\ue000" else 0.1
    if "\u3000" <= char <= "\u301f" or "\uff00" <= char <= "\uff60":
        return 0.6
    first, last = {"gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "cp949": (0xB0, 0xC8)}[codec]
    if codec == "cp949" and not "\uac00" <= char <= "\ud7a3":
        return 0.1
    return 0.8 if first <= lead <= last and len(char.encode(codec)) == 2 else 0.1
