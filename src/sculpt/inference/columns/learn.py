"""What a column holds, learnt from its cells.

In: the texts of a column with their counts, for each file (`groups`). Out: `Learnt`: the ladder of
contents, from the tightest that new cells can be expected to have down to `Text`, the marks for
missing values, and the few texts that are likely errors.

Invariant: every step of the ladder, with marks, errors and empties, accepts every text that was
given. The order of the groups does not matter. Cost: linear in the distinct texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from sculpt.inference.columns.conventions import decimal_mark
from sculpt.inference.columns.forms import (
    INTEGER,
    NUMBER,
    TEXT,
    TYPES,
    WORDS,
    Form,
    ended,
    escaped,
    listed,
)
from sculpt.inference.columns.pictures import moments, noted, numbers
from sculpt.inference.columns.shapes import guesses
from sculpt.inference.kinds import is_missing
from sculpt.values import frozen

_MOST_TEXTS = 2_000
"""More distinct texts than this say nothing new about the form."""
_DIGIT = re.compile(r"[0-9]")
_LONGEST_MARK = 20
"""Marks are shorter than this."""


@frozen
class Strictness:
    """What is believed: thresholds, and how the files write numbers."""

    miss: float
    """The greatest share of new cells that a form may be expected to refuse."""
    list_size: int
    """The most values of a closed list."""
    list_repeats: float
    """How often a value of a closed list occurs at least, on average."""
    least: int
    """The fewest distinct texts for a shape."""
    errors: float
    """The greatest share of cells that are taken for errors."""
    decimal: str = ""
    """The decimal mark of the files' numbers, if they show it."""


STRICTNESS = {
    "loose": Strictness(0.01, 6, 8.0, 20, 0.002),
    "normal": Strictness(0.03, 12, 4.0, 6, 0.01),
    "tight": Strictness(0.08, 24, 2.0, 3, 0.02),
}


@frozen
class Learnt:
    """What a column holds."""

    ladder: tuple[tuple[Form, ...], ...]
    """Contents as alternatives, the tightest first; the last one is `Text`, or empty."""
    missing: tuple[str, ...] = ()
    """Marks for values that are not there."""
    has_empty: bool = False
    errors: tuple[str, ...] = ()
    """Texts that do not fit, and are few."""
    cells: int = 0


def learn(groups: Sequence[Counter[str]], how: Strictness) -> Learnt:
    """What the cells of all groups have in common."""
    total: Counter[str] = Counter()
    for group in groups:
        total.update(group)
    has_empty = bool(total.pop("", 0))
    count = sum(total.values())
    if not total:
        return Learnt(((),), (), has_empty, (), count)
    seen = Counter(chain.from_iterable(groups)) if len(groups) > 1 else total
    marks = marks_of(total)
    while True:
        values = {text: total[text] for text in sorted(total) if text not in marks}
        errors, kept = _errors(values, how)
        ladder = tuple(dict.fromkeys(_ladder(kept, seen, len(groups), how)))
        if errors and ladder[0][0].level == "list":  # a rare one of a few values: a unit, a code
            errors = ()
            ladder = ((listed(values),), *_ladder(values, seen, len(groups), how))
        ordinary = {text for text in marks if is_word(text) and _is_among(text, ladder[0])}
        if not ordinary:
            return Learnt(ladder, tuple(sorted(marks)), has_empty, errors, count)
        marks -= ordinary


def _is_among(text: str, forms: Iterable[Form]) -> bool:
    return any(form.accepts(text) for form in forms)


# ------------------------------------------------------------- missing values


def is_mark(text: str) -> bool:
    """Can a text stand for a missing value? Its column says whether it does: `marks_of`."""
    if not 0 < len(text) < _LONGEST_MARK or text[-1] in "0123456789":
        return False
    return is_missing(text) and not _DIGIT.search(text)


def is_word(text: str) -> bool:
    """Does it have only letters, as a name has that happens to be `Nan` or `X`?"""
    return text.replace(" ", "").isalpha()


def marks_of(texts: Mapping[str, int]) -> frozenset[str]:
    """The texts of a column that stand for missing values.

    A mark is not one of a kind: beside `Y`, `X` is a value, and so is `-` beside `+`. A word is a
    mark only among numbers, dates or codes: most of the other cells have a digit.
    """
    marks = {text for text in texts if is_mark(text)}
    values = {text: count for text, count in texts.items() if text and text not in marks}
    if not marks or not values:
        return frozenset()
    looks = {_look(text) for text in values if len(text) < _LONGEST_MARK}
    with_digits = sum(count for text, count in values.items() if _DIGIT.search(text))
    has_words = 2 * with_digits <= sum(values.values())
    return frozenset(
        text for text in marks if _look(text) not in looks and not (has_words and is_word(text))
    )


