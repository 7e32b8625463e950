"""Makes descriptors and tables of the constructs of Table Schema.

In: Hypothesis. Out: a resource descriptor, and rows of texts for it. The texts of a type are
values, near misses, and texts of other types, so that a verdict can go either way.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

JUNK = ("", "", "x", "NA", "-", "0", "1.5", "true", "2020-02-29", "[1]", "ä b", "a;b")
TEXTS: dict[str, tuple[str, ...]] = {
    "string": ("abc", "b", "AB12", "long text here", " a", "'", "a,b", 'say "a"'),
    "email": ("a@b.org", "first.last@example.com", "a@", "@b.org", "a b@c.org"),
    "uri": ("http://a.org", "urn:isbn:1", "https://a.org/x?y=1#z", "://a", "a.org"),
    "uuid": ("95ecc380-afe9-11e4-9b6c-751b66dd541e", "95ecc380-afe9-11e4-9b6c", "95ECC380"),
    "binary": ("dGVzdA==", "dGVzdA=", "YQ==", "abcd", "abc", "YQ =="),
    "integer": ("1", "5", "-3", "+4", "007", "12", "1e3", "1.0", "3x", "100", " 6", "6 ", "1_0"),
    "number": (
        "1",
        "1.50",
        "-2.5",
        ".5",
        "5.",
        "1e2",
        "1E-2",
        "NaN",
        "INF",
        "-INF",
        "1,0",
        "1.2.3",
        " 1.5",
        "\t1e2 ",
        " INF",
        "1. 5",
    ),
    "boolean": ("True", "FALSE", "1", "false", "yes", "no", "Y", "tRUE"),
    "object": ("{}", '{"a": 1}', '{"a": [1, {"b": null}]}', "{a: 1}", "null", "[]"),
    "array": ("[]", '[1, "b"]', "[1,]", '{"a": 1}', "12"),
    "date": (
        "2020-02-29",
        "2019-02-29",
        "2021-12-31",
        "2020-13-01",
        "2020-02-30",
        "20200101",
        "2020-1-1",
    ),
    "time": ("12:30:00", "23:59:59.5", "12:30", "24:30:00", "12:30:00Z", "12:60:00"),
    "datetime": (
        *("2020-02-29T12:30:00", "2020-02-29T12:30:00Z", "2020-02-30T12:30:00"),
        *(
            "2021-01-01T00:00:00+01:00",
            "2020-02-29",
            "2020-02-29T12:30",
            "2020-02-29 12:30:00",
            "2020-02-29T12:30:00+0100",
        ),
    ),
    "year": ("2020", "1999", "20", "20x0", "2021", "12020", "2020Z"),
    "yearmonth": ("2020-02", "1999-12", "2020-13", "2020", "2020-00", "2020-1"),
    "duration": (
        "P1Y",
        "PT5M",
        "P1DT2H",
        "P1M1Y",
        "1Y",
        "P1Y2M3DT4H5M6S",
        "P1W",
        "-P1D",
        "PT0.5S",
        "P",
    ),
    "geopoint": (
        "10,20",
        "10, 20.5",
        "-180,90",
        "181,0",
        "0,91",
        "10",
        "1,2,3",
        "a,b",
        "+1,+2",
        " 10 , 20 ",
        "1 0,20",
        "007,08",
    ),
    "geoarray": ("[10, 20]", "[-180,90]", "[181,0]", "[1]", "10,20"),
    "geoobject": (
        '{"lon": 1, "lat": 2}',
        '{"lat": 2, "lon": 1}',
        '{"lon": 1}',
        '{"lon": 190, "lat": 1}',
    ),
    "list": ("a,b", "1,2", "1,x", "5", "1,,2", "2020-01-01,2020-01-02", "true,false"),
    "any": ("anything", "12", "{}"),
}
PATTERNS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "date": (
        ("%d/%m/%Y", ("29/02/2020", "1/2/2020", "31/04/2020", "29/02/20", "2020/02/29")),
        ("%Y%m%d", ("20200229", "20200230", "2020-02-29")),
        ("%d %b %y", ("1 Feb 20", "01 FEB 99", "31 Apr 20", "1 Febr 20")),
        ("%B %d, %Y", ("February 29, 2020", "Feb 29, 2020", "june 1, 2021")),
    ),
    "time": (
        ("%H:%M", ("12:30", "24:00", "1:5", "12:30:00")),
        ("%I:%M %p", ("1:30 PM", "13:30 PM")),
    ),
    "datetime": (
        ("%d/%m/%y %H:%M", ("29/02/20 12:30", "1/1/21 0:0", "29/02/20", "30/02/20 12:30")),
        ("%Y-%m-%dT%H:%M:%S.%f", ("2020-02-29T12:30:00.5", "2020-02-29T12:30:00")),
    ),
}
BOUNDS: dict[str, tuple[Any, ...]] = {
    "integer": (0, 5, -3, 12, "7"),
    "number": (0, 1.5, -2.5, "1.50", 100),
    "date": ("2020-02-29", "2021-01-01"),
    "time": ("12:30:00", "06:00:00"),
    "datetime": ("2020-02-29T12:30:00", "2021-01-01T00:00:00"),
    "year": (2000, 2020),
    "yearmonth": ("2020-02", "2000-01"),
}
SIGNS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
TYPES = (
    *("string", "integer", "number", "boolean", "object", "array", "date", "time", "datetime"),
    *("year", "yearmonth", "duration", "geopoint", "list", "any"),
)
REGEXES = ("[a-z]+", "[A-Z]{2}[0-9]+", ".*b.*", "(a|b).*", r"\S+", r"\d{1,3}", "a?b?c", "[^,]*")


@st.composite
def fields(draw: st.DrawFn, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A field descriptor, and texts for it."""
    kind = draw(st.sampled_from(TYPES))
    field: dict[str, Any] = {"name": name, "type": kind}
    texts = TEXTS[kind]
    constraints: dict[str, Any] = {}
    match kind:
        case "string":
            form = draw(st.sampled_from(("default", "default", "email", "uri", "uuid", "binary")))
            if form != "default":
                field["format"] = form
                texts = TEXTS[form]
            elif draw(st.booleans()):
                constraints["pattern"] = draw(st.sampled_from(REGEXES))
            for word in ("minLength", "maxLength"):
                if draw(st.integers(0, 3)) == 0:
                    constraints[word] = draw(st.integers(0, 6))
        case "number":
            texts = _decorate(draw, field, texts)
        case "integer" if draw(st.integers(0, 3)) == 0:
            field["bareNumber"] = False
            texts = (*texts, "5 kg", "€-12", "x", "--5", "5-6")
        case "boolean" if draw(st.booleans()):
            field["trueValues"], field["falseValues"] = ["yes", "Y"], ["no"]
        case "date" | "time" | "datetime" if draw(st.booleans()):
            field["format"], texts = draw(st.sampled_from(PATTERNS[kind]))
        case "geopoint":
            form = draw(st.sampled_from(("default", "array", "object")))
            field["format"] = form
            texts = TEXTS["geopoint" if form == "default" else f"geo{form}"]
        case "list":
            items = ("string", "integer", "boolean", "number", "date", "datetime", "time")
            field["itemType"] = draw(st.sampled_from(items))
            if draw(st.booleans()):
                field["delimiter"] = ";"
                texts = tuple(each.replace(",", ";") for each in texts)
            for word in ("minLength", "maxLength"):
                if draw(st.integers(0, 3)) == 0:
                    constraints[word] = draw(st.integers(1, 3))
    _constrain(draw, field, texts, constraints)
    if constraints:
        field["constraints"] = constraints
    if draw(st.integers(0, 7)) == 0:
        field["missingValues"] = draw(st.sampled_from((["", "NA"], ["-"], ["x", ""])))
    return field, texts


