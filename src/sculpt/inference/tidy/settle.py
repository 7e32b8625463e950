"""Programs against the files they are made from: what fails is simplified, and at last dropped.

In: the files, or cut copies of large ones, how to write a schema with a program, programs. Out:
the schema with the first program that runs and has the records it should have. Invariant: the local
engine has run exactly this text on each of them, without a finding. Cost: a run on each file for
each round, and at most `_ROUNDS` of them for each program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from sculpt.api import run
from sculpt.errors import SchemaError, SculptError
from sculpt.inference.columns.forms import Form
from sculpt.inference.columns.learn import Strictness
from sculpt.inference.emit.text import Text, comment_lines, schema_text
from sculpt.inference.emit.words import Piece, Words
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.proof.verify import Verified
from sculpt.inference.tidy.model import TARGET, Program
from sculpt.inference.tidy.program import programs
from sculpt.schema import Schema
from sculpt.values import frozen, replace
from sculpt.verdict import RefusedError

_ROUNDS = 12
_MOST_PROGRAMS = 8

Writer = Callable[[Sequence[Words]], Text]


@frozen
class Settled:
    """A schema with a program that has been run."""

    text: Text
    simplified: tuple[str, ...]
    """The fields that are not as exact as they were meant to be."""


def tidied(
    sheets: Sequence[Sheet],
    done: Verified,
    beginning: tuple[Sequence[str], Sequence[str]],
    how: Strictness,
    marks: Form | None,
) -> Verified:
    """The schema with a program; as it is, if none runs. `beginning` is head and directives."""
    kept = done.drafts if done.text.rules else ()

    def write(lines: Sequence[Words]) -> Text:
        try:
            text = schema_text(*beginning, kept, dict(done.levels), lines)
        except SchemaError:  # a name that is a word of programs
            return done.text
        return text if text.rules == done.text.rules else done.text

    paths = [sheet.source for sheet in sheets]
    found = settled(paths, write, programs(sheets, how, marks))
    return done if found is None else replace(done, text=found.text)


def settled(paths: Sequence[str], write: Writer, programs: Iterable[Program]) -> Settled | None:
    """The first program that runs and has the records that it should have."""
    for number, program in enumerate(programs):
        if number >= _MOST_PROGRAMS:
            break
        found = _settle(paths, write, program)
        if found is not None:
            return found
    return None


def _settle(paths: Sequence[str], write: Writer, program: Program) -> Settled | None:
    levels: dict[str, int] = {}
    for _ in range(_ROUNDS):
        text = write(lines_of(program, levels))
        if text.schema.program is None:
            return None
        counts, failed = _outcome(text.schema, paths)
        if failed is None:
            if counts != list(program.counts):
                return None
            return Settled(text, tuple(levels))
        names = failed & {field.name for field in program.fields}
        for name in names or {field.name for field in program.fields}:
            levels[name] = levels.get(name, 0) + 1
        if not any(levels.get(f.name, 0) < len(f.ladder) for f in program.fields):
            return None
    return None


def lines_of(program: Program, levels: Mapping[str, int]) -> list[Words]:
    """The program, line by line."""
    variable = "v" if program.kind == "cell" else "r"
    kept = [
        (field.name, field.ladder[levels.get(field.name, 0)])
        for field in program.fields
        if levels.get(field.name, 0) < len(field.ladder)
    ]
    lines: list[Words] = [(line,) for line in comment_lines(program.comments)]
    lines.append((f"For each {program.kind} {variable} in ", *program.region, " {"))
    lines.append((f"  emit {TARGET}(",))
    for place, (name, words) in enumerate(kept, 1):
        line: list[Piece] = [f"    {name}: ", *words]
        lines.append((*line, "," if place < len(kept) else ""))
    lines += [("  )",), ("}",)]
    return lines


def _outcome(schema: Schema, paths: Sequence[str]) -> tuple[list[int], frozenset[str] | None]:
    """The records of each file, and the fields that fail; none if it runs."""
    counts = []
    for path in paths:
        try:
            counts.append(run(schema, path, engine="local").table(TARGET).num_rows)
        except RefusedError as error:
            lines = schema.source.text.split("\n")
            return counts, frozenset(
                name
                for each in error.findings
                if each.line is not None and (name := _field_in(lines[each.line - 1]))
            )
        except SculptError:
            return counts, frozenset()
    return counts, None


def _field_in(line: str) -> str:
    found = re.match(r"\s*([^\W\d][\w-]*): ", line)
    return found.group(1) if found else ""
