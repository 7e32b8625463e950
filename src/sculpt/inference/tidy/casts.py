"""Expressions that give the text of a cell its value.

In: the texts of some cells, and the expression of such a cell. Out: a ladder of expressions: with a
type, if all texts that are not marks have one, then as text. Invariant: the first step is the value
of every text by the pictures and types that `columns` knows; the program is run before it is
believed. Cost: that of `learn`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sculpt.inference.columns.forms import TEXT, Form, written_as
from sculpt.inference.columns.learn import Learnt, Strictness, learn
from sculpt.inference.emit.words import Tok, Words, missing_piece
from sculpt.inference.kinds import DECIMAL, INTEGER, NUMERIC, YEAR, kind_of

_MOST_FORMS = 3


def cast_ladder(
    cell: Words, texts: Counter[str], how: Strictness, wish: str, marks: Form | None
) -> tuple[Words, ...]:
    """The value of a cell; missing ones are null."""
    learnt = learn([texts], how)
    form = typed_form(learnt)
    plain = _plain(cell, texts, learnt, marks)
    if form is None:
        return (plain,) if plain == cell else (plain, cell)
    is_partial = learnt.missing or learnt.has_empty or learnt.errors
    cast: Words = (*cell, " as ", Tok(form, wish))
    return ((*cast, " optional") if is_partial else cast, plain, cell)


def found_ladder(
    look_up: Words, texts: Counter[str], how: Strictness, wish: str
) -> tuple[Words, ...]:
    """The value of what a look-up finds: a label or a heading."""
    learnt = learn([texts], how)
    form = typed_form(learnt)
    if form is None or learnt.errors or learnt.missing:
        return (look_up,)
    cast: Words = (*look_up, " as ", Tok(form, wish))
    return ((*cast, " optional") if learnt.has_empty else cast, look_up)


def _plain(cell: Words, texts: Counter[str], learnt: Learnt, marks: Form | None) -> Words:
    """The text of a cell, if it has one that is no mark."""
    questions: list[Words] = []
    if learnt.has_empty:
        questions.append((*cell, " is ", Tok(TEXT, "")))
    if learnt.missing:
        questions.append((*cell, " is not ", missing_piece(learnt.missing, marks, texts)))
    if not questions:
        return cell
    joined = questions[0] if len(questions) == 1 else (*questions[0], " and ", *questions[1])
    return ("if ", *joined, " then ", *cell)


def typed_form(learnt: Learnt) -> Form | None:
    """The type or picture of all values; none if they are texts or codes.

    Steps before it, such as a list or the form of a year, only say more about the same values.
    """
    for forms in learnt.ladder:
        if len(forms) == 1 and forms[0].level in ("type", "picture"):
            return forms[0]
    return None


def figure_fields(
    columns: Sequence[Counter[str]], how: Strictness, wish: str
) -> tuple[tuple[str, tuple[Words, ...]], ...]:
    """The fields for the values of a cross table: the value, and a remark if some are texts."""
    cell: Words = ("v",)
    total: Counter[str] = Counter()
    for column in columns:
        total.update(column)
    kinds = _by_kind(total)
    form = _shared_form([total], how) or _shared_form(columns, how)
    form = form or _shared_form(kinds.values(), how)
    if form is not None:
        return (("value", ((*cell, " as ", Tok(form, wish)), cell)),)
    kinds.pop("", None)
    count = sum(part.total() for part in kinds.values())
    form = _shared_form(kinds.values(), how) if count * 2 >= total.total() else None
    if form is None:
        return (("value", (cell,)),)
    token = Tok(form, wish)
    value: Words = ("if v is ", token, " then v as ", token)
    return (("value", (value, cell)), ("remark", (("if v is not ", token, " then v"),)))


def _by_kind(texts: Counter[str]) -> dict[str, Counter[str]]:
    """Numbers by how they are written; under an empty kind, what are none."""
    found: dict[str, Counter[str]] = {}
    for text, often in texts.items():
        kind = kind_of(text)
        if kind in (INTEGER, DECIMAL, YEAR):
            kind = DECIMAL
        found.setdefault(kind if kind in NUMERIC else "", Counter())[text] += often
    return found


def _shared_form(columns: Iterable[Counter[str]], how: Strictness) -> Form | None:
    """One form for the values of all columns, perhaps of several pictures."""
    found: dict[str, Form] = {}
    for column in columns:
        if not column:
            continue
        learnt = learn([column], how)
        form = typed_form(learnt)
        if form is None or learnt.errors:
            return None
        found[form.written] = form
    if not found:
        return None
    forms = [found[written] for written in sorted(found)]
    if {each.written for each in forms} == {"Integer", "Number"}:
        return found["Number"]
    if len(forms) == 1:
        return forms[0]
    if len(forms) > _MOST_FORMS or any("?P<" in each.pattern for each in forms):
        return None
    written = " or ".join(written_as(each) for each in forms)
    return Form("picture", written, "|".join(each.pattern for each in forms), ":=")
