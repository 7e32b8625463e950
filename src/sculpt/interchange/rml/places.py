"""Where the nodes of a mapping are in its text.

In: the text of a Turtle document, and a node or a word of it. Out: the place: of the statement that
has the node as its subject, and within it that of the first of some texts that are written there.
rdflib keeps no places, so they are searched for.

Invariant: there is always a place; if nothing is found, it is the beginning of what is around it.
Cost: a search in the text for each question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sculpt.diagnostics import Diagnostic
from sculpt.interchange.documents import TextDocument
from sculpt.origins import Spot

_SKIPPED = re.compile(r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|<[^<>\s]*>|#[^\n]*', re.DOTALL)


class Places:
    """The places of one document."""

    def __init__(self, document: TextDocument, prefixes: Mapping[str, str], base: str) -> None:
        self._document, self._prefixes, self._base = document, prefixes, base
        self._starts: list[int] = _statements(document.text)

    def span(self, subject: str | None, *texts: str) -> tuple[int, int]:
        """The characters of the first text that is found in the statement of a subject."""
        start, end = 0, len(self._document.text)
        if subject is not None:
            start, end = self._statement(subject)
        for text in texts:
            at = self._document.text.find(text, start, end)
            if text and at >= 0:
                return at, at + len(text)
        stop = self._document.text.find("\n", start)
        return start, min(end, len(self._document.text) if stop < 0 else stop)

    def spot(self, subject: str | None, *texts: str) -> Spot:
        """The place of the same."""
        return self._document.spot(self.span(subject, *texts)[0])

    def problem(
        self, subject: str | None, texts: tuple[str, ...], message: str, hint: str | None = None
    ) -> Diagnostic:
        """An error about it."""
        start, end = self.span(subject, *texts)
        return self._document.problem("foreign-meaning", start, end, message, hint)

    def _statement(self, subject: str) -> tuple[int, int]:
        """Where the statement about a subject begins and ends."""
        text = self._document.text
        for number, start in enumerate(self._starts):
            if any(text.startswith(form, start) for form in self._forms(subject)):
                following = self._starts[number + 1 :]
                return start, following[0] if following else len(text)
        return 0, len(text)

    def _forms(self, iri: str) -> list[str]:
        """How an IRI may be written."""
        found = [f"<{iri}>"]
        if iri.startswith(self._base):
            found.append(f"<{iri[len(self._base) :]}>")
        found += [
            f"{prefix}:{iri[len(namespace) :]}"
            for prefix, namespace in self._prefixes.items()
            if iri.startswith(namespace)
        ]
        return found


def _statements(text: str) -> list[int]:
    """Where statements begin: after a full stop that is in no brackets."""
    found: list[int] = []
    depth, at, begins = 0, 0, True
    while at < len(text):
        skipped = _SKIPPED.match(text, at)
        char = text[at]
        if begins and not char.isspace() and char != "#":
            found.append(at)
            begins = False
        if skipped:
            at = skipped.end()
            continue
        depth += (char in "[(") - (char in "])")
        following = text[at + 1 : at + 2]
        if (
            char == "."
            and depth <= 0
            and (not following or following.isspace() or following == "#")
        ):
            begins = True
        at += 1
    return found
