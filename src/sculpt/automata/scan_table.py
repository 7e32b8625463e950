"""The steps of the scanner, remembered in arrays as data first needs them.

In: a `Scanner`. Out: a `ScanTable`: arrays for the kernel, and the letters that cells can have.
Bytes that no state tells apart share a class; a state gets a row of the table when it is met, an
entry when it is used. So neither many tokens nor large ones cost more than what the data visits.

Invariant: an entry, once written, is never changed: kernels in other threads may read the table
while it grows. Where it must be moved to grow, the old arrays stay valid, only with fewer entries.
Cost: a miss costs a step of the scanner; beyond `MAX_STATES` the run is refused, and the token that
is to blame is named, so memory is bounded whatever the expressions.
"""

from __future__ import annotations

import threading
from typing import Any

from sculpt.automata.scanner import END, Config, Event, Letter, Scanner, Step
from sculpt.automata.text_reader import Outcome
from sculpt.errors import UnsupportedByEngine
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops import scan as k

PADDED = Letter(Outcome(frozenset(), frozenset()), 0, is_padded=True)
MAX_STATES = 50_000
"""Times the number of classes, and eight bytes each: some tens of megabytes."""


class ScanTable:
    """The lazily determinised scanner."""

    def __init__(self, scanner: Scanner, backend: Backend, notes_texts: bool = False) -> None:
        """With `notes_texts` the steps tell where texts stand, for the kernel `scan_texts`."""
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
        """A byte of each class."""
        ordinary = scanner.ordinary()
        self._ordinary = [ix for ix, byte in enumerate(self._examples) if byte in ordinary]
        self.classes = backend.unsigned(of_byte)
        self.filled = 0
        """Entries so far."""
        self.letters: list[Letter] = [PADDED]
        """By number; the first stands for padding."""
        self._letter_ids: dict[Letter, int] = {PADDED: 0}
        self._lock = threading.Lock()
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
        """The offset of a configuration, which may be new."""
        with self._lock:
            return self._intern(config)

    def config_at(self, offset: int) -> Config:
        """The configuration of a row of the table."""
        return self.configs[offset // self.width]

    def letter_id(self, letter: Letter) -> int:
        """The number of a letter."""
        found = self._letter_ids.get(letter)
        if found is None:
            found = self._letter_ids[letter] = len(self.letters)
            self.letters.append(letter)
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
                # What had to be seen to end the cell begins the next one, if nothing ends there.
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
            # The next state may move the table, so it comes before the entry is written.
            entry |= self._intern(step.config)
            note = self._note(step, waiting, ended, begun)
            if note:
                entry |= k.BRANCH
            for alike in self._alike(config, place - offset):
                if note:
                    self.notes[offset + alike] = note
                self.table[offset + alike] = entry
                self.filled += 1

    def _note(self, step: Step, waiting: int, ended: int, begun: int) -> int:
        """Where texts end and begin with a step, as `scan_texts` reads it."""
        if not self.notes_texts:
            return 0
        text = 0
        if step.event in (Event.CELL, Event.ROW) and not step.is_told:
            text = 1 + waiting + step.mark
        fields = (
            (1 + begun, k.BEGUN_SHIFT),
            (1 + ended, k.ENDED_SHIFT),
            (text, k.TEXT_SHIFT),
            (1 + step.opened, k.OPENED_SHIFT),
        )
        assert all(value <= k.NOTE for value, _ in fields), (step, text)
        return sum(value << shift for value, shift in fields)

    def _alike(self, config: Config, byte_class: int) -> list[int]:
        """The classes of bytes that lead to the same, as far as that is easily seen."""
        if config.pending or config.backlog or byte_class not in self._ordinary:
            return [byte_class]
        values = self.scanner.reader.alike(config.text, self._examples)
        return [each for each in self._ordinary if values[each] == values[byte_class]]

    def _too_large(self) -> UnsupportedByEngine:
        texts = [config.text.alive for config in self.configs]
        name, states = self.scanner.reader.largest(texts)
        return UnsupportedByEngine(
            f"the token `{name}` needs more than {states:,} states on this data:"
            " a repetition with a large count behind `.*` or the like; make it simpler,"
            " or use `--engine reference` for a small file"
        )

    def finish(self, offset: int) -> list[tuple[Step, int]]:
        """What ends with the file, from a state: steps, each with its letter."""
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
