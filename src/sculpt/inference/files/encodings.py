"""Whether files can be read in one encoding.

In: sheets whose files were read in encodings of their own. Out: the encoding in which all of them
are the same texts. Plain ASCII is the same in most encodings, and a byte order mark tells what a
file is in: such files go with others. Invariant: no text of the sheets changes. Cost: none if the
encodings are equal, else each file (or the copy of its rows) is decoded again.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from sculpt.inference.files.sheet import Sheet
from sculpt.tabular.document import decode
from sculpt.tabular.inputs import read_bytes
from sculpt.values import replace

_NAME = "Encoding"


def encoding_of(sheet: Sheet) -> str | None:
    """The encoding in which a sheet was read; `None` for the default."""
    return dict(sheet.directives).get(_NAME)


def reads_alike(sheet: Sheet, encoding: str | None) -> bool:
    """Does a file have the same text in another encoding?"""
    own = encoding_of(sheet)
    if own == encoding:
        return True
    data = read_bytes(sheet.source)
    return decode(data, _codec(own)).text == decode(data, _codec(encoding)).text


def _codec(name: str | None) -> str | None:
    return None if name is None else codecs.lookup(name).name


def in_encoding(sheet: Sheet, encoding: str | None) -> Sheet:
    """The same sheet, whose directives name another encoding."""
    if encoding_of(sheet) == encoding:
        return sheet
    others = tuple(each for each in sheet.directives if each[0] != _NAME)
    return replace(sheet, directives=others if encoding is None else (*others, (_NAME, encoding)))


def joint_encoding(members: Sequence[Sheet], more: Sheet) -> tuple[str | None] | None:
    """The encoding of some sheets of one encoding and a further one; `None` if there is none."""
    ours, theirs = encoding_of(members[0]), encoding_of(more)
    if reads_alike(more, ours):
        return (ours,)
    return (theirs,) if all(reads_alike(each, theirs) for each in members) else None