def _decorate(draw: st.DrawFn, field: dict[str, Any], texts: tuple[str, ...]) -> tuple[str, ...]:
    """Characters of a number."""
    if draw(st.booleans()):
        return texts
    field["groupChar"] = draw(st.sampled_from((" ", "'", ",")))
    if field["groupChar"] != "," and draw(st.booleans()):
        field["decimalChar"] = ","
    if draw(st.integers(0, 2)) == 0:
        field["bareNumber"] = False
    group, point = field["groupChar"], field.get("decimalChar", ".")
    return (
        *(f"1{group}000", f"1{group}234{point}5", f"-12{point}25", "7", "1000", "x", ""),
        *(f"{point}5", f"5{point}", f"1{group}000{group}000", f"1{point}2{point}3"),
        *(("5 €", "€ 5", "-5%") if "bareNumber" in field else ()),
    )


def _constrain(
    draw: st.DrawFn, field: dict[str, Any], texts: tuple[str, ...], constraints: dict[str, Any]
) -> None:
    kind = field["type"]
    if draw(st.integers(0, 2)) == 0:
        constraints["required"] = draw(st.booleans())
    # Two ways of writing one value of these count as different, which a note says.
    several = ("boolean", "object", "array", "list", "geopoint")
    if draw(st.integers(0, 5)) == 0 and kind not in several:
        constraints["unique"] = True
    plain = "format" not in field and not {"groupChar", "decimalChar", "bareNumber"} & field.keys()
    if kind in BOUNDS and plain and draw(st.booleans()):
        constraints[draw(st.sampled_from(SIGNS))] = draw(st.sampled_from(BOUNDS[kind]))
        if draw(st.integers(0, 2)) == 0:
            constraints[draw(st.sampled_from(SIGNS))] = draw(st.sampled_from(BOUNDS[kind]))
    if draw(st.integers(0, 4)) == 0:
        if kind in BOUNDS and plain:
            constraints["enum"] = draw(
                st.lists(st.sampled_from(BOUNDS[kind]), min_size=1, max_size=3, unique=True)
            )
        elif kind in ("string", "any"):
            constraints["enum"] = draw(
                st.lists(
                    st.sampled_from([t for t in texts if t]), min_size=1, max_size=3, unique=True
                )
            )
        elif kind == "boolean":
            constraints["enum"] = [field.get("trueValues", ["true"])[0]]


