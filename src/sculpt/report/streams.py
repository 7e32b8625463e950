"""Standard streams that may be closed or full: a remark that cannot be written does not end a run.

In: a stream. Out: nothing; what is written after a failure is discarded, so that the process does
not fail again when it exits.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO


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
