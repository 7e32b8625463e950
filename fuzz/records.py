"""Programs: the records, annotations, lines and findings of all engines, and what is written.

In: a schema with a program, a dialect, the bytes of a file with all kinds of hostile texts, how the
file is cut into strips and chunks, the kernels, the policy for a file that is not valid, and
formats. Compared: the verdict, the streams and the findings of `reference` with those of `local`
(in strips or in one piece, with a limit on findings) and of composed chunks; then each output is
written as the command does and read by an independent library (`readers`, `graphs`).

Invariant: the engines give the same results or refuse with the same error, one of ours, and a
format preserves what it promises to. Cost: 20 to 40 ms per case.
"""

from __future__ import annotations

import atexit
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from fuzz.graphs import annotated, check_annotation_json, described, triples
from fuzz.harness import Case, Target
from fuzz.readers import READERS, Row, words_kept
from programs import AGGREGATES, CELLS, Facts, batches_of, facts, in_chunks, schemas
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.statements import Stream
from sculpt.engines.options import Options
from sculpt.errors import SculptError
from sculpt.policy import Policy, check_verdicts
from sculpt.transform.evaluation.execution import Batch
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.iris import Names
from sculpt.transform.local import TableRun
from sculpt.transform.outputs import TEXT, kinds, plan, write_outputs
from sculpt.transform.writers.formats import Format, extension_of
from sculpt.verdict import Verdict
from strategies import PIECES, directives

NUMBERS = [
    *["1", "2", "3", "2.5", "-1", "0.05"],
    *["0", "-0", "+1", "007", "1.", ".5", "-.5", "1e400", "1E-7", "INF", "-INF", "NaN", "-0.0"],
    *["9223372036854775807", "9223372036854775808", "-9223372036854775808", "127", "128", "-129"],
    *["9" * 38, "9" * 39, "0." + "0" * 17 + "1", "0." + "1" * 38, "1" + "0" * 400, "0.0000001"],
    *["99999999999999999999.999999999999999999", "123456789012345678", "3.4e38", "1e-46", "1e22"],
]
TEXTS = [
    *["a\rb", "a\r\nb", "a\nb", "a\tb", 'say "hi"', '"', "a,b", "\r", "a  b", "en-GB", "é", "\x1f"],
    *["http://x.org/a b", "_:b c", "#a", "urn:x", "//x", "<a> <b>", "default:a default:b"],
    *["default:x", "<http://x.org/>", "rdf:type", "%41%", "<a>&amp;", "]]>", "\\", "\\n", "it's"],
    *["\ufeffmark", "\u2028", "\ufffe\uffff", "\x85", "\x00", "\x0b", "\x1f\x7f", "ẞß", "İi"],
    *["😀 𝔘", "e\u0301", " a ", "\ta", "a;;b", "=1+1", "null", "#", "%", "a b:c", "x" * 300],
]
TYPES = {
    "decimal decimal(38,0) decimal(20,18) integer byte unsignedLong double float": NUMBERS,
    "date": ["2011-03-27", "0001-01-01", "9999-12-31", "2011-02-30", "27/3/11", "22-JAN-1968"],
    "dateTime": ["2011-03-27T10:30:00", "2011-03-27T24:00:00", "0001-01-01T00:00:00.000001"],
    "dateTimeStamp": [
        *["2011-03-27T10:30:00.12+14:00", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00Z"],
        *["1969-12-31T23:59:59.999999Z", "1500-02-29T00:00:00Z", "1600-02-29T12:00:00-00:00"],
    ],
    "time": ["24:00:00", "10:30:00.1234567", "00:00:00.000001", "23:59:59.5", "10:30:00Z"],
    "gYear duration": ["2011", "-0001", "P1Y", "-P1Y2M3DT4H5M6.7S", "PT", "2011Z"],
    "boolean": ["true", "YES", "0", "1", "n", "False"],
    "hexBinary base64Binary": ["CAFE", "cafe1", "YWI=", "YW I=", "ff00", "//8=", "YQ"],
    "anyURI string token language NMTOKEN": TEXTS,
}
"""XML Schema types that some of the texts are meant for."""
FRIENDLY = {"double": "Number", "integer": "Integer", "boolean": "Boolean", "date": "Date"}
RULES = ["col(1) -> a | n | Empty | Null", "true -> Any*, a", "n |> Any*", "row(1) => (a | n)*"]
_POLICIES = {each.value: each for each in Policy}
_bytes = st.sampled_from(
    [b"", b"", b"", b"\xff", b"\xc3", b"\x00", b"\xed\xa0\x80", b"\xef\xbb\xbf"]
)
_dialects = st.one_of(
    st.just([]),
    directives.map(lambda lines: list({line.partition(" =")[0]: line for line in lines}.values())),
)
_TEXTS = st.sampled_from(TEXTS) | st.sampled_from([*TEXTS, *NUMBERS]) | st.text(max_size=3)
_scraps = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _directive(dialect: list[str], name: str, default: str) -> str:
    """The value of a directive, if it is a text."""
    line = next((line for line in dialect if line.startswith(f"{name} =")), "")
    value = line.partition("= ")[2].replace(r"\t", "\t").replace(r"\r", "\r").replace(r"\n", "\n")
    return value if value and not value.startswith("/") else default


@st.composite
def texts(draw: st.DrawFn, dialect: list[str], meant: list[str]) -> str:
    """A table in its dialect, where many cells have a text of the intended type; or scraps."""
    if draw(st.integers(0, 7)) == 0:
        return draw(_scraps)
    cells = st.one_of(st.sampled_from(meant), st.sampled_from(meant), CELLS, _TEXTS)
    rows = draw(st.lists(st.lists(cells | cells.map(_quoted), min_size=1, max_size=4), max_size=8))
    delimiter = _directive(dialect, "Col Delim", draw(st.sampled_from([*",,,;"])))
    end = _directive(dialect, "Row Delim", draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])))
    return end.join(delimiter.join(row) for row in rows)


