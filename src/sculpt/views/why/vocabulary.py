"""The words of a schema: from what is written to what engines evaluate.

In: nodes of the syntax tree of a schema. Out: the core nodes that engines mark cells by; new ones
too, such as "the cells at which a walk comes to this test". Core nodes have no places in the text,
because equal ones are shared; so `why` explains the syntax tree, and asks here for the core node of
each part.

Invariant: one builder makes all nodes, so equal selectors are one node. Cost: desugaring a node
again is linear in its size.
"""

from __future__ import annotations

from functools import cached_property

from sculpt.core import ir
from sculpt.core.desugar import Desugarer, predefined_token
from sculpt.engines.messages.text_tokens import TextTokens
from sculpt.schema import Schema
from sculpt.syntax import ast
from sculpt.syntax.printer import print_selector
from sculpt.values import replace

_PADDING = " padding"
"""The name of a token of our own; names in a schema do not begin with a blank."""


class Vocabulary:
    """The names and nodes of a schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._desugarer = Desugarer(schema.statements, [])
        self.rules = [each for each in schema.statements if isinstance(each, ast.Rule)]
        """Rule 1 is the first."""

    @property
    def tokens(self) -> dict[str, ir.CoreToken]:
        """All tokens that were mentioned so far."""
        return {**self._schema.core.tokens, **self._desugarer.tokens}

    @cached_property
    def texts(self) -> TextTokens:
        """Which tokens a text matches."""
        return TextTokens(self.tokens)

    def definition(self, node: ast.Selector) -> ast.TypeDefinition | None:
        """The definition of a token type, if the node is the name of one."""
        return self._desugarer.definitions.get(node.name) if isinstance(node, ast.Name) else None

    def type_definition(self, name: str) -> ast.TypeDefinition:
        """The definition of a token type."""
        return self._desugarer.definitions[name]

    def token(self, node: ast.Name | ast.Literal) -> ir.CoreToken:
        """The token that a name or a text stands for."""
        name = self._desugarer.token(node)
        return self._desugarer.tokens[name]

    # ------------------------------------------------------------- nodes

    def selector(self, node: ast.Selector) -> ir.Selector:
        """The core form of a selector."""
        return self._desugarer.selector(node)

    def type(self, name: str) -> ir.Selector:
        """The core form of a token type."""
        return self._desugarer.types[name]

    def token_node(self, name: str) -> ir.Selector:
        """The cells that match a token."""
        return self._desugarer.builder.make(ir.Token, name)

    @cached_property
    def everything(self) -> ir.Selector:
        """All cells."""
        return self._desugarer.builder.make(ir.Everything)

    @cached_property
    def padding(self) -> ir.Selector:
        """The padded cells; a schema may give the name `Missing` to another token."""
        missing = predefined_token("Missing")
        assert missing is not None
        self._desugarer.tokens[_PADDING] = replace(missing, name=_PADDING)
        return self.token_node(_PADDING)

    def position(self, row: int | None, column: int | None) -> ir.Selector:
        """A row, a column or one cell."""
        return self._desugarer.builder.make(ir.Position, row, column)

    def reach(self, path: ast.Path, origin: ir.Selector) -> ir.Selector:
        """The cells that a path leads to."""
        if isinstance(path, ast.Axis) and path.name == "cell":
            return origin
        return self._desugarer.builder.make(ir.Reach, self._desugarer.path(path), origin)

    def both(self, one: ir.Selector, other: ir.Selector) -> ir.Selector:
        """The cells of two selectors."""
        return self._desugarer.builder.make(ir.And, (one, other))

    def either(self, *nodes: ir.Selector) -> ir.Selector:
        """The cells of at least one of some selectors."""
        return nodes[0] if len(nodes) == 1 else self._desugarer.builder.make(ir.Or, nodes)

    def negation(self, node: ir.Selector) -> ir.Selector:
        """The other cells."""
        return self._desugarer.builder.make(ir.Not, node)


def written(node: ast.Selector) -> str:
    """A selector as it is written; in its canonical form if it goes over several lines."""
    span = node.span
    text = span.source.text[span.start : span.end]
    return text if text.isprintable() and text else print_selector(node)
