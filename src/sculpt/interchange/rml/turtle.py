"""Turtle as an outline: its triples, with the places where their terms are written.

In: the text of a Turtle document. Out: an `Outline`: for each triple its subject, its predicate and
its object; or what is wrong with the text. rdflib reads the graph but keeps no places, and this
keeps places but makes no graph: `places` brings the two together.

Invariants: a place is that of a whole term of the grammar (Turtle, section 6.5), so nothing that is
said in a comment or inside another text is taken for it; brackets are nested at most `MAX_DEPTH`
levels deep. IRIs may have blanks, which the grammar forbids and mappings have. Cost: linear in the
text, which is split into terms once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NoReturn, TypeAlias
from urllib.parse import urljoin

from sculpt.interchange.documents import MAX_DEPTH
from sculpt.interchange.rml.vocabulary import RDF
from sculpt.values import frozen

_NAME = r"[\w:%-]++ | [^\x00-\x7f\s] | \\."
"""A character of a name; those beyond ASCII occur nowhere else outside of texts and IRIs."""
_TOKEN = re.compile(
    r"""
      (?P<skipped>  \s+ | \#[^\n\r]* )
    | (?P<string>   \"{3} (?: [^"\\]++ | \\. | "(?!"") )*+ \"{3}
                  | '{3}  (?: [^'\\]++ | \\. | '(?!'') )*+ '{3}
                  | (?!\"{3}) " (?: [^"\\\n\r]++ | \\[^\n\r] )*+ "
                  | (?!'{3})  ' (?: [^'\\\n\r]++ | \\[^\n\r] )*+ ' )
    | (?P<iri>      < [^<>"\r\n]* > )
    | (?P<tag>      @ [A-Za-z]+ (?: - [A-Za-z0-9]+ )* )
    | (?P<number>   [+-]? (?: \d+ \.? \d* [eE] [+-]? \d+ | \d* \. \d+ | \d+ ) (?! [\w:%-] ) )
    | (?P<word>     (?: NAME ) (?: NAME | \. (?= NAME ) )*+ )
    | (?P<mark>     \^\^ | [][().;,] )
    | (?P<bad>      . )
    """.replace("NAME", _NAME),
    re.VERBOSE | re.DOTALL,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}

Kind: TypeAlias = Literal["iri", "blank", "list", "literal"]


@frozen
class Written:
    """A term where it is written."""

    kind: Kind
    text: str
    """The IRI, the text of a literal; of a blank node or a list, what tells it from others."""
    start: int
    end: int

    @property
    def key(self) -> tuple[Kind, str]:
        """The term, wherever it is written."""
        return self.kind, self.text


@frozen
class Triple:
    """Three terms where they are written."""

    subject: Written
    predicate: Written
    object: Written


@frozen
class Fault:
    """What is wrong with a text."""

    code: Literal["foreign-syntax", "foreign-limit"]
    start: int
    end: int
    message: str


@frozen
class Outline:
    """The triples of a text in the order of their ends; none if it has a fault."""

    triples: tuple[Triple, ...]
    base: str
    """The last base that the text names; empty if it names none."""
    fault: Fault | None = None


def outline_of(text: str, base: str) -> Outline:
    """The outline of a text; its relative IRIs are relative to `base` if it names no other."""
    try:
        reader = _Reader(text, base)
        reader.read()
    except _FoundError as found:
        return Outline((), "", found.fault)
    return Outline(tuple(reader.triples), reader.base_said)


class _FoundError(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


@frozen
class _Token:
    kind: str
    text: str
    start: int
    end: int


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens of a text; brackets that are nested too deeply are a fault."""
    depth = 0
    for match in _TOKEN.finditer(text):
        token = _Token(match.lastgroup or "", match[0], match.start(), match.end())
        if token.kind == "skipped":
            continue
        if token.kind == "mark":
            depth += (token.text in "[(") - (token.text in "])")
        if depth > MAX_DEPTH:
            message = f"brackets are nested more than {MAX_DEPTH} levels deep"
            raise _FoundError(Fault("foreign-limit", token.start, token.end, message))
        yield token
        if token.kind == "bad":  # reading ends here
            return
    yield _Token("end", "", len(text), len(text))


class _Reader:
    def __init__(self, text: str, base: str) -> None:
        self.text, self.base, self.base_said = text, base, ""
        self.tokens = list(_tokens(text))
        self.at = 0
        self.prefixes: dict[str, str] = {}
        self.triples: list[Triple] = []

    # ------------------------------------------------------------- tokens

    @property
    def next(self) -> _Token:
        token = self.tokens[self.at]
        if token.kind == "bad":
            self.fail(token, _bad_character(token.text))
        return token

    def take(self) -> _Token:
        token = self.next
        self.at += 1
        return token

    def skips(self, *marks: str) -> bool:
        """Go past one of some marks, if it is next."""
        found = self.next.kind == "mark" and self.next.text in marks
        self.at += found
        return found

    def fail(self, token: _Token, message: str) -> NoReturn:
        # A text may go on for many lines, and the first of them says which it is.
        end = min(token.end, token.start + len(token.text.partition("\n")[0]))
        raise _FoundError(Fault("foreign-syntax", token.start, end, message))

    def missing(self, what: str, after: str = "") -> NoReturn:
        """Fail, since something else is expected."""
        token = self.next
        found = f"`{_shortened(token.text)}`" if token.text else "the end of the file"
        self.fail(token, f"expected {what}{after}, and found {found}")

    # ------------------------------------------------------------- statements

    def read(self) -> None:
        while self.next.kind != "end":
            word = self.next.text.lower()
            if self.next.text in ("@prefix", "@base") or word in ("prefix", "base"):
                self.directive(word.lstrip("@"), needs_stop=word.startswith("@"))
                continue
            first = self.next
            if first.kind not in ("iri", "word") and first.text not in ("[", "("):
                self.missing("a subject: an IRI, a name or `[`")
            subject = self.term()
            if subject.kind == "literal":
                self.fail(first, "a subject is an IRI or a blank node, and this is a literal")
            is_said = first.text == "[" and subject.end - subject.start > 2
            if not (is_said and self.next.text == "."):
                self.properties(subject, ".")
            if not self.skips("."):
                self.missing("`;`, `,` or the `.` that ends a statement")

    def directive(self, word: str, needs_stop: bool) -> None:
        self.take()
        prefix = ""
        if word == "prefix":
            if self.next.kind != "word" or not self.next.text.endswith(":"):
                self.missing("a prefix that ends in `:`")
            prefix = self.take().text[:-1]
        if self.next.kind != "iri":
            self.missing("an IRI between `<` and `>`")
        iri = self.iri(self.take())
        if word == "prefix":
            self.prefixes[prefix] = iri
        else:
            self.base = self.base_said = iri
        if needs_stop and not self.skips("."):
            self.missing("the `.` that ends a statement")

    def properties(self, subject: Written, closing: str) -> None:
        """Predicates and objects, up to a closing mark."""
        while True:
            predicate = self.predicate()
            self.object(subject, predicate)
            while self.skips(","):
                self.object(subject, predicate)
            if not self.skips(";"):
                return
            while self.skips(";"):
                pass
            if self.next.kind == "mark" and self.next.text == closing:
                return

    def predicate(self) -> Written:
        token = self.next
        if token.text == "a":
            self.take()
            return Written("iri", f"{RDF}type", token.start, token.end)
        if token.kind not in ("iri", "word"):
            self.missing("a predicate")
        found = self.term()
        if found.kind != "iri":
            self.fail(token, "a predicate is an IRI")
        return found

    def object(self, subject: Written, predicate: Written) -> None:
        said = _shortened(self.text[predicate.start : predicate.end])
        self.triples.append(Triple(subject, predicate, self.term(f" after `{said}`")))

    # ------------------------------------------------------------- terms

    def term(self, after: str = "") -> Written:
        token = self.next
        match token.kind, token.text:
            case "iri", _:
                return Written("iri", self.iri(self.take()), token.start, token.end)
            case "string", _:
                return self.literal()
            case "number", _:
                return Written("literal", self.take().text, token.start, token.end)
            case "word", _:
                return self.word(self.take())
            case "mark", "[":
                return self.blank_node()
            case "mark", "(":
                return self.list()
        return self.missing("a value", after)

    def blank_node(self) -> Written:
        opening = self.take()
        # Its end is not known before its properties are, which need no more than what it is.
        node = Written("blank", f"[{opening.start}", opening.start, opening.end)
        if not self.skips("]"):
            self.properties(node, "]")
            self.close(opening, "]", "`;`, `,` or `]`")
        return Written("blank", node.text, opening.start, self.tokens[self.at - 1].end)

    def list(self) -> Written:
        opening = self.take()
        while self.next.kind != "end" and self.next.text not in (")", "]", "."):
            self.term()
        self.close(opening, ")", "a value or `)`")
        return Written("list", f"({opening.start}", opening.start, self.tokens[self.at - 1].end)

    def close(self, opening: _Token, mark: str, what: str) -> None:
        if not self.skips(mark):
            line = self.text.count("\n", 0, opening.start) + 1
            self.missing(what, f" (the `{opening.text}` of line {line} is open)")

    def literal(self) -> Written:
        token = self.take()
        size = 3 if token.text[:3] in ('"""', "'''") and len(token.text) > 5 else 1
        text = self.unescaped(token, token.text[size:-size])
        end = token.end
        if self.next.kind == "tag":
            end = self.take().end
        elif self.skips("^^"):
            if self.next.kind not in ("iri", "word"):
                self.missing("a datatype", " after `^^`")
            end = self.term().end
        return Written("literal", text, token.start, end)

    def word(self, token: _Token) -> Written:
        text = token.text
        if text in ("true", "false"):
            return Written("literal", text, token.start, token.end)
        prefix, colon, local = text.partition(":")
        if prefix == "_":
            return Written("blank", text, token.start, token.end)
        if not colon:
            self.fail(token, f"`{_shortened(text)}` is no name: it has no prefix, as in `ex:name`")
        if prefix not in self.prefixes:
            self.fail(token, f"the prefix `{prefix}:` is not declared")
        iri = self.prefixes[prefix] + re.sub(r"\\(.)", r"\1", local)
        return Written("iri", iri, token.start, token.end)

    def iri(self, token: _Token) -> str:
        said = self.unescaped(token, token.text[1:-1])
        if _SCHEME.match(said):
            return said
        whole = urljoin(self.base, said)
        return f"{whole}#" if said.endswith("#") and not whole.endswith("#") else whole

    def unescaped(self, token: _Token, text: str) -> str:
        """A text with what its escapes stand for."""

        def meant(found: re.Match[str]) -> str:
            code = found[1] or found[2]
            if code is not None and int(code, 16) <= 0x10FFFF:
                return chr(int(code, 16))
            if found[3] not in _ESCAPED:
                self.fail(token, f"`{found[0]}` is no escape; a backslash is written `\\\\`")
            return _ESCAPED[found[3]]

        return _ESCAPE.sub(meant, text)


def _bad_character(char: str) -> str:
    match char:
        case '"' | "'":
            return "this text has no closing quote"
        case "<":
            return "this IRI has no closing `>`, or it has a blank or a quote"
        case "@":
            return "after `@` comes `prefix`, `base` or the tag of a language"
    return f"`{char}` has no meaning here"


def _shortened(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= 40 else f"{line[:39]}…"
