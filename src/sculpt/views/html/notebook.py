"""What a notebook displays: values as HTML without scripts, at most 200 kB each.

In: a `Schema`, `Verdict`, `View`, `Window`, `SchemaError` or the results of `run`. Out: a part of a
page. It has its own style, which changes nothing outside it, and its own background, as a notebook
may be dark where the browser is light. `sculpt.display` finds `render` by its name.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sculpt.errors import SchemaError, SculptError
from sculpt.report.styled import counted
from sculpt.schema import Schema
from sculpt.verdict import Tally, Verdict, Verdicts, Violation, said_of
from sculpt.views.colours import PALETTE, colour_numbers
from sculpt.views.html.budget import Budget
from sculpt.views.html.markup import (
    EMPTY,
    Html,
    code,
    isolated,
    joined,
    message_html,
    size,
    tag,
    text,
)
from sculpt.views.html.page import scoped_stylesheet
from sculpt.views.html.parts.groups import groups_of, tally_result, tally_state
from sculpt.views.html.parts.head import verdict_html
from sculpt.views.html.parts.overview import legend_html, overview_windows
from sculpt.views.html.parts.rules import bar, scrolled
from sculpt.views.html.parts.schema_text import chip_html, schema_html
from sculpt.views.html.parts.table import TableOptions, table_html
from sculpt.views.html.subject import Subject, part_of
from sculpt.views.model import Region, Window, region_specs
from sculpt.views.view import View

if TYPE_CHECKING:
    from sculpt.transform.results import Results

LIMIT = 200_000
MAX_ERRORS, MAX_RECORDS, MAX_FIELDS, MAX_FILES = 20, 10, 20, 20
MAX_RULES, MAX_VIOLATIONS = 40, 5
NOTEBOOK_READS = 6
WINDOW_ROWS, WINDOW_COLUMNS = 60, 30


def render(value: object) -> str:
    """A value as HTML."""
    match value:
        case Schema():
            parts = [_schema(value)]
        case Verdict():
            parts = _verdict(value)
        case View():
            parts = _view(value)
        case Window():
            parts = [_window(value)]
        case SchemaError():
            parts = _errors(value)
        case _:
            parts = _results_of(value)
    return _fragment(parts)


def _fragment(parts: list[Html]) -> str:
    """The parts that fit, in their order."""
    style = Html(f"<style>{scoped_stylesheet()}</style>")
    budget = Budget(LIMIT - 1_000)
    budget.take(style)
    kept = [part for part in parts if budget.take(part)]
    if len(kept) < len(parts):
        kept.append(tag("p", text("The rest is too large for a notebook."), class_="note"))
    return tag("div", style, *kept, class_="sculpt sculpt-cell")


# ------------------------------------------------------------- schemas


def _schema(schema: Schema) -> Html:
    rules, types = len(schema.core.rules), len(schema.core.types)
    known = [counted(rules, "rule")] + ([counted(types, "token type")] if types else [])
    return joined(
        tag("p", tag("b", isolated(schema.source.name, 300)), text(f": {', '.join(known)}")),
        schema_html(schema, schema_regions(schema), lambda _: None, LIMIT // 2),
    )


def schema_regions(schema: Schema) -> tuple[Region, ...]:
    """The regions of a schema without a table: those of its views, with no cells."""
    _, specs = region_specs(schema, ())
    colours = colour_numbers(spec.text for spec in specs)
    return tuple(
        Region(spec.name, spec.kind, spec.text, spec.line, spec.documentation, colour, 0)
        for spec, colour in zip(specs, colours, strict=True)
    )


def _errors(error: SchemaError) -> list[Html]:
    found = error.diagnostics
    parts = [tag("p", tag("b", text(f"The schema has {counted(len(found), 'error')}")))]
    parts += [
        tag("pre", tag("bdi", Html("<br>".join(text(line, 500) for line in lines))))
        for lines in (each.render().split("\n") for each in found[:MAX_ERRORS])
    ]
    if len(found) > MAX_ERRORS:
        rest = counted(len(found) - MAX_ERRORS, "more error")
        parts.append(tag("p", text(f"… and {rest}"), class_="note"))
    return parts


# ------------------------------------------------------------- verdicts, views, windows


def _verdict(verdict: Verdict) -> list[Html]:
    parts = [verdict_html(verdict, Verdicts(verdict.engine, (verdict,)), level=4)]
    tallies = sorted((*verdict.rules, *verdict.structure), key=_badness)
    if tallies:
        parts.append(_tallies(tallies[:MAX_RULES], len(tallies)))
    if verdict.violations:
        ordered = sorted(verdict.violations, key=lambda each: each.severity == "warning")
        shown = ordered[:MAX_VIOLATIONS]
        items = [_violation(each) for each in shown]
        more = verdict.found - len(shown)
        rest = f"… and {counted(more, 'more violation')}"
        parts.append(tag("ul", *items, tag("li", text(rest)) if more else EMPTY))
    return parts


def _badness(tally: Tally) -> tuple[bool, int]:
    """Sorts tallies: those that fail most first, then those that warn, then the others."""
    return tally_state(tally) != "fails", -tally.failed


def _violation(violation: Violation) -> Html:
    place = text(f"({violation.row or '–'},{violation.column or '–'}) ")
    word = tag("b", text("Warning: ")) if violation.severity == "warning" else EMPTY
    return tag("li", place, word, message_html(violation.message))


def _tallies(tallies: list[Tally], all_of_them: int) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", text(f"rule {each.rule}" if each.rule is not None else each.code)),
            tag("td", code(each.text, 200)),
            tag("td", bar(each.failed, each.checked), class_="measure"),
            tag("td", text(tally_result(each)), class_="result"),
            class_=tally_state(each),
        )
        for each in tallies
    ]
    left = all_of_them - len(tallies)
    note = tag("p", text(f"… and {counted(left, 'more rule')}"), class_="note") if left else EMPTY
    return joined(tag("table", tag("tbody", *rows), class_="tallies"), note)


def _view(view: View) -> list[Html]:
    subject = Subject(view, max_reads=NOTEBOOK_READS)
    windows = overview_windows(subject, groups_of(subject))
    options = TableOptions("table", subject.region_numbers, gaps=True)
    whole = scrolled(table_html(windows, options), f"The table {view.path[:200]}")
    less = scrolled(table_html(windows[:1], options), f"The table {view.path[:200]}")
    return [
        *_verdict(view.verdict)[:2],
        legend_html(subject.regions),
        whole if len(whole) < LIMIT // 2 else less,
    ]


def _window(window: Window) -> Html:
    """A window does not know its view, so colours are those of the numbers of rules."""
    names = dict.fromkeys(name for row in window.regions for cell in row for name in cell)
    numbers = {name: (ix, _colour(name, ix)) for ix, name in enumerate(sorted(names, key=_order))}
    chips = [
        tag("li", chip_html(colour, name.replace(":", " ", 1)))
        for name, (_, colour) in numbers.items()
    ]
    rows = WINDOW_ROWS
    table = _first_rows(window, rows, numbers)
    while size(table) > LIMIT // 2 and rows > 1:
        rows //= 2
        table = _first_rows(window, rows, numbers)
    left = len(chips) - MAX_RULES
    note = tag("p", text(f"… and {counted(left, 'more region')}"), class_="note")
    return joined(
        tag("ul", *chips[:MAX_RULES], class_="legend"), note if left > 0 else EMPTY, table
    )


def _first_rows(window: Window, rows: int, numbers: dict[str, tuple[int, int]]) -> Html:
    shown = part_of(window, window.row, rows, window.column, WINDOW_COLUMNS)
    return scrolled(table_html([shown], TableOptions("window", numbers)), "Some rows of the table")


def _order(name: str) -> tuple[bool, int, str]:
    kind, _, number = name.partition(":")
    return (kind != "rule", int(number) if number.isdigit() else 0, name)


def _colour(name: str, ix: int) -> int:
    is_other, number, _ = _order(name)
    return (ix if is_other else number - 1) % len(PALETTE)


# ------------------------------------------------------------- results


def _results_of(value: object) -> list[Html]:
    from sculpt.transform.results import Results  # needs Arrow, as whoever made one has

    if not isinstance(value, Results):
        raise TypeError(f"{type(value).__name__} has no display")
    return _results(value)


def _results(results: Results) -> list[Html]:
    """The files and the first records of each target; only these are computed."""
    parts = []
    try:
        verdicts = results.verdicts
        files = [
            tag("li", isolated(each.path, 200), text(": valid" if each.valid else ": not valid"))
            for each in verdicts[:MAX_FILES]
        ]
        if len(verdicts) > MAX_FILES:
            files.append(tag("li", text(f"… and {len(verdicts) - MAX_FILES:,} more")))
        parts.append(tag("ul", *files))
        for target in results.targets:
            parts.append(_records(results, target))
            if results.findings:
                parts.append(_failed(results))
    except SculptError as error:
        parts.append(tag("p", tag("b", text("Refused: ")), message_html(str(error))))
    return parts


def _records(results: Results, target: str) -> Html:
    records = list(islice(results.records(target), MAX_RECORDS + 1))
    title = tag("p", tag("b", isolated(target, 100)), text(": the first records"))
    if not records:
        return tag("p", tag("b", isolated(target, 100)), text(": no records"))
    fields = list(records[0])[:MAX_FIELDS]
    head = tag("tr", *(tag("th", isolated(each, 60), scope="col") for each in fields))
    rows = [
        tag("tr", *(tag("td", _value(each.get(name))) for name in fields))
        for each in records[:MAX_RECORDS]
    ]
    more = EMPTY
    if len(records) > MAX_RECORDS:
        more = tag("p", text("… and more"), class_="note")
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="files")
    return joined(title, scrolled(table, f"Records {target[:100]}"), more)


def _failed(results: Results) -> Html:
    """How many values could not be computed, and the first of them."""
    count, first = len(results.findings), said_of(results.findings[0])
    words = f"{counted(count, 'value')} could not be computed, the first: "
    return tag("p", tag("b", text(words)), message_html(first))


def _value(value: object) -> Html:
    return tag("i", text("null")) if value is None else isolated(str(value), 100)
