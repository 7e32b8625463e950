"""What a few files have in common by chance: it is not asked of others.

In: the drafts for a few sheets. Out: the same, in which other files may differ. A text in the
column of labels with anything before and anything after it is no part of a table, and no place is
known for it: it may be absent. Beside numbers, a few files show only some of the remarks that their
kind has: any text is accepted there. Invariant: each step of a draft accepts what it accepted
before. Cost: linear in the drafts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.inference.columns.forms import NUMBER, WORDS
from sculpt.inference.emit.order import Order
from sculpt.inference.emit.words import (
    ANYTHING,
    MISSING_WISH,
    Draft,
    Lit,
    Piece,
    Tok,
    Words,
    counted,
)
from sculpt.values import replace

ENOUGH = 8
"""What this many files have in common is not a chance."""
_FREE = counted(ANYTHING, "*")
_REMARK = "remark"
_VAGUE = ("text", "classes", "blocks")


def without_chances(order: Order | None) -> Order | None:
    """The rule about the column of labels, without texts that have no place."""
    if order is None or order.draft is None:
        return order
    ladder = tuple(dict.fromkeys(map(_placed, order.draft.ladder)))
    if ladder == order.draft.ladder:
        return order
    items = list(_items(ladder[0]))
    if items == [_FREE]:
        return Order(order.column, None, False)
    is_sure = any(len(each) == 1 and not isinstance(each[0], str) for each in items)
    is_sure = is_sure or any(map(_is_telling, items))
    return Order(order.column, replace(order.draft, ladder=ladder), is_sure)


def _placed(words: Words) -> Words:
    """The items of a content that stand beside something that is known."""
    items = list(_items(words))
    kept: list[Words] = []
    for place, item in enumerate(items):
        after = items[place + 1] if place + 1 < len(items) else None
        is_text = len(item) == 1 and not isinstance(item[0], str)
        if is_text and kept and kept[-1] == _FREE == after:
            continue
        if item != _FREE or not kept or kept[-1] != _FREE:
            kept.append(item)
    found: list[Piece] = []
    for item in kept:
        found += [", ", *item] if found else item
    return tuple(found)


def _items(words: Words) -> Iterator[Words]:
    """The parts of a sequence."""
    start = depth = 0
    for place, piece in enumerate(words):
        if piece == ", " and not depth:
            yield words[start:place]
            start = place + 1
        elif isinstance(piece, str):
            depth += piece.count("(") - piece.count(")")
    yield words[start:]


def _is_telling(item: Words) -> bool:
    """Does it ask for texts of a known form?"""
    return item[-1:] == ("+",) and not any(
        each == "Empty" or (isinstance(each, Tok) and each.form.level in _VAGUE) for each in item
    )


def with_other_remarks(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Rules about cells that are mostly numbers: the remarks beside them may be others."""
    for draft in drafts:
        ladder = tuple(dict.fromkeys(map(_opened, draft.ladder)))
        yield draft if ladder == draft.ladder else replace(draft, ladder=ladder)


def _opened(words: Words) -> Words:
    if not any(isinstance(each, Tok) and each.form == NUMBER for each in words):
        return words
    remarks = [
        place
        for place, each in enumerate(words)
        if " | " in words[max(0, place - 1) : place + 2] and _is_remark(each)
    ]
    found: list[Piece] = []
    for place, each in enumerate(words):
        if place not in remarks:
            found.append(each)
        elif place == remarks[0]:
            found.append(Tok(WORDS, "words"))
        else:  # it is among the words already
            found.pop()
    return tuple(found)


def _is_remark(piece: Piece) -> bool:
    """Is it for texts that are no numbers, and no marks or bounds of one?"""
    if isinstance(piece, Lit):
        return True
    if not isinstance(piece, Tok) or piece.wish == MISSING_WISH:
        return False
    return piece.wish == _REMARK or piece.form.level == "list"
