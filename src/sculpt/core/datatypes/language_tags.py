"""Language tags (BCP 47): which texts name a language.

In: a text. Out: whether it is a well-formed tag whose first part can be a registered language:
those have two or three letters, and no longer one was ever registered. Of the tags that stay valid
from before BCP 47, the regular form covers those that a schema can need.

Cost: one match.
"""

from __future__ import annotations

import re

_TAG = re.compile(
    r"""
    (?: [a-z]{2,3} (?:-[a-z]{3}){0,3}               # a language
        (?: -[a-z]{4} )?                            # a script
        (?: -(?:[a-z]{2}|[0-9]{3}) )?               # a region
        (?: -(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}) )*  # variants
        (?: -[a-wyz0-9](?:-[a-z0-9]{2,8})+ )*       # extensions
        (?: -x(?:-[a-z0-9]{1,8})+ )?                # for private use
      | x(?:-[a-z0-9]{1,8})+
      | i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)
    )
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def is_language_tag(text: str) -> bool:
    """Is a text a language tag?"""
    return _TAG.fullmatch(text) is not None
