"""The list of files that a report on several begins with.

In: verdicts, and inputs that could not be read. Out: a summary and a table, the worst first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sculpt.report.styled import counted
from sculpt.verdict import Unread, Verdict, Verdicts
from sculpt.views.html.markup import EMPTY, Html, joined, tag, text
from sculpt.views.html.parts.groups import verdict_word, violation_words
from sculpt.views.html.parts.head import file_name

_WORDS = {
    "bad": ("is not valid", "are not valid"),
    "good": ("is valid", "are valid"),
    "idle": ("was not checked by any rule", "were not checked by any rule"),
    "unread": ("could not be read", "could not be read"),
}
_ICONS = {"bad": "✗", "good": "✓", "idle": "○", "unread": "✗"}
_HEADS = ("File", "Verdict", "Violations", "Rows", "Columns", "Checked")


def _kind(outcome: Verdict | Unread, run: Verdicts) -> str:
    return "unread" if isinstance(outcome, Unread) else verdict_word(outcome, run)[1]


def files_html(rows: Sequence[Html], outcomes: Sequence[Verdict | Unread], run: Verdicts) -> Html:
    """The head of the report, and the list."""
    kinds = Counter(_kind(each, run) for each in outcomes)
    parts = [
        f"{kinds[kind]:,} {_WORDS[kind][kinds[kind] != 1]}"
        for kind in ("unread", "bad", "idle", "good")
        if kinds[kind]
    ]
    worst = "bad" if kinds["bad"] or kinds["unread"] else "idle" if kinds["idle"] else "good"
    left = len(outcomes) - len(rows)
    note = EMPTY
    if left:
        note = tag(
            "p", text(f"{counted(left, 'more file')} did not fit into this list."), class_="note"
        )
    head = tag("tr", *(tag("th", text(each), scope="col") for each in _HEADS))
    return joined(
        tag(
            "header",
            tag(
                "h1",
                tag("span", text(_ICONS[worst]), class_="icon", aria_hidden="true"),
                tag("span", text(counted(len(outcomes), "file")), class_="word"),
            ),
            tag("p", text("; ".join(parts) + "."), class_="headline"),
            class_=f"verdict {worst}",
        ),
        tag(
            "div",
            tag(
                "table",
                tag("caption", text("The files, those with most violations first")),
                tag("thead", head),
                tag("tbody", *rows),
                class_="files",
            ),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label="The files",
        ),
        note,
    )


def files_row(outcome: Verdict | Unread, name: str | None, run: Verdicts) -> Html:
    """A file of the list; `name` is the identifier of its section."""
    kind = _kind(outcome, run)
    path = file_name(outcome.path, outcome, 200)
    shown = tag("a", path, href=f"#{name}") if name else path
    icon = tag("span", text(_ICONS[kind]), class_="icon", aria_hidden="true")
    if isinstance(outcome, Unread):
        said = tag("td", icon, text("could not be read"), colspan=len(_HEADS) - 1)
        return tag("tr", tag("th", shown, scope="row"), said, class_=kind, data_state=kind)
    word, _ = verdict_word(outcome, run)
    cells = (
        violation_words(outcome),
        f"{outcome.rows:,}",
        f"{outcome.columns:,}",
        f"{100 * outcome.coverage.share:.0f}%",
    )
    return tag(
        "tr",
        tag("th", shown, scope="row"),
        tag("td", icon, text(word.lower())),
        *(tag("td", text(each), class_="number") for each in cells),
        class_=kind,
        data_state=kind,
    )
