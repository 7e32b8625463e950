"""RML and R2RML mappings over CSV as programs: Turtle in, Sculpt texts out."""

from __future__ import annotations

import re

from sculpt.interchange.access import Access
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.model import Package
from sculpt.interchange.rml.vocabulary import NAMESPACES

_WORDS = re.compile("|".join(map(re.escape, NAMESPACES)))


def recognises(document: TextDocument) -> bool:
    """Does a Turtle document use the words of RML or R2RML?"""
    return _WORDS.search(document.text) is not None


def read(document: TextDocument, access: Access) -> Package:
    """The mapping of a document, as Sculpt texts; `access` is not needed: nothing else is read."""
    from sculpt.interchange.rml.reader import read_mapping
    from sculpt.interchange.rml.writer import written

    del access
    mapping = read_mapping(document)
    return written(mapping, document)
