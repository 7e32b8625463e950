"""The machines of a task: built once, shared by all chunks and threads.

In: a `Task`, the codec of the data, a backend. Out: the `Machines`: above all the table of the
scanner and the navigator of the rules. Invariant: they hold remembered steps, hints and buffers,
but nothing that changes an answer.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterable, Iterator
from typing import Any

from sculpt.automata.cell_machine import CellMachine
from sculpt.automata.coding import Coding
from sculpt.automata.navigator import MAX_ENTRIES, Navigator
from sculpt.automata.pair_table import Pairs
from sculpt.automata.scan_table import MAX_STATES, ScanTable
from sculpt.automata.scanner import BLANK, STRAY, UNCLOSED, UNDECODABLE, Scanner
from sculpt.automata.texts.reader import TextReader
from sculpt.automata.texts.states import ListRule
from sculpt.core import ir
from sculpt.core.facts.decisions import Decisions
from sculpt.core.task import Task, type_names
from sculpt.core.traversal import nodes_of
from sculpt.kernels.backend import Backend
from sculpt.syntax.regular import letters
from sculpt.values import field, frozen, mutable

MAX_FREE = 64
MIN_KEPT = 1 << 16
MAX_KEPT = 8
_OPEN = -1
"""Among the flags of letters: see `Machines.open`."""


class Buffers:
    """Arrays that finished blocks have returned, for new blocks.

    If every chunk took fresh memory, the allocator would fragment it, and memory would grow with
    the file; with reused buffers it does not (benchmarks/record/validate.json, memory).
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._free: list[Any] = []
        self._bytes: list[bytearray] = []

    def letters(self, room: int) -> Any:
        """An uninitialised array of 32-bit numbers."""
        return self._take(room, 4) if self._backend.is_compiled else [0] * room

    def numbers(self, room: int) -> Any:
        """An uninitialised array of 64-bit numbers."""
        return self._take(room, 8) if self._backend.is_compiled else [0] * room

    def _take(self, room: int, size: int) -> Any:
        if room >= MIN_KEPT:
            for ix, array in enumerate(self._free):
                if array.itemsize == size and len(array) >= room:
                    try:
                        found = self._free.pop(ix)
                    except IndexError:  # another thread was faster
                        break
                    if found.itemsize == size and len(found) >= room:
                        return found
        return self._backend.small_room(room) if size == 4 else self._backend.room(room)

    def give(self, array: Any) -> None:
        """Return an array that is no longer read."""
        if len(array) >= MIN_KEPT and len(self._free) < MAX_FREE and self._backend.is_compiled:
            self._free.append(array)

    def recycle(self, blocks: Iterable[Any]) -> None:
        """Take back the arrays of blocks that are no longer read."""
        for block in blocks:
            for array in block.kept:
                self.give(array)

    def take_bytes(self, size: int) -> bytearray:
        """Room for the bytes of a chunk."""
        try:
            data = self._bytes.pop()
        except IndexError:
            return bytearray(size)
        try:  # sizes differ by a row: the memory stays where it is
            if len(data) > size:
                del data[size:]
            else:
                data.extend(bytes(size - len(data)))
        except BufferError:  # an array over these bytes has not been collected yet
            return bytearray(size)
        return data

    def give_bytes(self, data: bytes | bytearray) -> None:
        """Return the bytes of a chunk that are no longer read."""
        if isinstance(data, bytearray) and len(self._bytes) < MAX_FREE:
            self._bytes.append(data)


@mutable
class Hints:
    """What scans have learnt about the data."""

    has_quoted_line_ends: bool = False
    """A line end that did not end a row has been met."""
    steady_shift: int = 0
    """The room for letters that steady rows have needed: see `walk_arrays.Steady`."""
    open_row: int | None = None
    """Where the row with a quote that never closes begins; known once the data has ended."""


@frozen
class Asked:
    """What is needed to ask about texts of which no automaton can say what they match."""

    table: ScanTable
    """Finds the texts: it looks for no token, and notes where texts are."""
    known: dict[tuple[int, bytes], int] = field(default_factory=dict)
    """By open letter and bytes of the cell: the letter that is decided."""


