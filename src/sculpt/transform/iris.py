"""The IRIs of records, fields and cells.

In: names, texts of cells, and the namespaces that a schema declares. Out: absolute IRIs.
A text is used as an IRI unchanged, except that characters no IRI may contain (RFC 3987, 2.2 and
4.1), and blanks of any kind, are percent-encoded as UTF-8.
Invariant: the result has a scheme, and is valid between `<` and `>` in N-Triples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sculpt.values import frozen

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"

_NO_NAMESPACE = "urn:sculpt:"
_ENDS = ("/", "#", ":")

# These also match everything beyond ASCII; `_percent` knows which of it may stay. A class over all
# of Unicode would take 4 ms to compile, at the start of each command.
_IN_IRIS = r"!$&'()*+,\-.0-9;=A-Z_a-z~"
_STRAY_PERCENT = "%(?![0-9A-Fa-f]{2})"
_NOT_IN_IRIS = re.compile(rf"[^{_IN_IRIS}%:/?@#\[\]]|{_STRAY_PERCENT}")
_NOT_IN_PARTS = re.compile(rf"[^{_IN_IRIS}%:/?@]|{_STRAY_PERCENT}")
_NOT_IN_NAMES = re.compile(f"[^{_IN_IRIS}]")
_NOT_IN_LABELS = re.compile("_(?=x)|[^A-Za-z0-9_-]|^-")
NOT_UNRESERVED = re.compile(r"[^A-Za-z0-9\-._~]")
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")
_PREFIX = re.compile("[A-Za-z][A-Za-z0-9_-]*")


def escaped(text: str) -> str:
    """A text in which characters that may not be in an IRI are percent-encoded."""
    return _NOT_IN_IRIS.sub(_percent, text)


def entity(namespace_iri: str, content: str) -> str:
    """The IRI of the entity that a cell with this content stands for, in a namespace."""
    # Paper: the two are joined by `:`; a namespace that ends in a separator needs no other.
    separator = "" if namespace_iri.endswith(_ENDS) else ":"
    return escaped(namespace_iri) + separator + escaped_part(content)


def escaped_part(text: str) -> str:
    """A text as part of an IRI: it cannot add a fragment, or the brackets of a host."""
    return _NOT_IN_PARTS.sub(_percent, text)


def blank_node(label: str) -> str:
    """A blank node.

    Characters that may not be in a label are escaped so that labels stay different, as in
    `xml_records`.
    """
    return "_:" + (_NOT_IN_LABELS.sub(lambda found: f"_x{ord(found[0]):04X}_", label) or "_x_")


def percent_encoded(text: str) -> str:
    """A text in which all but letters, digits and `-._~` is percent-encoded (R2RML, 7.3).

    Characters beyond ASCII stay if an IRI may have them.
    """
    return NOT_UNRESERVED.sub(_percent, text)


def is_absolute(iri: str) -> bool:
    """Does it have a scheme?"""
    return _SCHEME.match(iri) is not None


def _percent(found: re.Match[str]) -> str:
    """A character percent-encoded, unless it may stay."""
    if _may_stay(found[0]):
        return found[0]
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _may_stay(char: str) -> bool:
    """May a character beyond ASCII be in an IRI, and is it visible?"""
    code = ord(char)
    if char.isspace() or 0x200B <= code <= 0x200F or 0x202A <= code <= 0x202E:
        return False  # parsers stumble over blanks; the others change the writing direction
    if code < 0x10000:
        return 0xA0 <= code <= 0xD7FF or 0xF900 <= code <= 0xFDCF or 0xFDF0 <= code <= 0xFFEF
    # No private use, no tags, and not the last two code points of a plane.
    return code < 0xF0000 and code & 0xFFFF < 0xFFFE and not 0xE0000 <= code < 0xE1000


@frozen
class Names:
    """The namespaces of a schema, by their prefixes; `default` is the empty prefix."""

    namespaces: Mapping[str, str]

    @property
    def base(self) -> str:
        """What the IRIs of targets, fields and records start with."""
        default = self._default()
        if default is None:
            return _NO_NAMESPACE
        return default if default.endswith(_ENDS) else default + "#"

    def of_name(self, name: str) -> str:
        """The IRI of a target or a field."""
        return self.base + _NOT_IN_NAMES.sub(_percent, name)

    def of_field(self, name: str) -> str:
        """The IRI of a field: a prefixed name, an IRI, or otherwise a name."""
        iri = self.of_reference(name)
        if iri is None and is_absolute(name) and "://" in name:
            iri = escaped(name)
        return self.of_name(name) if iri is None else iri

    def of_records(self, target: str) -> str:
        """The IRI of a record of a target, except for its number at the end."""
        return self.of_name(target) + (":" if self._default() is None else "/")

    def of_text(self, text: str) -> str:
        """The IRI that a text stands for: a prefixed name, an IRI, or otherwise a name."""
        iri = self.of_reference(text)
        return self.absolute(text) if iri is None else iri

    def of_reference(self, text: str) -> str | None:
        """The IRI of a text that can only be one, or `None`.

        That is `prefix:name` with a declared prefix, or `<IRI>`.
        """
        if text.startswith("<") and text.endswith(">"):
            return escaped(text[1:-1]) if is_absolute(text[1:-1]) else None
        prefix, colon, name = text.partition(":")
        if not colon or name.startswith("//"):  # `http://…` is never a prefixed name
            return None
        if prefix in ("", "default"):
            return escaped(self.base + name) if self._default() is not None else None
        namespace = self.namespaces.get(prefix)
        return None if namespace is None else self.absolute(namespace + name)

    def absolute(self, iri: str) -> str:
        """An absolute IRI: the given one, or the base followed by it."""
        iri = escaped(iri)
        return iri if is_absolute(iri) else self.base + iri

    def prefixes(self) -> dict[str, str]:
        """The namespaces that Turtle can declare, with the base under the empty prefix."""
        return {"": self.base} | {
            prefix: escaped(iri)
            for prefix, iri in self.namespaces.items()
            if prefix != "default" and _PREFIX.fullmatch(prefix) and is_absolute(iri)
        }

    def _default(self) -> str | None:
        """The declared default, if it can be the start of an IRI."""
        default = self.namespaces.get("default")
        return escaped(default) if default is not None and is_absolute(default) else None
