"""The commands: `sculpt validate | check | explain | select | show | why | run | extract | fmt`.

In: arguments. Out: text or JSON on standard output, errors on standard error, and the exit status
of `docs/language.md#exit-status`: 0 valid, 1 not valid, 2 the call or the schema is wrong, 3 data
could not be read or the run failed.

Invariant: nothing a user does causes a traceback; an interrupted run says so and ends with 3. The
first call imports the commands, this package does not: see `main`.
"""

from sculpt.cli.main import main

__all__ = ["main"]
