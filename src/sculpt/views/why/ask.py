"""Why a cell is in some regions and not in others: from the question to the answer.

In: a schema, the regions to ask about, a source of marks, a cell. Out: a `Why`. First all nodes
that matter are collected and the table is marked with them, in one go; then each region is
explained.

Cost: one pass over the data for the marks, the blocks that the answers need, and bounded searches.
"""

from __future__ import annotations

from contextlib import closing

from sculpt.core import ir
from sculpt.errors import UsageError
from sculpt.report.text import counted
from sculpt.schema import Schema, parse_selector_tree
from sculpt.syntax import ast
from sculpt.views.model import RegionSpec
from sculpt.views.source import WindowSource
from sculpt.views.why.content import ContentReader
from sculpt.views.why.marks import Marks
from sculpt.views.why.model import Answer, Why
from sculpt.views.why.selectors import Explainer, Questions, shown_text
from sculpt.views.why.vocabulary import Vocabulary


def why(
    schema: Schema, specs: tuple[RegionSpec, ...], source: WindowSource, row: int, column: int
) -> Why:
    """Why a cell is in the regions of `specs`, or is not."""
    verdict = source.verdict
    rows, columns = verdict.rows, verdict.columns
    if not (1 <= row <= rows and 1 <= column <= columns):
        size = f"{counted(rows, 'row')} and {counted(columns, 'column')}"
        raise UsageError(f"there is no cell ({row},{column}): the table has {size}")
    words = Vocabulary(schema)
    questions = Questions(words, rows, columns)
    asked = [_Asked(spec, schema, words) for spec in specs]
    for each in asked:
        questions.ask(each.selector)
        if each.content is not None:
            questions.add(*each.content.nodes)
    with closing(source.marked(words.tokens, questions.nodes)) as table:
        marks = Marks(table, questions.nodes)
        answers = []
        for each in asked:
            explainer = Explainer(questions, marks, table.cell)
            part = explainer.explain(each.selector, (row, column))
            content = None
            if part.holds and each.content is not None:
                content = each.content.trace(marks, (row, column), table.cell)
            answers.append(
                Answer(
                    each.spec.name,
                    each.spec.kind,
                    each.spec.text,
                    each.spec.line,
                    each.spec.documentation,
                    part.holds,
                    part,
                    None if each.content is None else each.content.rule.arrow,
                    content,
                )
            )
        text = shown_text(table.cell(row, column))
    return Why(verdict.path, row, column, text, rows, columns, tuple(answers))


class _Asked:
    """A region that is asked about: its selector as it is written, and its content."""

    def __init__(self, spec: RegionSpec, schema: Schema, words: Vocabulary) -> None:
        self.spec = spec
        self.content: ContentReader | None = None
        name = spec.name.partition(":")[2]
        self.selector: ast.Selector
        match spec.kind:
            case "rule":
                rule: ir.CoreRule = schema.core.rules[int(name) - 1]
                self.selector = words.rules[rule.number - 1].selector
                strict = schema.core.dialect.strict_padding
                self.content = ContentReader(rule, words, strict)
            case "type":
                definition = words.type_definition(name)
                self.selector = definition.selector
            case "selector":
                self.selector = parse_selector_tree(spec.text)