@st.composite
def typed(draw: st.DrawFn, types: str) -> str:
    """A program that casts each cell, or adds up numbers."""
    bare = draw(st.sampled_from(types.split()))
    if bare == "decimal" and draw(st.booleans()):
        functions = [draw(st.sampled_from(AGGREGATES)) for _ in range(2)]
        row = f"emit Sums(own: {functions[0]}(it), all: {functions[1]}(Number))"
        return f"For each row it in Number {{ {row} }}\n"
    to = FRIENDLY[bare] if bare in FRIENDLY and draw(st.booleans()) else f"xs:{bare}"
    cast = f"it as {to} {draw(st.sampled_from(['', 'optional']))}"
    return f"For each cell it in true {{ emit Typed(text: it, value: {cast}) }}\n"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Cases, as described in the module's docstring."""
    dialect = draw(_dialects)
    rules = draw(st.lists(st.sampled_from(RULES), max_size=1))
    types, meant = draw(st.sampled_from([*TYPES.items(), *list(TYPES.items())[-1:] * 3]))
    program = draw(schemas()) + draw(typed(types))
    data = draw(texts(dialect, meant)).encode(_directive(dialect, "Encoding", "utf-8"), "replace")
    place = draw(st.integers(0, len(data)))
    return {
        "schema": "\n".join([*dialect, *rules, program]),
        "data": (data[:place] + draw(_bytes) + data[place:]).hex(),
        "strip": draw(st.integers(0, 12)),
        "threads": draw(st.sampled_from([1, 1, 1, 2])),
        "limit": draw(st.sampled_from([3, 1000])),
        "cuts": draw(st.lists(st.integers(1, 300), max_size=4)),
        "backend": draw(st.sampled_from(["plain", "ahead", "ahead", "jit"])),
        "policy": draw(st.sampled_from(["force", "force", "refuse", "good rows"])),
        "formats": draw(st.permutations([each.value for each in Format]))[:3],
    }


# ------------------------------------------------------------- the engines


@dataclass(frozen=True)
class Outcome:
    """The results of an engine on a file."""

    refusal: str = ""
    """Its error, if it has no results."""
    verdict: Verdict | None = None
    made: Facts = ([], [], 0)
    batches: tuple[Batch, ...] = ()

    def compared(self, limit: int) -> str:
        """All that must be the same on every engine; as a text, for NaN and -0.0."""
        verdict = self.verdict and replace(self.verdict, engine="")
        streams, findings, count = self.made
        return repr((self.refusal, verdict, streams, findings[:limit], count))


