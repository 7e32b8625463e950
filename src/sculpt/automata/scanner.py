"""The dialect and the tokens as one machine over bytes (`docs/language.md#3-the-document`).

In: a `Dialect`, a `TextReader`. Out: a `Scanner`, whose configurations are values: `step` takes a
configuration and a byte to the next configuration, and says what ended there: nothing, a cell, a
row, or a line that is not a row. It is written to be read, not to run over data: `scan_table`
remembers its steps in arrays, which the kernel follows. `tabular/grid.py` reads the same dialects
in a different way.

A step reports at most one end. If bytes that had to wait for a decision give more than one, the
rest of them stay in `backlog`, and the next step takes its byte from there instead of the input.

Invariant: configurations do not depend on their place in the file, so a scan can begin at any byte
whose configuration is known; at the start of a row that is always `Scanner.start`. Cost: a file
meets few configurations. Their number does not grow with the length of the file, unless the
delimiter is a pattern that must look far ahead; beyond `MAX_PENDING` bytes that is refused.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from sculpt.automata.coding import child
from sculpt.automata.texts.reader import DelimiterFinder, TextReader
from sculpt.automata.texts.states import Outcome, TextState
from sculpt.core.dialect import Dialect, Layout
from sculpt.errors import UnsupportedByEngine

END = 256
"""Stands for the end of the file, in place of a byte."""
MAX_PENDING = 512

# The bits of `Letter.flags`: what is wrong with a cell, whether a row of it alone is blank, and
# whether it holds text.
UNDECODABLE, NUL, STRAY, UNCLOSED, BLANK, TEXT = 1, 2, 4, 8, 16, 32
DEFECTS = {
    UNDECODABLE: "undecodable",
    NUL: "nul-byte",
    STRAY: "text-after-quote",
    UNCLOSED: "unclosed-quote",
}


class Event(IntEnum):
    """What ended with a byte."""

    NOTHING = 0
    CELL = 1
    ROW = 2
    """A cell, and its row with it."""
    LINE = 3
    """A line that is a comment."""


class Letter(NamedTuple):
    """All that matters about a cell's text."""

    outcome: Outcome
    flags: int
    is_padded: bool = False
    decided: frozenset[int] = frozenset()
    """The nodes of `Decisions` that are true of the cell."""


class Mode(IntEnum):
    """Where in a row the scanner is."""

    ROW = 0
    CELL = 1
    BARE = 2
    ESCAPED = 3
    """After an escape in a bare cell."""
    QUOTED = 4
    QUOTED_ESCAPE = 5
    CLOSING = 6
    """After a quote that closes the cell, unless another quote follows."""
    TAIL = 7
    """After the closing quote."""
    COMMENT = 8
    INDENT = 9
    """After blanks at the start of a line, which a delimiter that is a pattern does not see."""
    LAYOUT = 10
    """At the start of a line whose layout is not yet known."""
    FIXED = 11
    FULL = 12
    """After the last character of a column of fixed width, or in a filler."""
    ENDING = 13
    """After a quote that closes the cell if the cell ends here, and blanks; otherwise it is text.

    The text goes on with the quote and the blanks; `core` has what it matched before them.
    """


class Config(NamedTuple):
    """All that the scanner remembers between two bytes."""

    mode: Mode
    text: TextState
    core: Outcome | None
    """What the text matched before the blanks, or the quote, at its end; `None` if it has none."""
    core_empty: bool
    flags: int
    pending: bytes
    backlog: bytes
    looked: int
    """The number of pending blanks that are known not to reach the end of the line."""
    layout: int
    column: int
    left: int
    """In a column: how many characters it has; below 0 in a filler before the first column.

    In a filler after a column: how many characters are still to come; -1 for the rest of the line.
    """


