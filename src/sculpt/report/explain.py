"""The text and the JSON of `sculpt explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sculpt.core.facts.explain import (
    Explanation,
    Held,
    Passes,
    ProgramExplanation,
    RequireExplanation,
    RuleExplanation,
    StreamClass,
    TokenExplanation,
)
from sculpt.engines.choice import Choice
from sculpt.report.styled import Styled, counted, styled

if TYPE_CHECKING:
    from sculpt.core.facts.explain_identities import IdentityExplanation

_COLOURS = {StreamClass.STRONG: "bold green", StreamClass.WEAK: "bold cyan"}


def explanation_text(
    name: str, explanation: Explanation, choice: Choice | None = None
) -> Iterator[Styled]:
    """One paragraph per rule, then the whole schema; and the engine that `auto` chooses."""
    for rule in explanation.entries:
        yield from _rule(rule)
        yield styled()
    for identity in explanation.identities:
        yield from _identity(identity)
        yield styled()
    if explanation.tokens:
        yield from _tokens(explanation.tokens)
        yield styled()
    rules = sum(entry.kind == "rule" for entry in explanation.entries)
    yield styled(
        (name, "bold"),
        ": ",
        _class_text(explanation.stream_class),
        f" ({counted(rules, 'rule')}, V = {explanation.strata},"
        f" {_passes_text(explanation.passes)} over the data)",
    )
    yield styled((f"local engine: {_local_text(explanation.passes)}", "dim"))
    yield styled((f"spark engine: {_spark_text(explanation)}", "dim"))
    if explanation.program is not None:
        yield styled()
        yield from _program(explanation.program)
    if explanation.requires:
        yield styled()
        yield from _requires(explanation.requires)
    if choice is not None:
        yield styled((f"auto chooses {choice.engine}: {choice.reason}", "dim"))


def _identity(identity: IdentityExplanation) -> Iterator[Styled]:
    """What a key or a reference gathers, and how its cells are found."""
    yield styled((f"{identity.kind}, line {identity.line}", "bold"), f": {identity.text}")
    for name, side in zip(("left", "right"), identity.sides, strict=False):
        where = f" of `{side.table}`" if side.table is not None else ""
        title = "gathers:" if identity.kind == "key" else f"{name}:"
        yield styled(f"  {title:<9} {side.gathered}{where}")
        yield styled(f"  compares: {side.compared}")
        found = side.selectors
        passes = f", {_passes_text(found.passes)}"
        yield styled("  class:    ", _class_text(found.stream_class, found.look_ahead), passes)
        for reason in found.reasons:
            yield styled(f"  because:  {reason}")
    together = "all files of a run" if identity.kind == "key" else "all files of the right side"
    files = f"{together} together" if identity.spans_files else "each file on its own"
    yield styled(f"  files:    {files}")
    yield styled(
        "  memory:   entries, up to `--memory`; beyond it they go to the temporary directory"
    )


def _tokens(tokens: Iterable[TokenExplanation]) -> Iterator[Styled]:
    """How cells are matched against derived tokens."""
    yield styled(("derived tokens", "bold"))
    for each in tokens:
        yield styled(f"  line {each.line}: {each.text}")
        if each.asks:
            conditions = ", ".join(f"`{condition}`" for condition in each.asks)
            yield styled(f"    asks: some texts are parsed to decide {conditions}")
        else:
            yield styled("    regular: part of the scan, at no cost per cell")


def _requires(requires: Iterable[RequireExplanation]) -> Iterator[Styled]:
    """What conditions need."""
    yield styled(("conditions", "bold"))
    for each in requires:
        yield styled(f"  line {each.line}: {each.text}")
        for need in each.needs:
            yield styled(f"    {need.text}: needs {need.needs}")
        if not each.needs:
            yield styled("    needs nothing but the cells of the loop")


def _program(program: ProgramExplanation) -> Iterator[Styled]:
    """How the programs are run."""
    yield styled(("programs", "bold"))
    for each in program.look_ups:
        stops = f"; it stops after row {each.last_row}" if each.last_row is not None else ""
        yield styled(f"  line {each.line}: {each.text}")
        yield styled(f"    needs {each.reach}{stops}")
    for line, text, table in program.finds:
        yield styled(f"  line {line}: {text}")
        yield styled(f"    needs the rows of `{table}`, gathered before: one pass over that table")
    for reason in program.reasons:
        yield styled(f"  {reason}")
        yield styled("    needs an earlier pass, for all of its cells")
    earlier = "makes the earlier pass, then " if program.needs_pass else "then "
    held = "the whole table" if program.needs_table else "a few strips of rows"
    regions = _passes_text(program.regions)
    yield styled(
        (
            f"local engine: validates, {earlier}goes through the rows once; holds {held}"
            + (f"; regions take {regions}" if program.regions.count > 1 else ""),
            "dim",
        )
    )
    cuts = (
        "in chunks, which tell each other what their look-ups need"
        if program.cuts_files
        else "one task per file: `emit distinct` compares all its records"
        if program.compares_records
        else "one task per file: a look-up needs the whole table, or a path that does not compose"
    )
    yield styled((f"spark engine: {cuts}", "dim"))


def _passes_text(passes: Passes) -> str:
    return counted(passes.count, "pass", "passes") + (" or more" if passes.more else "")


def _local_text(passes: Passes) -> str:
    """What the local engine does."""
    again = "reads again if the widest row comes late"
    match passes.held:
        case Held.CHUNKS:
            return f"reads once and holds a few chunks; {again} and earlier rows depend on it"
        case Held.STRIP:
            ahead = counted(passes.rows_ahead, "row")
            below = f" and {ahead} of look-ahead" if passes.rows_ahead else ""
            return f"reads once and holds a strip of rows{below}; {again}"
        case Held.SPOOL:
            times = counted(passes.count - 1, "time")
            more = " or more, as walks turn from strip to strip" if passes.more else ""
            return (
                "reads once, writes tokens to a temporary file, and goes over them"
                f" {times}{more}; holds a strip of rows"
            )


def _spark_text(explanation: Explanation) -> str:
    """What the Spark engine does with a file that it cuts into chunks."""
    most = counted(explanation.strata + 2, "job")
    if explanation.passes.held is Held.CHUNKS:
        return f"one job if the rows of a file are alike, otherwise at most {most} (V + 2)"
    return f"at most {most} (V + 2): the first measures the table; the others look at its edges"


def _rule(rule: RuleExplanation) -> Iterator[Styled]:
    title = f"rule {rule.number}, line {rule.line}" if rule.number else f"line {rule.line}"
    yield styled((title, "bold"), f": {rule.text}")
    yield styled(f"  core:     {rule.core}")
    yield styled(f"  strata:   V = {rule.strata}")
    if rule.forward:
        yield styled("  forward:  yes")
    else:
        yield styled(f"  forward:  no: {', '.join(f'`{part}`' for part in rule.backward_parts)}")
    if rule.guarded:
        yield styled("  guarded:  yes")
    elif rule.forward:
        yield styled(f"  guarded:  no: `{rule.loose_part}` may start in any number of columns")
    else:
        yield styled("  guarded:  no: only forward selectors can be")
    if rule.advice:
        yield styled((f"  advice:   add {', '.join(rule.advice)}", "cyan"))
    yield styled("  class:    ", _class_text(rule.stream_class, rule.look_ahead))
    yield styled(f"  passes:   {rule.passes.count}{' or more' if rule.passes.more else ''}")
    yield styled(f"  memory:   {rule.memory}")
    for reason in rule.reasons:
        yield styled(f"  because:  {reason}")


def _class_text(stream_class: StreamClass, look_ahead: int | None = None) -> Styled:
    label = str(stream_class)
    if stream_class is StreamClass.LOOK_AHEAD and look_ahead is not None:
        label += f" {look_ahead}"
    return styled((label, _COLOURS.get(stream_class, "bold yellow")))


def explanation_json(explanation: Explanation, choice: Choice | None = None) -> dict[str, Any]:
    """Every fact, under the field names of the data classes."""
    engine = {"name": choice.engine, "reason": choice.reason} if choice is not None else None
    return {
        "version": 1,
        "class": str(explanation.stream_class),
        "strata": explanation.strata,
        "passes": asdict(explanation.passes),
        "engine": engine,
        "entries": [asdict(entry) for entry in explanation.entries],
        "tokens": [asdict(token) for token in explanation.tokens],
        "identities": [asdict(each) for each in explanation.identities],
        "program": asdict(explanation.program) if explanation.program is not None else None,
        "requires": [asdict(require) for require in explanation.requires],
    }
