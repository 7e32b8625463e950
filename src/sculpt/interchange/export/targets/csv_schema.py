"""Tables as CSV Schema 1.1, or 1.2 where needed: a file for each, with a rule for each column.

In: the sheets of a schema. Out: the texts by file name, and notes on what they cannot say.
Invariant: the columns are those of the header, in their order. Cost: linear in the sheets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sculpt.errors import UsageError
from sculpt.interchange.export.meaning.domains import Misfit
from sculpt.interchange.export.meaning.formulas import conjunction
from sculpt.interchange.export.meaning.gaps import SOME_CELLS, left_aside
from sculpt.interchange.export.meaning.sheets import Check, Column, Key, Said, Sheet, left_out
from sculpt.interchange.export.targets.csv_schema_rules import ColumnRule, one_of, rule_of
from sculpt.origins import Note, Spot
from sculpt.values import replace

_IDENTIFIER = re.compile(r"[0-9A-Za-z\-_.]+")
_WORDS = re.compile(
    r"[($]*(?:\$\S+/)?(?:is|not|any|in|starts|ends|regex|range|length|if|switch|identical|noExt"
    r"|checksum|fileCount|fileExists|integrityCheck|upperCase|lowerCase|uri|uuid4|notEmpty|unique)\b"
)
_FILLED = re.compile(r"require\(if \w+\[[^\]]+\] is filled then ")
"""How a condition begins that leaves out empty cells."""
WIDTH = 96


def schemas_of(sheets: list[Sheet]) -> tuple[dict[str, str], list[Note]]:
    """The schemas of some tables, by the names of their files."""
    notes: list[Note] = []
    files = {f"{_file_name(sheet)}.csvs": _schema(sheet, notes) for sheet in sheets}
    return files, notes


def _file_name(sheet: Sheet) -> str:
    return re.sub(r"[^\w.-]+", "-", sheet.name) or "table"


def _schema(sheet: Sheet, notes: list[Note]) -> str:
    if not sheet.columns:
        raise UsageError(
            f"CSV Schema is about columns, and no rule of `{sheet.name}` says which there are:"
            " add one about its header"
        )
    notes += [left_out(left.said, left.reason) for left in sheet.left if not own_words(left.said)]
    if sheet.blank_rows is not None:
        notes.append(left_out(sheet.blank_rows, "blank rows cannot be forbidden"))
    if sheet.match != "exact":
        message = "columns that are found by their headings: in CSV Schema they have places"
        notes.append(Note(message, Spot(sheet.name)))
    if sheet.checksum:
        notes.append(Note("the check sum of the file: CSV Schema has none", Spot(sheet.name)))
    if sheet.size is not None:
        notes.append(Note("the size of the file: CSV Schema has none", Spot(sheet.name)))
    lines = ["version 1.1", *_directives(sheet, notes)]
    if sheet.documentation:
        lines += ["", *_comment(sheet.documentation), ""]
    for link in sheet.links:
        notes.append(left_out(link.said, "CSV Schema is about one table"))
    optional = _optional(sheet)
    uniques = _uniques(sheet, optional, notes)
    for each in sheet.comparisons:
        other = f'"{each.text}"' if each.other is None else f"${name_of(sheet.column(each.other))}"
        uniques.setdefault(each.column, []).append(f"{each.word}({other})")
    for left in sheet.left:
        origin, words = left.said.origin, own_words(left.said)
        if words and origin is not None and origin.column is not None:
            uniques.setdefault(origin.column, []).append(words)
            optional |= {origin.column} if _FILLED.match(left.said.text) else set()
    for column in sheet.columns:
        lines += _comment(column.documentation)
        more = uniques.get(column.number, [])
        lines.append(_column(column, sheet, more, column.number in optional, notes))
    text = "\n".join(lines) + "\n"
    return text.replace("version 1.1", "version 1.2", 1) if "uriDecode(" in text else text


def _comment(text: str) -> list[str]:
    return [f"// {line}" for line in _filled(" ".join(text.split()))] if text else []


def _filled(text: str) -> Iterable[str]:
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _directives(sheet: Sheet, notes: list[Note]) -> list[str]:
    dialect = sheet.dialect
    found = []
    delimiter = dialect.col_delim
    if dialect.layouts or delimiter.pattern is not None or len(delimiter.text) > 1:
        notes.append(Note("columns that no single character separates", Spot(sheet.name)))
    elif delimiter.text == "\t":
        found.append("@separator TAB")
    elif delimiter.text == "'":
        notes.append(Note("the separator `'`: CSV Schema cannot write it", Spot(sheet.name)))
    elif delimiter.text != ",":
        found.append(f"@separator '{delimiter.text}'")
    if dialect.quote != '"' or dialect.escape is not None or dialect.stray_quotes == "text":
        notes.append(Note('quotes: CSV Schema has only `"`, doubled inside', Spot(sheet.name)))
    if dialect.comment is not None:
        notes.append(Note("comment lines: CSV Schema has none", Spot(sheet.name)))
    found.append(f"@totalColumns {len(sheet.columns)}")
    if sheet.header == 0:
        found.append("@noHeader")
    elif sheet.ignores_case:
        found.append("@ignoreColumnNameCase")
    if not sheet.needs_rows:
        found.append("@permitEmpty")
    if sheet.header > 1:
        notes.append(Note("a header of several rows: CSV Schema has one", Spot(sheet.name)))
    elif sheet.unknown_headings:
        names = ", ".join(f"`{name_of(each)}`" for each in sheet.columns if not each.headings)
        message = f"{sheet.unknown_headings}; in CSV Schema a header is compared, here with {names}"
        notes.append(Note(message, Spot(sheet.name), "say in a rule what each heading is"))
    return found


def name_of(column: Column) -> str:
    """The name of a column, as a rule begins with it."""
    text = column.headings[0] if column.headings else column.name or f"column{column.number}"
    return text if _IDENTIFIER.fullmatch(text) else f'"{text}"'


def _uniques(sheet: Sheet, optional: set[int], notes: list[Note]) -> dict[int, list[str]]:
    """The keys, each at its first column."""
    found: dict[int, list[str]] = {}
    for key in sheet.keys:
        if key.said.is_warning or key.across:
            what = "a warning about a key" if key.said.is_warning else "a key across files"
            notes.append(left_out(key.said, f"{what} has no counterpart"))
            continue
        words = _unique(key, sheet, optional)
        if words:
            found.setdefault(key.parts[0].column, []).append(words)
        else:
            notes.append(left_out(key.said, SOME_CELLS))
    return found


def _unique(key: Key, sheet: Sheet, optional: set[int]) -> str:
    """A key as an expression of its first column; empty if there is none."""
    columns = [f"${name_of(sheet.column(part.column))}" for part in key.parts]
    besides = []
    for part, name in zip(key.parts, columns, strict=True):
        texts = left_aside(sheet, part)
        if texts is None or any('"' in text for text in texts):
            return own_words(key.said)
        named = [text for text in texts if text]
        is_first = part is key.parts[0]
        found = ["empty"] if "" in texts and not (is_first and part.column in optional) else []
        found += [one_of(named)] if named else []
        besides += found if is_first else [f"{name}/{each}" for each in found]
    others = ", ".join(columns[1:])
    return " or ".join((*besides, f"unique({others})" if others else "unique"))


def _optional(sheet: Sheet) -> set[int]:
    """The columns whose empty cells take part in no key, and of which nothing else is compared."""
    sides = [(key.parts[0].column, left_aside(sheet, key.parts[0])) for key in sheet.keys]
    found = {column for column, texts in sides if texts is not None and "" in texts}
    found -= {column for column, texts in sides if texts is None or "" not in texts}
    compared = {each.column for each in sheet.comparisons}
    compared |= {each.said.origin.column or 0 for each in sheet.left if each.said.origin}
    return found - compared


def own_words(said: Said) -> str:
    """The expression of CSV Schema that a statement was, if it was imported from one."""
    origin = said.origin
    if origin is None or origin.column is None or said.is_warning:
        return ""
    words = origin.construct
    # The case of letters is a directive of the column, of which the expression says nothing.
    is_plain = "@" not in words and "lower(" not in said.text and "upper(" not in said.text
    return words if is_plain and _WORDS.match(words) else ""


def _column(
    column: Column, sheet: Sheet, uniques: list[str], optional: bool, notes: list[Note]
) -> str:
    """The rule of a column; if all its checks are warnings, so is the rule."""
    if len(column.headings) > 1:
        message = f"column {column.number} has several headings; CSV Schema takes one"
        notes.append(Note(message, Spot(sheet.name)))
    warnings = [check for check in column.checks if check.said.is_warning]
    errors = [check for check in column.checks if not check.said.is_warning]
    is_warning = bool(warnings) and not errors and not uniques
    if not is_warning:
        reason = "CSV Schema has warnings for whole columns only"
        notes += [left_out(check.said, reason) for check in warnings]
    rule, left = _fitted(warnings if is_warning else errors, sheet)
    notes += left
    parts = list(dict.fromkeys((*rule.expressions, *uniques)))
    if len(parts) > 1:
        parts = [f"({part})" if " or " in part else part for part in parts]
    directives = ["@optional"] if (rule.is_optional or optional) and parts else []
    directives += ["@warning"] if is_warning else []
    return " ".join((f"{name_of(column)}:", *parts, *directives)).rstrip()


def _fitted(checks: list[Check], sheet: Sheet) -> tuple[ColumnRule, list[Note]]:
    """The rule of all checks, or of as many as fit."""
    whole = _tried(checks, sheet)
    if isinstance(whole, ColumnRule):
        return whole, []
    kept: list[Check] = []
    notes: list[Note] = []
    words: list[str] = []
    for check in checks:
        tried = _tried([*kept, check], sheet)
        if not isinstance(tried, Misfit):
            kept.append(check)
        elif own_words(check.said):
            words.append(own_words(check.said))
        else:
            notes.append(left_out(check.said, tried.reason, tried.hint))
    rest = _tried(kept, sheet)
    assert isinstance(rest, ColumnRule)
    return replace(rest, expressions=(*rest.expressions, *words)), notes


def _tried(checks: Iterable[Check], sheet: Sheet) -> ColumnRule | Misfit:
    formula = conjunction(check.formula for check in checks)
    alternatives = sheet.vocabulary.alternatives(formula)
    if alternatives is None:
        return Misfit("it has too many alternatives")
    return rule_of(alternatives, sheet.vocabulary)
