"""The rules of a column: what Sculpt checks in its cells.

In: a `Column`, the name of its region, and the builder of the table's schema. Out: rules, one for
each construct of the metadata: `required`, the datatype, its format, each length and each bound
("Model for Tabular Data", section 6.4).

How a text becomes a value, and so which texts a rule lets through:

- An empty text stands for the `default`. A text in `null` is no value, and only `required` forbids
  it. Neither breaks a rule about the datatype.
- With a `separator` a cell is a list, and all of this is about its items. A list without items
  breaks `required`; one that is `null` as a whole does not.
- A row that is too short has no cell here: the rule about the number of columns forbids that.

Invariant: a facet is asked only of texts of the type, so one mistake breaks one rule.
"""

from __future__ import annotations

from typing import Literal

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.csvw.kinds import kind_of, trims
from sculpt.interchange.csvw.model import STRING, Column, Place
from sculpt.interchange.csvw.urls import shown
from sculpt.interchange.csvw.writing.expressions import (
    Facet,
    facets,
    format_expression,
    one,
    type_expression,
    value_expression,
)
from sculpt.interchange.csvw.writing.formats import regular_problem
from sculpt.interchange.csvw.writing.lists import list_expression
from sculpt.interchange.csvw.writing.values import is_value, normal_text
from sculpt.interchange.model import Note, Origin, Spot
from sculpt.values import replace

_BLANK = r"Null or /[ \t\r\n]+/"
_SHOWN = 60


