"""Judges DSPL: the published samples, and mutants of a dataset of our own.

The samples and the valid example of `dsplcheck` are valid; its invalid one is read, and found to
contradict itself or its data; its malformed one is no XML. A mutant must be found where it was
made, by the construct of the XML that it breaks, and nothing else may be found.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import sculpt
from sculpt.diagnostics import Diagnostic
from sculpt.errors import SchemaError
from suites.dspl_mutants import MUTANTS, Fault, Mutant, Refusal, write
from suites.model import SHARED, Case, Outcome

SUITES = ("dspl-samples", "dspl-mutants")
EXCUSED: dict[str, tuple[str, str]] = {}
_FOLDER = SHARED / "dspl"
_EXPECTED = {"valid_dataset": "valid", "invalid_dspl": "invalid", "invalid_xml": "malformed"}


def cases(suite: str) -> list[Case]:
    """The datasets below the folder of samples, by their paths; the mutants by their faults."""
    if suite == "dspl-mutants":
        return [Case(suite, mutant.name, mutant.file) for mutant in MUTANTS]
    paths = [*_FOLDER.glob("samples/**/*.xml"), *_FOLDER.glob("tools/**/*.xml")]
    return [Case(suite, str(path.relative_to(_FOLDER)), _expected(path)) for path in sorted(paths)]


def _expected(path: Path) -> str:
    return _EXPECTED.get(path.parent.name, "valid")


def judge(case: Case) -> Outcome:
    """Validate a dataset, and compare."""
    if case.suite == "dspl-samples":
        found = verdict(_FOLDER / case.name)
        wanted = _expected(_FOLDER / case.name)
        return Outcome(found == wanted, f"found {found}, expected {wanted}")
    mutant = next(each for each in MUTANTS if each.name == case.name)
    with TemporaryDirectory() as folder:
        return judge_mutant(mutant, Path(folder))


def verdict(path: Path) -> str:
    """`valid`, `invalid` or `malformed`. A dataset may have concepts only, and so no tables."""
    try:
        schema = sculpt.load(path)
    except SchemaError as error:
        is_syntax = any(each.code == "foreign-syntax" for each in error.diagnostics)
        return "malformed" if is_syntax else "invalid"
    if not schema.tables and not schema.core.rules:
        return "valid"
    return "valid" if sculpt.validate_all(schema).valid else "invalid"


def judge_mutant(mutant: Mutant, folder: Path) -> Outcome:
    """Compare what is found in a mutant with what must be found."""
    path = write(mutant, folder)
    try:
        outcomes = sculpt.validate_all(sculpt.load(path)).outcomes
    except SchemaError as error:
        return _judge_refusal(mutant, error)
    if isinstance(mutant.expected, Refusal):
        return Outcome(False, "the XML was not refused", False)
    found = [
        Fault(Path(outcome.path).name, each.row, each.column, _construct(each.message))
        for outcome in outcomes
        if isinstance(outcome, sculpt.Verdict)
        for each in outcome.violations
    ]
    own = [fault for fault in found if fault.construct not in mutant.follows]
    if sorted(map(str, own)) == sorted(map(str, mutant.expected)):
        return Outcome(True, places=True)
    return Outcome(False, f"found {found}, expected {mutant.expected}", False)


def _judge_refusal(mutant: Mutant, error: SchemaError) -> Outcome:
    found = [(each.message, _text(each)) for each in error.diagnostics]
    if isinstance(mutant.expected, Refusal) and len(found) == 1:
        message, text = found[0]
        wanted = mutant.expected
        if message == wanted.message and text.startswith(wanted.at):
            return Outcome(True, places=True)
    return Outcome(False, f"found {found}, expected {mutant.expected}", False)


def _text(problem: Diagnostic) -> str:
    """The text that an error is about."""
    return problem.span.source.text[problem.span.start : problem.span.end]


def _construct(message: str) -> str:
    """The construct that a violation names: its message begins with it, and its place follows."""
    return message.partition(" (")[0]
