"""What an engine is to find: rules that fail, constraints that are broken, cells of selectors.

In: a core schema; the rules of it, or selectors besides. Out: a `Task`, the one thing that every
compiled engine is given. Invariant: a task has everything that its selectors mention, so that it
can be pickled and run in another process.
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
    """Selectors whose cells are asked for."""
    defects: bool = True
    """Report broken cells."""

    @classmethod
    def of_rules(cls, schema: ir.CoreSchema, defects: bool = True) -> Task:
        """All that a schema demands."""
        return cls(schema, schema.rules, schema.uniques, defects=defects)

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
        ]


def type_names(rule: ir.CoreRule) -> list[str]:
    """The token types that a rule's content reads."""
    if rule.arrow == ".>":
        return []
    names = (each.symbol.name for each in letters(rule.content) if each.symbol.is_type)
    return list(dict.fromkeys(names))
