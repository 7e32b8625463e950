"""Why a place violates a rule, as HTML.

In: a violation of a `Group`, and what the view says of its cell. Out: a `<details>` element. What
the verdict says is always there: what the cell is read as, and what could have followed. Nothing is
said without data but what was expected.
"""

from __future__ import annotations

import shlex

from sculpt.report.styled import Styled
from sculpt.verdict import Violation
from sculpt.views.html.markup import EMPTY, Html, code, joined, tag, text
from sculpt.views.html.parts.groups import Group
from sculpt.views.html.subject import Subject
from sculpt.views.model import Place

MAX_NAMES = 12
MAX_LINE = 300


def why_html(
    subject: Subject,
    group: Group,
    violation: Violation,
    name: str,
    end: Place | None,
    in_full: bool,
) -> Html:
    """What could have come here; in full also how the rule selects the cell.

    `end` is the last cell of the region, for a row that ends too early.
    """
    parts = []
    if group.tally.text:
        line = f" on line {group.tally.line}" if group.tally.line else ""
        statement = code(group.tally.text, 400)
        parts.append(tag("p", text(f"{group.name.capitalize()}{line}: "), statement))
    if violation.column and not subject.no_data and violation.found is not None:
        read = _names(violation.tokens) or text("none that the schema mentions")
        parts.append(tag("p", text("The cell is read as: "), read, text(".")))
    if violation.expected:
        expected = _names(violation.expected)
        parts.append(tag("p", text("What could come here: "), expected, text(".")))
    place = (violation.row, violation.column) if violation.column else end
    if in_full and group.region is not None and place is not None and place[0] is not None:
        lines = subject.why(place[0], place[1] or 1, group.region)
        # The first lines say which file, cell and rule it is.
        parts.append(_lines(lines[3:]) if len(lines) > 3 else EMPTY)
    elif group.region is not None and place is not None and not subject.no_data:
        schema, at = subject.schema.source.name, f"{place[0]},{place[1]}"
        command = shlex.join(["sculpt", "why", schema, subject.path, at, group.region.name])
        parts.append(tag("p", text("How the rule comes to this cell: "), code(command, 2_000)))
    if not parts:
        return EMPTY
    return tag("details", tag("summary", text("Why?")), *parts, class_="why", id=name)


def _lines(lines: tuple[Styled, ...]) -> Html:
    """Lines as the terminal shows them; marked words stay marked."""
    made = []
    for line in lines:
        pieces = [
            tag("b", text(words, MAX_LINE)) if "bold" in style else text(words, MAX_LINE)
            for words, style in line.pieces
        ]
        made.append(tag("bdi", *pieces))
    return tag("pre", Html("\n".join(made)))


def _names(names: tuple[str, ...]) -> Html:
    listed = [code(each, 80) for each in names[:MAX_NAMES]]
    more = len(names) - MAX_NAMES
    parts: list[Html] = []
    for number, each in enumerate(listed):
        parts += [text(", ") if number else EMPTY, each]
    if more > 0:
        parts.append(text(f" and {more} more"))
    return joined(*parts)
