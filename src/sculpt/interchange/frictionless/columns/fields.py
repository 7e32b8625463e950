"""Types of fields to tokens.

In: a `Field`. Out: a `Typed`: the token that its cells match, what their values are compared by,
and the type of keys. Definitions go to the builder, notes about what is not taken over too.

The shapes that are written (`export` reads them back):

    integer, number     `integer := trimmed(Integer)`, `number := trimmed(Number or "NaN" or INF or
                        "-INF")`; with characters of their own `price := trimmed(/[+-]?…/)`
    boolean             `boolean := "true" or "True" or … or "0"`
    string              `String`; `email := Email and not "Email"` and so on
    date, time, …       `date := xs:date("yyyy-MM-dd")`, `xs:time`, `xs:dateTime`, `xs:gYear`,
                        `xs:gYearMonth`, `xs:duration`, or `date d M yyyy := xs:date("d/M/yyyy")`
    object, array       `JsonObject`, `JsonArray`
    list                `tags := list(String, ",")`
    geopoint            an expression
    any                 `Any`

Invariant: a text matches the token if and only if the standard says that it is of the type; where
that cannot be told, `name` is empty and there is a note. Blanks around numbers do not count, as in
XML Schema (Part 2, 4.3.6) and in the framework. Cost: constant for each field.
"""

from __future__ import annotations

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.frictionless.columns.patterns import either, escaped
from sculpt.interchange.frictionless.columns.strptime import Instant, UnwritableError, translate
from sculpt.interchange.frictionless.model import Field
from sculpt.origins import Note
from sculpt.values import frozen

TRUE = ("true", "True", "TRUE", "1")
FALSE = ("false", "False", "FALSE", "0")
_SPECIALS = '"NaN" or INF or "-INF"'
_NUMBERS = {"integer": "Integer", "number": f"Number or {_SPECIALS}"}
"""What numbers are, without blanks around them."""
_FORMATS = {
    "email": ("email", 'Email and not "Email"'),
    "uri": ("uri", 'Uri and not "Uri"'),
    "uuid": ("uuid", 'Uuid and not "Uuid"'),
}
_PLAIN = {
    "any": "Any",
    "object": "JsonObject",
    "array": "JsonArray",
    "year": "xs:gYear",
    "yearmonth": "xs:gYearMonth",
    "duration": "xs:duration",
}
_DEFAULT_INSTANTS = {
    "date": Instant("xs:date", ("yyyy-MM-dd",)),
    "time": Instant("xs:time"),
    "datetime": Instant("xs:dateTime"),
}
_LONGITUDE = r"(?:180(?:\.0*)?|(?:1[0-7][0-9]|[1-9]?[0-9])(?:\.[0-9]*)?|\.[0-9]+)"
_LATITUDE = r"(?:90(?:\.0*)?|[1-8]?[0-9](?:\.[0-9]*)?|\.[0-9]+)"
_JSON_LONGITUDE = r"-?(?:180(?:\.0+)?|(?:1[0-7][0-9]|[1-9]?[0-9])(?:\.[0-9]+)?)"
_JSON_LATITUDE = r"-?(?:90(?:\.0+)?|[1-8]?[0-9](?:\.[0-9]+)?)"
_GEOPOINTS = {
    "default": rf"\s*[+-]?0*{_LONGITUDE}\s*,\s*[+-]?0*{_LATITUDE}\s*",
    "array": rf"\s*\[\s*{_JSON_LONGITUDE}\s*,\s*{_JSON_LATITUDE}\s*\]\s*",
    "object": (
        rf"\s*\{{\s*(?:\"lon\"\s*:\s*{_JSON_LONGITUDE}\s*,\s*\"lat\"\s*:\s*{_JSON_LATITUDE}"
        rf"|\"lat\"\s*:\s*{_JSON_LATITUDE}\s*,\s*\"lon\"\s*:\s*{_JSON_LONGITUDE})\s*\}}\s*"
    ),
}
_DIGITS = "#" * 20


@frozen
class Typed:
    """The type of a field as Sculpt has it."""

    name: str
    """The token that texts of the type match; empty if there is none."""
    operands: tuple[str, ...] = ()
    """What comparisons are about, such as `Integer` or `xs:date("d/M/yyyy")`."""
    key: str = ""
    """The type by which values are equal; empty if texts are compared."""
    instant: Instant | None = None
    """Of dates and times."""
    readable: str = ""
    """The texts that `operands` can read, if these are not all of the type."""
    trims: bool = False
    """Do blanks around a value not count?"""

    def around(self, tokens: str) -> str:
        """Tokens for the texts of this type, with the blanks that may be around them."""
        return f"trimmed({tokens})" if self.trims else tokens


def typed(field: Field, builder: SchemaBuilder) -> Typed:
    """The tokens of a field's type, defined where they are needed."""
    if field.type == "string":
        return _string(field, builder)
    if field.type in ("date", "time", "datetime"):
        return _instant(field, builder)
    known = {"default"} | ({"array", "object"} if field.type == "geopoint" else set())
    if field.format not in known and field.type != "geojson":
        message = f"the type `{field.type}` has no format `{field.format}`"
        builder.note(Note(message, field.at.to("format").spot))
    match field.type:
        case "integer" | "number":
            return _number(field, builder)
        case "boolean":
            texts = (*field.options.get("trueValues", TRUE),)
            texts = (*texts, *field.options.get("falseValues", FALSE))
            return Typed(builder.derived("boolean", either(tuple(dict.fromkeys(texts)))))
        case "list":
            return _list(field, builder)
        case "geopoint":
            form = _GEOPOINTS.get(field.format, _GEOPOINTS["default"])
            return Typed(builder.token("geopoint", form))
        case "geojson":
            message = f'field "{field.name}": GeoJSON is only checked to be a JSON object'
            builder.note(Note(message, field.at.to("type").spot))
            return Typed("JsonObject")
    name = _PLAIN[field.type]
    is_value = field.type in ("year", "yearmonth", "duration")
    return Typed(name, (name,) if is_value else (), name if is_value else "")