@st.composite
def resources(draw: st.DrawFn) -> tuple[dict[str, Any], tuple[tuple[str, ...], ...]]:
    """A resource descriptor of version 2, and the texts for each of its fields."""
    width = draw(st.integers(1, 3))
    made = [draw(fields(f"f{number}")) for number in range(1, width + 1)]
    schema: dict[str, Any] = {"fields": [field for field, _ in made]}
    names = [field["name"] for field, _ in made]
    if draw(st.integers(0, 3)) == 0:
        schema["missingValues"] = draw(st.sampled_from((["", "NA"], ["NA"], ["-", ""], [""])))
    if draw(st.integers(0, 3)) == 0:
        schema["fieldsMatch"] = draw(
            st.sampled_from(("exact", "equal", "subset", "superset", "partial"))
        )
    # Numbers with other characters around them are compared as texts, which a note says.
    kinds = ("string", "integer", "date", "year")
    keyed = [f["name"] for f, _ in made if f["type"] in kinds and "bareNumber" not in f]
    if keyed and draw(st.integers(0, 3)) == 0:
        schema["primaryKey"] = draw(st.lists(st.sampled_from(keyed), min_size=1, unique=True))
    if len(keyed) > 1 and made[0][0]["type"] == made[1][0]["type"] and draw(st.booleans()):
        reference = {"resource": "", "fields": [names[0]]}
        schema["foreignKeys"] = [{"fields": [names[1]], "reference": reference}]
    dialect: dict[str, Any] = {"header": True, "headerRows": [1]}
    if "fieldsMatch" not in schema and draw(st.integers(0, 5)) == 0:
        dialect = {"header": False}
    delimiter = draw(st.sampled_from((",", ",", ";", "\t", "|")))
    dialect["csv"] = {
        "delimiter": delimiter,
        "quoteChar": '"',
        "lineTerminator": "\n",
        "skipInitialSpace": False,
    }
    if dialect["header"] and draw(st.integers(0, 7)) == 0:
        dialect["commentRows"] = [2]
    descriptor = {
        "$schema": "https://datapackage.org/profiles/2.0/dataresource.json",
        "name": "data",
        "type": "table",
        "path": "data.csv",
        "format": "csv",
        "encoding": "utf-8",
        "dialect": dialect,
        "schema": schema,
    }
    return descriptor, tuple(texts for _, texts in made)


@st.composite
def tables(
    draw: st.DrawFn,
    descriptor: dict[str, Any],
    texts: tuple[tuple[str, ...], ...],
    good: tuple[tuple[str, ...], ...],
) -> tuple[tuple[str, ...], ...]:
    """Rows for a descriptor, the header first if there is one; most have few faults.

    `good` are the texts of each field that are values of it, as far as a cell alone tells.
    """
    if draw(st.integers(0, 2)):
        texts = tuple(few or all_of for few, all_of in zip(good, texts, strict=True))
        is_clean = draw(st.booleans())
    else:
        is_clean = False
    seldom = st.just(1) if is_clean else st.integers(0, 11)
    schema, dialect = descriptor["schema"], descriptor["dialect"]
    order = list(range(len(texts)))
    labels = [field["name"] for field in schema["fields"]]
    common = schema.get("missingValues", [""])
    missing = [field.get("missingValues", common) for field in schema["fields"]]
    if draw(seldom) == 0:
        order = draw(st.permutations(order))
    if draw(seldom) == 0:
        order = order[:-1] or order
    wide = draw(seldom) == 0
    rows: list[tuple[str, ...]] = []
    for _ in range(draw(st.integers(1, 4))):
        cells = [_cell(draw, texts[ix], missing[ix], is_clean) for ix in order]
        cells += ["more"] * wide
        if draw(seldom) == 0:
            cells = cells[:-1] or [""]
        if draw(seldom) == 0:
            cells.append("extra")
        if draw(seldom) == 0:
            cells = [""] * len(cells)
        rows.append(tuple(cells))
    if not dialect["header"]:
        return tuple(rows)
    header = [labels[ix] for ix in order] + ["other"] * wide
    if draw(seldom) == 0:
        header[0] = draw(st.sampled_from(("", "F1", "f2", "x")))
    return (tuple(header), *rows)


def _cell(draw: st.DrawFn, texts: tuple[str, ...], missing: list[str], is_clean: bool) -> str:
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(missing))
    return draw(st.sampled_from(texts if is_clean or draw(st.integers(0, 11)) else JUNK))