def outcome(run: TableRun) -> Outcome:
    """The results of a run, or its error."""
    try:
        verdict = run.validate()
        check_verdicts([verdict], run.policy)
        batches = batches_of(run, verdict)
        return Outcome("", verdict, facts(run.program, batches, run.findings), tuple(batches))
    except SculptError as error:
        return Outcome(f"{type(error).__name__}: {error}")


def check(case: Case) -> int:
    """Compare the engines, then the outputs."""
    try:
        schema = sculpt.Schema.parse(case["schema"])
    except sculpt.SchemaError:
        return 0
    for left in workplace().iterdir():
        left.unlink()  # by a case that has failed
    file = workplace() / "data.csv"
    file.write_bytes(bytes.fromhex(case["data"]))
    policy, limit = _POLICIES[case["policy"]], case["limit"]
    expected = outcome(TableRun(schema, str(file), policy, "reference", findings=Findings(10**6)))
    options = Options(backend=BACKENDS[case["backend"]](), threads=case["threads"])
    strip = case["strip"] or None
    run = TableRun(schema, str(file), policy, "local", options, strip, findings=Findings(limit))
    found = outcome(run)
    assert found.compared(limit) == expected.compared(limit)
    if expected.verdict is None:
        return 1
    if policy is Policy.FORCE or expected.verdict.valid:
        check_chunks(schema, file, case["cuts"], expected.made)
    for chosen in map(Format, case["formats"]):
        check_outputs(run.program, found.batches, expected.made[0], chosen)
    return 1


def check_chunks(schema: sculpt.Schema, file: Path, cuts: list[int], expected: Facts) -> None:
    """Compare the results of chunks that are processed one by one."""
    assert schema.program is not None
    bases = [0, *sorted({place for place in cuts if place < file.stat().st_size})]
    if not schema.program.needs_whole:
        found = in_chunks(schema, file, bases)
        assert found is None or repr(found) == repr(expected)


# ------------------------------------------------------------- what is written


@dataclass
class Made:
    """A producer of results that exist already."""

    program: CoreProgram
    batches: tuple[Batch, ...]
    force: bool = True
    verdicts: tuple[Verdict, ...] = ()
    left_out: tuple[int, ...] = ()

    def validate(self) -> None:
        """Do nothing: the file is validated already."""

    def tables(self, streams: frozenset[int], findings: Findings) -> Iterator[Iterator[Batch]]:
        """The one table."""
        yield (batch for batch in self.batches if batch[0] in streams)


def check_outputs(
    program: CoreProgram, batches: tuple[Batch, ...], streams: list[list[Any]], chosen: Format
) -> None:
    """Write each output and read it."""
    names = Names(program.namespaces)
    made = Made(program, batches)
    for name, numbers in kinds(program).items():
        is_text = name == TEXT
        path = workplace() / ("text.txt" if is_text else f"out{extension_of(chosen)}")
        outputs = plan(program, str(path), None if is_text else chosen, name)
        (written,) = write_outputs(made, outputs, Findings(), io.BytesIO(), lambda: None)
        rows: list[Row] = [row for number in sorted(numbers) for row in streams[number]]
        assert written.rows == len(rows)
        if is_text:
            lines = "".join(f"{line}\n" for row in rows for line in row.values())
            assert path.read_bytes() == lines.encode()
        else:
            check_file(path, chosen, program.streams[min(numbers)], rows, names)
        path.unlink()
    assert [each.name for each in workplace().iterdir()] == ["data.csv"]


def check_file(
    path: Path, file_format: Format, stream: Stream, rows: list[Row], names: Names
) -> None:
    """Compare a file with the records of a stream."""
    is_annotations = stream.kind == "annotations"
    match file_format:
        case Format.JSON if is_annotations:
            check_annotation_json(path, rows)
        case Format.NTRIPLES | Format.NQUADS | Format.TURTLE:
            # No record here is in a graph, so its N-Quads are N-Triples.
            syntax = "turtle" if file_format is Format.TURTLE else "nt"
            expected = annotated(rows, names) if is_annotations else described(stream, rows, names)
            assert triples(path, syntax, is_annotations) == expected
        case _:
            found = READERS[file_format](path, stream)
            assert found == [words_kept(file_format, stream, row) for row in rows]


@cache
def workplace() -> Path:
    """A directory of this process, in memory if possible."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    made = tempfile.mkdtemp(prefix="sculpt-records-", dir=memory)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


TARGET = Target("records", cases(), check)