def _look(text: str) -> str:
    """A text with all letters of a case replaced by one; marks without letters look alike."""
    if not any(char.isalnum() for char in text):
        return "-"
    return "".join(("A" if c.isupper() else "a") if c.isalpha() else c for c in text)


def _ladder(
    values: dict[str, int], seen: Counter[str], groups: int, how: Strictness
) -> Iterator[tuple[Form, ...]]:
    texts = list(values) if len(values) <= _MOST_TEXTS else _sample(values)
    is_numeric = NUMBER.accepts_all(values)
    if _is_closed(values, seen, groups, how, is_numeric):
        yield (listed(values),)
    if is_numeric:
        found = _numeric(texts, how)
    else:
        known = {text for text in texts if (seen[text] if groups > 1 else values[text]) > 1}
        found = _other(texts, how, known)
    for forms in found:
        if len(texts) == len(values) or _accept(forms, values):
            yield forms
    if WORDS.accepts_all(values):
        yield (WORDS,)
    yield (TEXT,)


def _accept(forms: tuple[Form, ...], values: Iterable[str]) -> bool:
    if len(forms) == 1:
        return forms[0].accepts_all(values)
    return all(any(form.accepts(text) for form in forms) for text in values)


def _sample(values: dict[str, int]) -> list[str]:
    step = len(values) // _MOST_TEXTS + 1
    return list(values)[::step]


def _is_closed(
    values: dict[str, int], seen: Counter[str], groups: int, how: Strictness, is_numeric: bool
) -> bool:
    """Are these all the values there are? Then each was seen several times, and in most files."""
    count, once = sum(values.values()), sum(1 for each in values.values() if each == 1)
    if len(values) > (min(3, how.list_size) if is_numeric else how.list_size):
        return False
    if any(len(text) > 40 for text in values):
        return False
    if count < how.list_repeats * len(values) or once > how.miss * count:
        return False
    if is_numeric and count < 10 * len(values):
        return False
    return groups == 1 or all(seen[text] > 1 for text in values)


_YEAR = Form("shape", "(19|20)[0-9]{2}", "(19|20)[0-9]{2}", "=")


def _numeric(texts: Sequence[str], how: Strictness) -> Iterator[tuple[Form, ...]]:
    if any(re.fullmatch(r"0[0-9]+", text) for text in texts):  # a code: its zeros are meant
        yield from _shaped(texts, how)
        return
    if len(texts) >= 3 and all(_YEAR.accepts(text) for text in texts):
        yield (_YEAR,)
    yield (_number(texts, how),)
    yield (NUMBER,)


def _number(texts: Sequence[str], how: Strictness) -> Form:
    """The type or picture of texts that all could be numbers of XML Schema."""
    if all(INTEGER.accepts(text) for text in texts):
        return INTEGER
    if decimal_mark([texts]):
        return NUMBER
    if how.decimal == ",":
        return next(iter(numbers(texts, ",")), NUMBER)
    return NUMBER if how.decimal else noted(NUMBER, texts)


def _other(
    texts: Sequence[str], how: Strictness, often: Collection[str]
) -> Iterator[tuple[Form, ...]]:
    known = [form for form in TYPES if all(form.accepts(text) for text in texts)]
    known += list(moments(texts))[:1] or list(numbers(texts, how.decimal))
    if known:
        yield (known[0],)
        yield from _shaped(texts, how, ("classes",))
        return
    yield from _mixed(texts, how, often)
    yield from _shaped(texts, how, often=often)


_MARKED = re.compile(r"(?P<mark>[<>~=*]{1,2})?(?P<gap>\s)?[0-9][0-9.,]*(?P<star>\*)?")


def _is_marked(text: str) -> bool:
    found = _MARKED.fullmatch(text)
    return found is not None and bool(found["mark"] or found["star"])


def _mixed(
    texts: Sequence[str], how: Strictness, often: Collection[str]
) -> Iterator[tuple[Form, ...]]:
    """Numbers beside a few other texts, such as `Trace` and `<5`."""
    plain = [text for text in texts if NUMBER.accepts(text)]
    marked = [text for text in texts if _is_marked(text)]
    known = {*plain, *marked}
    rest = [text for text in texts if text not in known]
    if len(plain) < max(3, len(rest) / 2) or any(re.fullmatch(r"0[0-9]+", t) for t in plain):
        return
    others: tuple[Form, ...] = (_marked(marked),) if marked else ()
    if rest:
        second = next(iter(_second(rest, how, often)), None)
        if second is None and len(rest) * 4 <= len(texts):  # then it matters little if it is wrong
            second = next(
                (each.form for each in guesses(rest) if each.form.level == "classes"), None
            )
        if second is None:
            return
        others = (*others, second)
    yield (_number(plain, how), *others)
    yield (NUMBER, *others)