class Step(NamedTuple):
    """Where a byte leads."""

    config: Config
    event: Event
    letter: Letter | None
    is_done: bool
    """At the end of the file: no further step is needed."""
    gap: int = 0
    """The size of the delimiter or line end between the cell that ends and the next one."""
    text_had_ended: bool = False
    """The text of the cell had already ended, as that of a full column of fixed width does."""
    ended: int = -1
    """How many bytes before the last byte read a fixed-width column was full; -1 if none was."""
    begun: int = -1
    """How many bytes before the last byte read the next cell's text begins; -1 if none does."""
    opened: int = -1
    """Like `begun`, but of the cell that ends, if its text began in this same step; else -1."""

    def after(self, before: Step, left: int) -> Step:
        """The two steps as one; after this one, which is the second, some bytes are left."""
        ended, begun = (each + left if each >= 0 else each for each in (self.ended, self.begun))
        if not self.event:
            return self._replace(
                ended=before.ended if ended < 0 else ended,
                begun=before.begun if begun < 0 else begun,
            )
        step = self._replace(ended=ended, begun=begun, opened=before.begun)
        if step.text_had_ended and before.ended >= 0:
            step = step._replace(text_had_ended=False, gap=before.ended - left)
        return step


class Scanner:
    """The machine; see the module docstring."""

    def __init__(self, dialect: Dialect, reader: TextReader) -> None:
        self.dialect = dialect
        self.reader = reader
        coding = self.coding = reader.coding
        self.blanks = coding.blanks
        quote = None if dialect.layouts else dialect.quote
        self.quote = coding.encode(quote) if quote else b""
        self.doubles = dialect.escape in (None, dialect.quote)
        escape = coding.encode(dialect.escape or "")
        self.quoted_escape = b"" if self.doubles else escape
        self.escapes_all = dialect.escapes != "quotes"
        self.closing = Mode.TAIL if dialect.stray_quotes == "error" else Mode.ENDING
        self.bare_escape = escape if dialect.bare_escape and not dialect.layouts else b""
        self.comment = coding.encode(dialect.comment) if dialect.comment else b""
        ends = ["\r\n", "\n", "\r"] if dialect.row_delim is None else [dialect.row_delim]
        ends = ["\r\n", "\n"] if dialect.row_delim == "\n" else ends
        self.ends = tuple(spelt for end in ends if (spelt := coding.encode(end)))
        self.finder = None if dialect.layouts else DelimiterFinder(dialect.col_delim, coding)
        self.has_pattern = self.finder is not None and self.finder.reader is not None
        self.drops_tail = self.has_pattern and dialect.trim_right
        self.layouts = dialect.layouts
        prefixed = [(coding.encode(layout.prefix), layout.prefix) for layout in self.layouts]
        self.prefixes = [spelt if spelt or not text else None for spelt, text in prefixed]
        self.start = Config(Mode.ROW, reader.start, None, False, 0, b"", b"", 0, -1, 0, 0)

    def byte_ranges(self) -> set[int]:
        """The bytes that may lead elsewhere than the byte before them."""
        starts = self.reader.byte_ranges()
        specials = [self.quote, self.quoted_escape, self.bare_escape, self.comment, *self.ends]
        specials += [prefix for prefix in self.prefixes if prefix]
        if self.finder is not None:
            specials.append(self.finder.literal)
            if self.finder.reader is not None:
                starts |= self.finder.reader.byte_ranges()
        for byte in (*self.blanks, *b"".join(specials), self.coding.nul):
            starts |= {byte, byte + 1}
        return {start for start in starts if 0 <= start <= 256}

    def ordinary(self) -> frozenset[int]:
        """The bytes that can only be text, so that steps on them depend on the reader alone.

        Empty if the delimiter is a pattern, columns have fixed widths, or there are `.>` rules.
        """
        if self.finder is None or self.has_pattern or self.reader.has_lists:
            return frozenset()
        specials = [self.quote, self.quoted_escape, self.bare_escape, self.comment, *self.ends]
        return frozenset(range(256)).difference(
            b"".join([*specials, self.finder.literal]), self.blanks, [self.coding.nul]
        )

    def feeds_next(self, config: Config) -> bool:
        """Is the text of a configuration the one that an ordinary byte is added to?

        Not if the byte shows that the quote or the escape before it is text, too.
        """
        match config.mode:
            case Mode.CLOSING:
                return self.closing is Mode.TAIL
            case Mode.QUOTED_ESCAPE:
                return self.escapes_all
        return True

    # ------------------------------------------------------------- one step

    def step(self, config: Config, byte: int) -> Step:
        """Where a byte leads; with a backlog, where that leads, and the byte must come again."""
        is_end = byte == END and not config.backlog
        queue = config.backlog if config.backlog or is_end else bytes([byte])
        if config.backlog:
            config = config._replace(backlog=b"")
        whole = _on(config)
        while queue:
            pending = config.pending + queue[:1]
            queue = queue[1:]
            if len(pending) > MAX_PENDING:
                raise UnsupportedByEngine(
                    f"the delimiter `{self.dialect.col_delim.text}` must look ahead more than"
                    f" {MAX_PENDING:,} bytes here; simplify it, or use `--engine reference`"
                )
            if config.pending:
                config = config._replace(pending=b"")
            found = self._resolve(config, pending, is_end=False)
            if found is None:
                config = config._replace(pending=pending)
                continue
            step, rest = found
            config, queue = step.config, rest + queue
            whole = step.after(whole, len(queue))
            if step.event:
                config = config._replace(backlog=queue) if queue else config
                return whole._replace(config=config)
        if not is_end:
            return whole._replace(config=config)
        return self._finish(config)

    def _finish(self, config: Config) -> Step:
        """The end of the file: decide the pending bytes, then end the row if one has begun."""
        whole = _on(config)
        while config.pending:
            pending = config.pending
            found = self._resolve(config._replace(pending=b""), pending, is_end=True)
            assert found is not None
            step, rest = found
            whole = step.after(whole, len(rest))
            if step.event:
                return whole._replace(config=step.config._replace(backlog=rest))
            config = step.config._replace(pending=rest)
        match config.mode:
            case Mode.ROW | Mode.COMMENT:
                return Step(self.start, Event.NOTHING, None, True)
            case Mode.ESCAPED:
                config = self._literally(config, self.bare_escape)
            case Mode.QUOTED_ESCAPE:
                escaped = self._fed(config, self.quoted_escape)
                config = escaped._replace(flags=escaped.flags | UNCLOSED)
            case Mode.QUOTED:
                config = config._replace(flags=config.flags | UNCLOSED)
            case Mode.LAYOUT:
                config = self._first_column(self.start, -1)
        text_had_ended = config.mode is Mode.FULL
        last = Step(
            self.start,
            Event.ROW,
            self._letter(config),
            True,
            text_had_ended=text_had_ended,
            begun=0,
        )
        return last.after(whole, 0)

    def _resolve(self, config: Config, pending: bytes, is_end: bool) -> tuple[Step, bytes] | None:
        """Decide what the first of some bytes means: the step, and the bytes that are left.

        `None` while that cannot be decided.
        """
        match config.mode:
            case Mode.QUOTED:
                return self._in_quotes(config, pending, is_end)
            case Mode.QUOTED_ESCAPE:
                return self._after_escape(config, pending, is_end)
            case Mode.CLOSING:
                return self._after_quote(config, pending, is_end)
            case Mode.LAYOUT:
                return self._choose_layout(config, pending, is_end)
            case Mode.ROW if self.comment:
                if pending.startswith(self.comment):
                    # Look for the end of the line from its start.
                    return _on(config._replace(mode=Mode.COMMENT)), pending
                if self.comment.startswith(pending) and not is_end:
                    return None
        if config.mode is Mode.ROW and self.layouts:
            return _on(config._replace(mode=Mode.LAYOUT)), pending
        if config.mode in _BEFORE_CELL and self.quote:
            if pending.startswith(self.quote):
                quoted = config._replace(mode=Mode.QUOTED, looked=0)
                return _on(quoted), pending[len(self.quote) :]
            if self.quote.startswith(pending) and not is_end:
                return None
        end = self._line_end(pending, is_end)
        if end is None:
            return None
        if end:
            return self._at_line_end(config, pending[:end]), pending[end:]
        if config.mode is Mode.COMMENT:
            return _on(config), pending[1:]
        if config.mode is Mode.ESCAPED:
            return _on(self._literally(config, pending[:1])), pending[1:]
        if self.layouts:
            return self._in_columns(config, pending, is_end)
        return self._in_line(config, pending, is_end)

    def _line_end(self, pending: bytes, is_end: bool) -> int | None:
        """The size of the line end that these bytes begin with; 0 if they do not begin with one."""
        for end in self.ends:
            if pending.startswith(end):
                return len(end)
            if end.startswith(pending) and not is_end:
                return None
        return 0

    def _at_line_end(self, config: Config, end: bytes) -> Step:
        if config.mode is Mode.COMMENT:
            return Step(self.start, Event.LINE, None, False, begun=0)
        if config.mode is Mode.ESCAPED:
            return _on(self._literally(config, end))
        letter, had_ended = self._letter(config), config.mode is Mode.FULL
        return Step(self.start, Event.ROW, letter, False, len(end), had_ended, begun=0)

    # ------------------------------------------------------------- delimited

    def _in_line(self, config: Config, pending: bytes, is_end: bool) -> tuple[Step, bytes] | None:
        assert self.finder is not None
        looked = config.looked
        if self.has_pattern:
            found = self._first_line_end(pending)
            inside = pending if found is None else pending[:found]
            at_end = is_end or found is not None
            if not at_end:
                inside = inside[: len(inside) - self._begun_line_end(inside)]
            if pending[0] in self.blanks and not looked:
                if config.mode in (Mode.ROW, Mode.INDENT) and self.dialect.trim_left:
                    step = _on(config._replace(mode=Mode.INDENT))
                    return step._replace(begun=0), pending[1:]
                if self.drops_tail:
                    looked = len(inside) - len(inside.lstrip(bytes(self.blanks)))
                    if looked == len(inside):
                        # Blanks at the end of the line are dropped, once that is known.
                        return (_on(config), pending[looked:]) if at_end else None
            taken = self.finder.resolve(inside, at_end)
        else:
            taken = self.finder.resolve(pending, is_end)
        if taken is None:
            return None
        if config.looked or looked:
            config = config._replace(looked=max(0, looked - 1))
        if taken:
            has_nul = self.coding.nul >= 0 and bytes([self.coding.nul]) in pending[:taken]
            flags = config.flags | (NUL if has_nul else 0)  # a defect of the cell on the left
            letter = self._letter(config._replace(flags=flags))
            opened = self.start._replace(mode=Mode.CELL)
            return Step(opened, Event.CELL, letter, False, taken, begun=0), pending[taken:]
        if self.bare_escape and config.mode not in (Mode.TAIL, Mode.ENDING):
            if pending.startswith(self.bare_escape):
                rest = pending[len(self.bare_escape) :]
                return _on(self._without(config, self.bare_escape, Mode.ESCAPED)), rest
            if self.bare_escape.startswith(pending) and not is_end:
                return None
        if config.mode is Mode.ENDING and not (
            pending[0] in self.blanks and self.dialect.trim_right
        ):
            # The quote before was text: the bytes after it are read again, inside quotes.
            quoted = config._replace(mode=Mode.QUOTED, core=None, core_empty=False, looked=0)
            return _on(quoted), pending
        return _on(self._text(config, pending[0])), pending[1:]

    def _first_line_end(self, pending: bytes) -> int | None:
        """Where the first complete line end begins; `None` if there is none yet."""
        places = [at for end in self.ends if (at := pending.find(end)) >= 0]
        return min(places, default=None)

    def _begun_line_end(self, pending: bytes) -> int:
        """How many of the last bytes may begin a line end."""
        sizes = (
            size
            for end in self.ends
            for size in range(1, min(len(end), len(pending) + 1))
            if pending.endswith(end[:size])
        )
        return max(sizes, default=0)

    def _text(self, config: Config, byte: int) -> Config:
        """One byte of text outside quotes."""
        is_blank = byte in self.blanks
        dialect = self.dialect
        if config.mode is Mode.ENDING:
            return self._with_blank(config, byte)
        if config.mode in _BEFORE_CELL:
            if is_blank and dialect.trim_left:
                return config._replace(mode=Mode.CELL)
            config = config._replace(mode=Mode.BARE)
        if config.mode is Mode.TAIL and not (is_blank and dialect.trim_right):
            config = config._replace(flags=config.flags | STRAY)
        return self._with_blank(config, byte) if is_blank else self._fed(config, bytes([byte]))

    def _with_blank(self, config: Config, byte: int) -> Config:
        """A blank, which counts only if more text follows."""
        fed = self._fed(config, bytes([byte]))
        if not self.dialect.trim_right or self.reader.is_broken(config.text):
            return fed
        if config.core is not None:
            return fed._replace(core=config.core, core_empty=config.core_empty)
        core = self.reader.outcome(config.text)
        return fed._replace(core=core, core_empty=config.text.empty)

    def _fed(self, config: Config, spelt: bytes) -> Config:
        """Text that counts."""
        text, flags = config.text, config.flags
        for byte in spelt:
            if byte == self.coding.nul:
                flags |= NUL
            text = self.reader.feed(text, byte)
        return config._replace(text=text, core=None, core_empty=False, flags=flags)

    def _without(self, config: Config, special: bytes, mode: Mode) -> Config:
        """A quote or an escape that is no text; but a character does not go on after it."""
        if self.reader.is_broken(config.text):  # also in the middle of a character
            config = self._fed(config, special)
        return config._replace(mode=mode)

    def _literally(self, config: Config, spelt: bytes) -> Config:
        return self._fed(config, spelt)._replace(mode=Mode.BARE)

    def _letter(self, config: Config) -> Letter:
        """The cell that ends here."""
        flags = config.flags
        is_broken = self.reader.is_broken(config.text)
        if is_broken:
            flags |= UNDECODABLE
        quoted = config.mode in _QUOTED
        empty = config.text.empty or (config.core is not None and config.core_empty)
        if is_broken or not empty:
            flags |= TEXT
        elif not quoted:
            flags |= BLANK
        core = None if is_broken else config.core
        return Letter(core if core is not None else self.reader.outcome(config.text), flags)

    # ------------------------------------------------------------- quoted

    def _in_quotes(self, config: Config, pending: bytes, is_end: bool) -> tuple[Step, bytes] | None:
        for special, mode in (
            (self.quoted_escape, Mode.QUOTED_ESCAPE),
            (self.quote, Mode.CLOSING if self.doubles else self.closing),
        ):
            if special and pending.startswith(special):
                taken = self._ending if mode is Mode.ENDING else self._without
                return _on(taken(config, special, mode)), pending[len(special) :]
            if special and special.startswith(pending) and not is_end:
                return None
        return _on(self._fed(config, pending[:1])), pending[1:]

    def _after_quote(
        self, config: Config, pending: bytes, is_end: bool
    ) -> tuple[Step, bytes] | None:
        if pending.startswith(self.quote):
            quoted = config._replace(mode=Mode.QUOTED)
            return _on(self._fed(quoted, self.quote)), pending[len(self.quote) :]
        if self.quote.startswith(pending) and not is_end:
            return None
        if self.closing is Mode.ENDING:
            return _on(self._ending(config, self.quote, Mode.ENDING)), pending
        return _on(config._replace(mode=Mode.TAIL)), pending

    def _ending(self, config: Config, quote: bytes, mode: Mode) -> Config:
        """After a quote that is text unless the cell ends now."""
        if self.reader.is_broken(config.text):
            return self._fed(config, quote)._replace(mode=mode)
        core, is_empty = self.reader.outcome(config.text), config.text.empty
        return self._fed(config, quote)._replace(mode=mode, core=core, core_empty=is_empty)

    def _after_escape(
        self, config: Config, pending: bytes, is_end: bool
    ) -> tuple[Step, bytes] | None:
        """Inside quotes: the byte after an escape, or the escape itself, is text."""
        quoted = config._replace(mode=Mode.QUOTED)
        if self.escapes_all:
            return _on(self._fed(quoted, pending[:1])), pending[1:]
        for special in (self.quote, self.quoted_escape):
            if pending.startswith(special):
                return _on(self._fed(quoted, special)), pending[len(special) :]
            if special.startswith(pending) and not is_end:
                return None
        return _on(self._fed(quoted, self.quoted_escape)), pending

    # ------------------------------------------------------------- fixed widths

    def _choose_layout(
        self, config: Config, pending: bytes, is_end: bool
    ) -> tuple[Step, bytes] | None:
        """Choose the layout with the longest prefix; the bytes read for that are read again."""
        line_end = self._first_line_end(pending)
        line = pending if line_end is None else pending[:line_end]
        decided = is_end or line_end is not None
        for ix, prefix in enumerate(self.prefixes):
            if prefix is None:
                continue
            if line.startswith(prefix):
                return _on(self._first_column(config, ix)), pending
            if not decided and prefix.startswith(line):
                return None
        return _on(self._first_column(config, -1)), pending

    def _widths(self, layout: int) -> tuple[int | None, ...]:
        return self.layouts[layout].widths if layout >= 0 else Layout("", (None,)).widths

    def _first_column(self, config: Config, layout: int) -> Config:
        """At the start of a line; defects in fillers before the first column count to it."""
        widths = self._widths(layout)
        skipped = 0
        column = 0
        while (width := widths[column]) is not None and width < 0:
            skipped -= width
            column += 1
        return config._replace(mode=Mode.FIXED, layout=layout, column=column, left=-skipped)

    def _in_columns(
        self, config: Config, pending: bytes, is_end: bool
    ) -> tuple[Step, bytes] | None:
        """Take one character; a byte that is not one counts as one."""
        tree, size = self.coding.all, 0
        while size < len(pending):
            below = child(tree, pending[size])
            if below is None:
                size = 0
                break
            tree, size = below, size + 1
            if not tree:
                break
        if tree and size == len(pending) and not is_end:
            return None
        is_whole = bool(size) and not tree
        size = size if is_whole else 1
        return self._character(config, pending[:size], is_whole), pending[size:]

    def _character(self, config: Config, spelt: bytes, is_whole: bool) -> Step:
        broken = 0 if is_whole else UNDECODABLE
        if spelt[0] == self.coding.nul:
            broken |= NUL
        if config.mode is Mode.FIXED and config.left < 0:  # a filler before the first column
            step = _on(config._replace(left=config.left + 1, flags=config.flags | broken))
            return step._replace(begun=0) if config.left == -1 else step
        if config.mode is Mode.FULL:
            if config.left != 0:  # a filler, or the rest of the line
                left = config.left - 1 if config.left > 0 else config.left
                return _on(config._replace(left=left, flags=config.flags | broken))
            letter = self._letter(config)
            opened = self.start._replace(
                mode=Mode.FIXED, layout=config.layout, column=config.column
            )
            step = self._character(opened, spelt, is_whole)
            return step._replace(
                event=Event.CELL, letter=letter, text_had_ended=True, begun=len(spelt)
            )
        widths = self._widths(config.layout)
        width = widths[config.column]
        config = config._replace(flags=config.flags | broken)
        if spelt[0] in self.blanks and is_whole:
            is_leading = config.text.empty and self.dialect.trim_left
            config = config if is_leading else self._with_blank(config, spelt[0])
        else:
            config = self._fed(config, spelt)
        taken = config.left + 1
        if width is None or taken < width:
            return _on(config._replace(left=taken if width is not None else 0))
        return _on(self._after_column(config, widths))._replace(ended=0)

    def _after_column(self, config: Config, widths: tuple[int | None, ...]) -> Config:
        column, skipped = config.column + 1, 0
        while column < len(widths) and (width := widths[column]) is not None and width < 0:
            skipped -= width
            column += 1
        rest = column == len(widths)
        return config._replace(mode=Mode.FULL, column=column, left=-1 if rest else skipped)


_BEFORE_CELL = (Mode.ROW, Mode.INDENT, Mode.CELL)
_QUOTED = (Mode.QUOTED, Mode.QUOTED_ESCAPE, Mode.CLOSING, Mode.TAIL, Mode.ENDING)


def _on(config: Config) -> Step:
    return Step(config, Event.NOTHING, None, False)
