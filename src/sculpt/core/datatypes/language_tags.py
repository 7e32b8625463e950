"""Language tags (BCP 47, RFC 5646): which texts name a language.

In: a text. Out: whether it is a well-formed tag; whether its first part can also be a registered
language: those have two or three letters, and no longer one was ever registered.

Invariant: syntax only; no registry is asked. Cost: linear in the text, which is bounded.
"""

from __future__ import annotations

import re

_MAX_LENGTH = 255
_IRREGULAR = frozenset(
    (
        "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux",
        "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl",
        "sgn-ch-de",
    )
)  # fmt: skip
"""Registered before the grammar was made, and not covered by it."""
_TAG = re.compile(
    r"""(?:
        (?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})   # language, extended languages
        (?:-[a-z]{4})?                                         # script
        (?:-(?:[a-z]{2}|[0-9]{3}))?                            # region
        (?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*               # variants
        (?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*                    # extensions
        (?:-x(?:-[a-z0-9]{1,8})+)?                             # private use
        | x(?:-[a-z0-9]{1,8})+
    )""",
    re.VERBOSE,
)


def is_well_formed(text: object) -> bool:
    """Is it a well-formed tag, in any case?"""
    if not isinstance(text, str) or len(text) > _MAX_LENGTH or not text.isascii():
        return False
    lower = text.lower()
    return lower in _IRREGULAR or _TAG.fullmatch(lower) is not None


def is_language_tag(text: str) -> bool:
    """Is it a well-formed tag whose first part can be a registered language?"""
    return is_well_formed(text) and len(text.partition("-")[0]) <= 3
