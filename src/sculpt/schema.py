"""Schema text to a `Schema` in core form, or to all its errors at once.

In: a path or a text. Out: a `Schema`, or a `SchemaError` with all diagnostics. Nothing is computed
here: this module connects the parser, the includes and `desugar`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from sculpt.core import desugar as core
from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY
from sculpt.core.desugar import Desugarer
from sculpt.core.dialect import parse_overrides
from sculpt.core.task import Task
from sculpt.core.traversal import tokens_of
from sculpt.diagnostics import Diagnostic, Source, Span, Suggestions, in_order
from sculpt.display import html_of, shortened
from sculpt.errors import SchemaError, UsageError
from sculpt.origins import Note, Origin
from sculpt.syntax import ast
from sculpt.syntax.expressions import parse_selector
from sculpt.syntax.includes import expand, read_include, read_schema_text
from sculpt.syntax.lines import Fragment
from sculpt.syntax.parser import parse
from sculpt.syntax.printer import print_on_one_line
from sculpt.values import field, frozen, replace

if TYPE_CHECKING:  # imported where it is used, so that calls that do not need it start quickly
    from sculpt.core.facts.explain import Explanation
    from sculpt.core.programs.program import CoreProgram
    from sculpt.core.programs.statements import Require


_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|file:")


@frozen
class Table:
    """Another table that a schema brings in: `include "file" as Name for "data"`."""

    name: str
    schema: Schema = field(repr=False)
    data: str | None
    """The path of its data, relative to nothing; `None` if only the caller knows it."""
    line: int
    text: str
    span: Span = field(compare=False, repr=False)


@frozen(slots=False)
class Schema:
    """A schema that can be run. Make one with `Schema.load` or `Schema.parse`."""

    source: Source
    document: ast.Document = field(repr=False)
    statements: tuple[ast.Statement, ...] = field(repr=False)
    core: ir.CoreSchema = field(repr=False)
    program: CoreProgram | None = field(repr=False, default=None)
    """What `run` executes; `None` if the schema only validates."""
    sources: tuple[str, ...] = field(repr=False, default=())
    """The files that its text comes from: its own, and those that it includes."""
    tables: tuple[Table, ...] = field(repr=False, default=())
    """The other tables that it brings in, in the order of the text."""
    notes: tuple[Note, ...] = field(repr=False, default=())
    """What was not taken over, if it was imported from another system."""

    @classmethod
    def load(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Schema:
        """Read a schema file; `settings` override directives, as `--set` does."""
        name = path_text(path)
        try:
            text = read_schema_text(name)
        except UnicodeDecodeError as error:
            start = error.start
            readable = Source(name, error.object[:start].decode("utf-8", "replace"))
            end = len(readable.text)
            message = "the schema is not UTF-8"
            problem = Diagnostic("not-utf8", message, Span(readable, end, end))
            raise SchemaError((problem,), (name,)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"{name}: cannot be read: {reason.lower()}") from None
        resolved = os.path.realpath(name)
        return cls._build(Source(name, text, os.path.dirname(resolved)), resolved, settings)

    @classmethod
    def parse(cls, text: str, settings: Iterable[str] = (), name: str = "<schema>") -> Schema:
        """Read a schema text; its includes are relative to the working directory."""
        return cls._build(Source(name, text.removeprefix("\ufeff")), None, settings)

    @classmethod
    def imported(
        cls, source: Source, settings: Iterable[str] = (), notes: tuple[Note, ...] = ()
    ) -> Schema:
        """The schema of a text that was made from the schema of another system."""
        return replace(cls._build(source, None, settings), notes=notes)

    @classmethod
    def _build(cls, source: Source, path: str | None, settings: Iterable[str]) -> Schema:
        problems: list[Diagnostic] = []
        listed = (settings,) if isinstance(settings, str) else settings
        overrides = parse_overrides(listed, problems)
        with _collector_paused():
            schema = cls._connect(source, () if path is None else (path,), overrides, problems)
        if problems:
            raise SchemaError(in_order(problems), schema.files)
        return schema

    @classmethod
    def _connect(
        cls,
        source: Source,
        trail: tuple[str, ...],
        overrides: Sequence[ast.Directive],
        problems: list[Diagnostic],
    ) -> Schema:
        """The schema of a text; it is of no use if there are problems."""
        _check_head(source)
        document = parse(source, problems)
        files = [*trail[-1:]]
        folder = source.folder
        statements = tuple(expand(document, folder, problems, trail=trail, files=files))
        tables: dict[str, Table] = {}
        vocabularies: dict[str, Desugarer | None] = {}
        for statement in statements:
            if isinstance(statement, ast.Include):
                cls._add_table(statement, trail, tables, vocabularies, problems)
        schema = core.desugar(statements, overrides, problems, vocabularies)
        schema = schema.imported(source.origins)
        known = tuple(_with_tokens(table, vocabularies[name]) for name, table in tables.items())
        program = None
        if any(isinstance(statement, ast.Program) for statement in statements):
            from sculpt.core.programs.compiler import compile_programs

            words = {
                name: None if words is None else tables[name].schema.statements
                for name, words in vocabularies.items()
            }
            program = compile_programs(statements, problems, words)
            program = None if program is None else program.imported(source.origins)
        return cls(source, document, statements, schema, program, tuple(files), known)

    @classmethod
    def _add_table(
        cls,
        statement: ast.Include,
        trail: tuple[str, ...],
        tables: dict[str, Table],
        vocabularies: dict[str, Desugarer | None],
        problems: list[Diagnostic],
    ) -> None:
        """Read the schema of a table, and its vocabulary, which a table with problems lacks."""
        name = statement.name
        assert name is not None
        if name in vocabularies:
            message = f"the table `{name}` is already included"
            place = statement.name_span or statement.span
            problems.append(Diagnostic("redefinition", message, place))
            return
        vocabularies[name] = None
        before = len(problems)
        found = read_include(statement, statement.span.source.folder, problems, trail)
        if found is None:
            return
        path, source = found
        schema = cls._connect(source, (*trail, path), (), problems)
        data = None if statement.data is None else _data_path(statement.data, statement.span.source)
        text = print_on_one_line(statement)
        tables[name] = Table(name, schema, data, statement.span.line, text, statement.span)
        if len(problems) == before:
            vocabularies[name] = Desugarer(schema.statements, problems)

    def __repr__(self) -> str:
        core = self.core
        rules = f"{len(core.rules):,} {'rule' if len(core.rules) == 1 else 'rules'}"
        return f"<Schema {shortened(self.source.name)}: {rules}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def lint(self) -> tuple[Diagnostic, ...]:
        """Likely mistakes, in the order of the text; none in a text that nobody wrote."""
        return () if self.is_imported else self.text_lint

    @cached_property
    def text_lint(self) -> tuple[Diagnostic, ...]:
        """Likely mistakes in the text, also in one that an importer wrote."""
        from sculpt.core.facts.lint import lint_schema

        return in_order(lint_schema(self.statements, self.core, self.program, self._table_cores))

    @cached_property
    def explanation(self) -> Explanation:
        """How each rule would be evaluated, and why."""
        from sculpt.core.facts.explain import explain_schema

        with _collector_paused():
            return explain_schema(self.core, self.program, self._table_cores)

    @property
    def _table_cores(self) -> dict[str, ir.CoreSchema]:
        return {table.name: table.schema.core for table in self.tables}

    def with_loops(self) -> Schema:
        """The schema, with a warning where a loop of its programs selects nothing."""
        program = self.program
        if program is None:
            return self
        tokens = {**program.tokens, **self.core.tokens}
        return replace(self, core=replace(self.core, tokens=tokens, loops=program.loops))

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the schema was read from, mappings too."""
        own = _files_of(self.sources, self.statements)
        return tuple(dict.fromkeys((*own, *(name for t in self.tables for name in t.schema.files))))

    @property
    def documentation(self) -> dict[str, str]:
        """What the comments directly above statements say.

        The keys are `rule:3`, `type:Names`, `token:day`, `unique:1`, `key:1`, `reference:1`. A
        statement without such a comment has none; `core.documentation.title_of` gives the first
        sentence of one.
        """
        core = self.core
        texts = {f"rule:{rule.number}": rule.documentation for rule in core.rules}
        texts |= {f"type:{name}": each.documentation for name, each in core.types.items()}
        texts |= {f"token:{name}": each.documentation for name, each in core.tokens.items()}
        texts |= {f"unique:{n}": each.documentation for n, each in enumerate(core.uniques, 1)}
        texts |= {f"key:{n}": each.documentation for n, each in enumerate(core.keys, 1)}
        texts |= {f"reference:{n}": each.documentation for n, each in enumerate(core.references, 1)}
        return {name: text for name, text in texts.items() if text}

    @property
    def is_imported(self) -> bool:
        """Was it made from the schema of another system?"""
        return self.source.origins is not None

    @property
    def is_package(self) -> bool:
        """Was it imported, and does it say nothing of a table of its own, only of others?"""
        core = self.core
        if not (self.is_imported and self.tables) or self.program is not None:
            return False
        sides = [side for each in core.references for side in (each.left, each.right)]
        return not (core.rules or core.uniques or core.keys) and all(each.table for each in sides)

    @property
    def origins(self) -> dict[str, Origin]:
        """What its statements were in the schema that it was imported from, if it was.

        The keys are `rule:3`, `unique:1`, `key:1`, `reference:1`, `require:1`.
        """
        return dict(self.source.origins or {})

    @property
    def constraints(self) -> tuple[ir.CoreUnique | ir.CoreKey | ir.CoreReference, ...]:
        """What can be violated besides rules, kind by kind."""
        return (*self.core.uniques, *self.core.keys, *self.core.references)

    @property
    def has_checks(self) -> bool:
        """Is there more to check than rules: keys, references, conditions, other tables?"""
        core = self.core
        return bool(self.tables or core.keys or core.references or self.has_requires)

    @property
    def requires(self) -> tuple[Require, ...]:
        """The conditions of `require`, in the order of the text."""
        return () if self.program is None else self.program.requires

    @property
    def has_requires(self) -> bool:
        """Does it have a `require`?"""
        return self.program is not None and bool(self.program.requirements)

    def format(self) -> str:
        """The canonical text of the schema, comments kept."""
        from sculpt.syntax.printer import print_document

        return print_document(self.document)


