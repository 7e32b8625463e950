"""Any text as a schema: it is refused with our own errors, or it works everywhere.

In: a text of `sources`, settings for `--set`, and the number of a small document.

Invariant: a text that is refused raises a `SchemaError` that can be shown and pickled. Any other
has lints and an explanation; formatting its canonical form changes nothing, and the canonical form
means the same; core and program can be pickled; `local` and `reference` give the same verdict, word
for word, or `local` says that it cannot run the schema. No text takes `TOO_LONG` seconds of CPU.
Cost: about 1 ms for a text that is refused, 12 ms for one that is not.
"""

from __future__ import annotations

import pickle
import re
import tempfile
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

import sculpt
from agreement import both
from fuzz.harness import Case, Target
from fuzz.sources import STRANGE, texts
from sculpt.engines.options import Options
from sculpt.kernels import choice as backends
from sculpt.verdict import Verdict
from test_robustness import SETTINGS

TOO_LONG = 10
DOCUMENTS = (
    b'a,"b\nc",1\n\nxx,"',
    b"Item,Mon,Tue,Wed\nrope,12,9,7\nnails,n/a,3\n\nTotal,12;x,12,7\n",
    b"\xef\xbb\xbf Harbour log;2024-04-02\t-3.50\r\n\xff|a b#\0,,\r,T,Date,\xc4\xb0\n",
    b"",
)
_FOLDER = tempfile.TemporaryDirectory(prefix="fuzz-schemas-")

plausible = [f"{name}={value}" for name, all_values in SETTINGS.items() for value in all_values]
names = st.sampled_from([*SETTINGS, "List Delim", "Col Widths", "Col Widths(a)", "Nope"])
strange = st.tuples(names, st.sampled_from(["=", " = ", ""]), st.sampled_from(STRANGE)).map("".join)
setting = st.one_of(st.sampled_from([*plausible, "Col Widths=2, -1, *", "List Delim=;"]), strange)
cases = st.fixed_dictionaries(
    {
        "text": texts,
        "settings": st.sampled_from([0, 0, 0, 1, 2]).flatmap(
            lambda most: st.lists(setting, max_size=most)
        ),
        "document": st.integers(0, len(DOCUMENTS) - 1),
    }
)

# ----------------------------------------------------------------- checks


def check(case: Case) -> None:
    """Check the invariant above."""
    begun = time.process_time()
    try:
        schema = sculpt.Schema.parse(case["text"], case["settings"])
    except sculpt.SchemaError as error:
        _check_error(error)
    else:
        _check_schema(schema, case["settings"], _document(case["document"]))
    assert time.process_time() - begun < TOO_LONG, "slow"


def _check_error(error: sculpt.SchemaError) -> None:
    assert error.diagnostics
    assert all(each.is_error and each.render() for each in error.diagnostics)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def _check_schema(schema: sculpt.Schema, settings: list[str], file: Path) -> None:
    assert all(not each.is_error and each.render() for each in schema.lint)
    assert schema.explanation.passes.count >= 1
    pickle.loads(pickle.dumps((schema.core, schema.program)))
    text = schema.format()
    assert sculpt.format_text(text) == text, text
    again = sculpt.Schema.parse(text, settings)
    theirs = sculpt.validate(schema, file, engine="reference")
    meant = sculpt.validate(again, file, engine="reference")
    assert _without_lines(meant) == _without_lines(theirs), text
    assert _meaning(again) == _meaning(schema), text
    _check_engines(schema, file)


def _check_engines(schema: sculpt.Schema, file: Path) -> None:
    options = Options(threads=1, backend=backends.plain())
    try:
        ours, theirs = both(schema, file, options)
    except sculpt.UnsupportedByEngine:
        return
    assert ours == theirs


def _meaning(schema: sculpt.Schema) -> str:
    """The program in core form, without its line numbers."""
    return re.sub(r"\bline=[0-9]+", "", repr(schema.program))


def _without_lines(verdict: Verdict) -> Verdict:
    """The verdict without what depends on the layout of the schema."""
    return replace(
        verdict,
        violations=tuple(replace(each, line=None) for each in verdict.violations),
        warnings=tuple(replace(each, line=None) for each in verdict.warnings),
        rules=tuple(replace(each, line=None) for each in verdict.rules),
        structure=tuple(replace(each, line=None) for each in verdict.structure),
    )


@cache
def _document(number: int) -> Path:
    path = Path(_FOLDER.name) / f"{number}.csv"
    path.write_bytes(DOCUMENTS[number])
    return path


TARGET = Target("schemas", cases, check)
