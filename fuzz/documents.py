"""Broken and packed files in any dialect and encoding: every engine gives the same answer.

In: directives, an encoding, rules, the bytes of some files, how they are packed, and how they are
read: kernels, size of chunks and strips, threads, how many violations are listed. The bytes are a
text in the encoding that has been damaged, or no text at all.

Compared: the verdict of `reference` with that of `local`, or with that of the chunks of the file as
Spark reads them; or the cells of a token type and their texts. Equal means word for word, excerpts
included. If a file cannot be read, all engines raise a `DataError` with the same message.

Invariant: only a `DataError` is ever raised. Packing a file does not change its verdict. What
follows a packed stream is read, or it is an error. Cost: some 5 ms per file.
"""

from __future__ import annotations

import bz2
import encodings.aliases
import gzip
import lzma
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, parse, schema_texts
from fuzz.harness import Case, Target
from sculpt import api
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks import cuts
from sculpt.engines.chunks import work as chunks
from sculpt.engines.chunks.compose import InOrder, compose, perform
from sculpt.engines.data import Data
from sculpt.engines.machines import MachineStore
from sculpt.engines.messages import narrator, words
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.tabular import recode
from sculpt.tabular.inputs import Input
from sculpt.verdict import FOUND_LIMIT, Excerpt, Selection, Verdict
from strategies import PIECES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Answer: TypeAlias = tuple[Verdict | Selection, list[Excerpt | None]] | str
"""A verdict with its excerpts, or cells, or the text of an error."""
Damage: TypeAlias = Sequence[tuple[str, int, int]]
"""What is done to bytes: how, at which percentage of their length, and a byte to use."""

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, 1, mtime=0),
    "bz2": lambda data: bz2.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=0),
    "zstd": lambda data: bytes(zstd.compress(data)),
}
ZEROS = {"gzip": 1, "bz2": 1000, "xz": 4, "zstd": 1000}
"""For each packing: zero bytes after a stream are padding if their number is a multiple of this."""

CODECS = sorted(
    name
    for name in {
        *encodings.aliases.aliases.values(),
        "cp720",
        "cp737",
        "cp856",
        "cp874",
        "utf_8_sig",
    }
    if parse(f"Encoding = {name}") is not None
)
SHIFTING = [name for name in CODECS if name.startswith(("iso2022", "hz", "utf_7"))]
WIDE = ["utf_16", "utf_32", "utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"]
ASIAN = ["shift_jis", "euc_jp", "euc_kr", "gb18030", "gbk", "big5", "big5hkscs", "cp932", "johab"]
PLAIN = [None, "utf_8", "utf_8_sig", "latin_1", "cp1252", "ascii", "cp037"]
VALUES = {
    "Col Delim": (
        ";",
        r"\t",
        "||",
        "ab",
        "§",
        "/[,;]/",
        "/ab?/",
        r"/\s*,\s*|\s+/",
        "/a+|a+;/",
        r"/\P{L}/",
        r"/(?i)\W/",
        "/[^a-zé]+/",
        "/[^,]b/",
    ),
    "Row Delim": (r"\n", "|", "||", r"\r\n", r"\r", "a", r"\x1e", "é"),
    "List Delim": (";", r"/\s/", r"/\P{L}/", "none"),
    "Quote": ("none", "'", "«", "a"),
    "Escape": (r"\\", "!", "«", "none"),
    "Trim": ("none", "left", "right", "both"),
    "Comment": ("#", "ab", "é", "none"),
    "Blank Rows": ("inner", "keep", "skip"),
    "Padding": ("ragged", "strict"),
    "Col Widths": ("2,3,*", "1, -1, 2", "-1,2,*", "3", "*"),
    "Col Widths(ab)": ("1,1,1", "4,*", "2,-2,1"),
    "Col Widths(é)": ("2,*", "-1,1"),
}
RULES = (
    'a = a+\ne = .*é.*\nblank = .* .*\nT <= true\ntrue -> (a|e|blank|Any|"b b"|" b")*\n'
    "row(2) -> a, Any*\ncol(2) -> a | Empty\ntrue .>[;] (a | Empty)*",
    "T <= Text and not down*(x)\ntrue -> Text*\nunique(Empty)\nunique-per-row(a)",
    "unused = [ab,]*a[ab,]{9}\nj = [ぁ-ん一-龥]+\n"
    "T <= up*(j) or left*(Empty)\nT -> j*\nT => (j | Any)*\ncol(1) |> Text*",
)
MARKS = ["", "", "", "", "", "efbbbf", "fffe", "feff", "fffe0000", "0000feff"]
ALPHABET = ["", *PIECES, *"あä𝄞\x1b~+\u2028ｱ-\n,", "日本", "~{"]
"""Texts are made of these; the shortest is first, because Hypothesis reduces bytes to 0."""

