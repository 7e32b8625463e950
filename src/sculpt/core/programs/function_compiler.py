"""Calls of text functions to core form, with the constants that they take.

In: a call in a program. Out: a core call; errors go to `problems`. Cost: linear.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping

from sculpt.core.builtins import XSD
from sculpt.core.datatypes.language_tags import is_language_tag
from sculpt.core.programs import expressions
from sculpt.core.programs.condition_compiler import ConditionCompiler
from sculpt.core.programs.conditions import family_of
from sculpt.core.programs.typed_values import INTEGER, IRI, TEXT
from sculpt.diagnostics import Span, closest
from sculpt.extras import missing
from sculpt.syntax import ast
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.functions import ABOUT_FILES
from sculpt.syntax.programs.value_parser import MAX_DIGITS
from sculpt.syntax.regex import capturing_pattern
from sculpt.values import replace

_ARGUMENTS = {
    "trim": 0, "upper": 0, "lower": 0, "replace": 2, "split": 2, "capture": 2, "map": 1,
    "length": 0, "stem": 0, "percent-decode": 0, "percent-encode": 0, "blank": 0, "lang": 1,
    "literal": 1,
}  # fmt: skip
_USES = {
    "replace": '`replace(text, "old", "new")`',
    "split": '`split(text, ";", 2)`',
    "capture": "`capture(text, Token, 1)`",
    "map": "`map(text, Mapping)`",
    "iri": "`iri(text)` or `iri(namespace, text)`",
    "lang": '`lang(text, "en")`',
    "literal": '`literal(text, "xs:date")`',
    "checksum": '`checksum(path, "sha256")`',
    "count-files": '`count-files("scans/*.tif")`',
    "file-size": "`file-size(path)`",
}
_RESULTS = {"length": INTEGER, "blank": IRI}
ALGORITHMS = ("md5", "sha1", "sha256", "sha512")
"""The check sums of files."""
XSD_IRI = "http://www.w3.org/2001/XMLSchema#"
_ABSOLUTE = re.compile('[A-Za-z][A-Za-z0-9+.-]*:[^ <>"{}|\\\\^`]+')
ALWAYS_CAPTURED = 4_096
"""RE2 accepts any expression without counts that is shorter than this."""


class FunctionCompiler(ConditionCompiler):
    """Compiles calls of functions."""

    definitions: dict[str, ast.TokenDefinition]
    namespaces: Mapping[str, str]
    mappings: Mapping[str, Mapping[str, str]]
    patterns: dict[str, str]

    @abstractmethod
    def values(self, nodes: Iterable[p.Expression]) -> tuple[expressions.Value, ...]:
        """The values of some expressions; the errors of all of them are reported."""

    def unknown_namespace(self, name: p.Named) -> Exception:
        """Report a namespace that is not declared."""
        near = closest(name.name, self.namespaces)
        hint = f"did you mean `{near}`?" if near else f"add `namespace {name.name} = …`"
        message = f"there is no namespace `{name.name}`"
        return self.reject("unknown-namespace", message, name.span, hint)

    def call(
        self, node: p.Call, function: str, arguments: tuple[p.Expression, ...]
    ) -> expressions.Value:
        """A call of a function."""
        if function == "iri":
            return self.iri(node, arguments)
        if function == "concat":
            return expressions.Joined(self.values(arguments), TEXT, is_strict=True)
        if function in ABOUT_FILES:
            return self.about_files(node, function, arguments)
        text, *others = arguments
        wanted = _ARGUMENTS[function]
        if len(others) != wanted:
            hint = _USES.get(function, f"`{function}(text)`")
            plural = "s" if wanted else ""
            message = f"`{function}` takes {wanted + 1} argument{plural}, not {len(arguments)}"
            raise self.reject("wrong-type", message, node.span, hint)
        if isinstance(text, p.Named):
            message = f"there is no variable `{text.name}`"
            raise self.reject("unknown-variable", message, text.span, _USES.get(function))
        constants: tuple[str | int, ...] = ()
        match function:
            case "replace":
                constants = tuple(self.text(each) for each in others)
                if not constants[0]:
                    raise self.reject("wrong-type", "the text to replace is empty", others[0].span)
            case "split":
                constants = (self.text(others[0]), self.index(others[1]))
                if not constants[0]:
                    raise self.reject("wrong-type", "the separator is empty", others[0].span)
            case "capture":
                constants = self.capture(others[0], others[1])
            case "map":
                constants = (self.mapping(others[0]),)
        to = _RESULTS.get(function, TEXT)
        if function == "lang":
            to = replace(TEXT, language=self.language(others[0]))
        elif function == "literal":
            to = replace(TEXT, datatype=self.datatype(others[0]))
        return expressions.Call(function, self.value(text), constants, to, node.span.line)

    def iri(self, node: p.Call, arguments: tuple[p.Expression, ...]) -> expressions.Value:
        """A call of `iri`."""
        prefix = ""
        if len(arguments) == 2 and isinstance(arguments[0], p.Named):
            if arguments[0].name not in self.namespaces:
                raise self.unknown_namespace(arguments[0])
            prefix = self.namespaces[arguments[0].name]
        elif len(arguments) != 1:
            message = "`iri` takes a text, or a namespace and a text"
            raise self.reject("wrong-type", message, node.span, _USES["iri"])
        return expressions.Call("iri", self.value(arguments[-1]), (prefix,), IRI, node.span.line)

    def about_files(
        self, node: p.Call, function: str, arguments: tuple[p.Expression, ...]
    ) -> expressions.Value:
        """A call of a function that looks at files."""
        path, *others = arguments
        wanted = 1 if function == "checksum" else 0
        if len(others) != wanted:
            message = (
                f"`{function}` takes {wanted + 1} argument{'s' * wanted}, not {len(arguments)}"
            )
            raise self.reject("wrong-type", message, node.span, _USES[function])
        value = self.path_of_file(path, node.span)
        if function in ("count-files", "file-size"):
            return expressions.Call(function, value, (), INTEGER, node.span.line)
        algorithm = self.text(others[0])
        if algorithm not in ALGORITHMS:
            known = ", ".join(f'`"{each}"`' for each in ALGORITHMS)
            near = closest(algorithm.casefold(), ALGORITHMS)
            hint = f'did you mean `"{near}"`?' if near else f"the algorithms are {known}"
            message = f"there is no check sum `{algorithm}`"
            raise self.reject("wrong-type", message, others[0].span, hint)
        return expressions.Call(function, value, (algorithm,), TEXT, node.span.line)

    def path_of_file(self, node: p.Expression, span: Span) -> expressions.Value:
        """The path of a file; conditions of `require` may ask for one."""
        if not self.in_require:
            message = "only the condition of a `require` can look at files"
            raise self.reject("wrong-type", message, span)
        value = self.value(node)
        if family_of(value.type) != "text":
            raise self.reject("wrong-type", "the path of a file is a text", node.span)
        return value

    def text(self, node: p.Expression) -> str:
        """A text in quotes."""
        if not isinstance(node, p.Text):
            raise self.reject("wrong-type", "expected a text in quotes", node.span)
        return node.text

    def index(self, node: p.Expression) -> int:
        """A number from 1."""
        if not isinstance(node, p.Number) or "." in node.text:
            raise self.reject("wrong-type", "expected a whole number", node.span)
        if len(node.text) > MAX_DIGITS:
            raise self.reject("bad-index", "this number is too large", node.span)
        if int(node.text) < 1:
            raise self.reject("bad-index", "parts are counted from 1", node.span)
        return int(node.text)

    def language(self, node: p.Expression) -> str:
        """A language tag."""
        tag = self.text(node)
        if is_language_tag(tag):
            return tag
        message = f"`{tag}` is not a language tag"
        hint = 'a tag begins with the code of a language, such as `"en"` or `"pt-BR"`'
        raise self.reject("wrong-type", message, node.span, hint)

    def datatype(self, node: p.Expression) -> str:
        """The datatype of a literal: a type of XML Schema, a prefixed name, or an IRI."""
        name = self.text(node)
        prefix, colon, local = name.partition(":")
        if prefix == "xs" and colon and "xs" not in self.namespaces:
            if local in XSD:
                return XSD_IRI + local
            near = closest(name, [f"xs:{each}" for each in XSD])
            hint = f'did you mean `"{near}"`?' if near else None
            raise self.reject("unknown-type", f"there is no type `{name}`", node.span, hint)
        if prefix in self.namespaces and not local.startswith("//"):
            return self.namespaces[prefix] + local
        if _ABSOLUTE.fullmatch(name):
            return name
        message = f"`{name}` is neither an IRI nor a name in a declared namespace"
        raise self.reject("wrong-type", message, node.span, _USES["literal"])

    def mapping(self, node: p.Expression) -> str:
        """The name of a mapping that is declared."""
        if not isinstance(node, p.Named):
            message = "expected the name of a mapping"
            raise self.reject("wrong-type", message, node.span, _USES["map"])
        if node.name not in self.mappings:
            near = closest(node.name, self.mappings)
            hint = (
                f"did you mean `{near}`?" if near else f'add `mapping {node.name} = {{ "a": "b" }}`'
            )
            message = f"there is no mapping `{node.name}`"
            raise self.reject("unknown-mapping", message, node.span, hint)
        return node.name

    def capture(self, token: p.Expression, number: p.Expression) -> tuple[str, int]:
        """A token and the number of one of its groups; its expression is kept in `patterns`."""
        if not isinstance(token, p.Named) or token.name not in self.definitions:
            message = "expected a token that the schema defines by an expression, `name = …`"
            raise self.reject("wrong-type", message, token.span, _USES["capture"])
        index = self.index(number)
        pattern, groups = capturing_pattern(self.definitions[token.name].text)
        if index > groups:
            plural = "" if groups == 1 else "s"
            message = (
                f"`{token.name}` has {groups} group{plural} in parentheses, so no group {index}"
            )
            raise self.reject("bad-index", message, number.span)
        if not _can_capture(pattern):
            message = f"`{token.name}` is too large to capture its groups"
            hint = "use counts up to 1,000; `*` and `+` cost the least"
            raise self.reject("wrong-type", message, token.span, hint)
        self.patterns[token.name] = pattern
        return token.name, index


def _can_capture(pattern: str) -> bool:
    """Does RE2 accept the expression?

    Only a long one, or one with counts, can be too large. Without pyarrow, which brings RE2, that
    is found when it is installed, as it must be before the program can run.
    """
    if ("{" not in pattern and len(pattern) < ALWAYS_CAPTURED) or missing("arrow"):
        return True
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        pc.extract_regex(pa.array([], pa.string()), pattern=pattern)
    except pa.ArrowInvalid:
        return False
    return True
