"""What is no table at all: bytes that are no text, markup, prose, forms, marks without a word.

In: the rows of a file. Out: whether it is one of these. Invariant: a file with a column of numbers,
dates or codes is none of them. Cost: linear in the rows that are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from sculpt.inference.files.sheet import Rows

_ROWS = 500
"""So many rows are looked at."""
_NOISE = 0.002
"""The greatest share of characters that no text has."""
_STRANGE = re.compile(r"[\x00-\x08\x0b\x0e-\x1b\x7f\ufffd]")
_OPENING = re.compile(r"[{\[]|<[?!A-Za-z]")
_SENTENCE = re.compile(r"(?:\S+\s+){4}\S|.*\s.*[.,:;!?]$|.*[^\W\d].*:$")
_FIELD = re.compile(r"[^\W\d_][^:]{0,30}:\s+\S")


def is_tableless(rows: Rows) -> bool:
    """Is there nothing in the rows that could be a table?"""
    texts = [text for row in islice(rows, _ROWS) for text in row if text]
    size = sum(map(len, texts))
    if not any(map(str.isalnum, "".join(texts))):
        return True
    if sum(len(_STRANGE.findall(text)) for text in texts) > _NOISE * size:
        return True
    return _is_markup(texts, rows) or _is_prose(list(_lines(rows)))


def _is_markup(texts: list[str], rows: Rows) -> bool:
    """Does it begin and end as JSON, XML or HTML do?"""
    last = next((row for row in reversed(rows) if any(row)), ("",))
    end = next(text for text in reversed(last) if text)
    first = texts[0]
    return _OPENING.match(first) is not None and end[-1] in ("}]" if first[0] in "{[" else ">")


def _lines(rows: Rows) -> Iterator[str]:
    """The filled rows, each as one text; of rows with several cells only the texts of one."""
    for row in islice(rows, _ROWS):
        if len(row) > 1:
            yield ""
        elif row[0]:
            yield row[0]


def _is_prose(lines: list[str]) -> bool:
    """Are most lines single texts, and sentences, or fields with their values?"""
    if not lines:
        return False
    sentences = sum(_SENTENCE.match(line) is not None for line in lines)
    fields = sum(_FIELD.match(line) is not None for line in lines)
    return 2 * sentences > len(lines) or fields == len(lines)
