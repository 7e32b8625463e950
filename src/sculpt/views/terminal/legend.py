"""What the letters of a picture mean: one entry for each region.

In: a view, the `Key` of a picture, what was drawn. Out: `Styled` lines. An entry has the letter and
the colour of a region, how many cells it has, how many of the units that it checks fail, its
statement with its line, its title, and its first violation. Violations that are of no rule have
entries too.

Invariant: at most `_MOST` regions are listed; if there are more, those with violations come first,
then given selectors, then regions that are seen, and a line says how many are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sculpt.core.documentation import title_of
from sculpt.report.groups import WORDS, key_of
from sculpt.report.styled import Styled, counted, styled, visible
from sculpt.values import frozen
from sculpt.verdict import Tally, Violation
from sculpt.views.model import Region
from sculpt.views.terminal.fit import CUT, fit, wrapped
from sculpt.views.terminal.key import SIGNS, Key
from sculpt.views.terminal.table import Drawn
from sculpt.views.view import View

_MOST = 20
_MOST_LINES = 3
"""Of a statement; a violation has one less."""
_LEAST_ROOM = 30
"""If there is less room beside the counts, the statement goes below them."""
_BELOW = 5
_UNITS = {"row-content": "row", "column-content": "column", "list-content": "cell"}
_KINDS = {"rule": "rule {}", "type": "type", "selector": "selector {}"}


@frozen
class _Entry:
    letter: str
    style: str
    count: str
    outcome: str
    style_of_outcome: str
    where: str
    """What comes before the statement: `rule 3, line 7: `."""
    text: str
    title: str
    violations: Iterable[Violation]
    """Those that are known; the first is shown."""

    def about(self, room: int) -> Iterator[Styled]:
        """The statement, on a few lines, its title, and the first violation."""
        statement = wrapped(self.where + visible(" ".join(self.text.split())), room, _MOST_LINES)
        for number, line in enumerate(statement):
            if number == 0 and line.startswith(self.where):
                yield styled((self.where, "dim"), line.removeprefix(self.where))
            else:
                yield styled(line)
        if self.title:
            yield styled((fit(visible(self.title), room).rstrip(" "), "italic"))
        for each in self.violations:
            text = f"{_place(each)}: {visible(each.message)}"
            yield from (styled((line, "red")) for line in wrapped(text, room, _MOST_LINES - 1))
            break


def legend(view: View, key: Key, drawn: Drawn, room: int) -> Iterator[Styled]:
    """The lines of the legend."""
    tallies = {f"rule:{tally.rule}": tally for tally in view.verdict.rules}
    listed = _listed(key.regions, tallies, drawn)
    entries = [_of_region(view, key, region, tallies.get(region.name)) for region in listed]
    if not key.only:
        failed = [tally for tally in view.verdict.structure if tally.failed]
        entries += [_of_other(view, tally) for tally in failed]
    yield from _lines(entries, room)
    hidden = [region for region in key.regions if region not in listed]
    if hidden:
        count = counted(len(hidden), "more region")
        text = f"{CUT} {count}: `--only {hidden[0].name}` shows one of them"
        yield from (styled((f" {line}", "dim")) for line in wrapped(text, room - 1))


def _lines(entries: list[_Entry], room: int) -> Iterator[Styled]:
    """Entries in columns: letter, counts, and beside or below them what they are about."""
    letters = max((len(entry.letter) for entry in entries), default=0)
    counts = max((len(entry.count) for entry in entries), default=0)
    outcomes = max((len(entry.outcome) for entry in entries), default=0)
    margin = letters + 6 + counts + (outcomes + 2 if outcomes else 0)
    is_beside = room - margin >= _LEAST_ROOM
    for entry in entries:
        facts = styled(
            " ",
            (f" {entry.letter.rjust(letters)} ", entry.style),
            f" {entry.count.rjust(counts)}  ",
            (entry.outcome, entry.style_of_outcome),
        )
        about = list(entry.about(room - (margin if is_beside else _BELOW)))
        if is_beside:
            gap = " " * (margin - len(facts.plain))
            yield styled(facts, gap, about.pop(0))
        else:
            yield facts
        for line in about:
            yield styled(" " * (margin if is_beside else _BELOW), line)


def _of_region(view: View, key: Key, region: Region, tally: Tally | None) -> _Entry:
    where = _KINDS[region.kind].format(region.name.partition(":")[2])
    where += f", line {region.line}: " if region.line is not None else ": "
    return _Entry(
        key.letters[region.name],
        key.styles[region.name],
        counted(region.cells, "cell"),
        "" if tally is None else _outcome(tally),
        "dim" if tally is None or not tally.failed else WORDS[tally.severity][1],
        where,
        region.text,
        title_of(region.documentation),
        (each for each in view.verdict.violations if f"rule:{each.rule}" == region.name),
    )


def _of_other(view: View, tally: Tally) -> _Entry:
    """The entry of a constraint, or of a structural code."""
    found = (each for each in view.verdict.violations if each.rule is None)
    word, style = WORDS[tally.severity]
    return _Entry(
        *SIGNS[tally.severity],
        counted(tally.selected, "cell"),
        counted(tally.failed, word),
        style,
        f"line {tally.line}: " if tally.text else "",
        tally.text or f"[{tally.code}]",
        "",
        (each for each in found if key_of(each) == key_of(tally)),
    )


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


def _outcome(tally: Tally) -> str:
    """How many of the units that a rule checks fail: `1 of 18 rows fails`."""
    if tally.failed and tally.severity == "warning":
        return f"warning: {_counts(tally)}"
    return _counts(tally)


def _counts(tally: Tally) -> str:
    if not tally.selected:
        return "checks nothing"
    unit = _UNITS.get(tally.code)
    if unit is None:
        return "fails" if tally.failed else "passes"
    if not tally.failed:
        return f"{counted(tally.checked, unit)} {'passes' if tally.checked == 1 else 'pass'}"
    verb = "fails" if tally.failed == 1 else "fail"
    return f"{tally.failed:,} of {counted(tally.checked, unit)} {verb}"


def _place(violation: Violation) -> str:
    row, column = violation.row, violation.column
    if row is None:
        return "at the end" if column is None else f"at the end of column {column}"
    return f"row {row}" if column is None else f"({row},{column})"
