"""A plain evaluator of CSV Schema: row by row, as the specification reads.

It takes a schema as the parser gives it, and a table as lists of texts. It shares nothing with the
translation: no tokens, no conditions, no expressions of Sculpt. Where the specification is silent
(the order in which `unique` meets values), it does what csv-validator does.

Places are (severity, row of the file, column). The column is `None` for what is about a whole row,
a wrong number of cells; the row too for what is about the file: its header, and that it is empty.
In a row that lacks cells only that is reported.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from sculpt.interchange.csv_schema import model

Place: TypeAlias = tuple[str, int | None, int | None]


class Failed(Exception):  # noqa: N818 - the check fails
    """A text cannot be computed, so the rule that needs it fails, whatever else it says."""


def evaluate(schema: model.CsvSchema, rows: list[list[str]], files: Path) -> set[Place]:
    """The places of everything that is wrong."""
    return _Evaluator(schema, files).run(rows)


@dataclass
class _Evaluator:
    schema: model.CsvSchema
    files: Path
    seen: dict[int, set[tuple[str, ...]]] = field(default_factory=dict)
    last: dict[int, str] = field(default_factory=dict)

    def run(self, rows: list[list[str]]) -> set[Place]:
        found: set[Place] = set()
        first = 1
        if self.schema.has_header:
            first = 2
            names = [column.name for column in self.schema.columns]
            header = rows[0] if rows else None
            if self.schema.ignores_header_case and header is not None:
                header, names = [h.lower() for h in header], [n.lower() for n in names]
            if header != names:
                found.add(("error", None, None))
        data = rows[first - 1 :]
        if not data and not self.schema.permits_empty:
            found.add(("error", None, None))
        for number, row in enumerate(data, first):
            found |= self.row(number, row)
        return found

    def row(self, number: int, row: list[str]) -> set[Place]:
        count = len(self.schema.columns)
        found: set[Place] = set()
        if len(row) < count or (self.schema.total_columns and len(row) > count):
            found.add(("error", number, None))
        for ix, column in enumerate(self.schema.columns[: len(row)]):
            if column.is_optional and not row[ix].strip("".join(map(chr, range(33)))):
                continue
            if not self.is_good(column, row) and len(row) >= count:
                found.add((column.severity, number, ix + 1))
        return found

    def is_good(self, column: model.Column, row: list[str]) -> bool:
        """Is a cell what its column says? All rules are looked at: some remember what they saw."""
        try:
            if column.is_negated and column.rules:
                return not all(self.holds(rule, column, row) for rule in column.rules)
        except Failed:
            return False
        results = []
        for rule in column.rules:
            try:
                results.append(self.holds(rule, column, row))
            except Failed:
                results.append(False)
        return all(results)

    # ------------------------------------------------------------- expressions

    def holds(self, rule: model.Expression, column: model.Column, row: list[str]) -> bool:
        if isinstance(rule, model.Single):
            name = column.name if rule.context is None else rule.context.name
            return self.check(rule.check, self.cell(name, row), column, row)
        if isinstance(rule, model.Both):
            return all(self.holds(part, column, row) for part in rule.parts)
        if isinstance(rule, model.Either):
            return any(self.holds(part, column, row) for part in rule.parts)
        if isinstance(rule, model.Group):
            return all(self.holds(part, column, row) for part in rule.parts)
        for case in rule.cases:
            if self.holds(case.condition, column, row):
                return all(self.holds(part, column, row) for part in case.then)
        return all(self.holds(part, column, row) for part in rule.otherwise)

    def cell(self, name: str, row: list[str]) -> str:
        names = [column.name for column in self.schema.columns]
        ix = names.index(name)
        if ix >= len(row):
            raise Failed
        return row[ix]

    def text(self, provider: model.Provider, row: list[str]) -> str:
        if isinstance(provider, model.Literal):
            return provider.text
        if isinstance(provider, model.ColumnRef):
            return self.cell(provider.name, row)
        if isinstance(provider, model.Concat):
            return "".join(self.text(part, row) for part in provider.parts)
        inner = self.text(provider.of, row)
        if isinstance(provider, model.NoExt):
            folder = max(inner.rfind("/"), inner.rfind("\\"))
            dot = inner.rfind(".")
            return inner[:dot] if dot > folder else inner
        return _decoded(inner)

    # ------------------------------------------------------------- checks

    def check(self, check: model.Check, cell: str, column: model.Column, row: list[str]) -> bool:
        if isinstance(check, model.Compare):
            return self.compare(check, cell, column.ignores_case, row)
        if isinstance(check, model.Regex):
            flags = re.IGNORECASE if column.ignores_case else 0
            return re.fullmatch(_in_ascii(check.pattern), cell, flags) is not None
        if isinstance(check, model.Range):
            return _in_range(check, cell)
        if isinstance(check, model.Length):
            return (check.low or 0) <= len(cell) and (check.high is None or len(cell) <= check.high)
        if isinstance(check, model.Simple):
            if check.kind == "identical":
                return self.identical(id(check), cell, column.ignores_case)
            return SIMPLE[check.kind](cell)
        if isinstance(check, model.Dated):
            return is_dated(check, cell)
        if isinstance(check, model.DateParts):
            return is_date(check, [self.text(part, row) for part in check.parts])
        if isinstance(check, model.Unique):
            return self.unique(check, cell, column.ignores_case, row)
        if isinstance(check, model.FileExists):
            return self.exists(self.path(check.root, cell, row))
        if isinstance(check, model.Checksum):
            path = self.path(check.root, self.text(check.file, row), row)
            if not (path is not None and path.is_file()):
                return False
            kind = check.algorithm.lower().replace("-", "")
            return hashlib.new(kind, path.read_bytes()).hexdigest() == cell
        if isinstance(check, model.FileCount):
            path = self.path(check.root, self.text(check.file, row), row)
            count = 0
            if path is not None and path.is_dir():
                count = sum(each.is_file() for each in path.iterdir())
            elif path is not None:
                count = int(path.is_file())
            return re.fullmatch("[+-]?[0-9]+", cell) is not None and int(cell) == count
        raise AssertionError(check)

    def compare(self, check: model.Compare, cell: str, ignores_case: bool, row: list[str]) -> bool:
        values = [self.text(each, row) for each in check.values]
        if ignores_case:
            cell, values = cell.lower(), [each.lower() for each in values]
        match check.kind:
            case "is" | "any":
                return cell in values
            case "not":
                return cell != values[0]
            case "in":
                return cell in values[0]
            case "starts":
                return cell.startswith(values[0])
        return cell.endswith(values[0])

    def identical(self, key: int, cell: str, ignores_case: bool) -> bool:
        if not cell:
            return False
        text = cell.lower() if ignores_case else cell
        before = self.last.get(key, text)
        self.last[key] = text
        return before == text

    def unique(self, check: model.Unique, cell: str, ignores_case: bool, row: list[str]) -> bool:
        entry = (cell, *(self.cell(each.name, row) for each in check.columns))
        if ignores_case:
            entry = tuple(each.lower() for each in entry)
        known = self.seen.setdefault(id(check), set())
        is_new = entry not in known
        known.add(entry)
        return is_new

    # ------------------------------------------------------------- files

    def path(self, root: model.Provider | None, name: str, row: list[str]) -> Path | None:
        before = "" if root is None else self.text(root, row)
        text = name if not before else f"{before}/{name}"
        text = text.replace("\\", "/").removeprefix("file:").lstrip("/")
        try:
            text = _decoded(text)
        except Failed:
            return None
        parts = text.split("/")
        return None if ".." in parts or not text or text.startswith("/") else self.files / text

    def exists(self, path: Path | None) -> bool:
        if path is None:
            return False
        return path.is_file() or (path.is_dir() and any(each.is_file() for each in path.iterdir()))


def _in_ascii(pattern: str) -> str:
    """The pattern with `\\w`, `\\s` (between brackets) and `\\d` of ASCII, as in Java."""
    named = {r"\w": "0-9A-Z_a-z", r"\s": r"\t-\r ", r"\d": "[0-9]"}
    for name, characters in named.items():
        pattern = pattern.replace(name, characters)
    return pattern


def _decoded(text: str) -> str:
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Failed
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Failed from None


def _in_range(check: model.Range, cell: str) -> bool:
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", cell):
        return False
    try:
        number = Decimal(cell)
    except InvalidOperation:
        return False
    low = check.low is None or check.low <= number
    return low and (check.high is None or number <= check.high)


# ------------------------------------------------------------- dates and times

_ZONE = r"(Z|[+-]\d\d:\d\d)?"
_CLOCK = r"(\d\d):(\d\d):(\d\d)(\.\d\d\d)?"
_FORMS = {
    "xDateTime": rf"(\d{{4}}-\d\d-\d\d)T{_CLOCK}{_ZONE}",
    "xDateTimeTz": rf"(\d{{4}}-\d\d-\d\d)T{_CLOCK}{_ZONE}",
    "xDate": rf"(\d{{4}}-\d\d-\d\d){_ZONE}",
    "xTime": rf"(){_CLOCK}{_ZONE}",
    "ukDate": r"(\d\d/\d\d/\d{4})",
}


def _moment(kind: str, text: str) -> tuple[datetime, timedelta | None] | None:
    """A text as a local time and the offset of its zone; `None` if it is neither."""
    match = re.fullmatch(_FORMS[kind], text, re.ASCII)
    if match is None:
        return None
    day = match[1]
    if kind == "ukDate":
        day = "-".join(reversed(day.split("/")))
    try:
        moment = datetime.fromisoformat(day or "2000-01-01")
        if kind in ("xDateTime", "xDateTimeTz", "xTime"):
            hours, minutes, seconds = int(match[2]), int(match[3]), int(match[4])
            if hours == 24 and (minutes or seconds or match[5] not in (None, ".000")):
                return None
            if hours > 24 or minutes > 59 or seconds > 59:
                return None
            length = timedelta(hours=hours % 24 if kind == "xTime" else hours, minutes=minutes)
            moment += length + timedelta(seconds=seconds + float(match[5] or 0))
    except (ValueError, OverflowError):
        return None
    zone = None if kind == "ukDate" else match[match.re.groups]
    if zone is None:
        return None if kind == "xDateTimeTz" else (moment, None)
    if zone == "Z":
        return moment, timedelta()
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    if size > timedelta(hours=14) or int(zone[4:6]) > 59:
        return None
    return moment, size if zone[0] == "+" else -size


def _not_after(
    left: tuple[datetime, timedelta | None], right: tuple[datetime, timedelta | None]
) -> bool:
    """Is one surely not after the other? Without a zone it may be in any of them."""
    if (left[1] is None) == (right[1] is None):
        return left[0] - (left[1] or timedelta()) <= right[0] - (right[1] or timedelta())
    far = timedelta(hours=14)
    if left[1] is None:
        assert right[1] is not None
        return left[0] + far < right[0] - right[1]
    return left[0] - left[1] < right[0] - far


def is_dated(check: model.Dated, cell: str) -> bool:
    moment = _moment(check.kind, cell)
    if moment is None or check.low is None or check.high is None:
        return moment is not None
    low, high = _moment(check.kind, check.low), _moment(check.kind, check.high)
    assert low is not None
    assert high is not None
    return _not_after(low, moment) and _not_after(moment, high)


def is_date(check: model.DateParts, parts: list[str]) -> bool:
    year, month, day = parts
    if check.is_partial:
        is_month = month in (*_MONTH.split("|"), "*")
        is_month |= re.fullmatch("[01?]?[0-9?]", month) is not None
        is_day = day == "*" or re.fullmatch("[0-3?]?[0-9?]", day) is not None
        return is_month and is_day and (year == "*" or bool(re.fullmatch("[0-9?]{4}", year)))
    if not (
        re.fullmatch("[0-9]{4}", year) and all(re.fullmatch("[0-9]{1,2}", p) for p in parts[1:])
    ):
        return False
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return False
    if check.low is None or check.high is None:
        return found > date.min
    return date.fromisoformat(check.low) <= found <= date.fromisoformat(check.high)


# ------------------------------------------------------------- checks without arguments


def _is_cased(cell: str, category: str) -> bool:
    import unicodedata

    return all(
        char in " \t\n\v\f\r"
        or unicodedata.category(char) in (category, "Nd", "Nl", "No")
        or unicodedata.category(char).startswith("P")
        for char in cell
    )


def _is_uri(cell: str) -> bool:
    """What `java.net.URI` reads; letters beyond ASCII are as good as others."""
    cell = "".join("x" if char > "\x9f" and not char.isspace() else char for char in cell)
    if re.search(r"%(?![0-9A-Fa-f]{2})", cell) or not re.fullmatch(r"[!#-;=?-\[\]_a-z~]*", cell):
        return False
    body, *fragments = cell.split("#")
    if len(fragments) > 1:
        return False
    colon, stop = body.find(":"), re.search("[/?]", body)
    rest = body
    if colon >= 0 and (stop is None or colon < stop.start()):
        scheme, rest = body[:colon], body[colon + 1 :]
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme) or not rest:
            return False
        if not rest.startswith("/"):
            return True
    rest = rest.split("?")[0] if "?" in rest else rest
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        if not authority and not slash and "?" not in cell and not fragments:
            return False
        return not re.search(r"[\[\]]", path)
    return not re.search(r"[\[\]]", rest)


_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
SIMPLE: dict[str, Callable[[str], bool]] = {
    "empty": lambda cell: cell == "",
    "notEmpty": lambda cell: cell != "",
    "uri": _is_uri,
    "partUkDate": lambda cell: bool(
        re.fullmatch(
            r"([0?][1-9?]|[12?][0-9?]|[3?][01?]|\*)/(" + _MONTH + r"|\?|\*)/([0-9?]{4}|\*)", cell
        )
    ),
    "uuid4": lambda cell: bool(
        re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", cell)
    ),
    "positiveInteger": lambda cell: cell.isascii() and cell.isdigit(),
    "upperCase": lambda cell: _is_cased(cell, "Lu"),
    "lowerCase": lambda cell: _is_cased(cell, "Ll"),
}
