"""A block of a report: what is said about one rule that is violated, and single violations.

In: a `Group` of violations, the `Labels` of the schema. Out: `Styled` lines: how many rows fail,
what the rule is for, the tokens that were expected, what was found and how often; then the first
places in full, and where the others are.

Invariant: the number of lines depends on the number of places that are shown, not on the number of
violations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sculpt.core.documentation import title_of
from sculpt.report.groups import STRUCTURAL, WORDS, Group, advice, failing, found_values, ranges
from sculpt.report.rows import Range, cell_ranges, quoted, show_row
from sculpt.report.styled import Styled, counted, shortened, styled, visible
from sculpt.report.tables import schemas_of
from sculpt.values import field, frozen, replace
from sculpt.verdict import VIOLATION_CODES, Unread, Verdict, Violation

if TYPE_CHECKING:
    from sculpt.core import ir
    from sculpt.core.dialect import Dialect
    from sculpt.schema import Schema

MAX_LISTED = 20
"""How many rules without a block, or warnings, or errors, are listed before they are counted."""
_MAX_VALUES = 5
_MAX_RANGES = 8
_MAX_DEFINITIONS = 5

Statements: TypeAlias = dict[tuple[int | None, int | None], str]
"""The statement behind a violation, by the number of its rule and its line."""
Places: TypeAlias = Mapping[tuple[int, int], Sequence[int]]
"""The columns that a rule selects in a row, by rule and row."""
FindPlaces: TypeAlias = "Callable[[Verdict, Sequence[Violation]], Places]"


@frozen
class Labels:
    """What reports say about the statements of a schema."""

    statements: Statements
    titles: Mapping[tuple[int | None, int | None], str]
    """The first sentence of the documentation of a statement, where it has some."""
    definitions: Mapping[str, str]
    """The definition of each token and token type that is declared, with its line."""
    rules: Mapping[int, ir.CoreRule] = field(repr=False)
    dialect: Dialect = field(repr=False)
    tables: Mapping[str | None, Labels] = field(default_factory=dict, repr=False)
    """The labels of other tables, by name."""

    def of(self, outcome: Verdict | Unread) -> Labels:
        """The labels of the table that a file is of."""
        return self.tables.get(outcome.table, self)


def labels_of(schema: Schema) -> Labels:
    """The labels of a schema, and of the other tables that it brings in."""
    schemas = schemas_of(schema)
    others = {name: _labels(each) for name, each in schemas.items() if name is not None}
    return replace(_labels(schemas[None]), tables=others)


def _labels(schema: Schema) -> Labels:
    core, main = schema.core, schema.source
    statements: Statements = {}
    titles: Statements = {}
    for rule in core.rules:
        key = rule.number, rule.line
        statements[key] = f"rule {rule.number}, {rule.span.describe(main)}: {rule.text}"
        titles[key] = title_of(rule.documentation)
        _name_origin(key, rule.ending, rule.text, statements, titles)
    for each in schema.constraints:
        where = f"{each.span.describe(main)}: {each.text}"
        statements.setdefault((None, each.line), where)
        titles.setdefault((None, each.line), title_of(each.documentation))
        _name_origin((None, each.line), each.ending, each.text, statements, titles)
    for require in schema.requires:
        statements.setdefault((None, require.line), f"line {require.line}: {require.text}")
        said = f"require({require.said})"
        _name_origin((None, require.line), require.ending, said, statements, titles)
    return Labels(
        statements,
        {key: title for key, title in titles.items() if title},
        _definitions(schema),
        {rule.number: rule for rule in core.rules},
        core.dialect,
    )


def _name_origin(
    key: tuple[int | None, int | None],
    ending: ir.Ending,
    text: str,
    statements: Statements,
    titles: Statements,
) -> None:
    """A statement that was imported is named by what it was; what it is now comes second."""
    if ending.origin is not None:
        statements[key], titles[key] = str(ending.origin), text


def _definitions(schema: Schema) -> dict[str, str]:
    from sculpt.syntax import ast

    declared: dict[str, ir.CoreToken | ir.CoreType] = dict(schema.core.types)
    declared |= {name: each for name, each in schema.core.tokens.items() if each.declared}
    found: dict[str, str] = {}
    for statement in schema.statements:
        if isinstance(statement, ast.TokenDefinition | ast.DerivedDefinition | ast.TypeDefinition):
            core = declared.get(statement.name)
            if core is not None:
                title = title_of(core.documentation)
                said = f": {title}" if title else ""
                where = f" ({statement.span.describe(schema.source)}{said})"
                if schema.is_imported:
                    where = ""  # nobody has the text whose line that would be
                found.setdefault(statement.name, f"{shortened(core.text)}{where}")
    return found


# ----------------------------------------------------------------- a block


def block(
    group: Group, shown: Sequence[Violation], labels: Labels, places: Places
) -> Iterator[Styled]:
    """The block of a rule, a constraint or a structural code, with the places to be shown."""
    yield styled(WORDS[group.severity], f" [{group.shown_code}]: ", (failing(group), "bold"))
    key = group.rule, group.line
    origin = VIOLATION_CODES[group.code] if group.code in STRUCTURAL else labels.statements.get(key)
    if origin is not None:
        yield styled((" --> ", "dim"), shortened(origin))
    for text in _about(group, shown, labels):
        yield styled((f"     {text}", "dim"))
    hint = _group_hint(group, labels)
    if hint is not None:
        yield styled((f"   = hint: {hint}", "cyan"))
    said = None
    for violation in shown:
        region = _region(violation, places, labels)
        # Structural violations all have the same hint, and that of the group is better.
        is_said = violation.hint == said or (hint is not None and group.code in STRUCTURAL)
        yield from _place_text(_without_origin(violation, origin), region, is_said)
        said = violation.hint
    yield from _rest(group, len(shown))


def _without_origin(violation: Violation, origin: str | None) -> Violation:
    """A violation that does not repeat what its block says anyway: what was imported."""
    message, before = violation.message, f"{origin} ("
    if origin is None or not message.startswith(before):
        return violation
    return replace(violation, message=message[len(before) : -1])


def expected_definitions(shown: Iterable[Violation], labels: Labels) -> list[str]:
    """The definitions of the first few declared names that violations expected."""
    expected = dict.fromkeys(name for violation in shown for name in violation.expected)
    known = [labels.definitions[name] for name in expected if name in labels.definitions]
    return known[:_MAX_DEFINITIONS]


def _about(group: Group, shown: Sequence[Violation], labels: Labels) -> Iterator[str]:
    """The title of the rule, the tokens that were expected, the texts that were found."""
    title = labels.titles.get((group.rule, group.line))
    if title and group.code not in STRUCTURAL:
        yield shortened(title)
    yield from (visible(text) for text in expected_definitions(shown, labels))
    if len(shown) < len(group.violations) and group.code not in STRUCTURAL:
        values = found_values(group.violations)
        if values:
            first = len(group.violations)
            where = f" in the first {first:,}" if first < group.failed else ""
            listed = [f"{quoted(text)} {_times(count)}" for text, count in values[:_MAX_VALUES]]
            others = len(values) - _MAX_VALUES
            if others > 0:
                listed.append(f"{counted(others, 'other text')}")
            yield f"found{where}: {', '.join(listed)}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _group_hint(group: Group, labels: Labels) -> str | None:
    if group.code == "undecodable":
        from sculpt.report.encodings import likely_encoding

        found = [each.found for each in group.violations if each.found]
        guess = likely_encoding(found, labels.dialect.encoding)
        if guess is not None:
            encoding, text = guess
            which = "all of them, for example" if group.failed > 1 else "it,"
            return f"`Encoding = {encoding}` would decode {which} as {quoted(text)}"
        return None
    return advice(group, labels.rules.get(group.rule)) if group.rule is not None else None


def _region(violation: Violation, places: Places, labels: Labels) -> list[Range]:
    """Where the cells of the region are in the row of a violation."""
    if violation.rule is None or violation.row is None or violation.excerpt is None:
        return []
    columns = places.get((violation.rule, violation.row), ())
    if not columns:
        return []
    cells = cell_ranges(violation.excerpt.text, labels.dialect)
    return [cells[column - 1] for column in columns if column <= len(cells)]


def _place_text(violation: Violation, region: list[Range], is_said: bool) -> Iterator[Styled]:
    """One place: the sentence, the row with its marks, the hint."""
    place, message = _place(violation), visible(violation.message)
    if message.startswith(_subject(violation)):
        place = _line_of(violation)
    yield styled((place, "bold"), ": " if place else "", message)
    yield from _row_text(violation, region)
    if violation.hint and not is_said:
        gutter = " " * len(_number(violation))
        yield styled((f" {gutter} = hint: {visible(violation.hint)}", "cyan"))


def _subject(violation: Violation) -> str:
    """How a message begins if it says by itself where it is."""
    if violation.row is not None:
        return f"row {violation.row} ends"
    return f"column {violation.column} ends" if violation.column is not None else ""


def _row_text(violation: Violation, region: Sequence[Range] = ()) -> Iterator[Styled]:
    excerpt = violation.excerpt
    if excerpt is None:
        return
    if violation.column is None and region:  # it ends too early: after the last of its cells
        end = max(end for _, end in region)
        excerpt = replace(excerpt, start=end, end=end + 1)
    number = _number(violation)
    row, marks = show_row(excerpt, region)
    yield styled((f" {number} | ", "dim"), row)
    yield styled((f" {' ' * len(number)} | ", "dim"), marks)


def _number(violation: Violation) -> str:
    return str(violation.row) if violation.row is not None else ""


def _rest(group: Group, shown: int) -> Iterator[Styled]:
    """How many more there are, and where."""
    if not group.violations:
        text = "… none of them is among the first violations of the file; see --max-violations"
        yield styled((text, "dim"))
        return
    more = group.failed - shown
    if more <= 0:
        return
    hidden = group.violations[shown:]
    rows = [each.row for each in hidden if each.row is not None]
    columns = [each.column for each in hidden if each.row is None and each.column is not None]
    numbers, noun = (rows, "row") if rows else (columns, "column")
    listed = ranges(numbers)
    where = f": {noun}{'' if len(set(numbers)) == 1 else 's'} " if listed else ""
    where += ", ".join(listed[:_MAX_RANGES])
    beyond = more - len(hidden)
    if len(listed) > _MAX_RANGES:
        where += ", …"
    elif beyond and listed:
        where += f", and {beyond:,} further down"
    least = "" if group.is_exact else "at least "
    yield styled((f"… {least}{more:,} more{where}", "dim"))


def further_rules(groups: Sequence[Group], labels: Labels) -> Iterator[Styled]:
    """The rules that get no block of their own."""
    for group in groups[:MAX_LISTED]:
        origin = labels.statements.get((group.rule, group.line), "")
        code = f" [{group.shown_code}]: {failing(group)}: {shortened(origin)}".removesuffix(": ")
        yield styled(WORDS[group.severity], code)
    rest = groups[MAX_LISTED:]
    if rest:
        count = sum(group.failed for group in rest)
        text = f"… and {counted(count, 'violation')} of {counted(len(rest), 'further rule')}"
        yield styled((f"{text}; see --show all", "dim"))


# ----------------------------------------------------------------- single violations


def violation_text(path: str, violation: Violation, statements: Statements) -> Iterator[Styled]:
    """One violation by itself: place and sentence, the row with a caret, its origin, the hint."""
    place = _place(violation)
    yield styled(
        (visible(path) + (f": {place}" if place else ""), "bold"),
        ": ",
        WORDS[violation.severity],
        f" [{violation.code}]: {visible(violation.message)}",
    )
    gutter = " " * len(_number(violation))
    yield from _row_text(violation)
    origin = statements.get((violation.rule, violation.line))
    if origin is not None:
        yield styled((f" {gutter} = {visible(origin)}", "dim"))
    if violation.hint:
        yield styled((f" {gutter} = hint: {visible(violation.hint)}", "cyan"))


def _place(violation: Violation) -> str:
    """Row and column of the table, and the line of the file if it differs from the row."""
    parts = []
    if violation.row is not None:
        parts.append(f"row {violation.row}")
    if violation.column is not None:
        parts.append(f"column {violation.column}")
    line = _line_of(violation)
    return ", ".join(parts) + (f" ({line})" if line else "")


def _line_of(violation: Violation) -> str:
    """The line of the file, if it differs from the row."""
    excerpt = violation.excerpt
    if excerpt is None or excerpt.line == violation.row:
        return ""
    return f"line {excerpt.line}"
