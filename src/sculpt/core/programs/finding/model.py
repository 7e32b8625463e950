"""Finds in core form: which rows of another table a program looks for.

In: what `compiler` gathers. Out: a `Find`: a table and a program that gathers what is needed
of it. The program has one loop over the rows of the table that have a cell in the first region, and
emits for each: the texts of all regions that are compared, the number of the row, and the other
fields that are asked for. So the other table is read like any other, by every engine; whoever runs
the program makes an index of these records (`transform.evaluation.row_index`).

Invariant: the records are in the order of the table. Cost: a pass over the other table for each
find with other regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.values import field, frozen

if TYPE_CHECKING:
    from sculpt.core.programs.program import CoreProgram


@frozen(slots=False)
class Find:
    """What is gathered of another table."""

    table: str
    program: CoreProgram = field(repr=False)
    """It emits one stream: the keys, the number of the row, then what else is asked for."""
    keys: int
    """How many texts are compared: these are the first fields."""
    line: int
    text: str

    @property
    def row_field(self) -> int:
        """The field that has the number of the row."""
        return self.keys
