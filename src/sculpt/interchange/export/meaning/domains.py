"""What a column may hold, in the terms that other systems have: a type, bounds, texts, marks.

In: the alternatives of a column. Out: a `Domain`, or a `Misfit` that says why no single type
describes them. The marks are the texts that are accepted besides the values of the type: `n/a`, or
an empty cell. Texts of a column that has no type are an enumeration.

Invariant: a text satisfies the alternatives exactly if it is a mark, or in the domain otherwise.
Cost: linear in the alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.core import ir
from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.model import Base, Condition, Relation
from sculpt.core.dialect import Delimiter
from sculpt.interchange.export.meaning.alternatives import (
    Alternative,
    Sign,
    Vocabulary,
    has_text,
)
from sculpt.interchange.export.meaning.atoms import (
    Bound,
    Items,
    Shape,
    Typed,
    Word,
    apart,
    implies,
    satisfies,
    texts_of,
)
from sculpt.interchange.export.meaning.formulas import conjunction
from sculpt.syntax.regular import CharSet, Choice, Letter, Regular, Repeat
from sculpt.values import frozen, replace

_RELATIONS: tuple[Relation, ...] = (">=", ">", "<=", "<", "=", "!=")


@frozen
class Misfit:
    """Why something has no counterpart."""

    reason: str
    hint: str = ""


@frozen
class ListOf:
    """A list: what its items are, what is between them, and how many there may be."""

    item: Domain
    delimiter: Delimiter
    low: int = 0
    high: int | None = None


@frozen
class Domain:
    """The values of a column, and the marks that stand for none."""

    base: Base | None = None
    """The type; `None` for texts."""
    bounds: tuple[Condition, ...] = ()
    shapes: tuple[Shape, ...] = ()
    """Expressions that a text matches, all of them."""
    texts: tuple[str, ...] = ()
    """If there are any: the only texts."""
    values: tuple[str, ...] = ()
    """If there are any: the only values of the type, as XML Schema writes them."""
    items: ListOf | None = None
    marks: tuple[str, ...] = ()
    """What is accepted besides; an empty text is an empty cell."""
    refused: tuple[str, ...] = ()
    """Texts that stand for no value where every cell must have one."""

    @property
    def is_required(self) -> bool:
        """Must every cell have a value?"""
        return not self.marks or bool(self.refused)

    @property
    def missing(self) -> tuple[str, ...]:
        """The texts that stand for no value; without any, an empty cell does."""
        return self.refused or self.marks or ("",)


_NO_TEXT = Condition(Base("xs:string"), "length", "<=", "0")
"""What texts of a column satisfy whose cells are all empty."""


def domain_of(alternatives: Iterable[Alternative], vocabulary: Vocabulary) -> Domain | Misfit:
    """The domain that alternatives describe together."""
    words: list[str] = []
    others: list[Alternative] = []
    for each in alternatives:
        signs = list(each)
        if len(signs) == 1 and isinstance(signs[0].atom, Word) and signs[0].holds:
            words.append(signs[0].atom.text)
        else:
            others.append(each)
    if not others:
        if not words:
            return Misfit("no text at all can be valid")
        texts = tuple(word for word in words if word)
        marks = ("",) if "" in words else ()
        return Domain(texts=texts, bounds=() if texts else (_NO_TEXT,), marks=marks)
    if "" in words or any(has_text(each, "") for each in others):
        others = [each for each in others if not is_blank(each)] or others
    found = [_single(each, vocabulary) for each in others]
    domains = [each for each in found if isinstance(each, Domain)]
    if len(domains) < len(found):
        return next(each for each in found if isinstance(each, Misfit))
    domain = domains[0] if len(domains) == 1 else _united(domains)
    if isinstance(domain, Misfit):
        return domain
    if words and domain.refused:
        return Misfit("it excludes single texts", "describe what is allowed instead")
    return replace(domain, marks=tuple(dict.fromkeys((*domain.marks, *words))))


_BLANKLESS = Shape("", Repeat(Letter(~CharSet.chars(" \t")), 0, None))


def _needs_blank(shape: Shape) -> bool:
    """Has every text of an expression a blank? To exclude these says how a list is written."""
    return bool(apart(shape, _BLANKLESS))


_BLANKS = Shape("", Repeat(Letter(CharSet(((0, 32),))), 0, None))


def is_blank(alternative: Alternative) -> bool:
    """Are its texts blanks and nothing else? Targets take these for an empty cell."""
    signs = list(alternative)
    return len(signs) == 1 and signs[0].holds and bool(implies(signs[0].atom, _BLANKS))


ANY_TEXT = frozenset(("Text", "Any", "String", "xs:string"))
"""Types that say nothing of a text, an empty one apart."""
SPECIAL_NUMBERS = frozenset(("NaN", "INF", "-INF"))


def without_specials(domain: Domain) -> Domain:
    """A domain for systems whose numbers have infinities and `NaN` as values: no marks of these."""
    is_number = domain.base is not None and family_of(domain.base.type).kind == "number"
    if not is_number:
        return domain
    marks = tuple(mark for mark in domain.marks if mark not in SPECIAL_NUMBERS)
    refused = tuple(mark for mark in domain.refused if mark not in SPECIAL_NUMBERS)
    return replace(domain, marks=marks, refused=refused)


def _single(alternative: Alternative, vocabulary: Vocabulary) -> Domain | Misfit:
    """The domain of one alternative."""
    bases: list[Base] = []
    bounds: list[Condition] = []
    shapes: list[Shape] = []
    lists: list[Items] = []
    refused: list[str] = []
    has_blanks: list[Shape] = []
    for sign in sorted(alternative, key=in_writing_order):
        match sign.atom:
            case Typed(own) if sign.holds:
                bases.append(own)
            case Bound(condition) if sign.holds:
                bounds.append(condition)
            case Shape() if sign.holds:
                shapes.append(sign.atom)
            case Items() if sign.holds:
                lists.append(sign.atom)
            case Word(text) if not sign.holds:
                refused.append(text)
            case Shape() if not sign.holds and _needs_blank(sign.atom):
                has_blanks.append(sign.atom)
            case _:
                return Misfit("it excludes texts that only `not` can describe")
    if has_blanks and not lists:
        return Misfit("it excludes texts that only `not` can describe")
    if any(refused) and (bases or bounds or shapes or lists) and "" not in refused:
        return Misfit("it excludes single texts", "describe what is allowed instead")
    if len(bases) > 1:
        bases, shapes = _led(bases, shapes, bounds)
    if len(bases) > 1 or (lists and (bases or shapes)):
        return Misfit("a text must be of several types at once")
    marks = _empty_mark(alternative)
    if lists:
        inner = _items(lists, vocabulary)
        return inner if isinstance(inner, Misfit) else Domain(items=inner, marks=marks)
    base: Base | None = bases[0] if bases else None
    if base is not None and any(each.base != base for each in bounds):
        return Misfit("a text must be of several types at once")
    if base is not None and base.picture is None and base.type in ANY_TEXT:
        base = None  # a length of any text
    exact = [each for each in bounds if each.relation == "=" and each.measured == "value"]
    if exact and base is not None:
        rest = tuple(each for each in bounds if each not in exact)
        return Domain(base, rest, tuple(shapes), values=(exact[0].bound,))
    named = tuple(refused) if any(refused) else ()
    return Domain(base, tuple(bounds), tuple(shapes), marks=marks, refused=named)


def in_writing_order(sign: Sign) -> tuple[str, int, str]:
    """Types first, then lower bounds, then upper ones."""
    atom = sign.atom
    is_bound = isinstance(atom, Bound)
    relation = atom.condition.relation if isinstance(atom, Bound) else None
    place = 0 if relation is None else _RELATIONS.index(relation)
    return ("b" if is_bound else "a", place, repr(atom))


def _empty_mark(alternative: Alternative) -> tuple[str, ...]:
    """An empty cell as a mark, if the alternative accepts it among its texts."""
    answers = [
        satisfies("", sign.atom) is sign.holds
        for sign in alternative
        if not isinstance(sign.atom, Items)
    ]
    return ("",) if all(answers) else ()


def _led(
    bases: list[Base], shapes: list[Shape], bounds: list[Condition]
) -> tuple[list[Base], list[Shape]]:
    """One type that leads, if the texts of the others are a regular language."""
    measured = {bound.base for bound in bounds}
    lead = next((base for base in bases if base in measured), bases[0])
    more = []
    for base in bases:
        if base == lead or implies(Typed(lead), Typed(base)):
            continue
        texts = texts_of(Typed(base))
        if texts is None or base in measured:
            return bases, shapes
        more.append(Shape(base.type, texts))
    return [lead], [*shapes, *more]


def _items(lists: list[Items], vocabulary: Vocabulary) -> ListOf | Misfit:
    """A list, of which several conditions may say something."""
    delimiter = lists[0].delimiter
    if any(each.delimiter != delimiter for each in lists):
        return Misfit("a text must be several lists at once")
    inner = vocabulary.alternatives(conjunction(ir.Has(each.item) for each in lists))
    if inner is None:
        return Misfit("its items have too many alternatives")
    domain = domain_of(inner, vocabulary)
    if isinstance(domain, Misfit):
        return domain
    low = max(each.low for each in lists)
    high = min((each.high for each in lists if each.high is not None), default=None)
    return ListOf(domain, delimiter, low, high)


def _united(domains: list[Domain]) -> Domain | Misfit:
    """Alternatives of one type with single values, or of shapes."""
    first = domains[0]
    is_same = all((each.base, each.bounds, each.shapes) == (first.base, first.bounds, first.shapes)
                  for each in domains)  # fmt: skip
    if is_same and all(each.values for each in domains):
        return replace(first, values=tuple(value for each in domains for value in each.values))
    languages = [plain_language(each) for each in domains]
    known = [each for each in languages if each is not None]
    if len(known) == len(languages):
        marks = tuple(dict.fromkeys(mark for each in domains for mark in each.marks))
        union: Regular[CharSet] = Choice(tuple(known))
        return Domain(shapes=(Shape("", union),), marks=marks)
    return Misfit("it allows values of several types", "one type, and texts besides, fit")


def plain_language(domain: Domain) -> Regular[CharSet] | None:
    """The texts of a domain, if one expression describes them; marks aside."""
    if domain.items is not None or domain.texts:
        return None
    if domain.values:
        return None if domain.bounds or domain.shapes else _values_language(domain)
    parts = [texts_of(shape) for shape in domain.shapes]
    parts += [texts_of(Bound(each)) for each in domain.bounds]
    if domain.base is not None and not domain.bounds:
        parts.append(texts_of(Typed(domain.base)))
    return parts[0] if len(parts) == 1 else None


def _values_language(domain: Domain) -> Regular[CharSet] | None:
    """The texts of some values of a type."""
    assert domain.base is not None
    found = [texts_of(Bound(Condition(domain.base, "value", "=", v))) for v in domain.values]
    known = [each for each in found if each is not None]
    return Choice(tuple(known)) if len(known) == len(found) else None