@frozen(slots=False)
class Machines:
    """All that a run needs besides its data."""

    task: Task
    backend: Backend
    table: ScanTable
    navigator: Navigator
    decisions: Decisions
    """What must be decided before the walk."""
    buffers: Buffers
    pairs: Pairs

    asked: Asked | None = None
    """`None` if there are no texts to ask about."""
    forgets: bool = False
    """Forget steps when there are too many, instead of giving up; only one walk may use these."""
    hints: Hints = field(default_factory=Hints)
    facts: dict[int, Any] = field(default_factory=dict)
    """By flag: what `blanks`, `broken`, `unfit` and `open` return."""

    @property
    def has_met_much(self) -> bool:
        """Is a good part of the room for steps and states used up?"""
        return (
            8 * len(self.navigator.taken) > MAX_ENTRIES or 8 * len(self.table.configs) > MAX_STATES
        )

    def blanks(self) -> Any:
        """By letter: is a row of one such cell blank?"""
        return self._with_flag(BLANK)

    def broken(self) -> Any:
        """By letter: is there text after the closing quote, or no closing quote?"""
        return self._with_flag(STRAY | UNCLOSED)

    def unfit(self) -> Any:
        """By letter: is the cell broken, or can it not be decoded?"""
        return self._with_flag(STRAY | UNCLOSED | UNDECODABLE)

    def open(self) -> Any:
        """By letter: must the text of the cell be asked about?"""
        letters, known = self.table.letters, self.facts.get(_OPEN)
        if known is None or len(known) < len(letters):
            known = self.backend.signed([letter.outcome.is_open for letter in letters])
            self.facts[_OPEN] = known
        return known

    def _with_flag(self, flag: int) -> Any:
        letters, known = self.table.letters, self.facts.get(flag)
        if known is None or len(known) < len(letters):
            known = self.backend.signed([bool(letter.flags & flag) for letter in letters])
            self.facts[flag] = known
        return known


class MachineStore:
    """Keeps machines for the next file, since many files share a schema.

    Machines that have met much are built again, so that what an earlier file needed never counts
    against a later one.
    """

    def __init__(self) -> None:
        self._built: dict[tuple[object, ...], Machines] = {}

    def __call__(
        self,
        task: Task,
        codec: str,
        backend: Backend,
        forgets: bool = False,
        notes_texts: bool = False,
    ) -> Machines:
        """The machines of a task: see `build`."""
        parts = (task.schema.tokens, task.schema.dialect, task.rules, task.uniques, task.targets)
        flags = (task.defects, task.tallies, task.coverage, id(task.counted))
        key = (*map(id, parts), *flags, codec, backend.is_compiled, forgets, notes_texts)
        machines = self._built.pop(key, None)
        if machines is None or machines.has_met_much:
            machines = build(task, codec, backend, forgets, notes_texts)
        self._built[key] = machines  # they keep the task alive, so no `id` in the key is reused
        while len(self._built) > MAX_KEPT:
            del self._built[next(iter(self._built))]
        return machines


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Switch garbage collection off: everything made is kept, and looking would double the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@without_collection()
def build(
    task: Task, codec: str, backend: Backend, forgets: bool = False, notes_texts: bool = False
) -> Machines:
    """The machines of a task; with `notes_texts`, scans note where the texts of cells are."""
    tokens = task.schema.tokens
    coding = Coding(codec)
    list_rules: dict[int, int] = {}
    lists: list[ListRule] = []
    for ix, rule in enumerate(task.rules):
        if rule.arrow == ".>":
            assert rule.list_delim is not None
            list_rules[ix] = len(lists)
            lists.append(ListRule(rule.content, rule.list_delim, tuple(tokens.values())))
    reader = TextReader(tokens.values(), coding, lists, kept=_tokens_read(task))
    scanner = Scanner(task.schema.dialect, reader)
    table = ScanTable(scanner, backend, notes_texts)
    decisions = Decisions(task.selectors())
    machine = CellMachine(task, list_rules, decisions.index)
    navigator = Navigator(machine, table.letters, backend)
    buffers, pairs = Buffers(backend), Pairs(table)
    asked = None
    if reader.asks:
        finder = Scanner(task.schema.dialect, TextReader((), coding))
        asked = Asked(ScanTable(finder, backend, notes_texts=True))
    return Machines(task, backend, table, navigator, decisions, buffers, pairs, asked, forgets)


def _tokens_read(task: Task) -> list[str]:
    """The tokens that cells must be tested for."""
    names: dict[str, None] = {}
    for selector in task.selectors():
        for node in nodes_of(selector):
            if isinstance(node, ir.Token):
                names.setdefault(node.name)
    for rule in task.rules:
        is_list, types = rule.arrow == ".>", set(type_names(rule))
        for letter in letters(rule.content):
            name = letter.symbol.name
            # Of the tokens of items, a cell may have the text of an undeclared name: hints ask.
            if name not in types and (not is_list or task.schema.tokens[name].is_bare):
                names.setdefault(name)
    return list(names)
