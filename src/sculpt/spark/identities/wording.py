"""Violations of keys and references in words, from bare numbers: rows are read again.

In: the `Fact`s of a file, and the file. Out: `Violation`s, word for word those of the other
engines. Tasks do this: for the first violations of each file, and for all of them where a data
frame lists them. Each row is read from the byte at which it begins.

Invariant: only rows that are named are read, and, where the line of a row in the file is wanted,
the bytes of its chunk before it. Memory: a batch.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.checks.plan import Identity
from sculpt.core import ir
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.messages.findings import Finding
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE
from sculpt.engines.walk.walk import WalkResult
from sculpt.report.lists.violations import violation_row
from sculpt.spark import tasks
from sculpt.spark.identities.judgement import Fact, facts_of
from sculpt.spark.listers import VIOLATIONS
from sculpt.spark.tasks import File, Job, Scope
from sculpt.spark.units import ReplyFunction, record_batch
from sculpt.tabular.grid import list_splitter
from sculpt.values import frozen
from sculpt.verdict import Place, Violation

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 1 << 10


class _NoLines(Mapping[int, int]):
    """No row's line is of interest."""

    def __contains__(self, row: object) -> bool:
        return True

    def __getitem__(self, row: int) -> int:
        return 0

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Wording:
    """Puts the violations of one file into words."""

    def __init__(
        self,
        machines: Machines,
        data: Data,
        width: int,
        file: int,
        names: Mapping[int, str],
        line_at: tuple[int, int] | None = None,
    ) -> None:
        """`names` has the paths of files; `line_at` a byte of the data, and its line.

        Without `line_at`, excerpts do not know their line.
        """
        self._names, self._file = names, file
        found = WalkResult(1, width, 0, [], NO_EDGE)
        lines: Mapping[int, int] = _NoLines() if line_at is None else {}
        self._details = Details(machines, found, data, lines, frozenset(), line_at)

    def violations(self, identity: Identity, facts: Sequence[Fact]) -> list[Violation]:
        """Some violations of a statement, in the order of the table."""
        found: list[Violation] = []
        for at in range(0, len(facts), BATCH):
            some = facts[at : at + BATCH]
            findings = [self._finding(identity, fact) for fact in some]
            found += self._details.worded(findings, {fact.row: fact.start for fact in some})
        return found

    def _finding(self, identity: Identity, fact: Fact) -> Finding:
        statement = identity.statement
        if fact.code == "key-several":
            return Finding(fact.code, fact.row, fact.column, identity=statement, part=fact.item)
        place, is_elsewhere = None, False
        if fact.other is not None:
            file, row, column = fact.other
            place, is_elsewhere = Place(self._names[file], row, column), file != self._file
        return Finding(
            fact.code,
            fact.row,
            fact.column,
            item=fact.item or None,
            items=self._texts(identity.left_parts, fact),
            identity=statement,
            other=place,
            is_elsewhere=is_elsewhere,
        )

    def _texts(self, parts: Sequence[ir.CorePart], fact: Fact) -> tuple[str, ...]:
        """The texts of an entry, or its item."""
        places = [(fact.row, column, fact.start) for column in fact.columns]
        texts = [text or "" for text in self._details.texts_of(places)]
        return tuple(
            list_splitter(part.items)(text)[fact.item - 1] if fact.item and part.items else text
            for part, text in zip(parts, texts, strict=True)
        )


@frozen(slots=False)
class Words:
    """All that tasks need to put violations of files into words."""

    jobs: Mapping[int, Job]
    """By table."""
    tables: Mapping[int, int]
    """By file: its table."""
    files: Mapping[int, tuple[File, int]]
    """By number: a file, and the width of its table."""
    names: Mapping[int, str]
    """By number: the name of a file, or of a data frame."""
    identities: bytes
    stride: int

    def of(self, number: int, source: Any, line_at: tuple[int, int] | None = None) -> Wording:
        """What puts violations of an open file into words."""
        job = self.jobs[self.tables[number]]
        data = Data(source, tasks.task_of(job.schema).schema.dialect.encoding)
        machines = tasks.machines_of(job, data, forgets=True)
        if line_at == (0, 1):
            line_at = (data.skipped, 1)
        return Wording(machines, data, self.files[number][1], number, self.names, line_at)

    def identity(self, number: int) -> Identity:
        """A statement."""
        return _identities(self.identities)[number]


_known: dict[bytes, tuple[Identity, ...]] = {}


def _identities(pickled: bytes) -> tuple[Identity, ...]:
    """The statements, unpickled once in a process."""
    if pickled not in _known:
        _known.clear()
        _known[pickled] = pickle.loads(pickled)
    return _known[pickled]


class ListViolations:
    """A function for the workers: violated rows in, rows of the table of violations out."""

    columns = VIOLATIONS

    def __init__(self, words: Words) -> None:
        self.words = words

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Every violation of the files of `words`."""
        for batch in batches:
            for facts in facts_of(batch, self.words.stride) if batch.num_rows else ():
                if facts.file not in self.words.files:
                    continue
                file = self.words.files[facts.file][0]
                with tasks.opened(file) as source:
                    wording = self.words.of(facts.file, source)
                    identity = self.words.identity(facts.identity)
                    listed = facts.listed()
                    for at in range(0, len(listed), BATCH):
                        found = wording.violations(identity, listed[at : at + BATCH])
                        rows = [violation_row(file.name, each) for each in found]
                        yield record_batch(self.columns, rows)
                    source.check_unchanged()


@frozen(slots=False)
class Shown:
    """The violations of a file, or of a chunk of it, that its verdict shows."""

    scope: Scope
    facts: tuple[tuple[int, tuple[Fact, ...]], ...]
    """By statement."""

    @property
    def file(self) -> File:
        """The file."""
        return self.scope.file


class Show(ReplyFunction[Shown]):
    """The function that puts the violations into words that verdicts show."""

    def __init__(self, words: Words, units: Sequence[Sequence[Shown]]) -> None:
        super().__init__(units)
        self.words = words

    def run(self, item: Shown) -> Iterator[tuple[int, bytes]]:
        """Pickled violations."""
        chunk = item.scope.chunk
        line_at = (0, 1) if chunk is None else (chunk.span.begin, chunk.line)
        with tasks.opened(item.file) as source:
            wording = self.words.of(item.file.number, source, line_at)
            found = [
                violation
                for number, facts in item.facts
                for violation in wording.violations(self.words.identity(number), facts)
            ]
            source.check_unchanged()
        yield 0, pickle.dumps(found)
