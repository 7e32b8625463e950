"""Standard streams that may be closed or full: remarks that nobody reads do not end a run.

In: a stream. Out: nothing; what is written after a failure goes nowhere, so that the exit of the
process does not fail again.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO


@contextlib.contextmanager
def remarking() -> Iterator[None]:
    """Write remarks in here: if nobody can hear them, the run goes on."""
    try:
        yield
    except OSError:
        discard(sys.stderr)


def discard(stream: IO[str]) -> None:
    """Send what is written to a stream nowhere.

    What could not be written is still in the stream, and would fail again at the exit.
    """
    with contextlib.suppress(OSError, ValueError):  # a stream without a file, or one that is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