# ----------------------------------------------------------------- cases

_texts = st.binary(min_size=12, max_size=50).map(  # one draw instead of one for each piece
    lambda numbers: "".join(ALPHABET[number % len(ALPHABET)] for number in numbers)
)
_ways = st.sampled_from(["flip", "insert", "delete", "cut"])
_changes = st.tuples(_ways, st.integers(0, 99), st.integers(0, 255))
_damage: st.SearchStrategy[Damage] = st.just([]) | st.lists(_changes, min_size=1, max_size=3)


def damaged(data: bytes, damage: Damage) -> bytes:
    """Bytes of which some have been changed."""
    for kind, percent, value in damage:
        at = len(data) * percent // 100
        tail = data[at:]
        changed = {
            "flip": bytes(byte ^ value for byte in tail[:1]) + tail[1:],
            "insert": bytes([value]) + tail,
            "delete": tail[1 + value % 3 :],
            "cut": b"",
        }
        data = data[:at] + changed[kind]
    return data


def _files(encoding: str | None) -> st.SearchStrategy[Case]:
    """Some files in an encoding, in hex."""

    def encoded(text: str, mark: str, damage: Damage) -> bytes:
        data = text.encode(encoding or "utf-8", "replace")
        return bytes.fromhex(mark) + damaged(data, damage)

    texts = st.builds(encoded, _texts, st.sampled_from(MARKS), _damage)
    blobs = st.binary(min_size=10, max_size=40)
    files = st.lists(st.one_of(texts, texts, texts, blobs).map(bytes.hex), min_size=1, max_size=3)
    return st.fixed_dictionaries({"encoding": st.just(encoding), "files": files})


_several_bytes = st.sampled_from([*SHIFTING, *WIDE, *ASIAN])
_contents = (st.sampled_from(PLAIN) | _several_bytes | st.sampled_from(CODECS)).flatmap(_files)
_settings = st.sampled_from([(name, value) for name in VALUES for value in VALUES[name]])
_directives = st.lists(_settings, max_size=4, unique_by=lambda setting: setting[0])
_streams = st.fixed_dictionaries(
    {
        "by": st.sampled_from(list(PACKERS)),
        "members": st.lists(st.integers(0, 60), max_size=2).map(sorted),
        "zeros": st.sampled_from([0, 0, 0, 1, 4, 8]),
        "after": st.one_of(st.just(""), st.just(""), st.binary(max_size=6).map(bytes.hex)),
        "damage": _damage,
    }
)
_runs = st.fixed_dictionaries(
    {
        "packing": st.none() | st.none() | _streams,
        "compare": st.sampled_from(["verdict", "cells", "chunks"]),
        "kernels": st.sampled_from(list(BACKENDS)),
        "chunk": st.integers(1, 64),
        "threads": st.integers(1, 3),
        "strip": st.sampled_from([1, 2, 7, 1 << 16]),
        "limit": st.sampled_from([1, 3, 1000]),
        "step": st.sampled_from([1, 2, 5, 1 << 14]),
        "long": st.sampled_from([8, 1 << 14, 1 << 14]),
    }
)


def _case(contents: Case, directives: list[tuple[str, str]], rules: str, run: Case) -> Case:
    has_widths = any(name.startswith("Col Widths") for name, _ in directives)
    lines = [
        f"{name} = {value}"
        for name, value in [*directives, ("Encoding", contents["encoding"])]
        if value and not (name == "Col Delim" and has_widths) and f"{name} = " not in rules
    ]
    return {"schema": "\n".join([*lines, rules]), "files": contents["files"], **run}


_rules = st.sampled_from(RULES) | st.sampled_from(RULES) | schema_texts(ALL)
CASES = st.builds(_case, _contents, _directives, _rules, _runs)

# ----------------------------------------------------------------- checks


