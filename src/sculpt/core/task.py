"""What an engine has to find: violated rules and constraints, and the cells of selectors.

In: a core schema and its rules, or other selectors. Out: a `Task`, the single input of every
compiled engine besides the data. Invariant: a task has everything that its selectors mention, so
that it can be pickled and run in another process.
"""

from __future__ import annotations

from collections.abc import Mapping

from sculpt.core import ir
from sculpt.syntax.regular import letters
from sculpt.values import frozen


@frozen
class Task:
    """What to find in a table."""

    schema: ir.CoreSchema
    rules: tuple[ir.CoreRule, ...]
    uniques: tuple[ir.CoreUnique, ...] = ()
    targets: tuple[ir.Selector, ...] = ()
    """Selectors whose cells are wanted."""
    defects: bool = True
    """Report the defects of the document?"""
    tallies: bool = False
    """Count what each rule and constraint selects, checks and finds, and where?"""
    coverage: bool = False
    """Count the cells that rules check, and find the first that none does?"""
    counted: tuple[ir.Selector, ...] = ()
    """Selectors whose cells are counted, if there are tallies, but not listed."""

    @classmethod
    def of_rules(
        cls,
        schema: ir.CoreSchema,
        defects: bool = True,
        tallies: bool = True,
        coverage: bool = True,
        regions: tuple[ir.Selector, ...] = (),
    ) -> Task:
        """All rules and constraints of a schema; coverage and loops need tallies.

        `regions` are counted too, after the loops, so that another walk can start at the edges of
        this one and mark their cells.
        """
        coverage = coverage and tallies
        loops = tuple(loop.selector for loop in schema.loops) if tallies else ()
        counted = (*loops, *regions)
        return cls(schema, schema.rules, schema.uniques, (), defects, tallies, coverage, counted)

    @classmethod
    def of_selectors(
        cls,
        schema: ir.CoreSchema,
        tokens: Mapping[str, ir.CoreToken],
        selectors: tuple[ir.Selector, ...],
    ) -> Task:
        """The cells of selectors, which may mention `tokens`, in tables of a schema's dialect."""
        bare = ir.CoreSchema(schema.dialect, tokens, schema.types, (), ())
        return cls(bare, (), (), selectors, defects=False)

    def selectors(self) -> list[ir.Selector]:
        """Every selector that must be evaluated."""
        types = self.schema.types
        return [
            *(rule.selector for rule in self.rules),
            *(unique.selector for unique in self.uniques),
            *(types[name].selector for rule in self.rules for name in type_names(rule)),
            *self.targets,
            *self.counted,
        ]


def type_names(rule: ir.CoreRule) -> list[str]:
    """The token types that a rule's content reads."""
    if rule.arrow == ".>":
        return []
    names = (each.symbol.name for each in letters(rule.content) if each.symbol.is_type)
    return list(dict.fromkeys(names))
