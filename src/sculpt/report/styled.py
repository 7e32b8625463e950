"""Lines of text with styles, what texts look like in them, and how many columns they take.

In: texts, each with the name of a style such as `bold red`. Out: a `Styled` line. Reports are made
of these; the code that prints them turns the names into colours, or ignores them.

Invariant: `plain` is exactly what `rich` prints without colours. `rich` is imported only to measure
a text that is not plain ASCII: the import takes 40 ms, which is noticeable in a short run.
"""

# Annotations are evaluated here: those of a named tuple would be compiled one by one (1 ms).
from typing import NamedTuple, TypeAlias

Piece: TypeAlias = "str | tuple[str, str] | Styled"
"""A text without a style, a text and its style, or a line that becomes part of another."""

_VISIBLE = {"\t": "→", "\n": "↵", "\r": "␍", "\0": "␀"}
_MAX_TEXT = 120
_TAB = 8
_NOT_PRINTED = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""Characters that would move the cursor; `rich` leaves them out."""


class Styled(NamedTuple):
    """A line: texts, each with the name of its style, which may be empty."""

    pieces: tuple[tuple[str, str], ...] = ()

    @property
    def plain(self) -> str:
        """The text without its styles."""
        text = "".join([text for text, _ in self.pieces])
        if text.isprintable():
            return text
        lines = text.translate(_NOT_PRINTED).split("\n")
        return "\n".join([_expand_tabs(line) for line in lines])


def styled(*pieces: Piece) -> Styled:
    """A line of pieces."""
    joined: list[tuple[str, str]] = []
    for piece in pieces:
        if isinstance(piece, Styled):
            joined.extend(piece.pieces)
        else:
            joined.append((piece, "") if isinstance(piece, str) else piece)
    return Styled(tuple(joined))


_NON_JOINER = "\u200c"
"""It takes no room, and Persian words need it."""


def visible(text: str) -> str:
    """The text with a visible character in place of each control character.

    So nothing that a cell, a file name or a message contains can steer a terminal; characters that
    change the direction of text are control characters too.
    """
    if text.isprintable():
        return text
    return "".join(
        [
            char if char.isprintable() or char == _NON_JOINER else _VISIBLE.get(char, "\ufffd")
            for char in text
        ]
    )


def harmless(line: Styled) -> Styled:
    """The line without control characters, except line ends and tabs."""
    if all(text.isprintable() for text, _ in line.pieces):
        return line
    return Styled(tuple([(_without_control(text), style) for text, style in line.pieces]))


def _without_control(text: str) -> str:
    lines = [[visible(part) for part in line.split("\t")] for line in text.split("\n")]
    return "\n".join(["\t".join(parts) for parts in lines])


def shortened(text: str) -> str:
    """A visible text, on one line and not too long."""
    flat = visible(text[: _MAX_TEXT + 1])
    return flat if len(flat) <= _MAX_TEXT else f"{flat[: _MAX_TEXT - 1]}…"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _expand_tabs(line: str) -> str:
    *parts, last = line.split("\t")
    column = 0
    expanded = []
    for part in parts:
        end = column + width(part)
        column = end + _TAB - end % _TAB
        expanded.append(part + " " * (column - end))
    return "".join([*expanded, last])
