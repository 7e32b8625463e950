"""Standard streams that may be closed or full: a remark that cannot be written does not end a run.

In: a stream. Out: nothing; what is written after a failure is discarded, so that the process does
not fail again when it exits.

Also what data looks like on a terminal: `HarmlessWriter`.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, BinaryIO

from sculpt.report.styled import visible


@contextlib.contextmanager
def remarking() -> Iterator[None]:
    """For a block that writes remarks: if they cannot be written, the run goes on."""
    try:
        yield
    except OSError:
        discard(sys.stderr)


def discard(stream: IO[str]) -> None:
    """Discard whatever is written to a stream from now on.

    What could not be written is still in the buffer, and would fail again at exit.
    """
    with contextlib.suppress(OSError, ValueError):  # a stream without a file, or one that is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class HarmlessWriter:
    """Writes data to a terminal: its control characters become visible, except line ends and tabs.

    A file or a pipe gets the bytes as they are; but a cell must not steer a terminal.
    """

    def __init__(self, terminal: BinaryIO) -> None:
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> int:
        """Write some bytes; a character may be split between two calls."""
        text = self._decoder.decode(data)
        lines = [[visible(part) for part in line.split("\t")] for line in text.split("\n")]
        shown = "\n".join(["\t".join(parts) for parts in lines])
        self._terminal.write(shown.encode("utf-8", "replace"))
        return len(data)

    def flush(self) -> None:
        """Flush the terminal."""
        self._terminal.flush()
