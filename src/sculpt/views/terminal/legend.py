"""What the letters and signs of a picture mean.

In: a view, the `Key` of a picture, what was drawn. Out: `Styled` lines: for each region its letter
and colour, how many cells it has, how many violations, and its statement with line and title; then
violations of other kinds, the coverage, and the signs.

Invariant: at most `_MOST` regions are listed; if there are more, those with violations come first,
then those that are seen, and a line says how many are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from sculpt.core.documentation import title_of
from sculpt.report.styled import Styled, styled
from sculpt.report.text import counted, visible
from sculpt.verdict import Tally
from sculpt.views.model import Region
from sculpt.views.terminal.fitting import CUT, PADDING, fit
from sculpt.views.terminal.framing import Bands
from sculpt.views.terminal.key import (
    UNCHECKED_SIGN,
    UNCHECKED_STYLE,
    VIOLATION_SIGN,
    VIOLATION_STYLE,
    Key,
)
from sculpt.views.terminal.names import column_letters
from sculpt.views.terminal.table import Drawn
from sculpt.views.view import View

_MOST = 20
_UNITS = {
    "row-content": "row",
    "column-content": "column",
    "list-content": "cell",
}
_FOUND = 40
"""The most characters of a cell that a sentence shows."""


def legend(view: View, key: Key, drawn: Drawn, room: int) -> Iterator[Styled]:
    """The lines below a table."""
    yield from _regions(view, key, drawn, room)
    if not key.only:
        yield from _others(view, room)


def _regions(view: View, key: Key, drawn: Drawn, room: int) -> Iterator[Styled]:
    tallies = {f"rule:{tally.rule}": tally for tally in view.verdict.rules}
    listed = _listed(key.regions, tallies, drawn)
    entries = [
        (region, counted(region.cells, "cell"), _failures(tallies.get(region.name)))
        for region in listed
    ]
    failing = {name for name, tally in tallies.items() if tally.failed}
    letters = max((len(key.letters[region.name]) for region in listed), default=0)
    cells = max((len(count) for _, count, _ in entries), default=0)
    failures = max((len(failed) for _, _, failed in entries), default=0)
    for region, count, failed in entries:
        letter = f" {key.letters[region.name].rjust(letters)} "
        margin = 1 + len(letter) + 1 + cells + 2 + (failures + 2 if failures else 0)
        here = max(_LEAST_TEXT, room - margin)
        head, *more = [*_about(region, here), *_first(view, region, here)]
        yield styled(
            " ",
            (letter, key.styles[region.name]),
            " ",
            count.rjust(cells),
            "  ",
            (failed.ljust(failures), "bold red" if region.name in failing else "dim"),
            "  " if failures else "",
            head,
        )
        for line in more:
            yield styled(" " * margin, line)
    hidden = len(key.regions) - len(listed)
    if hidden:
        rest = f"{counted(hidden, 'more region')}: `--only {_an_unlisted(key, listed).name}`"
        yield styled((f" {CUT} {rest} shows one of them", "dim"))


_LEAST_TEXT = 24
_MOST_LINES = 3
"""Of a statement."""
_KINDS = {"rule": "rule {}", "type": "type", "selector": "selector {}"}


def _about(region: Region, room: int) -> Iterator[Styled]:
    """The statement of a region, on a few lines, and its title."""
    where = _KINDS[region.kind].format(region.name.partition(":")[2])
    where += f", line {region.line}: " if region.line is not None else ": "
    text = where + visible(" ".join(region.text.split()))
    lines = wrap(text, room, break_on_hyphens=False, subsequent_indent="  ")
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], fit(" ".join(lines[_MOST_LINES - 1 :]), room)]
    for number, line in enumerate(lines):
        is_first = number == 0 and line.startswith(where)
        yield styled((where, "dim"), line.removeprefix(where)) if is_first else styled(line)
    title = visible(title_of(region.documentation))
    if title:
        yield styled((fit(title, room).rstrip(" "), "italic"))


def _first(view: View, region: Region, room: int) -> Iterator[Styled]:
    """The first violation of a rule, if it is known."""
    for each in view.verdict.violations:
        if f"rule:{each.rule}" == region.name:
            numbers = [str(number) for number in (each.row, each.column) if number is not None]
            noun = "row " if each.column is None else "column " if each.row is None else ""
            place = f"{noun}{','.join(numbers)}" if noun else f"({','.join(numbers)})"
            text = f"{place if numbers else 'at the end'}: {visible(each.message)}"
            yield styled((fit(text, room).rstrip(" "), "red"))
            return


def _listed(
    regions: tuple[Region, ...], tallies: dict[str, Tally], drawn: Drawn
) -> tuple[Region, ...]:
    if len(regions) <= _MOST:
        return regions

    def order(region: Region) -> tuple[bool, bool, bool]:
        tally = tallies.get(region.name)
        fails = tally is not None and tally.failed > 0
        return not fails, region.kind != "selector", region.name not in drawn.regions

    return tuple(sorted(regions, key=order)[:_MOST])


def _an_unlisted(key: Key, listed: tuple[Region, ...]) -> Region:
    return next(region for region in key.regions if region not in listed)


def _failures(tally: Tally | None) -> str:
    """How many of the units that a rule checks fail: `1 of 18 rows fails`."""
    if tally is None:
        return ""
    if not tally.selected:
        return "checks nothing"
    unit = _UNITS.get(tally.code)
    if unit is None:
        return "fails" if tally.failed else "passes"
    if not tally.failed:
        return f"{counted(tally.checked, unit)} {'passes' if tally.checked == 1 else 'pass'}"
    verb = "fails" if tally.failed == 1 else "fail"
    return f"{tally.failed:,} of {counted(tally.checked, unit)} {verb}"


def _others(view: View, room: int) -> Iterator[Styled]:
    """Violations that are of no rule."""
    for tally in view.verdict.structure:
        if tally.failed:
            where = f"line {tally.line}: {tally.text}" if tally.text else f"[{tally.code}]"
            count = counted(tally.failed, "violation")
            text = fit(visible(" ".join(where.split())), max(_LEAST_TEXT, room - len(count) - 6))
            sign = (f" {VIOLATION_SIGN} ", VIOLATION_STYLE)
            yield styled(" ", sign, " ", (count, "bold red"), "  ", text.rstrip(" "))


def notes(view: View, key: Key, bands: Bands, drawn: Drawn, unchecked: bool) -> Iterator[Styled]:
    """What the picture leaves out, what no rule checks, and what the signs mean."""
    hidden = _hidden_columns(bands, drawn)
    if hidden:
        yield styled((hidden, "dim"))
    if bands.left_out and unchecked:
        rest = "more of the first unchecked cells"
        yield styled((f" {CUT} {bands.left_out} {rest} are in rows not shown: see --rows", "dim"))
    elif bands.left_out:
        found = counted(bands.left_out, "more place")
        yield styled((f" {CUT} {found} with a first violation not shown: see --only", "dim"))
    if key.marks_unchecked:
        yield _coverage(view, unchecked)
    signs = [
        *([(f" {VIOLATION_SIGN}", " violation")] if VIOLATION_SIGN in drawn.signs else []),
        *([(f" {UNCHECKED_SIGN}", " no rule checks it")] if UNCHECKED_SIGN in drawn.signs else []),
        *([(f" {PADDING}", " padded: the row ends before")] if drawn.has_padding else []),
    ]
    if signs:
        styles = {VIOLATION_SIGN: VIOLATION_STYLE, UNCHECKED_SIGN: UNCHECKED_STYLE}
        pieces: list[tuple[str, str]] = []
        for sign, meaning in signs:
            mark = sign.strip()
            pieces += [(" " if not pieces else "   ", ""), (mark, styles.get(mark, "dim"))]
            pieces.append((meaning, "dim"))
        yield Styled(tuple(pieces))


def _hidden_columns(bands: Bands, drawn: Drawn) -> str:
    if not bands.columns or not bands.rows:
        return ""
    shown = {*drawn.columns}
    first, last = bands.columns[0][0], bands.columns[-1][1]
    hidden = [column for column in range(first, last + 1) if column not in shown]
    if not hidden:
        return ""
    begin = end = hidden[0]
    for column in hidden[1:]:
        if column != end + 1:
            break
        end = column
    names = f"{column_letters(begin)}-{column_letters(end)}"
    option = f"`--columns {begin}-{end}`" if end > begin else f"`--columns {begin}`"
    which = f"the first are {begin}-{end} ({names}), {option}" if end > begin else option
    return f" {CUT} {counted(len(hidden), 'column')} not shown: {which}"


def _coverage(view: View, unchecked: bool) -> Styled:
    coverage = view.coverage
    missing = coverage.cells - coverage.checked
    if not coverage.cells:
        return styled((" no cell has text", "dim"))
    if not missing:
        every = counted(coverage.cells, "cell") + " with text"
        return styled((f" all {every} are checked by a rule", "dim"))
    verb = "is" if missing == 1 else "are"
    text = f" {missing:,} of {counted(coverage.cells, 'cell')} with text {verb} checked by no rule"
    if unchecked or not coverage.unchecked:
        return styled(text)
    first = coverage.unchecked[0]
    found = visible(first.text)
    found = found if len(found) <= _FOUND else found[: _FOUND - 1] + CUT
    return styled(f"{text}, first `{found}` at ({first.row},{first.column}): see --unchecked")