def _with_tokens(table: Table, vocabulary: Desugarer | None) -> Table:
    """The table, with the tokens that references to it need besides those of its own schema."""
    own = table.schema.core
    named = {} if vocabulary is None else vocabulary.tokens
    more = {name: token for name, token in named.items() if name not in own.tokens}
    if not more:
        return table
    tokens = {**own.tokens, **more}
    return replace(table, schema=replace(table.schema, core=replace(own, tokens=tokens)))


def _data_path(path: str, source: Source) -> str:
    """The path of a table's data, which is relative to the folder of the schema that names it."""
    if _URI.match(path):
        return path
    written = os.path.dirname(source.name)
    is_same = os.path.realpath(written) == os.path.realpath(source.folder)
    return os.path.join(written if is_same else source.folder, path)


def _files_of(sources: Iterable[str], statements: Iterable[ast.Statement]) -> tuple[str, ...]:
    """The files of a schema: those of its text, and those of its mappings."""
    from sculpt.syntax.programs import tree as programs

    bodies = [each.body for each in statements if isinstance(each, ast.Program)]
    mappings = [
        os.path.join(body.span.source.folder, body.path)
        for body in bodies
        if isinstance(body, programs.Mapping) and body.path is not None
    ]
    return (*sources, *mappings)


SchemaLike: TypeAlias = "Schema | str | os.PathLike[str]"
"""A schema, or the path of a schema file: what public functions take."""