def _marked(texts: Sequence[str]) -> Form:
    """Numbers with a mark before or after them. Where one bound is, there may be the other."""
    found = [each for text in texts if (each := _MARKED.fullmatch(text))]
    marks = {each["mark"] for each in found if each["mark"]}
    marks |= {"<", ">"} if marks & {"<", ">"} else set()
    written = "|".join(ended(escaped(mark)) for mark in sorted(marks))
    twin = "|".join(re.escape(mark) for mark in sorted(marks))
    optional = "" if all(each["mark"] for each in found) else "?"
    written = f"({written}){optional}" if marks else ""
    twin = f"(?:{twin}){optional}" if marks else ""
    if any(each["gap"] for each in found):
        written, twin = f"{written} ?", f"{twin} ?"
    star = r"\*?" if any(each["star"] for each in found) else ""
    return Form("lengths", f"{written}[0-9.,]+{star}", f"{twin}[0-9.,]+{star}", "=")


def _second(rest: Sequence[str], how: Strictness, often: Collection[str]) -> Iterator[Form]:
    """What stands beside numbers; `often` are the texts that were seen before, or elsewhere."""
    yield from numbers(rest, how.decimal)
    if len(rest) <= 4 and all(len(text) <= 40 and text in often for text in rest):
        yield listed(rest)
    for guess in guesses(rest):
        if guess.form.level in ("shape", "lengths") and guess.miss <= how.miss * 4:
            yield guess.form
    if all(re.fullmatch(r"[A-Za-z][A-Za-z .,'-]*", text) and len(text) <= 40 for text in rest):
        yield _REMARKS


_REMARKS = Form("classes", "[A-Za-z .,'\\-]+", "[A-Za-z .,'\\-]+", "=")


def _shaped(
    texts: Sequence[str],
    how: Strictness,
    only: Collection[str] = (),
    often: Collection[str] = (),
) -> Iterator[tuple[Form, ...]]:
    if not only and _are_few_words(texts, often):
        return
    few = len(texts) < how.least
    is_code = few and 2 * len(texts) > how.least and _are_codes(texts, often)
    for guess in guesses(texts):
        if only and guess.form.level not in only:
            continue
        if is_code and guess.form.level == "shape" and guess.groups == 1:
            yield (guess.form,)
        if few and guess.form.level in ("shape", "lengths"):
            continue
        # One text with a rare character says little if there are not many texts.
        one = 1.01 / len(texts) if guess.form.level == "classes" and len(texts) >= 20 else 0.0
        if guess.miss <= max(how.miss, one) or (
            few and guess.form.level == "blocks" and len(texts) > 2
        ):
            yield (guess.form,)


_FEW_WORDS = 12
_LETTERS = re.compile(r"[^\W\d_][^\W\d_ .,'-]*(?:[ .,'-]+[^\W\d_]*)*")


def _are_few_words(texts: Sequence[str], often: Collection[str]) -> bool:
    """Are these few different words, most of them seen once? Then others may look different.

    Of more words, or of words that came again, their characters say what others look like.
    """
    once = sum(text not in often for text in texts)
    if len(texts) >= _FEW_WORDS or 2 * once <= len(texts):
        return False
    return all(len(text) <= 40 and _LETTERS.fullmatch(text) for text in texts)


_RUN = re.compile(r"[0-9]+")


def _are_codes(texts: Sequence[str], often: Collection[str]) -> bool:
    """Do few texts show how long their numbers are?

    `M-001` does, with its padding. A single digit may be the first of ten, unless all texts came
    again and no longer one with them.
    """
    runs = [_RUN.findall(text) for text in texts]
    if not all(runs):
        return False
    return all(len(run) > 1 for found in runs for run in found) or all(
        text in often for text in texts
    )


def _errors(values: dict[str, int], how: Strictness) -> tuple[tuple[str, ...], dict[str, int]]:
    """The few texts without which the column is of one known kind; and the other texts."""
    count = sum(values.values())
    if count < 20:
        return (), values
    most = max(1, int(how.errors * count))
    whole = () if how.decimal == "," else (INTEGER,)  # 1.000 beside 10 is no error there
    for form in (*whole, NUMBER, *TYPES[:3]):
        if form.accepts_all(values):
            return (), values
        odd = list(islice((text for text in values if not form.accepts(text)), 5))
        is_rare = 0 < len(odd) <= 4 and sum(values[text] for text in odd) <= most
        if is_rare and all(len(text) <= 40 and text.isprintable() for text in odd):
            return tuple(odd), {t: n for t, n in values.items() if t not in odd}
    return (), values
