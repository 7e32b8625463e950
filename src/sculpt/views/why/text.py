"""Why a cell is in a region or not, as text for people.

In: a `Why`. Out: `Styled` lines. Invariant: every character of a cell or a schema is visible, so no
text of a file can steer the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from sculpt.core.documentation import title_of
from sculpt.engines.messages.words import one_of, quoted
from sculpt.report.styled import Styled, styled, width
from sculpt.report.text import counted, visible
from sculpt.views.why.model import Answer, ContentTrace, Letter, Part, Why
from sculpt.views.why.sentences import at, cell_words

MAX_OTHERS = 20
"""The most regions shown that do not hold the cell; those that do are all shown."""
LINE, MIN_LINE = 100, 50
"""The most columns of a line with a reason: a longer one is wrapped; and the least for that."""
_MARKS = {True: ("yes", "bold green"), False: ("no ", "bold red")}


def why_text(why: Why) -> Iterator[Styled]:
    """The cell, then a paragraph for each region; those that hold the cell come first."""
    place = f"{visible(why.path)}: row {why.row}, column {why.column}"
    yield styled((place, "bold"), f": {_cell(why)}")
    holding = [each for each in why.answers if each.selected]
    others = [each for each in why.answers if not each.selected]
    if len(why.answers) != 1:
        yield _summary(why, holding)
    for answer in [*holding, *others[:MAX_OTHERS]]:
        yield styled()
        yield from _answer(answer)
    if others[MAX_OTHERS:]:
        left = counted(len(others) - MAX_OTHERS, "other region does", "other regions do")
        text = f"… {left} not hold the cell; name one to see why, such as {others[-1].region}"
        yield styled()
        yield styled((text, "dim"))


def _cell(why: Why) -> str:
    if why.text is None:
        return f"a padded cell (row {why.row} of the file ends before it)"
    return quoted(why.text)


def _summary(why: Why, holding: list[Answer]) -> Styled:
    if not why.answers:
        return styled("the schema has no rules, so nothing selects this cell")
    kind = "rule" if all(each.kind == "rule" for each in why.answers) else "region"
    if not holding:
        return styled(f"none of {counted(len(why.answers), kind)} selects this cell")
    names = ", ".join(each.region for each in holding[:MAX_OTHERS])
    verb = "selects" if len(holding) == 1 else "select"
    return styled(f"{len(holding)} of {counted(len(why.answers), kind)} {verb} this cell: {names}")


def _answer(answer: Answer) -> Iterator[Styled]:
    line = "" if answer.line is None else f", line {answer.line}"
    yield styled((f"{answer.region}{line}", "bold"), f": {visible(answer.text)}")
    title = title_of(answer.documentation)
    if title:
        yield styled((f"  {visible(title)}", "dim"))
    verdict = "selected" if answer.selected else "not selected"
    yield styled("  ", (verdict, "bold green" if answer.selected else "bold red"))
    yield from _part(answer.part, "    ")
    if answer.content is not None:
        yield from _content(answer, answer.content)


# ------------------------------------------------------------- selectors


def _part(part: Part, indent: str) -> Iterator[Styled]:
    text = f" {visible(part.text)}" + (":" if part.reason else "")
    if width(f"{indent}yes{text} {part.reason}") <= LINE:
        yield styled(indent, _MARKS[part.holds], text, f" {part.reason}" if part.reason else "")
    else:
        room = max(MIN_LINE, LINE - len(indent) - 4)
        yield styled(indent, _MARKS[part.holds], text)
        for line in wrap(part.reason, room, break_on_hyphens=False):
            yield styled(f"{indent}    {line}")
    for each in part.parts:
        yield from _part(each, indent + "    ")
    if part.origin is not None:
        where = at((part.origin.row, part.origin.column))
        yield styled(f"{indent}    it starts at {where}, because there:")
        yield from _part(part.origin, indent + "      ")
    if part.stop is not None and part.stop.test is not None and _has_more(part.stop.test):
        where = at((part.stop.test.row, part.stop.test.column))
        yield styled(f"{indent}    it stops at {where}, because there:")
        yield from _part(part.stop.test, indent + "      ")


def _has_more(part: Part) -> bool:
    """Is there more to say about a test than one sentence?"""
    return bool(part.parts) or (part.stop is not None and part.stop.test is not None)


# ------------------------------------------------------------- content


def _content(answer: Answer, trace: ContentTrace) -> Iterator[Styled]:
    unit = _unit(trace, answer)
    outcomes = {
        "passes": ("matches", "bold green"),
        "fails": ("does not match", "bold red"),
        "unknown": ("is too long to be read to its end as", "bold yellow"),
    }
    yield styled(f"  {unit} ", outcomes[trace.outcome], f" {visible(trace.text)}{_where(trace)}")
    here = (answer.part.row, answer.part.column)
    letters = trace.letters
    if not trace.expected:  # nothing is read any more: there is nothing to see around the cell
        letters = tuple(each for each in letters if (each.row, each.column) == here)
    elif trace.before:
        yield styled((f"      … {_counted(trace.before, trace)} before", "dim"))
    heads = [_head(letter) for letter in letters]
    room = max(map(width, heads), default=0)
    for letter, head in zip(letters, heads, strict=True):
        is_here = letter.item is None and (letter.row, letter.column) == here
        pad = " " * (room - width(head))
        mark = "  > " if is_here else "    "
        words, style = _letter(letter, trace, is_here or letter.item is not None)
        yield styled(("  " + mark, "bold"), f"{head}{pad}  ", (words, style))
    if trace.more and trace.expected:
        yield styled((f"      … more {'items' if trace.scope == 'list' else 'cells'} after", "dim"))
    elif trace.ends_early and not trace.more:
        text = f"      then {_end(trace)} ends, too early: expected {_names(trace.wanted)}"
        yield styled((text, "red"))
    if trace.hint:
        yield styled((f"      hint: {visible(trace.hint)}", "cyan"))


def _unit(trace: ContentTrace, answer: Answer) -> str:
    match trace.scope:
        case "row":
            return f"row {answer.part.row} of the region"
        case "column":
            return f"column {answer.part.column} of the region"
        case "region":
            return "the region"
        case "list":
            return "the list in the cell"


def _end(trace: ContentTrace) -> str:
    return "the region" if trace.scope == "region" else f"the {trace.scope}"


def _counted(count: int, trace: ContentTrace) -> str:
    return counted(count, "item" if trace.scope == "list" else "cell")


def _where(trace: ContentTrace) -> str:
    """Where a word fails, if that is not among the letters that are shown."""
    shown = {(letter.row, letter.column) for letter in trace.letters}
    if trace.outcome != "fails" or trace.scope == "list":
        return ""
    if trace.failed_at is not None and (trace.failed_at not in shown or not trace.expected):
        return f": it fails at {at(trace.failed_at)}, expected {_names(trace.wanted)}"
    if trace.ends_early and trace.more:
        return f": it ends too early, expected {_names(trace.wanted)}"
    return ""


def _head(letter: Letter) -> str:
    name = at((letter.row, letter.column)) if letter.item is None else f"item {letter.item}"
    return f"{name} {cell_words(letter.text)}"


def _letter(letter: Letter, trace: ContentTrace, is_here: bool) -> tuple[str, str]:
    if not letter.expected:
        return "not read, because of the failure before it", "dim"
    if letter.read:
        more = [name for name in letter.expected if name not in letter.read]
        possible = f"; also possible: {', '.join(map(visible, more[:8]))}" if more else ""
        return f"read as {_names(letter.read)}{possible if is_here else ''}", ""
    if letter.skipped:
        return "passed over", "dim"
    return f"wrong: expected {_names(letter.expected)}", "bold red"


def _names(names: tuple[str, ...]) -> str:
    return visible(one_of(names))