def path_text(path: object) -> str:
    """The text of a path; other values raise `UsageError`."""
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UsageError(f"a path is a text or a `pathlib.Path`, not {type(path).__name__}")
    return text


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would traverse the trees again and again.

    Trees are many small objects without cycles. Pausing it was faster in a few noisy runs on 1,000
    and 10,000 rules; these runs are not recorded.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def format_text(text: str, name: str = "<schema>") -> str:
    """The canonical text of a schema; it needs to parse, but not to be free of other errors."""
    problems: list[Diagnostic] = []
    document = parse(Source(name, text.removeprefix("\ufeff")), problems)
    if problems:
        raise SchemaError(in_order(problems))
    from sculpt.syntax.printer import print_document

    return print_document(document)


_NOT_STATEMENTS = frozenset(
    ("not-a-statement", "orphan-continuation", "bad-name", "unclosed-literal", "not-utf8")
)
_MAX_SCHEMA = 1 << 20
"""A larger text is seldom a schema, so its beginning is looked at first."""
_HEAD = 1 << 15


def is_no_schema(problems: Sequence[Diagnostic]) -> bool:
    """Are most lines of a text no statements?"""
    wrong = sum(each.code in _NOT_STATEMENTS for each in problems)
    text = problems[0].span.source.text if problems else ""
    return 2 * wrong > sum(not line.isspace() for line in text.splitlines())


