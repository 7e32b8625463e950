"""The texts of CSV Schema (`concat`, `noExt`, columns) as values of Sculpt programs.

In: a `Provider`. Out: the text itself, if no cell matters to it, or the expression of a program.
Paths become paths below the directory of `--files`: a leading `file:` and slashes are dropped, so
that `file:///scans/1.jp2` is the file `scans/1.jp2` there.

Invariant: an expression is one operand: it can be compared, and be an argument. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import assert_never
from urllib.parse import unquote_to_bytes

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.csv_schema.model import (
    ColumnRef,
    Concat,
    Literal,
    NoExt,
    Provider,
    UriDecode,
)

NO_EXTENSION = r"(.*?)(?:\.[^./\\]*)?"
"""A path: what group 1 matches is all but the extension of its file."""
BELOW = r"(?:file:)?/*(.*)"
"""A path or a `file:` URI: what group 1 matches is the path below a directory."""
_BAD_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_SAFE = re.compile(r"[ -~\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


class Untranslatable(Exception):  # noqa: N818 - it ends in a note, not in an error
    """Something that Sculpt cannot say; the message goes into a note."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message, self.hint = message, hint


def program_text(text: str) -> str:
    """A text as a literal of a program."""
    if not _SAFE.fullmatch(text):
        raise Untranslatable("a text with control characters", "use `regex` instead")
    return literal(text)


def constant(provider: Provider) -> str | None:
    """The text of a provider, if no cell matters to it."""
    match provider:
        case Literal(text):
            return text
        case ColumnRef():
            return None
        case Concat(parts):
            texts = [constant(part) for part in parts]
            known = [each for each in texts if each is not None]
            return "".join(known) if len(known) == len(texts) else None
        case NoExt(of):
            inner = constant(of)
            if inner is None:
                return None
            match = re.fullmatch(NO_EXTENSION, inner, re.DOTALL)
            return match[1] if match else inner
        case UriDecode(of, charset):
            inner = constant(of)
            if inner is None or charset is not None or _BAD_PERCENT.search(inner):
                return None
            try:
                return unquote_to_bytes(inner).decode()
            except UnicodeDecodeError:
                return None
    assert_never(provider)


class TextWriter:
    """Writes texts as values of a program; `cell` gives the expression of a column."""

    def __init__(self, builder: SchemaBuilder, cell: Callable[[str], str]) -> None:
        self.builder = builder
        self.cell = cell

    def value(self, provider: Provider, is_alone: bool = False) -> str:
        """A text as an operand; a sum has parentheses, unless it stands alone."""
        match provider:
            case Literal(text):
                return program_text(text)
            case ColumnRef(name):
                return self.cell(name)
            case Concat(parts):
                text = " + ".join(self.value(part) for part in parts)
                return text if is_alone or len(parts) == 1 else f"({text})"
            case NoExt(of):
                token = self.builder.token("without extension", NO_EXTENSION)
                return f"capture({self.value(of, True)}, {token}, 1)"
            case UriDecode(of, charset):
                known = None if charset is None else constant(charset)
                if charset is not None and (known or "").lower().replace("-", "") != "utf8":
                    message = "`uriDecode` from another character set than UTF-8"
                    raise Untranslatable(message, "percent-encode the data in UTF-8")
                return f"percent-decode({self.value(of, True)})"
        assert_never(provider)

    def path(self, root: Provider | None, file: Provider | str, must_decode: bool = True) -> str:
        """A path below the directory of `--files`; `file` may be an expression already.

        A path that cannot be decoded makes a condition fail, or else is that of no file.
        """
        name = file if isinstance(file, str) else self.value(file)
        known = None if root is None else constant(root)
        if known:
            name = f"{program_text(known.rstrip('/') + '/')} + {name}"
        elif root is not None and known is None:
            name = f'{self.value(root)} + "/" + {name}'
        token = self.builder.token("path below", BELOW, "A path, or a `file:` URI.")
        path = f'percent-decode(capture(replace({name}, "\\\\", "/"), {token}, 1))'
        return path if must_decode else f'({path} optional(""))'