class ColumnRules:
    """Writes the rules of one column, or of all columns if metadata names none."""

    def __init__(self, builder: SchemaBuilder, column: Column, region: str, whole: bool) -> None:
        """`region` selects its cells; if it is `whole`, those of a row are several."""
        if column.separator is not None and not column.separator.isprintable():
            message = f'column "{column.name}": lists with an invisible separator are not checked'
            builder.note(Note(message, _spot(column.place)))
            column = replace(column, separator=None, datatype=STRING, null=("",))
        self.builder, self.column, self.region = builder, column, region
        self.repeats = whole
        self.type = column.datatype
        self.is_text = kind_of(self.type.base) == "text"

    def write(self) -> None:
        """All rules of the column."""
        self.builder.gap()
        if self.column.required:
            self.builder.rule(
                self.region,
                self._content([self._given()]),
                self._origin("required", self.column.place),
            )
        selected = self._type_rule()
        self._unwritten()
        for facet in facets(self.type):
            name = self.builder.derived(
                self._wish(f"{self.type.base} {facet.words}"),
                self._facet_tokens(facet),
            )
            words = f"datatype {facet.words}"
            # A blank text is none of a type, so it is not selected; a list may be empty.
            nothing = self._nothing()
            if selected != self.region and self.column.separator is None:
                nothing = [each for each in nothing if each != self._blank_name()]
            parts = [name, *nothing]
            content = self._content(parts, skips=selected == self.region)
            self.builder.rule(selected, content, self._type_origin(words))

    # ------------------------------------------------------------- the rules

    def _type_rule(self) -> str:
        """The rule about the type; what it leaves for rules about facets."""
        expression = type_expression(self.type)
        if expression is None:
            return self.region
        name = self.builder.derived(self._wish(self._type_words()), self._type_tokens(expression))
        words = f"datatype {self._type_words()}"
        self.builder.rule(
            self.region, self._content([name, *self._nothing()]), self._type_origin(words)
        )
        return f"{self.region} and {name}"

    def _type_words(self) -> str:
        form = (
            self.type.format if kind_of(self.type.base) in ("number", "boolean", "moment") else None
        )
        return self.type.base if form is None else f"{self.type.base} {form}"

    def _wish(self, words: str) -> str:
        return words if self.column.separator is None else f"list of {words}"

    def _type_tokens(self, expression: str) -> str:
        if self.column.separator is None:
            return one(expression, self.type)
        return self._given_text(self._list(expression))

    def _facet_tokens(self, facet: Facet) -> str:
        if self.column.separator is None:
            return self._given_text(one(facet.expression, self.type))
        return self._given_text(self._exact_list(facet) or self._list(facet.expression))

    def _exact_list(self, facet: Facet) -> str | None:
        """A list of texts, in which blanks count; `None` if they do not, or no expression can."""
        separator = self.column.separator
        if separator is None or trims(self.type.base):
            return None
        nothing = [text for text in self.column.null if text]
        nothing += [""] * self._may_be_empty()
        return list_expression(self.type, facet, separator, nothing, self._is_default_wrong())

    def _given_text(self, tokens: str) -> str:
        """An empty text stands for the default: if that is not valid, nor is the text."""
        return f"({tokens}) and Text" if self._empty() == "invalid" else tokens

    def _list(self, expression: str) -> str:
        assert self.column.separator is not None
        if self._is_default_wrong():
            expression = f"({expression}) and Text"
        items = " or ".join((expression, *self._nothing_in_list()))
        return f"list({items}, {literal(self.column.separator)})"

    def _content(self, parts: list[str], skips: bool = True) -> str:
        content = " | ".join(dict.fromkeys(parts))
        reads_padding = not skips or "Empty" in parts or self._blank_name() in parts
        if self.repeats:
            return f"({content})*"
        return content if reads_padding else f"({content})?"

    def _unwritten(self) -> None:
        """Say what cannot be checked, or not exactly."""
        is_list = self.column.separator is not None
        if (
            is_list
            and not trims(self.type.base)
            and not all(self._exact_list(facet) for facet in facets(self.type))
        ):
            message = f"{self._named()}: blanks around the items of the list"
            hint = "they count in CSVW, but not in lists of Sculpt"
            self.builder.note(Note(message, _spot(self.type.place), hint))
        characters = self.type.decimal_char or self.type.group_char
        if self.type.bounds and characters and self.type.format is None:
            message = f"{self._named()}: bounds of numbers that are grouped irregularly"
            hint = "give the format a `pattern` to say where groups are"
            self.builder.note(Note(message, _spot(self.type.place), hint))
        if format_expression(self.type) is None:
            return
        problem = regular_problem(self.type.format or "")
        if problem is not None:
            message = f"{self._named()}: the format `{self.type.format}` is not checked: {problem}"
            self.builder.note(Note(message, _spot(self.type.place)))

    # ------------------------------------------------------------- texts that are no values

    def _given(self) -> str:
        """The name of a token: the texts that are not null."""
        nulls = []
        if self._empty() in ("null", "no list"):
            nulls.append("Empty" if self.is_text else self._blank())
        if self.column.separator is None:
            nulls += [self._text(text) for text in self.column.null if text]
        wish = "given" if len(nulls) < 2 else f"given {self.column.name}"
        return self.builder.derived(wish, " and ".join(f"not {each}" for each in nulls) or "String")

    def _empty(self) -> Literal["null", "value", "invalid", "text", "no list"]:
        """What an empty cell is: null, a valid or invalid default, or a text; or it is no list."""
        default = normal_text(self.type, self.column.default)
        if not default and self.column.separator is not None:
            return "no list"
        if default in self.column.null:
            return "null"
        if not default:
            return "text"
        items = self._items(default)
        return "value" if all(is_value(self.type, item) for item in items) else "invalid"

    def _items(self, text: str) -> list[str]:
        separator = self.column.separator
        items = [text] if separator is None else text.split(separator)
        return [item for item in items if item.strip() not in self.column.null]

    def _nothing(self) -> list[str]:
        """What a cell may hold instead of a value, as parts of a content."""
        found = []
        if self._empty() not in ("text", "invalid"):
            found.append("Empty" if self.is_text else self._blank())
        return found + [self._text(text) for text in self.column.null if text]

    def _nothing_in_list(self) -> list[str]:
        """What an item may be instead of a value, as tokens."""
        found = [self._text(text) for text in self.column.null if text]
        return ["Empty", *found] if self._may_be_empty() else found

    def _may_be_empty(self) -> bool:
        """Is an empty item no value, or a default that is valid?"""
        default = normal_text(self.type, self.column.default)
        return default in self.column.null or (bool(default) and not self._is_default_wrong())

    def _is_default_wrong(self) -> bool:
        """Is the text that an empty item stands for neither null nor a value?"""
        default = normal_text(self.type, self.column.default)
        return (
            bool(default) and default not in self.column.null and not is_value(self.type, default)
        )

    def _text(self, text: str) -> str:
        return text_token(self.builder, text)

    def _blank(self) -> str:
        return self.builder.derived("blank", _BLANK)

    def _blank_name(self) -> str | None:
        has_blank = not self.is_text and self._empty() not in ("text", "invalid")
        return self._blank() if has_blank else None

    # ------------------------------------------------------------- keys

    def key_part(self) -> str:
        """The column as a part of a key or a reference, compared by value if it has values."""
        return f"{self.region}{self.cast()}"

    def cast(self) -> str:
        """` as type`, if values are compared and not texts."""
        expression = None if self.column.separator else value_expression(self.type)
        if expression is None:
            return ""
        if expression.startswith("xs:") and "(" not in expression:
            return f" as {expression}"
        return f" as {self.builder.derived(f'{self._type_words()} value', expression)}"

    def is_like(self, other: ColumnRules) -> bool:
        """Have both columns values that can be equal?"""
        kinds = kind_of(self.type.base), kind_of(other.type.base)
        if kinds[0] == "moment" and self.type.base != other.type.base:
            return False
        return kinds[0] == kinds[1] and self.has_values() and other.has_values()

    def has_values(self) -> bool:
        """Are its cells compared by value, and not as texts?"""
        return self.column.separator is None and value_expression(self.type) is not None

    # ------------------------------------------------------------- origins

    def _named(self) -> str:
        title = next((texts[0] for _, texts in self.column.titles), self.column.name)
        return "all columns" if self.repeats else f'column "{title}"'

    def _origin(self, words: str, place: Place) -> Origin:
        column = None if self.repeats else self.column.source_number
        field = None if self.repeats else self.column.name
        return Origin(
            f"{self._named()}, {_short(words)}", _spot(place), words.split(" ")[0], column, field
        )

    def _type_origin(self, words: str) -> Origin:
        place = self.type.place
        return self._origin(words, place if place.document else self.column.place)


def text_token(builder: SchemaBuilder, text: str) -> str:
    """A text as a literal, or, if no literal can show it, as a token."""
    if text.isprintable():
        return literal(text)
    return builder.token("text", "".join(f"\\U{ord(char):08x}" for char in text))


def _short(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"


def _spot(place: Place) -> Spot:
    return Spot(shown(place.document), place.pointer)
