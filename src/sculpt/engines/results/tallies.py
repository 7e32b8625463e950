"""What was counted, as parts of a verdict: tallies of rules and constraints, coverage, heat.

In: the task, what was found in a whole table, and what shows at its end. Out: `Tally`s, `Coverage`
and `Heat`. Cost: linear in the rules and in the runs of the edge below the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import assert_never

from sculpt.automata.nfa import States
from sculpt.automata.scanner import DEFECTS
from sculpt.engines.machines import Machines
from sculpt.engines.messages.findings import SCOPES
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.tallies import Tallies
from sculpt.engines.walk.walk import Edge, WalkResult
from sculpt.values import frozen
from sculpt.verdict import VIOLATION_CODES, Heat, Tally


@frozen
class EndOfTable:
    """Violations that show only at the end of the table, for one rule."""

    rule: int
    """The index of the rule."""
    states: States
    """The states of its unfinished word."""
    first: int
    """The first and the last column; 0 for the whole region."""
    last: int

    @property
    def count(self) -> int:
        """How many violations."""
        return self.last - self.first + 1


def rule_tallies(
    machines: Machines, found: WalkResult, tallies: Tallies, ends: Sequence[EndOfTable]
) -> Iterator[Tally]:
    """What each rule has checked."""
    task, notices = machines.task, machines.navigator.notices
    failed = Counter[int]()
    for notice, count in zip(notices, tallies.found, strict=True):
        if notice.what.endswith("-content"):
            failed[notice.subject] += count
    for end in ends:
        failed[end.rule] += end.count
    columns = columns_of_rules(found.edge, found.width)
    selected = tallies.selected_in(found.width)
    for ix, rule in enumerate(task.rules):
        match rule.arrow:
            case "->":
                units = tallies.rows[ix]
            case "|>":
                units = columns[ix]
            case "=>":
                units = 1
            case ".>":
                units = selected[ix]
            case _:
                assert_never(rule.arrow)
        code = f"{SCOPES[rule.arrow]}-content"
        facts = (selected[ix], units, failed[ix], rule.ending.severity)
        yield Tally(code, rule.number, rule.line, rule.text, *facts)


def columns_of_rules(edge: Edge, width: int) -> Counter[int]:
    """By index of a `|>` rule: the columns in which it has selected a cell."""
    columns = Counter[int]()
    begin = 0
    for end, above in edge.runs:
        end = min(end, width)
        if end > begin:
            columns.update({rule: end - begin for rule, _ in above.words})
        begin = max(begin, end)
    return columns


def structure_tallies(machines: Machines, tallies: Tallies) -> Iterator[Tally]:
    """What each constraint has checked, and each structural code that was found."""
    found = {
        (notice.what, notice.subject): count
        for notice, count in zip(machines.navigator.notices, tallies.found, strict=True)
    }
    for ix, unique in enumerate(machines.task.uniques):
        cells, failed = tallies.uniques[ix], found[unique.kind, ix]
        facts = (cells, cells, failed, unique.ending.severity)
        yield Tally(unique.kind, None, unique.line, unique.text, *facts)
    bits = {code: bit for bit, code in DEFECTS.items()}
    cells = tallies.cells[0]
    for code in VIOLATION_CODES:
        if code in bits and (failed := found[code, bits[code]]):
            yield Tally(code, None, None, "", cells, cells, failed)


def heat_of(machines: Machines, found: WalkResult, ends: Sequence[EndOfTable]) -> Heat:
    """Where the violations of a table are; those without a row count in the last one."""
    heat = HeatMap(machines.backend)
    if found.rows:
        heat.add(found.heat)
        for end in ends:
            heat.add_columns(found.rows, end.first, end.last)
    return heat.heat(found.rows, found.width)
