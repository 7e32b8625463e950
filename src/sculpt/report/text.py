"""Verdicts as text for people: the verdict, then a block for each rule that is violated.

In: a `Verdicts` and the `Labels` of its schema. Out: `Styled` lines.

Invariant: the number of lines does not depend on the number of violations, unless all are asked
for. Texts of data, files and schemas are shown by visible characters only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sculpt.diagnostics import Diagnostic, Severity
from sculpt.report.blocks import MAX_LISTED, FindPlaces, Labels, block, further_rules
from sculpt.report.groups import WORDS, Key, groups_of, key_of
from sculpt.report.rows import quoted
from sculpt.report.styled import Styled, counted, shortened, styled, visible
from sculpt.report.tables import table_mark
from sculpt.verdict import Unread, Verdict, Verdicts, Warning

__all__ = [
    "counted",
    "coverage_text",
    "diagnostic_text",
    "diagnostics_text",
    "run_text",
    "visible",
]

SHOWN = 3
"""How many places of a rule are shown in full."""
MAX_FILES = 5
"""How many of several files have the blocks of their rules, unless all places are asked for."""
MAX_BLOCKS = 20
"""How many rules get a block of their own, unless all places are asked for."""
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


# ----------------------------------------------------------------- the run


def run_text(
    run: Verdicts, labels: Labels, show: int | None = SHOWN, find: FindPlaces | None = None
) -> Iterator[Styled]:
    """The lines of a report; `show` places of each rule are shown in full, `None` means all.

    `find` says which other cells of its region are in the row of a violation.
    """
    is_single = len(run.outcomes) == 1
    has_gap = True
    failing: list[Verdict] = []
    for outcome in run.outcomes:
        if isinstance(outcome, Verdict) and outcome.found:
            failing.append(outcome)
        if failing[MAX_FILES:] and outcome is failing[-1] and show is not None:
            lines = list(_verdict(run, failing[-1]))
        else:
            lines = list(_outcome(run, outcome, labels, show, find, is_single))
        if not has_gap and len(lines) > 1:
            yield styled()
        yield from lines
        has_gap = len(lines) > 1
        if has_gap and not is_single:
            yield styled()
    if is_single:
        return
    warned = list(_shared_warnings(run))
    if warned:
        yield from warned if has_gap else [styled(), *warned]
        yield styled()
    if show is not None and len(failing) > MAX_FILES:
        yield from () if has_gap else [styled()]
        yield from _totals(failing, labels)
        yield styled()
    yield _summary(run)


def _outcome(
    run: Verdicts,
    outcome: Verdict | Unread,
    labels: Labels,
    show: int | None,
    find: FindPlaces | None,
    is_single: bool,
) -> Iterator[Styled]:
    if isinstance(outcome, Unread):
        yield styled(("error", "bold red"), ": ", visible(outcome.message))
        return
    yield from _verdict(run, outcome)
    groups = groups_of(outcome)
    most = len(groups) if show is None else MAX_BLOCKS
    shown = [(group, group.violations[:show]) for group in groups[:most]]
    places = find(outcome, [v for _, some in shown for v in some]) if find is not None else {}
    for group, some in shown:
        yield styled()
        yield from block(group, some, labels.of(outcome), places)
    if groups[most:]:
        yield styled()
        yield from further_rules(groups[most:], labels.of(outcome))
    hidden = outcome.found - sum(group.failed for group in groups)
    if hidden > 0:
        yield styled()
        yield styled((f"… and {counted(hidden, 'further violation')}; see --max-violations", "dim"))
    if is_single and outcome.warnings:
        yield styled()
        for warning in outcome.warnings[:MAX_LISTED]:
            yield from _warning(warning)
        yield from _more(len(outcome.warnings) - MAX_LISTED, "warning")


def _totals(failing: Sequence[Verdict], labels: Labels) -> Iterator[Styled]:
    """What fails in many files: a line for each rule, those that fail in most files first."""
    files: Counter[tuple[Key, str]] = Counter()
    violations: Counter[tuple[Key, str]] = Counter()
    for verdict in failing:
        statements = labels.of(verdict).statements
        for group in groups_of(verdict):
            key = key_of(group), statements.get((group.rule, group.line), "")
            files[key] += 1
            violations[key] += group.failed
    for key, number in files.most_common(MAX_LISTED):
        (code, _, _, severity), statement = key
        word = WORDS[severity]
        origin = shortened(statement)
        found = f"{counted(violations[key], word[0])} in {counted(number, 'file')}"
        yield styled(word, f" [{code}]: {found}: {origin}".removesuffix(": "))
    yield from _more(len(files) - MAX_LISTED, "rule")
    rest = len(failing) - MAX_FILES
    yield styled((f"… {counted(rest, 'file')} in a line each; see --show all", "dim"))


def _verdict(run: Verdicts, verdict: Verdict) -> Iterator[Styled]:
    yield _conclusion(run, verdict)
    if not run.is_covered(verdict):
        yield _below(run, verdict)


def _conclusion(run: Verdicts, verdict: Verdict) -> Styled:
    size = f"{counted(verdict.rows, 'row')} × {counted(verdict.columns, 'column')}"
    parts = []
    if verdict.violation_count:
        parts.append(counted(verdict.violation_count, "violation"))
    warnings = len(verdict.warnings) + verdict.warning_violation_count
    if warnings:
        parts.append(counted(warnings, "warning"))
    found = f", {' and '.join(parts)}" if parts else ""
    if not run.is_valid(verdict):
        word = ("not valid", "bold red")
    elif verdict.checked_nothing:
        word = ("nothing was checked", "bold yellow")
    else:
        word = ("valid", "bold green")
    table = visible(table_mark(verdict))
    return styled((visible(verdict.path), "bold"), table, ": ", word, f" ({size}{found})")


def _below(run: Verdicts, verdict: Verdict) -> Styled:
    """That too few cells are checked."""
    coverage = verdict.coverage
    text = (
        f"coverage: {coverage.checked:,} of {counted(coverage.cells, 'cell')} with text are checked"
        f" by a rule, {_percent(coverage.share)} of them; `--min-coverage` asks for"
        f" {run.min_coverage:g}%"
    )
    return styled((text, "bold red"))


def _percent(share: float) -> str:
    """Rounded down, so that only all is 100%."""
    return f"{int(share * 1000) / 10:g}%"


def _summary(run: Verdicts) -> Styled:
    good = [outcome for outcome in run.outcomes if run.is_valid(outcome)]
    unchecked = sum(isinstance(each, Verdict) and each.checked_nothing for each in good)
    unread = sum(isinstance(outcome, Unread) for outcome in run.outcomes)
    rest = len(run.outcomes) - len(good) - unread
    parts = [f"{len(good) - unchecked:,} valid"]
    if unchecked:
        parts.append(f"{unchecked:,} with nothing checked")
    if rest:
        parts.append(f"{rest:,} not valid")
    if unread:
        parts.append(f"{unread:,} could not be read")
    return styled((f"{counted(len(run.outcomes), 'input')}: {', '.join(parts)}", "bold"))


# ----------------------------------------------------------------- warnings


def _warning(warning: Warning, where: str = "") -> Iterator[Styled]:
    code = f" [{warning.code}]: {visible(warning.message)}{where}"
    yield styled(("warning", "bold yellow"), code)
    if warning.hint:
        yield styled((f"  = hint: {visible(warning.hint)}", "cyan"))


def _shared_warnings(run: Verdicts) -> Iterator[Styled]:
    """The warnings about all files, once for each rule, with the number of files."""
    seen: dict[tuple[str | None, str, int | None], tuple[Warning, list[str]]] = {}
    for outcome in run.outcomes:
        for warning in outcome.warnings if isinstance(outcome, Verdict) else ():
            key = outcome.table, warning.code, warning.rule
            paths = seen.setdefault(key, (warning, []))[1]
            path = outcome.path + table_mark(outcome)
            if not paths or paths[-1] != path:
                paths.append(path)
    files = len(run.outcomes)
    for warning, paths in islice(seen.values(), MAX_LISTED):
        number = f"{len(paths):,} of {files:,} files" if len(paths) > 1 else "1 file"
        yield from _warning(warning, f" (in {number}: {visible(paths[0])}{_others(paths)})")
    yield from _more(len(seen) - MAX_LISTED, "warning")


def _others(paths: list[str]) -> str:
    return ", …" if len(paths) > 1 else ""


def _more(count: int, noun: str) -> Iterator[Styled]:
    if count > 0:
        yield styled((f"… and {count:,} more {noun}{'s' if count > 1 else ''}", "dim"))


# ----------------------------------------------------------------- coverage


def coverage_text(run: Verdicts, command: Callable[[Verdict], str | None]) -> Styled | None:
    """The line about the cells that no rule checks; `None` if there are none.

    `command` returns the call that shows those of a file, if there is one.
    """
    verdicts = [each for each in run.outcomes if isinstance(each, Verdict)]
    open_ones = [each for each in verdicts if each.coverage.checked < each.coverage.cells]
    if not open_ones:
        return None
    cells = sum(each.coverage.cells for each in verdicts)
    count = cells - sum(each.coverage.checked for each in verdicts)
    first = open_ones[0]
    files = f" in {len(open_ones):,} of {len(verdicts):,} files" if len(verdicts) > 1 else ""
    text = (
        f"{count:,} of {counted(cells, 'cell')} with text{files}"
        f" {'is' if count == 1 else 'are'} checked by no rule"
    )
    if first.coverage.unchecked:
        cell = first.coverage.unchecked[0]
        text += f", first {quoted(cell.text)} at ({cell.row},{cell.column})"
        text += f" of {visible(first.path)}" if files else ""
    shown = command(first)
    return styled((text + (f": `{visible(shown)}`" if shown else ""), "dim"))


def diagnostics_text(diagnostics: Sequence[Diagnostic]) -> Iterator[Styled]:
    """What is wrong with a schema: at most `MAX_LISTED` errors, and all warnings."""
    errors = 0
    for diagnostic in diagnostics:
        errors += diagnostic.is_error
        if errors <= MAX_LISTED or not diagnostic.is_error:
            yield from (diagnostic_text(diagnostic), styled())
    if errors > MAX_LISTED:
        yield from (*_more(errors - MAX_LISTED, "error"), styled())


def diagnostic_text(diagnostic: Diagnostic) -> Styled:
    """A diagnostic about a schema, with colours for its severity, the caret and the hint."""
    style = _STYLES[diagnostic.severity]
    word = f" {diagnostic.severity} "
    pieces: list[tuple[str, str]] = []
    for line in diagnostic.render().split("\n"):
        pieces.append(("\n" if pieces else "", ""))
        match line.lstrip()[:1]:
            case "|":
                plain = marked = style
            case "=":
                plain, marked = "cyan", "bold cyan"
            case _:
                plain, marked = "", style
        first, *others = line.split(word)
        pieces.append((first, plain))
        for other in others:
            pieces += [(word, marked), (other, plain)]
    return Styled(tuple(pieces))
