"""Which step of each draft is taken: the tightest one that refuses nothing.

In: drafts, counts. Out: a `Choice`. A rule about columns that refuses only a few cells gets these
texts as further alternatives: marks for missing values, values of a list, likely errors, which a
comment names. Invariant: as far as counts tell, the chosen steps accept all files; `is_sure` says
whether they tell everything. Cost: linear in the steps.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sculpt.inference.columns.forms import is_writable, listed
from sculpt.inference.columns.learn import Strictness, is_mark, is_word
from sculpt.inference.emit.words import MISSING_WISH, Draft, Lit, Piece, Tok, grown, likely_error
from sculpt.inference.proof.counting import Counts, steps_of
from sculpt.values import field, frozen, replace

_MOST_ERRORS = 5
"""More different texts than this are no exceptions."""


@frozen
class Choice:
    """Drafts, and the step of each that is taken; the first where nothing is said."""

    drafts: tuple[Draft, ...]
    levels: Mapping[int, int] = field(default_factory=dict)
    is_sure: bool = True
    """Is it known that the steps accept all files?"""

    def widened(self, places: Iterable[int], steps: int) -> Choice:
        """Some drafts taken further."""
        more = {place: self.levels.get(place, 0) + steps for place in places}
        return replace(self, levels={**self.levels, **more})


def choose(choice: Choice, counts: Counts, how: Strictness) -> Choice:
    """The tightest steps that refuse nothing, by counts of all steps of all drafts."""
    drafts, levels, is_sure = [*choice.drafts], {}, True
    for place, draft in enumerate(choice.drafts):
        if not counts.failed[place, 0]:
            continue
        texts = counts.texts(place) if draft.cells else None
        wider = _grown(draft, texts, counts, place, how) if texts else None
        if wider is not None:
            drafts[place] = wider
            is_sure = is_sure and not draft.suffix  # only the first cell of a row is listed
            continue
        free = (level for level in steps_of(draft) if not counts.failed[place, level])
        levels[place] = next(free, steps_of(draft).stop)
    if any(draft.arrow == "=>" and place not in levels for place, draft in enumerate(drafts)):
        levels |= {place: len(draft.ladder) for place, draft in enumerate(drafts) if draft.is_spare}
    return Choice(tuple(_with_all_marks(drafts)), levels, is_sure)


def _grown(
    draft: Draft, texts: Counter[str], counts: Counts, place: int, how: Strictness
) -> Draft | None:
    """A rule that accepts further texts; `None` if they are too many, or cannot be written."""
    has_words = any(map(_has_words, draft.cells))
    marks = [text for text in sorted(texts) if is_mark(text) and not (has_words and is_word(text))]
    rest = Counter({text: n for text, n in texts.items() if text and text not in marks})
    if not all(map(is_writable, (*marks, *rest))):
        return None
    wider, odd = _listed_more(draft, rest, how)
    if len(odd) > _MOST_ERRORS or odd.total() > max(1, how.errors * counts.checked(place)):
        return None
    more: list[Piece] = [Lit(text) for text in sorted(odd)]
    if marks and not any(
        isinstance(each, Tok) and each.wish == MISSING_WISH for each in wider.cells
    ):
        more.append(Tok(listed(marks), MISSING_WISH))
    if "" in texts:
        more.append("Empty")
    found = grown(wider, more)
    notes = [_note(text, odd[text], counts, place) for text in sorted(odd)]
    about = "; ".join(notes)
    if about:
        found = replace(found, about=f"{found.about} {about[0].upper()}{about[1:]}.".strip())
    return found


def _note(text: str, rows: int, counts: Counts, place: int) -> str:
    for each in counts.files:
        if (row := each.first.get((place, text))) is not None:
            where = f"row {row:,}" + (
                f" of {os.path.basename(each.path)}" if len(counts.files) > 1 else ""
            )
            return likely_error(text, rows, where)
    raise AssertionError(text)


def _has_words(piece: Piece) -> bool:
    """Does a content have cells without digits? Then a word is no mark."""
    if not isinstance(piece, Tok) or _is_missing(piece):
        return isinstance(piece, Lit) and is_word(piece.text)
    if piece.form.texts:
        return any(map(is_word, piece.form.texts))
    return piece.form.level not in ("type", "picture") and "0-9" not in piece.form.written


def _is_missing(piece: Piece) -> bool:
    """Is it the token for missing values?"""
    return isinstance(piece, Tok) and piece.wish == MISSING_WISH


def _listed_more(draft: Draft, rest: Counter[str], how: Strictness) -> tuple[Draft, Counter[str]]:
    """A closed list with further values that were seen several times; what is left of the texts."""
    for each in draft.cells:
        if not isinstance(each, Tok) or each.form.level != "list" or _is_missing(each):
            continue
        more = {text for text, count in rest.items() if count > 1}
        if more and len(each.form.texts) + len(more) <= how.list_size:
            wider = Tok(listed({*each.form.texts, *more}), each.wish)
            left = Counter({text: count for text, count in rest.items() if text not in more})
            return _swapped(draft, each, wider), left
    return draft, rest


def _with_all_marks(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with one token for missing values, which has the marks of all of them."""
    known = {each for draft in drafts for each in draft.cells if _is_missing(each)}
    marks = {text for each in known if isinstance(each, Tok) for text in each.form.texts}
    if len(known) < 2:
        return [*drafts]
    joined = Tok(listed(marks), MISSING_WISH)
    for each in known:
        drafts = [_swapped(draft, each, joined) for draft in drafts]
    return [*drafts]


def _swapped(draft: Draft, old: Piece, new: Piece) -> Draft:
    def words(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        return tuple(new if each == old else each for each in pieces)

    ladder = tuple(words(each) for each in draft.ladder)
    return replace(draft, cells=words(draft.cells), ladder=ladder)
