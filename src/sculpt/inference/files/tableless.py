"""What is no table: bytes that are no text, markup, programs, prose, forms, marks without a word.

In: the rows of a file, and its text. Out: whether it is one of these. Invariant: a file with a
column of numbers, dates or codes is none of them, nor is one whose rows are mostly of one width.
Cost: linear in the rows that are looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from sculpt.inference.files.sheet import Rows
from sculpt.inference.kinds import NUMERIC, kind_of
from sculpt.inference.sniff.noise import is_noise

_ROWS = 500
"""So many rows are looked at."""
_LETTERS = 1 << 16
_OPENING = re.compile(r"[{\[]|<[?!A-Za-z]")
_SENTENCE = re.compile(r"(?:\S+\s+){4}\S|.*\s.*[.,:;!?]$|.*[^\W\d].*:$")
_FIELD = re.compile(r"[^\W\d_][^:]{0,30}:\s+\S")
_BLANK = re.compile(r"_{3,}|\.{6,}|\u2026{2,}")
"""A place in a form that is to be filled in."""
_STATEMENT = re.compile(
    r"""\s*(?:
      (?:import|from|def|class|if|elif|else|for|while|return|try|except|finally|with|assert|raise
        |fi|done|do|then|esac|case|switch|echo|export|set|local|function|var|let|const|end|begin
        |public|private|static|void|struct|typedef|package|using|use|fn|impl|pub|break|continue|pass
        )\b.*
      |(?:\#|//|/\*|\*/|--|@|\$\().*                 # remarks, decorators
      |[\w.$"'\[\]-]+\s*[:+?|*-]?=[^=].*              # assignments
      |[\w.-]+\(.*|.*\w\([^()]*\)[;,:]?              # calls
      |\[\[?[\w."-]+\]\]?                            # sections
      |[\w./%$()-]+:(?:\s.*)?                         # targets, labels
      |.*[{}\[\](:\\|&]|["']{3}.*|[\])}]+.*          # what goes on, opens or closes
    )|[ \t]+(?:"[^"]*"|'[^']*')                        # a text on its own
    """,
    re.VERBOSE,
)
_PROGRAM = 0.7
"""The least share of lines of a program that look like its statements."""
_EVEN = 0.5
"""Of the rows of a table, more than this have several cells, and the same number of them."""
_FIGURES = 0.2
"""Of the rows of a program, fewer than this have a number that is not their first cell."""


def is_tableless(rows: Rows, text: str = "") -> bool:
    """Is there nothing in the rows, which are those of the text, that could be a table?"""
    texts = [text for row in islice(rows, _ROWS) for text in row if text]
    if not any(map(str.isalnum, "".join(texts))):
        return True
    if is_noise("".join(texts)):
        return True
    if _is_markup(texts, rows) or _is_prose(list(_lines(rows))):
        return True
    return not _is_even(rows) and _is_program(text)


def _is_even(rows: Rows) -> bool:
    """Do most rows have several filled cells, and the same number of cells, or many a number?"""
    filled = [row for row in islice(rows, _ROWS) if any(row)]
    widths = Counter(len(row) for row in filled if sum(map(bool, row)) > 1)
    figures = sum(any(kind_of(text) in NUMERIC for text in row[1:]) for row in filled)
    return max(widths.values(), default=0) > _EVEN * len(filled) or figures > _FIGURES * len(filled)


def _is_program(text: str) -> bool:
    """Are most lines statements of a programming language, or of a file of settings?"""
    # Marks at the end tell nothing: they may be delimiters of empty cells.
    lines = [line.rstrip(" \t,;") for line in text[:_LETTERS].splitlines()[:_ROWS]]
    lines = [line for line in lines if line]
    indented = sum(line[0] in " \t" for line in lines)
    found = sum(_STATEMENT.fullmatch(line) is not None for line in lines)
    return len(lines) > 2 and found > _PROGRAM * len(lines) and (indented > 0 or found > 4)


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
    blanks = sum(_BLANK.search(line) is not None for line in lines)
    is_form = fields == len(lines) or 2 * blanks > len(lines)
    return 2 * sentences > len(lines) or is_form
