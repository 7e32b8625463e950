"""What every writer of records does: batches in, one document out.

In: Arrow record batches of one schema. Out: one document, in a file or on a binary stream.
Invariant: a writer that was closed has written a complete document, even with no records; what is
left after an exception is not one, and the caller discards it (see `atomic`). Disk errors are
raised as `OSError`, at the latest by `close`.
Cost: memory is that of one batch.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

Destination: TypeAlias = BinaryIO | str | os.PathLike[str]
"""A binary stream, which stays open, or the path of a file."""


class Output:
    """The stream of a document: its own file, or a stream of the caller."""

    def __init__(self, to: Destination) -> None:
        self.stream: BinaryIO
        if isinstance(to, str | os.PathLike):
            self.stream, self._owned = open(to, "wb"), True  # noqa: SIM115 - open until the end
        else:
            self.stream, self._owned = to, False

    def put(self, data: memoryview | bytes) -> None:
        """Write all of it; an unbuffered stream may take it in parts."""
        rest = memoryview(data)
        while rest:
            taken = self.stream.write(rest)
            if not taken:
                raise BlockingIOError("the stream accepts no data")
            rest = rest[taken:]

    def finish(self) -> None:
        """End a complete document: flush the buffer, so that no error is lost."""
        try:
            self.stream.flush()
        except BaseException:
            self.abandon()
            raise
        if self._owned:
            self.stream.close()

    def abandon(self) -> None:
        """Give up an incomplete document."""
        if self._owned:
            with suppress(OSError):  # the error that matters has been raised already
                self.stream.close()


class Writer(ABC):
    """Takes the records of one target and writes one document.

    A context manager: it completes the document on exit, unless there was an exception.
    """

    def __init__(self, to: Destination) -> None:
        self._output = Output(to)
        self._closed = False

    @abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Write the records of a batch."""

    @abstractmethod
    def _end(self) -> None:
        """Write what comes after the last record."""

    def close(self) -> None:
        """Complete the document; a second call does nothing."""
        if self._closed:
            return
        try:
            self._end()
        except BaseException:
            self.abandon()
            raise
        self._closed = True
        self._output.finish()

    def abandon(self) -> None:
        """Stop without completing the document."""
        if not self._closed:
            self._closed = True
            self._output.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


class TextWriter(Writer):
    """A writer of UTF-8: an opening, the records, a closing."""

    def __init__(self, to: Destination) -> None:
        super().__init__(to)
        self._begun = False

    @abstractmethod
    def opening(self) -> str:
        """What comes before the first record."""

    @abstractmethod
    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The text of some records, at least one."""

    @abstractmethod
    def closing(self) -> str:
        """What comes after the last record."""

    def write(self, batch: pa.RecordBatch) -> None:
        """See `Writer`."""
        from sculpt.transform.writers.rendering import pieces

        self._begin()
        for piece in pieces(batch):
            self._output.put(self.rendered(piece))

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._output.put(self.opening().encode())

    def _end(self) -> None:
        self._begin()
        self._output.put(self.closing().encode())
