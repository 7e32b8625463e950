"""The command line: `sculpt validate | check | explain | select | run | extract | fmt`.

In: arguments. Out: text or JSON on standard output, errors on standard error, and the exit status
of `docs/language.md#exit-status`: 0 valid, 1 not valid, 2 the call or the schema is wrong, 3 data
could not be read or the run failed.

Invariant: no traceback for anything a user did; an interrupted run says so and ends with 3. The
commands are imported by the first call and not with this package: see `main`.
"""

from sculpt.cli.main import main

__all__ = ["main"]
