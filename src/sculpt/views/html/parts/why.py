"""Why a place violates a rule, as HTML.

In: a violation of a `Group`, and what the view says of its cell. Out: a `<details>` element. What
the verdict says is always there: what the cell is read as, and what could have followed. Nothing is
said without data but what was expected.
"""

from __future__ import annotations

from sculpt.verdict import Violation
from sculpt.views.html.markup import EMPTY, Html, code, joined, tag, text
from sculpt.views.html.parts.groups import Group
from sculpt.views.html.subject import Subject

MAX_NAMES = 12


def why_html(
    subject: Subject, group: Group, violation: Violation, name: str, in_full: bool
) -> Html:
    """What the cell was read as, what could have come here, and how the rule selects it."""
    parts = []
    if group.tally.text:
        line = f" on line {group.tally.line}" if group.tally.line else ""
        parts.append(
            tag("p", text(f"{group.name.capitalize()}{line}: "), code(group.tally.text, 400))
        )
    if violation.column and not subject.no_data and violation.found is not None:
        read = _names(violation.tokens) or text("none that the schema mentions")
        parts.append(tag("p", text("The cell is read as: "), read, text(".")))
    if violation.expected:
        parts.append(
            tag("p", text("What could come here: "), _names(violation.expected), text("."))
        )
    if not parts:
        return EMPTY
    return tag("details", tag("summary", text("Why?")), *parts, class_="why", id=name)


def _names(names: tuple[str, ...]) -> Html:
    listed = [code(each, 80) for each in names[:MAX_NAMES]]
    more = len(names) - MAX_NAMES
    parts: list[Html] = []
    for number, each in enumerate(listed):
        parts += [text(", ") if number else EMPTY, each]
    if more > 0:
        parts.append(text(f" and {more} more"))
    return joined(*parts)
