"""The text of a schema: names given out, tokens defined, everything formatted.

In: directives, drafts, how far each is widened. Out: the text, formatted as `sculpt fmt` does, and
which rule is which draft. Invariant: the text parses, and `sculpt check` has no warning about it:
what it warns about is written otherwise, in a second round. Cost: a parse or two of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sculpt.diagnostics import Diagnostic
from sculpt.errors import SchemaError
from sculpt.inference.columns.forms import listed
from sculpt.inference.emit.anchors import is_shown
from sculpt.inference.emit.words import Draft, Lit, Piece, Region, Tok, Words
from sculpt.interchange.builder import NamePool, is_reserved, legal_name, literal
from sculpt.schema import Schema, format_text
from sculpt.syntax.names import is_plain_name
from sculpt.values import frozen

_COMMENT = 94
_MOST_UNIQUE = 3
"""More headings than this are not said to be unique: instead, their row is said."""
_LONGEST_NAME = 28
_LINE = 98


@frozen
class Text:
    """A schema as text, and the drafts of its rules, in order."""

    text: str
    rules: tuple[int, ...]
    """The places in the list of drafts."""
    schema: Schema
    uniques: tuple[str, ...] = ()
    """The anchors that it says are unique."""


class _Writer:
    """Gives out names while rules are written."""

    def __init__(
        self,
        quoted: frozenset[str],
        literals: Iterable[str],
        has_program: bool,
        pinned: frozenset[str] = frozenset(),
    ) -> None:
        self.quoted = quoted
        self.pinned = pinned
        self.reserved = _IN_PROGRAMS if has_program else _IN_SELECTORS
        self.pool = NamePool()
        self.names: dict[str, str] = {}
        """By what they stand for."""
        self.definitions: list[str] = []
        self.regions: list[str] = []
        self.literals = frozenset(literals)

    def words(self, words: Sequence[Piece]) -> str:
        """The text of a selector or content."""
        return "".join(self.piece(piece) for piece in words)

    def selector(self, draft: Draft) -> str:
        """The text of a selector, with the row of its anchors where that is needed."""
        parts = []
        for piece in draft.selector:
            text = self.piece(piece)
            if text in self.pinned and (row := pin_of(draft, piece)) is not None:
                text += f" and {self.piece(row)}"
            parts.append(text)
        return "".join(parts)

    def piece(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return piece
        if isinstance(piece, Lit):
            return self.literal(piece.text)
        if isinstance(piece, Region):
            return self.region(piece.wish, self.words(piece.selector))
        if not piece.form.sign:
            return piece.form.written
        return self.token(piece)

    def literal(self, text: str) -> str:
        if not is_shown(text):
            return self.token(Tok(listed([text]), text))
        is_bare = (
            text not in self.quoted
            and is_plain_name(text)
            and not is_reserved(text)
            and not text.replace(" ", "").isdigit()
            and text.count(" ") < 3
            and text not in self.pool_names
        )
        return text if is_bare else literal(text)

    def place(self, wish: str, selector: str) -> str:
        """A name for a long selector."""
        return self.region(_shortened(legal_name(wish)).capitalize(), selector)

    def region(self, wish: str, selector: str) -> str:
        """The name of a region, which it shares with an equal one."""
        definition = f"<= {selector}"
        if definition not in self.names:
            self.names[definition] = name = self.pool.name(wish)
            self.regions.append(f"{name} {definition}")
        return self.names[definition]

    @property
    def pool_names(self) -> set[str]:
        return set(self.names.values())

    def token(self, piece: Tok) -> str:
        definition = f"{piece.form.sign} {piece.form.written}"
        if definition not in self.names:
            wish = re.sub(r"\([^)]*\)", "", legal_name(piece.wish.lower())).lower()
            wish = self.reserved.sub("", wish).strip()
            wish = _shortened(legal_name(wish))
            if wish in self.literals or not wish or wish[0].isdigit():
                wish = f"{wish} value".strip() if wish else "value"
                wish = wish if not wish[0].isdigit() else f"value {wish.removesuffix(' value')}"
            name = self.names[definition] = self.pool.name(wish)
            self.definitions.append(f"{name} {definition}")
        return self.names[definition]


_IN_SELECTORS = re.compile(r"\b(and|or|not) ?")
_IN_PROGRAMS = re.compile(r"\b(and|or|not|in|is|as|then|else|if|one|all|optional|with)\b ?")


def _shortened(name: str) -> str:
    words = name.split(" ")
    while len(words) > 1 and len(" ".join(words)) > _LONGEST_NAME:
        words.pop()
    return " ".join(words)[:_LONGEST_NAME].rstrip("-: ")


def schema_text(
    head: Sequence[str],
    directives: Sequence[str],
    drafts: Sequence[Draft],
    levels: Mapping[int, int],
    program: Sequence[Words] = (),
) -> Text:
    """The text of the drafts that are left; one of last resort if none is, or it cannot be.

    `program` has the lines that come after the rules; they share names with them.
    """
    uniques: dict[str, None] = {}
    quoted: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    for _ in range(6):
        marks = (quoted, pinned, tuple(uniques))
        text, rules = _written(head, directives, drafts, levels, marks, program)
        try:
            schema = Schema.parse(text, name="<proposed>")
        except SchemaError:
            break
        found = schema.lint
        if not found:
            return Text(text, rules, schema, tuple(uniques))
        anchors = dict.fromkeys(_anchors(found, text))
        others = {_marked(each) for each in found if each.code != "ambiguous-anchor"}
        if anchors.keys() <= uniques.keys() and others <= quoted:
            break
        in_rows = anchors.keys() & _pinnable(drafts, quoted) - pinned
        if len(in_rows) > _MOST_UNIQUE:
            pinned |= in_rows
            continue
        quoted |= others
        uniques |= anchors
    return last_resort(head, directives)


def last_resort(head: Sequence[str], directives: Sequence[str]) -> Text:
    """A schema that accepts every table of a dialect."""
    text = format_text("\n".join([*comment_lines(head), *directives, "", "true -> Any*", ""]))
    return Text(text, (), Schema.parse(text, name="<proposed>"))


def counting_text(
    directives: Sequence[str], rules: Sequence[Draft]
) -> tuple[Schema, tuple[str, ...]]:
    """A schema with all of these rules, and the anchors whose uniqueness it counts as well."""
    anchors = dict.fromkeys(piece for rule in rules for piece in anchor_pieces(rule.selector))
    writer = _Writer(frozenset(), _all_literals(rules), False)
    for rule in rules:
        _name_all(writer, rule.ladder[0])
    lines = [
        f"{writer.words(r.selector)} {r.arrow} {writer.words(r.ladder[0])}{r.clause}" for r in rules
    ]
    uniques = tuple(writer.piece(piece) for piece in anchors)
    marks = [f"unique({each}) ! warning" for each in uniques]
    parts = [*directives, *writer.definitions, *writer.regions, *marks, *lines, ""]
    return Schema.parse("\n".join(parts), name="<counting>"), uniques


def anchor_pieces(words: Words) -> Iterable[Piece]:
    """The texts from which a selector starts."""
    for piece in words:
        if isinstance(piece, Lit) or (isinstance(piece, Tok) and piece.form.sign):
            yield piece
        elif isinstance(piece, Region):
            yield from anchor_pieces(piece.selector)


def pin_of(draft: Draft, piece: Piece) -> Region | None:
    """The row of a heading, if that says more than the heading itself."""
    row = draft.headings
    if row is None or not isinstance(piece, Lit | Tok) or piece in row.selector:
        return None
    return row


def _pinnable(drafts: Sequence[Draft], quoted: frozenset[str]) -> set[str]:
    """The headings whose row can be said wherever they are used, as they would be written."""
    can, cannot = set[str](), set[str]()
    writer = _Writer(quoted, (), False)
    for draft in drafts:
        for piece in anchor_pieces(draft.selector):
            known = can if pin_of(draft, piece) is not None else cannot
            if isinstance(piece, Lit):
                known |= {piece.text, writer.literal(piece.text), literal(piece.text)}
    return can - cannot


def _all_literals(rules: Iterable[Draft]) -> set[str]:
    return {
        text
        for rule in rules
        for words in (rule.selector, *rule.ladder)
        for text in _literals(words)
    }


def _marked(each: Diagnostic) -> str:
    """The text that a diagnostic is about."""
    return each.span.source.text[each.span.start : each.span.end]


def _anchors(found: Iterable[Diagnostic], text: str) -> Iterable[str]:
    for each in found:
        if each.code == "ambiguous-anchor":
            yield _marked(each)


def _written(
    head: Sequence[str],
    directives: Sequence[str],
    drafts: Sequence[Draft],
    levels: Mapping[int, int],
    marks: tuple[frozenset[str], frozenset[str], Sequence[str]],
    program: Sequence[Words],
) -> tuple[str, tuple[int, ...]]:
    quoted, pinned, uniques = marks
    kept = [
        (place, draft, draft.ladder[levels.get(place, 0)])
        for place, draft in enumerate(drafts)
        if levels.get(place, 0) < len(draft.ladder)
    ]
    literals = {
        text
        for words in (
            *(w for _, draft, content in kept for w in (draft.selector, content)),
            *program,
        )
        for text in _literals(words)
    }
    writer = _Writer(quoted, literals, bool(program), pinned)
    for _, _, content in kept:  # names first: a text that is also a name needs quotes
        _name_all(writer, content)
    ending = [line for words in program for line in _folded(writer.words(words))]
    rules: list[str] = []
    for place, draft, content in kept:
        if draft.about and levels.get(place, 0) == 0:
            rules += comment_lines([draft.about])
        selector, text = writer.selector(draft), writer.words(content)
        if len(selector) + _unbroken(text) > _LINE and len(selector) > _LONGEST_NAME:
            selector = writer.place(_region_wish(draft, content), selector)
        rules.append(f"{selector} {draft.arrow} {text}{draft.clause}")
    written = (literal(each) if each in quoted else each for each in uniques)
    lines_of_uniques = [f"unique({each})" for each in dict.fromkeys(written)]
    lines = [
        *comment_lines(head), "", *directives, "", *writer.definitions, "", *writer.regions, "",
        *lines_of_uniques, "", *rules, "", *ending,
    ]  # fmt: skip
    if not rules:
        lines[len(lines) - len(ending) : len(lines) - len(ending)] = ["true -> Any*", ""]
    while lines and not lines[0]:
        lines = lines[1:]
    return format_text("\n".join(lines) + "\n"), tuple(place for place, _, _ in kept)


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_FIELD = re.compile(r"(    [^\W\d]\w*: )(.+?)(,?)")


def _folded(line: str) -> list[str]:
    """A line of a program; the value of a field that is too long is put into brackets."""
    found = _FIELD.fullmatch(line)
    if len(line) <= _LINE or found is None:
        return [line]
    name, value, end = found.groups()
    bare = _QUOTED.sub(lambda quoted: "_" * len(quoted.group()), value)
    parts, start, depth = list[str](), 0, 0
    for place, char in enumerate(bare):
        depth += (char in "([") - (char in ")]")
        if depth == 0 and bare.startswith((" and ", " then "), place):
            parts.append(value[start:place])
            start = place + 1
    last = value[start:]
    if not parts:
        return [f"{name}(", last, f"){end}"]
    lines = [f"{name}({parts[0]}"]
    for part in (*parts[1:], f"{last}){end}"):
        if len(lines[-1]) + len(part) < _LINE:
            lines[-1] += f" {part}"
        else:
            lines.append(f"      {part}")
    return lines


def _region_wish(draft: Draft, content: Words) -> str:
    """A name for the cells of a rule: that of their column, or what several columns hold."""
    tokens = [piece for piece in content if isinstance(piece, Tok)]
    if not draft.suffix:
        return f"{next((each.wish for each in tokens if each.wish), '')} cells".strip()
    written = tokens[0].form.written if tokens else ""
    for start, name in _HELD_BY_SEVERAL:
        if written.startswith(start):
            return name
    return "Texts" if tokens else "Values"


_HELD_BY_SEVERAL = (
    ("Integer", "Numbers"),
    ("Number", "Numbers"),
    ("Date(", "Dates"),
    ("xs:date", "Dates"),
)


def _unbroken(content: str) -> int:
    """How long a content is up to where it can be broken, with its arrow."""
    if content.startswith("("):
        return len(content) + 4
    return len(re.split(r" \| |, ", content)[0]) + 7


def _literals(words: Words) -> Iterable[str]:
    """The texts that words stand for, also inside regions."""
    for piece in words:
        if isinstance(piece, Lit):
            yield piece.text
        elif isinstance(piece, Region):
            yield from _literals(piece.selector)


def _name_all(writer: _Writer, words: Words) -> None:
    for piece in words:
        if isinstance(piece, Tok) and piece.form.sign:
            writer.token(piece)


def rows_named(first: int, last: int) -> str:
    """`row 3`, `rows 3 to 7`."""
    return f"row {first}" if first == last else f"rows {first} to {last}"


def comment_lines(paragraphs: Sequence[str]) -> list[str]:
    """Comments, filled up to a width."""
    lines: list[str] = []
    for paragraph in paragraphs:
        line = "%"
        for word in "".join(c if c.isprintable() else " " for c in paragraph).split():
            if len(line) + 1 + len(word) > _COMMENT and line != "%":
                lines.append(line)
                line = "%"
            line += f" {word[:_COMMENT]}"
        lines.append(line)
    return lines
