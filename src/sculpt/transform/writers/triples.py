"""The syntaxes of RDF: N-Triples with N-Quads, and Turtle.

In: Arrow arrays with the terms of many triples. Out: Arrow strings with their text.
A term is a text made by the same syntax: from an IRI by `term`, from values by `literals`. The
objects of a subject and predicate are one term, or a list of them; null is no object.
Invariant: with `opening` before it and `closing` after it, the text is a complete document.
In Turtle, whatever follows a statement writes its end, since only then is it known that the next
triple has another subject; the first such end is that of the last `@prefix`.
Cost: Arrow kernels; only texts with quotes, backslashes or control characters go through Python.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from sculpt.transform.iris import RDF_TYPE, XSD
from sculpt.transform.writers.byte_sets import has_whole_escapes, others
from sculpt.transform.writers.rendering import each, is_list, joined, rewritten, texts_of
from sculpt.transform.writers.terms import Terms, array_of, put_together

if TYPE_CHECKING:
    import pyarrow as pa

    from sculpt.transform.writers.terms import Objects

_USUAL_BYTES = bytes(each for each in range(0x20, 0x100) if each not in b'"\\\x7f')
"""The bytes of texts that need no escapes."""
_SPECIAL = r'["\\\x00-\x1f\x7f]'
_ESCAPES = {
    **{code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)},
    ord("\t"): r"\t",
    ord("\n"): r"\n",
    ord("\r"): r"\r",
    ord('"'): r"\"",
    ord("\\"): r"\\",
}
_BARE = frozenset({"integer", "boolean"})
"""The types of XML Schema whose texts are literals in Turtle without quotes."""


class Syntax(ABC):
    """A syntax of RDF, for one document."""

    @abstractmethod
    def opening(self) -> str:
        """What comes before the first triple."""

    @abstractmethod
    def closing(self) -> str:
        """What comes after the last triple."""

    @abstractmethod
    def term(self, iri: str) -> str:
        """The term of an absolute IRI."""

    @abstractmethod
    def triples(
        self,
        subjects: pa.StringArray,
        predicates: pa.StringArray,
        objects: pa.Array,
        graphs: pa.StringArray | None = None,
    ) -> pa.StringArray:
        """Triples with any subjects; no part of them is null, except that a graph may be."""

    @abstractmethod
    def records(
        self,
        subjects: Terms,
        kind: str | None,
        fields: Sequence[tuple[str, Objects]],
        graphs: Terms | None,
        count: int,
    ) -> pa.StringArray:
        """Records, each with its own subject: their type, and the predicates and objects.

        Without a type, a subject may be null: such a record gives nothing.
        """

    def resources(
        self, texts: pa.StringArray, render: Callable[[pa.StringArray], pa.StringArray]
    ) -> Terms:
        """The terms of texts that are not literals; `render` makes any of them, one by one."""
        return Terms("", render(texts))

    def literal_terms(self, values: pa.Array, suffix: str = "") -> Terms:
        """The literals of values, with the XML Schema type for their Arrow type.

        The `suffix` of texts is that of a language or a type.
        """
        texts, kind = texts_of(values), xsd_type(values.type)
        if kind is None:
            if others(texts, _USUAL_BYTES):
                escapes = each(lambda text: text.translate(_ESCAPES))
                texts = rewritten(texts, _SPECIAL, escapes)
            return Terms('"', texts, f'"{suffix}')
        return self._typed(texts, kind)

    def literals(self, values: pa.Array, suffix: str = "") -> pa.StringArray:
        """The same, as an array."""
        return self.literal_terms(values, suffix).array(len(values))

    def _typed(self, texts: pa.StringArray, kind: str) -> Terms:
        return Terms('"', texts, f'"^^{self.term(XSD + kind)}')


class NTriples(Syntax):
    """One line per triple, everything written out; in N-Quads, with its graph."""

    def opening(self) -> str:
        """Nothing."""
        return ""

    def closing(self) -> str:
        """Nothing."""
        return ""

    def term(self, iri: str) -> str:
        """See `Syntax`."""
        return f"<{iri}>"

    def triples(
        self,
        subjects: pa.StringArray,
        predicates: pa.StringArray,
        objects: pa.Array,
        graphs: pa.StringArray | None = None,
    ) -> pa.StringArray:
        """See `Syntax`."""
        return _lines(joined(subjects, " ", predicates, " "), objects, _ends(graphs))

    def records(
        self,
        subjects: Terms,
        kind: str | None,
        fields: Sequence[tuple[str, Objects]],
        graphs: Terms | None,
        count: int,
    ) -> pa.StringArray:
        """See `Syntax`."""
        first = [] if kind is None else [(f"<{RDF_TYPE}>", Terms(kind, None))]
        told = [*first, *fields]
        whole = _whole_lines(subjects, told, graphs)
        if whole is not None:
            return put_together(whole, count)
        heads, ends = subjects.array(count), _ends(graphs and graphs.array(count))
        lines = [
            _lines(joined(heads, f" {name} "), array_of(objects, count), ends)
            for name, objects in told
        ]
        return joined(*lines, missing="")

    def resources(
        self, texts: pa.StringArray, render: Callable[[pa.StringArray], pa.StringArray]
    ) -> Terms:
        """See `Syntax`; nearly all are IRIs that stay as they are, and are not looked at again."""
        import pyarrow.compute as pc

        if _are_plain(texts):
            return Terms("<", texts, ">")
        is_plain = pc.match_substring_regex(texts, _PLAIN_IRI)
        is_term = pc.match_substring_regex(texts, _PLAIN_TERM)
        found = pc.if_else(is_term, texts, joined("<", texts, ">"))
        others = pc.invert(pc.or_(is_plain, is_term))
        if pc.any(others).as_py():
            found = pc.replace_with_mask(found, others, render(texts.filter(others)))
        return Terms("", found)


def _whole_lines(
    subjects: Terms, fields: Sequence[tuple[str, Objects]], graphs: Terms | None
) -> list[Terms | str] | None:
    """The parts of all lines, if no term is missing and none is a list; otherwise `None`."""
    if not subjects.has_all or not (graphs is None or graphs.has_all):
        return None
    end: list[Terms | str] = [_END] if graphs is None else [" ", graphs, _END]
    found: list[Terms | str] = []
    for name, objects in fields:
        if not isinstance(objects, Terms) or not objects.has_all:
            return None
        found += [subjects, f" {name} ", objects, *end]
    return found


def _are_plain(texts: pa.StringArray) -> bool:
    """Are all of them IRIs with the same scheme, in which nothing needs to be escaped?"""
    import pyarrow.compute as pc

    start = next((each.as_py() for each in texts[:1] if each.is_valid), "")
    scheme = _SCHEME.match(start)
    return (
        scheme is not None
        and pc.all(pc.starts_with(texts, scheme[0])).as_py() is True
        and not others(texts, _IRI_BYTES)
        and has_whole_escapes(texts)
    )


_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*://")
_IRI_BYTES = (
    b"!$&'()*+,-.0123456789;=ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~:/?@#[]%"
)
_IRI = r"[A-Za-z][A-Za-z0-9+.\-]*:%s(?:[!$&'()*+,\-.0-9;=A-Z_a-z~:/?@#\[\]]|%%[0-9A-Fa-f]{2})*"
_PLAIN_IRI = f"^{_IRI % '//'}$"
_PLAIN_TERM = rf"^(?:<{_IRI % ''}>|_:[A-Za-z0-9][A-Za-z0-9\-]*)$"
"""An IRI in brackets, or a blank node whose label needs no escapes."""
_END = " .\n"


def _ends(graphs: pa.StringArray | None) -> pa.StringArray | str:
    """How the lines of triples end: with their graphs, if they are in one."""
    import pyarrow.compute as pc

    return _END if graphs is None else pc.fill_null(joined(" ", graphs, _END), _END)


def _lines(heads: pa.StringArray, objects: pa.Array, ends: pa.StringArray | str) -> pa.StringArray:
    """The lines of triples, from subject and predicate, and objects; null if there is no object."""
    import pyarrow.compute as pc

    if is_list(objects.type):
        objects = pc.binary_join(objects, joined(ends, heads))
    return joined(heads, objects, ends)


_NEXT = " ;\n    "
"""What comes before the next predicate of a subject."""


class Turtle(Syntax):
    """Prefixed names, with the predicates of a subject grouped."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._by_iri = {iri: prefix for prefix, iri in prefixes.items()}
        longest_first = sorted(self._by_iri, key=len, reverse=True)
        # Names that need no escapes, and no Unicode tables; other IRIs are written out.
        self._name = re.compile(
            f"({'|'.join(map(re.escape, longest_first))})([A-Za-z0-9_][A-Za-z0-9_-]*)"
        )
        self._subject: str | None = None

    def opening(self) -> str:
        """The prefixes."""
        return " .\n".join(f"@prefix {prefix}: <{iri}>" for prefix, iri in self._prefixes.items())

    def closing(self) -> str:
        """The end of the last statement."""
        return " .\n"

    def term(self, iri: str) -> str:
        """See `Syntax`."""
        found = self._name.fullmatch(iri)
        return f"<{iri}>" if found is None else f"{self._by_iri[found[1]]}:{found[2]}"

    def triples(
        self,
        subjects: pa.StringArray,
        predicates: pa.StringArray,
        objects: pa.Array,
        graphs: pa.StringArray | None = None,
    ) -> pa.StringArray:
        """See `Syntax`."""
        assert graphs is None, "Turtle has one graph"
        import pyarrow as pa
        import pyarrow.compute as pc

        if not len(subjects):
            return subjects
        before = pa.concat_arrays([pa.array([self._subject], pa.string()), subjects[:-1]])
        self._subject = subjects[-1].as_py()
        same = pc.fill_null(pc.equal(subjects, before), False)
        heads = pc.if_else(same, _NEXT, joined(" .\n", subjects, " "))
        return joined(heads, predicates, " ", _listed(objects))

    def records(
        self,
        subjects: Terms,
        kind: str | None,
        fields: Sequence[tuple[str, Objects]],
        graphs: Terms | None,
        count: int,
    ) -> pa.StringArray:
        """See `Syntax`."""
        assert graphs is None, "Turtle has one graph"
        import pyarrow.compute as pc

        heads = subjects.array(count)
        pairs = [
            joined(f"{_NEXT}{name} ", _listed(array_of(objects, count))) for name, objects in fields
        ]
        if kind is not None:
            return joined(" .\n", heads, f" a {kind}", *pairs, missing="")
        said = joined(*pairs, missing="") if pairs else pc.utf8_slice_codeunits(heads, 0, 0)
        first = pc.utf8_slice_codeunits(said, len(_NEXT))
        whole = joined(" .\n", heads, " ", first)
        return pc.fill_null(pc.if_else(pc.equal(said, ""), "", whole), "")

    def _typed(self, texts: pa.StringArray, kind: str) -> Terms:
        return Terms("", texts) if kind in _BARE else super()._typed(texts, kind)


def _listed(objects: pa.Array) -> pa.StringArray:
    import pyarrow.compute as pc

    return pc.binary_join(objects, ", ") if is_list(objects.type) else objects


def xsd_type(kind: pa.DataType) -> str | None:
    """The XML Schema type for the values of an Arrow type; `None` for texts."""
    from pyarrow import types

    if types.is_dictionary(kind) or is_list(kind):
        return xsd_type(kind.value_type)
    tests = {
        "decimal": types.is_decimal,
        "integer": types.is_integer,
        "double": types.is_float64,
        "float": types.is_floating,
        "boolean": types.is_boolean,
        "date": types.is_date,
        "dateTime": types.is_timestamp,
        "time": types.is_time,
        "base64Binary": lambda kind: (
            types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
        ),
    }
    return next((name for name, test in tests.items() if test(kind)), None)