@cache
def folder() -> Path:
    """A folder for the files of this process, in memory if possible."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    made = Path(tempfile.mkdtemp(prefix="sculpt-fuzz-", dir=memory))
    Finalize(None, shutil.rmtree, args=(made, True), exitpriority=1)
    return made


def options_of(case: Case) -> Options:
    """The options of a case; each file reuses the machines of the one before."""
    sizes = (case["limit"], case["threads"], case["chunk"], case["strip"])
    return Options(*sizes, BACKENDS[case["kernels"]](), build=MachineStore())


def check(case: Case) -> int:
    """Read the files in two ways; check that packing changes nothing; return how many there are."""
    small: dict[str, Any] = {"LONG": case["long"]}
    shown: dict[str, Any] = {"FOUND_LIMIT": FOUND_LIMIT}
    if case["long"] < 1 << 14:  # a report shows less than what counts as long
        small["MAX_QUOTED"] = 5
        shown = {"FOUND_LIMIT": 5, "_LEAD": 2, "_TAIL": 4}
    with (
        mock.patch.object(recode, "_STEP", case["step"]),
        mock.patch.multiple(words, **small),
        mock.patch.multiple(narrator, **shown),
    ):
        return compare(case)


def compare(case: Case) -> int:
    """Compare all files of a case; return how many there are."""
    schema = parse(case["schema"])
    if schema is None:
        return 0
    options = options_of(case)
    file = folder() / "data"
    for data in map(bytes.fromhex, case["files"]):
        file.write_bytes(data)
        expected = answer_of(lambda: by_reference(schema, file, case))
        if case["packing"] is not None:
            streams, packed = packed_as(data, case["packing"])
            file.write_bytes(packed)
            before, expected = expected, answer_of(lambda: by_reference(schema, file, case))
            check_packed(streams, packed, case["packing"]["by"], before, expected)
        ours = answer_of(lambda: by_local(schema, file, case["compare"], options))
        assert ours == expected, f"{case['compare']} {ours}\nreference {expected}"
    return len(case["files"])


def answer_of(run: Callable[[], Verdict | Selection]) -> Answer:
    """The result of a run; errors other than `DataError` are passed on."""
    try:
        found = run()
    except sculpt.DataError as error:
        return str(error)
    if isinstance(found, Selection):
        return found, []
    return replace(found, engine=""), [each.excerpt for each in found.violations]


def by_reference(schema: sculpt.Schema, file: Path, case: Case) -> Verdict | Selection:
    """The answer of the reference engine."""
    if case["compare"] == "cells":
        return api.select_cells(schema, file, "T", "reference", with_texts=True)
    return sculpt.validate(schema, file, "reference", max_violations=case["limit"])


def by_local(
    schema: sculpt.Schema, file: Path, compare: str, options: Options
) -> Verdict | Selection:
    """The answer of the local engine, or of chunks."""
    if compare == "cells":
        tokens, node = api.parse_selector_text(schema, "T")
        return local.select(schema.core, tokens, str(file), node, True, options)
    size = file.stat().st_size
    bases = range(0, size, max(options.chunk, size // 6 + 1))
    verdict = by_chunks(schema, file, bases, options) if compare == "chunks" else None
    return verdict or local.validate(schema.core, str(file), options)


def packed_as(data: bytes, packing: Case) -> tuple[bytes, bytes]:
    """The data in intact streams, and what the case makes of them."""
    pack = PACKERS[packing["by"]]
    places = [0, *(min(place, len(data)) for place in packing["members"]), len(data)]
    streams = b"".join(pack(data[begin:end]) for begin, end in pairwise(places))
    after = bytes(packing["zeros"]) + bytes.fromhex(packing["after"])
    return streams, damaged(streams + after, packing["damage"])


def check_packed(streams: bytes, packed: bytes, by: str, before: Answer, after: Answer) -> None:
    """Intact streams change nothing; what follows them is padding or an error."""
    if packed.startswith(streams):
        rest = packed.removeprefix(streams)
        is_padding = not rest.strip(b"\0") and len(rest) % ZEROS[by] == 0
        fits = after == before if is_padding else isinstance(after, str)
        assert fits, f"{rest!r} follows: {after}\nbefore {before}"


def by_chunks(
    schema: sculpt.Schema, file: Path, bases: Sequence[int], options: Options
) -> Verdict | None:
    """The verdict of chunks, composed as on Spark; `None` if Spark does not cut the file."""
    core, limit = schema.core, options.max_violations
    task = Task.of_rules(core)
    head = mock.patch.object(chunks, "HEAD", options.chunk)  # it says what to assume about the rest
    with Input(str(file)) as source, head:
        data = Data(source, core.dialect.encoding)
        backend = options.backend or BACKENDS["plain"]()
        machines = options.build(task, data.codec, backend, False, False)
        if not bases or not data.can_be_cut or not cuts.can_be_cut(machines):
            return None
        rounds = compose(machines, len(bases), limit)
        works = next(rounds)
        while True:
            replies = [perform(work, machines, data, bases, limit) for work in works]
            try:
                works = rounds.send(replies)
            except StopIteration as stop:
                outcome = stop.value
                break
        if isinstance(outcome, InOrder):
            return None
        details = Details(machines, outcome.found, data, outcome.lines)
        return details.verdict(str(file), "", limit)


TARGET = Target("documents", CASES, check)
