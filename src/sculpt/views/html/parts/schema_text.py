"""The text of a schema, each rule with the colour of its region and what was found.

In: a schema, its regions, and for each statement a remark with a link. Out: a list of lines. The
text of the main file comes first, then each file that it includes and that has rules. A line that
belongs to no rule stays as it is. At most `MAX_BYTES` of text are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sculpt.diagnostics import Source
from sculpt.report.styled import counted
from sculpt.schema import Schema
from sculpt.values import frozen
from sculpt.views.html.markup import EMPTY, Html, joined, size, tag, text
from sculpt.views.model import Region

MAX_BYTES = 400_000
MAX_LINE = 1_000


@frozen
class Remark:
    """What is said beside a statement."""

    words: str
    kind: str = ""
    """`bad` for violations, `warns` for warnings."""
    href: str | None = None


@frozen
class _Mark:
    colour: int
    label: str
    number: int | None
    """Of its region, if it can be brought into focus."""
    remark: Remark | None


Remarks = Callable[[Region], "Remark | None"]


def schema_html(
    schema: Schema,
    regions: Sequence[Region],
    remark: Remarks,
    limit: int = MAX_BYTES,
    has_focus: bool = True,
) -> Html:
    """The schema as numbered lines; with focus, its regions can be brought into focus."""
    sources, marks = _marks(schema, regions, remark, has_focus)
    left = limit
    parts: list[Html] = []
    for source in sources:
        if len(sources) > 1:
            parts.append(tag("h4", text(source.name, 300)))
        lines: list[Html] = []
        written = source.text.removesuffix("\n").split("\n")
        for number, line in enumerate(written, 1):
            made = _line(number, line.rstrip("\r"), marks.get((source.name, number)))
            left -= size(made)
            if left < 0:
                break
            lines.append(made)
        parts.append(
            tag(
                "div",
                tag("ol", *lines),
                class_="schema",
                tabindex=0,
                role="region",
                aria_label=f"Schema {source.name[:200]}",
            )
        )
        if left < 0:
            rest = counted(len(written) - len(lines), "line")
            parts.append(tag("p", text(f"{rest} of the schema are left out."), class_="note"))
            break
    return joined(*parts)


def _marks(
    schema: Schema, regions: Sequence[Region], remark: Remarks, has_focus: bool
) -> tuple[list[Source], dict[tuple[str, int], _Mark]]:
    """The files to show, and by file and line what is said there."""
    sources = [schema.source]
    marks: dict[tuple[str, int], _Mark] = {}
    spans = {f"rule:{rule.number}": rule.span for rule in schema.core.rules}
    for number, region in enumerate(regions):
        if region.line is None:
            continue
        if region.name in spans:
            source = spans[region.name].source
            if source.name not in [each.name for each in sources]:
                sources.append(source)
        else:
            found = [each for each in sources if _is_at(each, region.line, region.text)]
            if not found:
                continue
            source = found[0]
        label = region.name.replace(":", " ", 1)
        focus = number if has_focus else None
        mark = _Mark(region.colour, label, focus, remark(region))
        marks.setdefault((source.name, region.line), mark)
    return sources, marks


def _is_at(source: Source, line: int, statement: str) -> bool:
    """Does a statement begin on this line? A token type does not say which file it is in."""
    if line > source.text.count("\n") + 1:
        return False
    name = statement.partition("<=")[0].strip()
    return source.line(line).strip().startswith(name)


def _line(number: int, line: str, mark: _Mark | None) -> Html:
    words = tag("code", tag("bdi", text(line, MAX_LINE)))
    if mark is None:
        kind = "comment" if line.lstrip().startswith("%") else None
        return tag("li", words, class_=kind, value=number)
    chip = chip_html(mark.colour, mark.label, mark.number)
    return tag("li", chip, words, _remark(mark.remark), class_=f"c{mark.colour} rule", value=number)


def chip_html(colour: int, label: str, number: int | None = None) -> Html:
    """A region's colour with its name; the script makes it a button that brings it into focus."""
    return tag("span", text(label, 60), class_=f"chip c{colour}", data_focus=number)


def _remark(remark: Remark | None) -> Html:
    if remark is None:
        return EMPTY
    classes = f"remark {remark.kind}".rstrip()
    if remark.href is None:
        return tag("span", text(remark.words), class_=classes)
    return tag("a", text(remark.words), class_=classes, href=remark.href)