def _check_head(source: Source) -> None:
    """Reject a large text whose beginning is no schema: data, which would be an error a line."""
    if len(source.text) <= _MAX_SCHEMA:
        return
    head = source.text[:_HEAD].rpartition("\n")[0]
    problems: list[Diagnostic] = []
    parse(replace(source, text=head), problems)
    if is_no_schema(problems):
        raise SchemaError(in_order(problems))


def is_schema(path: str) -> bool:
    """Is a file a schema of Sculpt that can be parsed?"""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _MAX_SCHEMA:
            return False
        source = Source(path, read_schema_text(path))
    except (OSError, ValueError):
        return False
    problems: list[Diagnostic] = []
    statements = parse(source, problems).statements
    return not problems and any(
        not isinstance(each, ast.Comment | ast.BlankLine) for each in statements
    )


def parse_selector_text(
    schema: Schema, selector: str
) -> tuple[dict[str, ir.CoreToken], ir.Selector]:
    """A selector in the vocabulary of a schema, with the tokens that it needs."""
    problems: list[Diagnostic] = []
    tree = parse_selector_tree(selector)
    node, tokens = core.desugar_selector(schema.statements, tree, problems)
    if problems:
        raise SchemaError(in_order(problems))
    return tokens, node


def parse_selector_tree(selector: str) -> ast.Selector:
    """The syntax tree of a selector that is not part of a schema."""
    problems: list[Diagnostic] = []
    source = Source("<selector>", selector)
    fragment = Fragment(source, selector, tuple(range(len(selector))), len(selector)).slice(0)
    tree = parse_selector(fragment, problems)
    if tree is None or problems:
        raise SchemaError(in_order(problems))
    return tree


def undeclared_names(schema: Schema, selector: str) -> list[str]:
    """A remark on each undeclared name in a selector: such a name stands for its own text."""
    tokens, node = parse_selector_text(schema, selector)
    known = [name for name, token in tokens.items() if token.declared]
    suggestions = Suggestions([*known, *schema.core.types, *FRIENDLY])
    remarks = []
    for name in tokens_of(node):
        if tokens[name].literal is not None:
            near = suggestions.closest(name)
            meant = f": did you mean `{near}`?" if near else ""
            remarks.append(f"`{name}` is not declared, so it stands for its own text{meant}")
    return remarks


def selector_task(schema: Schema, text: str) -> Task:
    """The task of finding the cells of a selector."""
    tokens, node = parse_selector_text(schema, text)
    return Task.of_selectors(schema.core, tokens, (node,))
