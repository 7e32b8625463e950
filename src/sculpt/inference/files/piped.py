"""Standard input as a file: what is proposed for it reads it more than once.

In: the arguments of a call, a scratch folder. Out: for each argument the path to read. Invariant:
only `-` has another path than its own. Cost: what comes from the pipe is copied once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from sculpt.tabular.inputs import BLOCK_SIZE, STDIN, Input, writing_temporary

NAME = "standard input"


def piped(names: Sequence[str], scratch: str) -> dict[str, str]:
    """The paths of the arguments; standard input is copied to the scratch folder."""
    found = {name: name for name in names}
    if STDIN in found:
        found[STDIN] = os.path.join(scratch, NAME)
        with Input(STDIN) as source, open(found[STDIN], "wb") as copy:
            for block, _ in source.blocks(BLOCK_SIZE):
                with writing_temporary():
                    copy.write(block)
    return found
