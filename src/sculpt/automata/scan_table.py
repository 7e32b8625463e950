"""The steps of the scanner, computed when the data first needs them and kept in arrays.

In: a `Scanner`. Out: a `ScanTable`: arrays for the kernel, and the letters met so far. Bytes that
no state distinguishes share a class. A state gets its row of the table when it is first met, and an
entry when it is first used. So tokens, however many or large, cost only what the data visits.

Invariant: an entry, once written, never changes: kernels in other threads may read the table while
it grows. When the arrays are replaced by larger ones, the old ones stay valid, with fewer entries.
Cost: a miss costs a step of the scanner. Beyond `MAX_STATES` the run is refused with the name of
the token to blame, so memory is bounded whatever the expressions.
"""

from __future__ import annotations

import threading
from typing import Any

from sculpt.automata.scanner import END, Config, Event, Letter, Scanner, Step
from sculpt.automata.texts.states import Outcome
from sculpt.errors import UnsupportedByEngine
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops import scan as k

PADDED = Letter(Outcome(frozenset(), frozenset()), 0, is_padded=True)
MAX_STATES = 50_000
"""States; each takes eight bytes per class, so the table has some tens of megabytes at most."""


class ScanTable:
    """The lazily determinised scanner."""

    def __init__(self, scanner: Scanner, backend: Backend, notes_texts: bool = False) -> None:
        """With `notes_texts`, steps say where texts begin and end, for the kernel `scan_texts`."""
        self.scanner = scanner
        self.backend = backend
        self.notes_texts = notes_texts
        starts = sorted(scanner.byte_ranges() | {0})
        of_byte = [0] * 256
        current = 0
        for byte in range(256):
            if byte in starts:
                current += 1
            of_byte[byte] = current - 1
        self.width = current
        examples = {of_byte[byte]: byte for byte in range(256)}
        self._examples = tuple(examples[each] for each in range(current))
        """By class: one of its bytes."""
        ordinary = scanner.ordinary()
        self._ordinary = [ix for ix, byte in enumerate(self._examples) if byte in ordinary]
        self.classes = backend.unsigned(of_byte)
        self.filled = 0
        """Entries so far."""
        self.letters: list[Letter] = [PADDED]
        """By number; the first stands for padding."""
        self._letter_ids: dict[Letter, int] = {PADDED: 0}
        self._lock = threading.RLock()
        self._reset()

    def _reset(self) -> None:
        self.configs: list[Config] = []
        self._ids: dict[Config, int] = {}
        self.table: Any = self.backend.unsigned([0] * self.width * 64)
        self.backlogs: Any = self.backend.unsigned([0] * self.width * 64)
        self.notes: Any = self.backend.unsigned([0] * (self.width * 64 if self.notes_texts else 1))
        self.start = self._intern(self.scanner.start)

    def _intern(self, config: Config) -> int:
        """The offset of a configuration's row in the table."""
        found = self._ids.get(config)
        if found is None:
            found = self._ids[config] = len(self.configs) * self.width
            self.configs.append(config)
            if found + self.width > len(self.table):
                more = len(self.table)
                self.table = self.backend.grown(self.table, more, 0)
                self.backlogs = self.backend.grown(self.backlogs, more, 0)
                if self.notes_texts:
                    self.notes = self.backend.grown(self.notes, more, 0)
            missing = k.MISS | k.BRANCH | found
            self.table[found : found + self.width] = self.backend.unsigned([missing] * self.width)
            self.backlogs[found] = len(config.backlog)
        return found

    def offset_of(self, config: Config) -> int:
        """The offset of a configuration's row, which is added if it is new."""
        with self._lock:
            return self._intern(config)

    def config_at(self, offset: int) -> Config:
        """The configuration of a row of the table."""
        return self.configs[offset // self.width]

    def waiting(self, offset: int) -> int:
        """How many bytes that were read wait in a state; each may still end a cell."""
        config = self.config_at(offset)
        return len(config.pending) + len(config.backlog)

    def letter_id(self, letter: Letter) -> int:
        """The number of a letter, which may be new."""
        found = self._letter_ids.get(letter)
        if found is None:
            with self._lock:
                found = self._letter_ids.get(letter)
                if found is None:
                    found = len(self.letters)
                    self.letters.append(letter)
                    self._letter_ids[letter] = found
        return found

    def fill(self, offset: int, byte: int) -> None:
        """Compute the entry of a state and a byte."""
        with self._lock:
            place = offset + int(self.classes[byte])
            if not int(self.table[place]) & k.MISS:
                return  # another thread was faster
            config = self.config_at(offset)
            if len(self.configs) > MAX_STATES:
                raise self._too_large()
            step = self.scanner.step(config, byte)
            entry = 0
            waiting = len(step.config.backlog)
            ended, begun = step.ended, step.begun
            if step.event is Event.CELL or (step.event is Event.ROW and waiting == 1):
                # The byte that showed the end of the cell begins the next, if nothing ends there.
                after = self.scanner.step(step.config, byte) if waiting else step
                if waiting and after.event is Event.NOTHING:
                    step = step._replace(config=after.config)
                    ended = after.ended if after.ended >= 0 else ended
                    begun = after.begun if after.begun >= 0 else begun
                    if step.event is Event.ROW:
                        entry |= k.BEFORE
            if config.backlog:
                entry |= k.STAY | k.BRANCH
            match step.event:
                case Event.CELL:
                    entry |= k.CELL
                case Event.ROW:
                    entry |= k.CELL | k.ROW | k.BRANCH
                case Event.LINE:
                    entry |= k.LINE | k.BRANCH
            if step.letter is not None:
                entry |= self.letter_id(step.letter) << k.LETTER_SHIFT
            if step.config.backlog:
                entry |= k.BACKLOG
            # Interning may replace the table, so it comes before the entry is written.
            entry |= self._intern(step.config)
            note = self._note(step, waiting, ended, begun, bool(config.backlog))
            if note:
                entry |= k.BRANCH
            for alike in self._alike(config, place - offset):
                if note:
                    self.notes[offset + alike] = note
                self.table[offset + alike] = entry
                self.filled += 1

    def _note(self, step: Step, waiting: int, ended: int, begun: int, is_staying: bool) -> int:
        """Where texts end and begin in a step, encoded for `scan_texts`."""
        if not self.notes_texts:
            return 0
        text = 0
        if step.event in (Event.CELL, Event.ROW) and not step.text_had_ended:
            text = 1 + waiting + step.gap
        fields = (
            (1 + begun, k.BEGUN_SHIFT),
            (1 + ended, k.ENDED_SHIFT),
            (text, k.TEXT_SHIFT),
            (1 + step.opened, k.OPENED_SHIFT),
        )
        assert all(value <= k.NOTE for value, _ in fields), (step, text)
        note = sum(value << shift for value, shift in fields)
        is_usual = step.event in (Event.CELL, Event.ROW) and note == k.USUAL_NOTE
        return 0 if is_usual and not is_staying else note

    def _alike(self, config: Config, byte_class: int) -> list[int]:
        """The classes of bytes that surely lead to the same state as this one."""
        is_text = byte_class in self._ordinary and self.scanner.feeds_next(config)
        if config.pending or config.backlog or not is_text:
            return [byte_class]
        values = self.scanner.reader.alike(config.text, self._examples)
        return [each for each in self._ordinary if values[each] == values[byte_class]]

    def _too_large(self) -> UnsupportedByEngine:
        texts = [config.text.alive for config in self.configs]
        name, states = self.scanner.reader.largest(texts)
        return UnsupportedByEngine(
            f"the token `{name}` needs more than {states:,} states on this data,"
            " probably because of a large count after `.*` or the like; simplify it,"
            " or use `--engine reference` if the file is small"
        )

    def finish(self, offset: int) -> list[tuple[Step, int]]:
        """The steps at the end of the file, from a state; each with its letter, or -1."""
        with self._lock:
            config = self.config_at(offset)
            ends: list[tuple[Step, int]] = []
            while True:
                step = self.scanner.step(config, END)
                if step.event:
                    letter = -1 if step.letter is None else self.letter_id(step.letter)
                    ends.append((step, letter))
                if step.is_done:
                    return ends
                config = step.config