def _string(field: Field, builder: SchemaBuilder) -> Typed:
    if field.format in _FORMATS:
        return Typed(builder.derived(*_FORMATS[field.format]))
    if field.format == "binary":
        return Typed("xs:base64Binary")
    if field.format != "default":
        message = f'field "{field.name}": the format `{field.format}` of texts is not checked'
        builder.note(Note(message, field.at.to("format").spot))
    return Typed("String")


def _instant(field: Field, builder: SchemaBuilder) -> Typed:
    """A date or a time, as its format says."""
    where = field.at.to("format").spot
    if field.format == "any":
        message = (
            f'field "{field.name}": the format `any` leaves open how a {field.type} is written'
        )
        hint = 'name it: `"format": "%d/%m/%Y"`'
        builder.note(Note(message, where, hint))
        return Typed("")
    if field.format == "default":
        instant = _DEFAULT_INSTANTS[field.type]
    else:
        try:
            instant = translate(field.format)
        except UnwritableError as reason:
            message = f'field "{field.name}": the format `{field.format}` is not checked: {reason}'
            builder.note(Note(message, where))
            return Typed("")
    if not instant.type:
        return Typed(builder.derived(field.type, either((instant.text,))))
    if not instant.pictures:
        return Typed(instant.type, (instant.type,), instant.type, instant)
    operands = tuple(f"{instant.type}({literal(each)})" for each in instant.pictures)
    wish = field.type if field.format == "default" else f"{field.type} {instant.pictures[0]}"
    name = builder.derived(wish, " or ".join(operands))
    return Typed(name, operands, name, instant)


def _number(field: Field, builder: SchemaBuilder) -> Typed:
    """A number, which may have characters of its own."""
    group = field.options.get("groupChar", "")
    decimal = field.options.get("decimalChar", ".")
    is_bare = field.options.get("bareNumber", True)
    if is_bare and not group and decimal == ".":
        operand = field.type.capitalize()
        name = builder.derived(field.type, f"trimmed({_NUMBERS[field.type]})")
        return Typed(name, (operand,), operand, trims=True)
    between = f"{escaped(group)}?" if len(group) == 1 else f"(?:{escaped(group)})?" if group else ""
    digits = f"[0-9](?:{between}[0-9])*" if between else "[0-9]+"
    core = digits
    if field.type == "number":
        point = escaped(decimal)
        core = f"(?:{digits}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    if not is_bare:
        return Typed(builder.token(f"{field.name} {field.type}", f"[^0-9-]*-?{core}[^0-9]*"))
    specials = "|NaN|INF|-INF" if field.type == "number" else ""
    expression = f"[+-]?{core}{specials}"
    name = builder.derived(f"{field.name} {field.type}", f"trimmed(/{expression}/)")
    operands = _number_pictures(field.type, group, decimal)
    return Typed(name, operands, readable=" or ".join(operands), trims=True)


def _number_pictures(type_: str, group: str, decimal: str) -> tuple[str, ...]:
    """How numbers with other characters are written; none if a picture cannot have them."""
    chars = group + decimal
    if len(group) > 1 or len(decimal) > 1 or not chars.isprintable():
        return ()
    if any(char.isdigit() or char in "+-" for char in chars):
        return ()
    kind = "Integer" if type_ == "integer" else "Number"
    tail = "" if type_ == "integer" else f".{_DIGITS}"
    named = "" if decimal == "." or not tail else f", decimal {literal(decimal)}"
    plain = f'{kind}("0{tail}"{named})'
    if not group:
        return (plain,)
    return (f'{kind}("#,##0{tail}", group {literal(group)}{named})', plain)


def _list(field: Field, builder: SchemaBuilder) -> Typed:
    """A list: items with a delimiter between them, and no blanks around those that are typed."""
    delimiter = field.options.get("delimiter", ",")
    kind = field.options.get("itemType", "string")
    inner = Field(field.name, kind, "default", field.at, {})
    item = _NUMBERS.get(kind) or typed(inner, builder).name  # blanks around items do not count
    if not delimiter.isprintable():
        message = f'field "{field.name}": a delimiter of lists that is not printable'
        builder.note(Note(message, field.at.to("delimiter").spot))
        return Typed("")
    items = f"list({item}, {literal(delimiter)})"
    written = items
    if kind != "string":
        written += " and Text"  # an empty text is one item, which is empty
    if kind not in ("string", "integer", "number") and not delimiter.isspace():
        mark = escaped(delimiter)
        written += f" and not /[ \\t].*|.*[ \\t]|.*[ \\t]{mark}.*|.*{mark}[ \\t].*/"
    return Typed(builder.derived(f"{field.name} list", written), (items,))


__all__ = ["FALSE", "TRUE", "Typed", "typed"]
