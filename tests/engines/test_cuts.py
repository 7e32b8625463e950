"""Files cut at any byte: dialects, hostile files, hostile rules, the corpus, and wrong engines."""

from __future__ import annotations

import inspect
import os
import pickle
import random
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_local import RULES

import sculpt
from agreement import BACKENDS, COMPILED, parse
from conftest import Case, corpus
from sculpt.automata import navigator
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks import compose, cuts, merger, relations, rows, spans, words
from sculpt.engines.chunks import work as chunks
from sculpt.engines.chunks.compose import InOrder, Outcome, perform
from sculpt.engines.chunks.cuts import can_be_cut
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, build
from sculpt.engines.results import listing
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import Listing, RawRow
from sculpt.kernels import choice as backends
from sculpt.kernels.backend import Backend
from sculpt.schema import parse_selector_text
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.inputs import Input
from sculpt.verdict import Violation
from strategies import PIECES, directives

LIMIT = 1000


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cuts") / "data"


@contextmanager
def sizes(head: int, window: int = 2, nearby: int = 8, read: int = 3) -> Iterator[None]:
    """Let small files behave like large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "HEAD", head)
        patch.setattr(spans, "READ_SIZE", read)
        patch.setattr(cuts, "_WINDOW", window)
        patch.setattr(cuts, "_NEARBY", nearby)
        yield


@dataclass
class Cutter:
    """A task and an open file, worked on in chunks."""

    task: Task
    data: Data
    backend: Backend
    driver: Machines
    worker: Machines

    @property
    def is_cut(self) -> bool:
        return self.data.can_be_cut and can_be_cut(self.driver)

    def run(self, bases: Sequence[int], limit: int = LIMIT) -> Outcome | InOrder:
        """Run all rounds; what is sent between processes is pickled."""
        rounds = compose.compose(self.driver, len(bases), limit)
        works = next(rounds)
        while True:
            done = [perform(work, self.worker, self.data, bases, limit) for work in works]
            try:
                works = pickle.loads(pickle.dumps(rounds.send(pickle.loads(pickle.dumps(done)))))
            except StopIteration as stop:
                ended: Outcome | InOrder = stop.value
                return ended

    def listings(
        self, outcome: Outcome | None, width: int, unmatched: frozenset[str] = frozenset()
    ) -> Iterator[Listing]:
        """The listings of all chunks, or of the whole file."""
        machines = build(self.task, self.data.codec, self.backend, forgets=True)
        for chunk in [None] if outcome is None else outcome.chunks:
            yield Listing(machines, self.data, width, chunk, unmatched=unmatched)


@contextmanager
def opened(
    schema: sculpt.Schema, file: Path, target: str | None = None, backend: Backend | None = None
) -> Iterator[Cutter]:
    core = schema.core
    task = Task.of_rules(core)
    if target is not None:
        tokens, node = parse_selector_text(schema, target)
        extended = ir.CoreSchema(core.dialect, tokens, core.types, (), ())
        task = Task(extended, (), (), (node,), defects=False)
    used = backend or backends.plain()
    with Input(str(file)) as source:
        data = Data(source, core.dialect.encoding)
        shipped: Task = pickle.loads(pickle.dumps(task))
        driver, worker = (build(each, data.codec, used) for each in (task, shipped))
        yield Cutter(task, data, used, driver, worker)


def facts(schema: sculpt.Schema, file: Path) -> tuple[object, ...]:
    """What the reference says."""
    verdict = sculpt.validate(schema, file, engine="reference", max_violations=LIMIT)
    return replace(verdict, path="", engine=""), [each.excerpt for each in verdict.violations]


def found_by(cutter: Cutter, outcome: Outcome) -> tuple[object, ...]:
    """The same facts, found in chunks."""
    found = outcome.found
    assert sum(chunk.count for chunk in outcome.chunks) == found.count
    verdict = Details(cutter.driver, found, cutter.data, outcome.lines).verdict("", "", LIMIT)
    return verdict, [violation.excerpt for violation in verdict.violations]


def check_lists(schema: sculpt.Schema, file: Path, cutter: Cutter, outcome: Outcome | None) -> None:
    """Everything that is listed, chunk by chunk, is what the reference finds."""
    theirs = sculpt.validate(schema, file, engine="reference", max_violations=10**6)
    named = {each.row for each in theirs.violations if each.severity == "error"}
    grid = sculpt.read_table(schema, file)
    document = grid.document
    places = [[document.byte_offset(at) for at in (row.start, row.end)] for row in grid.rows]
    texts = [UNDECODABLE.sub("\ufffd", document.text[row.start : row.end]) for row in grid.rows]
    expected = [
        RawRow(number, not {None, number} & named, begin, document.data[begin:end], text)
        for number, ((begin, end), text) in enumerate(zip(places, texts, strict=True), 1)
    ]
    violations: list[Violation] = []
    rows: dict[bool | None, list[RawRow]] = {True: [], False: [], None: []}
    for each in cutter.listings(outcome, theirs.columns, theirs.unmatched):
        violations += [violation for batch in each.violations() for violation in batch]
        for wants_good, some in rows.items():
            some += [row for batch in each.rows(wants_good, None in named) for row in batch]
    assert tuple(violations) == theirs.violations
    assert rows[None] == expected
    assert rows[True] == [row for row in expected if row.is_good]
    assert rows[False] == [row for row in expected if not row.is_good]


def check_cells(schema: sculpt.Schema, file: Path, bases: Sequence[int], selector: str) -> None:
    """The cells of a selector, chunk by chunk, are those of the reference."""
    theirs = sculpt.api.select_cells(schema, file, selector, "reference", with_texts=True)
    assert theirs.texts is not None
    expected = [(*place, text) for place, text in zip(theirs.cells, theirs.texts, strict=True)]
    with opened(schema, file, selector) as cutter:
        outcome = cutter.run(bases)
        assert isinstance(outcome, Outcome)
        assert (outcome.found.rows, outcome.found.width) == (theirs.rows, theirs.columns)
        listings = cutter.listings(outcome, theirs.columns)
        cells = [cell for each in listings for batch in each.cells() for cell in batch]
    assert cells == expected


def bases_of(size: int, source: random.Random) -> list[int]:
    places = range(1, max(2, size))
    if source.random() < 0.3:
        return [0, *places[:: source.randint(1, 3)]]
    return [0, *sorted(source.sample(places, min(len(places), source.randint(1, 5))))]


# ------------------------------------------------------------- dialects

OTHER_RULES = [
    RULES,
    "\na = a+\ntrue => (a | Any, Any)*\ncol(1) |> (a | Empty)*, Any?\ndown+(a) -> a*\n"
    "unique(a)\nunique-per-row(Empty)\n",
    "\na = a+\nup+(a) -> (a | Empty)*\nleft(a) => (a, Any?)*\nnot down -> a*\nnot up -> Any{2}\n",
    "\na = a+\ntrue -> Any{2}\ncol(3) -> a\n",
]
MORE_PIECES = ["\n\n", "\n \n", "\n#", "\r#a\r", '"\n"', '","', "\n\n\n", "\r\r"]
row_delims = st.sampled_from(["ab", "aba", "é", r"\n\n", ";", "!a", "#", r"\r\n\r", ",,"])


@settings(max_examples=350)
@given(
    st.tuples(directives, st.one_of(st.just([]), row_delims.map(lambda d: [f"Row Delim = {d}"]))),
    st.sampled_from(OTHER_RULES),
    st.lists(st.sampled_from([*PIECES, *MORE_PIECES]), max_size=30).map("".join),
    st.binary(max_size=3),
    st.integers(0, 1 << 20),
)
def test_dialects(
    file: Path, given: tuple[list[str], list[str]], rules: str, text: str, broken: bytes, seed: int
) -> None:
    """Even those that `can_be_cut` refuses as a precaution: no cut is trusted anyway."""
    schema = parse("\n".join([*given[0], *given[1]]) + rules)
    if schema is None:
        return
    source = random.Random(seed)
    data = text.encode(schema.core.dialect.encoding or "utf-8", "replace")
    middle = len(data) // 2
    file.write_bytes(data[:middle] + broken + data[middle:])
    bases = bases_of(file.stat().st_size, source)
    some = sizes(
        source.choice([0, 5, 20, 1000]),
        source.choice([1, 3, 1000]),
        source.choice([1, 8, 1000]),
        source.choice([1, 4, 1000]),
    )
    with opened(schema, file) as cutter, some:
        if not cutter.data.can_be_cut or not cutter.driver.table.scanner.ends:
            return
        outcome = cutter.run(bases)
        assert isinstance(outcome, Outcome)
        assert found_by(cutter, outcome) == facts(schema, file)
        assert outcome.rounds <= schema.explanation.strata + 2
        if seed % 3 == 0:
            check_lists(schema, file, cutter, outcome)
            check_cells(schema, file, bases, source.choice(["true", "down*(a)", "up*(a)"]))


@pytest.mark.parametrize(
    ("directives", "expected"),
    [
        ("", True),
        ("Quote = none\nEscape = !", True),
        ("Escape = !\nEscapes = everywhere", True),
        ("Col Delim = /\\s+/", True),
        ("Col Delim = /\\s*,\\s*/\nTrim = none", True),
        ("Col Widths = 2,3,*", True),
        ("Comment = #\nRow Delim = ;", True),
        (r"Row Delim = \r\n", True),
        (r"Row Delim = \r", True),
        ("Row Delim = ab", True),
        ("Row Delim = aba", False),
        (r"Row Delim = \n\n", False),
        ("Row Delim = #;\nComment = #", False),
        ("Row Delim = !a\nQuote = none\nEscape = !", False),
        ("Row Delim = |;\nCol Delim = |", False),
        (r"Row Delim = \t\n", False),
        ("Row Delim = §\nEncoding = ascii", False),
    ],
)
def test_a_line_end_must_not_be_part_of_another_special_text(
    file: Path, directives: str, expected: bool
) -> None:
    schema = sculpt.Schema.parse(f"{directives}\ntrue -> Any*\n")
    file.write_bytes(b"")
    with opened(schema, file) as cutter:
        assert can_be_cut(cutter.driver) is expected


# ------------------------------------------------------------- hostile files

PLAIN = "a = a+\ntrue -> (a | b | Empty)*\ncol(2) |> (a | Any, Any)*\nunique(a)\nrow(3) -> b*\n"
WALKING = "a = a+\nup+(b) -> a*\ndown+(a) => (a, Any)*\nnot down -> a*\nunique-per-row(Empty)\n"
REGION = "a = a+\ntrue => (a | b)*, Any{2,3}\nEmpty -> Empty*\n"
HOSTILE: dict[str, tuple[str, bytes]] = {
    "nothing": ("", b""),
    "one byte": ("", b"a"),
    "one line end": ("", b"\n"),
    "one return": ("", b"\r"),
    "one quote": ("", b'"'),
    "only a byte order mark": ("", b"\xef\xbb\xbf"),
    "byte order marks": ("", b"\xef\xbb\xbfa,b\nb,a\n\n\xef\xbb\xbf,a"),
    "quoted line ends": ("", b'a,"b\nb"\n"a\n\n",b\r\n"\n","\r\n"\nb\n'),
    "quotes and commas": ("", b'a,"\n",","\n","a",b\n"b","\n","\n",a\n'),
    "quotes that are both": ("", b'"a\n"","\nb"",\n"a\n"",b\n'),
    "a quote never closed": ("", b'a,b\nb,"a\nb\n\na,b\n\n'),
    "text after quotes": ("", b'"a"b\n"a""\nb,"a" \n"\n"x\n'),
    "returns": ("", b"a,b\rb\r\ra,\r\r\r"),
    "returns and line feeds": ("", b"a,b\r\n\r\nb,a\r\n\r\n\r\n"),
    "mixed ends": ("", b"a\rb\r\na\n\rb\r\r\na\n\n\r"),
    "blank rows": ("", b"\n\na\n \n\t\nb,\n\n\n  \n \n"),
    "blank rows, last without end": ("", b"a\n\n\nb\n\n  "),
    "blank rows are kept": ("Blank Rows = keep", b"\n\na\n \n\nb\n\n\n "),
    "blank rows are skipped": ("Blank Rows = skip", b"\n\na\n \n\nb\n\n\n "),
    "tabs": (r"Col Delim = \t", b"a\tb\n\t\n\n\t"),
    "comments": ("Comment = #", b"#a\na,b\n#\n\n#a,\nb\n\n#x\n \n#"),
    "comments and a blank end": ("Comment = #", b"a\n\n#a\n#b\n  "),
    "long comments": ("Comment = ab", b"a\nab\n\nabb\nabab\naa\n\n\nab" + 30 * b"b" + b"\n\n"),
    "comments with returns": ("Comment = #", b"a,b\r#\r\r#a\r\rb\r#b\r\r"),
    "escapes": ("Quote = none\nEscape = !", b"a!\nb,a\n!!\nb!,\n!\r\n!\n\na!"),
    "escapes everywhere": (
        "Escape = !\nEscapes = everywhere",
        b'"a!"\nb",a!\nb,!"\n!"a",!!\nb!,\n!\r\n"!\n!!"!\nb,"!\n"\n!\n\na!',
    ),
    "escapes in quotes": ("Escape = !", b'"a!"\nb",a\n"!\n!!"\nb,"!\n"\n'),
    "a row delimiter that overlaps itself": ("Row Delim = ||", b"a,b||b|,||||a|||b||||"),
    "only returns end rows": (r"Row Delim = \r", b"a,b\r\nb\r\n\r\na\rb\r\r\n\r"),
    "only both end rows": (r"Row Delim = \r\n", b"a\n,b\r\nb\r\r\n\r\n\na\r\n\r\n"),
    "only feeds end rows": (r"Row Delim = \n", b"a\r,b\nb\r\n\r\r\n\r\na\n\n"),
    "fixed widths": ("Col Widths = 1,-1,2\nCol Widths(ab) = 2,*", b"aba\n\nab\na b\n   \nb\n \n"),
    "a pattern": (r"Col Delim = /\s*,\s*/", b"a , b\n , \n  \na\t,\nb \n\n,  "),
    "a pattern of blanks": (r"Col Delim = /\s+/", b"a  b\n \n\na b \nb\n \n\t"),
    "characters of two bytes": ("Quote = «", "«é\né»«,é\né,a\n\n«é".encode()),
    "broken characters": ("", b"a,\xc3\n\xa9b\n\xff\n\n\xc3"),
    "latin": ("Encoding = latin-1\nQuote = «", b"a,\xab\xe9\n\xab\n\xe9,b\n\n"),
    "a long field": ("", b'a,b\n"' + 6 * b"b\na,\n" + b'"\nb\n'),
    "a long row": ("", b"a\n" + 12 * b"b," + b"\na\n\nb\n"),
    "NUL": ("", b"a\0,\n\0\n\nb\n"),
}


@pytest.mark.parametrize("rules", [PLAIN, WALKING, REGION], ids=["plain", "walking", "region"])
@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_cut_at_every_byte(file: Path, name: str, rules: str) -> None:
    directives, data = HOSTILE[name]
    schema = sculpt.Schema.parse(f"{directives}\n{rules}")
    file.write_bytes(data)
    expected = facts(schema, file)
    places = range(1, max(2, len(data)))
    with opened(schema, file) as cutter:
        assert cutter.is_cut or name == "a row delimiter that overlaps itself"
        for at in places if rules == PLAIN else places[::4]:
            with sizes(at % 11, 1 + at % 4, at % 13):
                outcome = cutter.run([0, at])
            assert isinstance(outcome, Outcome)
            assert found_by(cutter, outcome) == expected, at
        for step in (2, 1) if rules == PLAIN else (2,):
            bases = [0, *places[::step]]
            with sizes(6 * step, step):
                outcome = cutter.run(bases)
                assert isinstance(outcome, Outcome)
                assert found_by(cutter, outcome) == expected, step
                if step == 2:
                    check_lists(schema, file, cutter, outcome)
        check_cells(schema, file, bases, "down*(a) or up(b) or Empty")
        check_lists(schema, file, cutter, None)


@pytest.mark.parametrize("blank", [b"", b"  \n", b"#c\n"])
@pytest.mark.parametrize("size", [1, 200])
def test_long_stretches_without_a_row(file: Path, blank: bytes, size: int) -> None:
    """Blank rows and comments over several chunks, with and without a row after them."""
    schema = sculpt.Schema.parse("Comment = #\ntrue -> a\n")
    for end in (b"", b"a\n", b"#", b" "):
        file.write_bytes(b"a\n\n" + size * (blank + b"\n") + end)
        expected = facts(schema, file)
        with opened(schema, file) as cutter, sizes(4, window=5, read=50):
            outcome = cutter.run(range(0, file.stat().st_size, 7))
            assert isinstance(outcome, Outcome)
            assert found_by(cutter, outcome) == expected


def test_files_are_cut_where_that_is_easy(file: Path) -> None:
    """Exactness is easy if nothing is cut, so check that files are, quoted line ends or not."""
    schema = sculpt.Schema.parse("true -> Any{2}\n")
    for row in (b"a,b\n", b"a,b\r\n", b"a,b\r", b'"a\na",b\n', b'"a","b"\n', b"\n\na,b\n"):
        file.write_bytes(row * 100)
        with opened(schema, file) as cutter:
            outcome = cutter.run(range(0, 100 * len(row), 10 * len(row)))
            assert isinstance(outcome, Outcome)
            assert (len(outcome.chunks), outcome.rounds) == (10, 1), row


def test_what_is_only_wrong_if_read_from_the_middle(file: Path) -> None:
    """Inside quotes a delimiter is text, however far it would have to look ahead."""
    schema = sculpt.Schema.parse("Col Delim = /\\s*,\\s*/\ntrue -> Any{2}\n")
    data = b'a,b\n"x\nq' + b" " * 600 + b'q\ny",c\n' + 3 * b"a,b\n"
    file.write_bytes(data)
    expected = facts(schema, file)
    with opened(schema, file) as cutter:
        ended = cutter.run([0, 5, 12])
        assert ended == InOrder("it cannot be read from the middle", 1)
        outcome = cutter.run([0, len(data) - 8])
        assert isinstance(outcome, Outcome)
        assert found_by(cutter, outcome) == expected
    assert local.validate(schema.core, str(file)).valid


# ------------------------------------------------------------- hostile rules

ROWS = b"".join(b"%d,%d,x\n" % (n, n * n) for n in range(20))
CHANGING = b"".join(
    b",".join(random.Random(n).choices([b"a", b"b", b"1", b"2"], k=2 + n % 2)) + b"\n"
    for n in range(24)
)
HOSTILE_RULES: dict[str, tuple[str, bytes]] = {
    "a header in every chunk": ("col(Year) -> n*", (b"Year,City\n" + 5 * b"1,x\n") * 6),
    "a header deep in the file": ("col(Year) -> n*", 20 * b"x,1\n" + b"Year,n\n" + 20 * b"1,y\n"),
    "a header in the last row": ("col(Year) -> n*\nup+(Year) -> n", 20 * b"x,1\n" + b"Year,n\n"),
    "sections": ("(down.[not b])*(a) -> n*\ndown+(b) |> (n | b)*", CHANGING),
    "sections within sections": ("down+(a and down+(b and down+(a))) -> n*", CHANGING),
    "negation of walks": ("down+(not down+(b) and a) -> n*\nnot up -> n*", CHANGING),
    "up and down": ("((down.[n])|(up.[n]))*(b) -> n*\nup+(not down+(b)) => n*", CHANGING),
    "diagonals": ("(right.down)*(a) -> a*\n(left.down)+(b) -> b*", CHANGING),
    "chains of walks": ("down+(right(down+(2))) -> a\nright*(down+(a)) -> b*", CHANGING),
    "chains that climb": ("up+(left(up+(a))) -> a\nup{3}(down+(up(b))) -> b*", CHANGING),
    "up, and down again": ("down+(right[t](up+(Z))) -> n", b"1,t\n" + 12 * b"1,x\n" + b"Z,x\n"),
    "a region's word fails late": ("true => (n, n, x)*", ROWS + b"1\n1\n"),
    "a region's word is cut": ("n => (n, n, n)*, n", ROWS),
    "a region's word dies in turn": (
        "true => (Any, Any)* | (Any, Any, Any)*, x | Any{9}, y",
        b"1,2,3\n" * 5 + b"1\n" + b"y,x\n" * 3,
    ),
    "a column's word fails late": ("col(2) |> (n, n, n)*\ncol(3) |> x{9}, n", ROWS),
    "a column's word begins late": ("down+(b) |> (n | b)*, a", 9 * b"1,2\n" + CHANGING),
    "words in columns that come late": ("Any |> (n | b), Any*, b", CHANGING + 4 * b"1,b,1,a\n"),
    "uniques": ("unique(x)\nunique(a)\nunique-per-row(n)", ROWS + b"1,a\n" + ROWS + b"a\n"),
    "rows that are named": ("row(15) -> n*\n(17,2) -> x\nrow(99) -> x", ROWS),
    "the widest row is the last": ("true -> n, n, x\ncol(4) |> Any*", ROWS + b"1,2,3,4,5,6\n"),
    "the width matters": (
        "Padding = strict\ntrue -> n, Missing*\nunique(Missing)",
        9 * b"1\n" + 3 * b"1,2\n",
    ),
    "many columns": ("col(x) -> n*\ncol(Any) |> x?, n*", 4 * (200 * b"1," + b"x\n") + b"x," * 90),
    "the left neighbour": ("left(x) -> n\nright+(b) => n*\nleft*(b) |> (n | a)*", CHANGING + ROWS),
}
TOKENS = "a = a+\nb = b\nn = [0-9]+\n"


@pytest.mark.parametrize("name", list(HOSTILE_RULES))
def test_hostile_rules_take_few_rounds(file: Path, name: str) -> None:
    rules, data = HOSTILE_RULES[name]
    schema = sculpt.Schema.parse(TOKENS + rules)
    file.write_bytes(data)
    expected = facts(schema, file)
    with opened(schema, file) as cutter:
        for seed, head in enumerate((0, 9, 30)):
            source = random.Random(seed)
            for bases in ([0, *range(seed + 1, len(data), 12)], bases_of(len(data), source)):
                with sizes(head, window=100, nearby=100, read=64):
                    outcome = cutter.run(bases)
                    assert isinstance(outcome, Outcome)
                    assert found_by(cutter, outcome) == expected, bases
                    assert outcome.rounds <= schema.explanation.strata + 2
                    last = outcome
        check_lists(schema, file, cutter, last)


@pytest.mark.parametrize(
    "rules",
    [
        "true -> n, n, x",
        "col(Year) -> n*\ncol(City) -> n\ncol(3) -> x",
        "col(1) |> Year, n*\ncol(Kind) |> x*\nrow(1) -> Year, City, Kind\nunique(Year)",
        "true => Year, City, Kind, (n, n, x)*",
        "right*(down+(City)) -> (n, x) | x",
    ],
)
def test_an_ordinary_file_takes_one_round(file: Path, rules: str) -> None:
    schema = sculpt.Schema.parse(TOKENS + rules)
    file.write_bytes(b"Year,City,Kind\n" + ROWS)
    with opened(schema, file) as cutter, sizes(head=60, window=100, nearby=100, read=64):
        outcome = cutter.run(range(0, file.stat().st_size, 30))
        assert isinstance(outcome, Outcome)
        assert (outcome.rounds, len(outcome.chunks) > 5) == (1, True)
        assert found_by(cutter, outcome) == facts(schema, file)


def test_why_a_file_is_read_in_order(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(rules: str, columns: int = 2) -> Outcome | InOrder:
        row = b",".join(columns * [b"1"])
        data = b"\n".join([row, row, row.replace(b"1", b"a", 1), row, row, row])
        file.write_bytes(data)
        with opened(sculpt.Schema.parse(TOKENS + rules), file) as cutter, sizes(3, 100, 100, 64):
            return cutter.run(range(0, len(data), 2 * columns + 1))

    steep = "(right.down)*(a) -> (a | n)*"
    assert isinstance(ended(steep, compose.MAX_TRIALS), Outcome)
    sideways = InOrder("its rules alternate between going down and sideways", 1)
    assert ended(steep, compose.MAX_TRIALS + 1) == sideways
    assert isinstance(ended("down+(a) -> n*", compose.MAX_TRIALS + 1), Outcome)
    assert ended("true => Any{80}") == InOrder("a rule's content has too many states", 1)
    monkeypatch.setattr(compose, "MAX_TRIALS", 3)
    assert ended(steep, 3) != sideways
    assert ended(steep, 4) == sideways
    monkeypatch.setattr(navigator, "MAX_ENTRIES", 2)
    assert ended("col(a) -> n*") == InOrder("its rules need too many steps on this data", 1)


@pytest.mark.parametrize("backend", COMPILED)
@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_the_head_may_be_scanned_in_lanes(file: Path, end: bytes, backend: str) -> None:
    """As compiled kernels do with large heads: rows may get wider from lane to lane."""
    rows = 20_000 * [b"a"] + 5_000 * [b"a,b"] + 10 * [b"b,a"]
    file.write_bytes(end.join([*rows, b""]))
    schema = sculpt.Schema.parse("a = a+\nPadding = strict\ntrue -> a, Missing\ncol(b) -> a\n")
    with opened(schema, file, backend=BACKENDS[backend]()) as cutter:
        outcome = cutter.run([0, 20_000, 30_000])
        assert isinstance(outcome, Outcome)
        assert found_by(cutter, outcome) == facts(schema, file)


def test_all_processes_number_states_alike() -> None:
    """Crossings, states and notices are sent as numbers between processes whose hashes differ."""
    machines = textwrap.dedent(
        """
        import sculpt
        from sculpt.kernels import choice as backends
        from sculpt.core.task import Task
        from sculpt.engines.chunks.rows import strata_of
        from sculpt.engines.chunks.words import word_states
        from sculpt.engines.machines import build
        from test_cuts import HOSTILE_RULES, TOKENS
        for rules, _ in HOSTILE_RULES.values():
            core = sculpt.Schema.parse(TOKENS + rules).core
            machines = build(Task.of_rules(core), "utf-8", backends.plain())
            strata, machine = strata_of(machines), machines.navigator.machine
            print([strata.groups(number) for number in range(1, strata.count + 1)])
            print(word_states(machines), machine.regions, strata.of_decision)
            print([(each.letters, each.final) for each in machine.contents])
            print(machines.navigator.notices)
        """
    )
    tests = Path(__file__).parent
    paths = os.pathsep.join(map(str, (tests, tests.parent)))
    printed = {
        subprocess.run(
            [sys.executable, "-c", machines],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


# ------------------------------------------------------------- the corpus


@pytest.mark.parametrize("step", [1, 3, 17])
@pytest.mark.parametrize("case", [c for c in corpus() if "valid" in c.facts], ids=str)
def test_corpus(case: Case, file: Path, step: int) -> None:
    schema = sculpt.Schema.parse(case.schema, case.settings)
    file.write_bytes(case.data)
    with opened(schema, file) as cutter, sizes(head=5 * step, window=step + 1, read=step):
        if not cutter.is_cut:
            return
        outcome = cutter.run(range(0, len(case.data) or 1, step))
        if isinstance(outcome, InOrder):
            assert outcome.reason != "it cannot be read from the middle"
            return
        assert found_by(cutter, outcome) == facts(schema, file)
        assert outcome.rounds <= schema.explanation.strata + 2
        if step == 3:
            check_lists(schema, file, cutter, outcome)


# ------------------------------------------------------------- wrong engines

MUTANTS: dict[str, tuple[Any, str, str, str, str]] = {
    "any cut is believed": (
        chunks,
        "pieces_of",
        "if point == start_of_row(machines, cut)",
        "if True",
        "a quote never closed",
    ),
    "chunks without a chain": (
        compose,
        "_chained",
        "return chain",
        "return list(results)",
        "quotes that are both",
    ),
    "blank rows are cuts": (
        cuts,
        "_keeps",
        "return None if",
        "return True if",
        "blank rows",
    ),
    "the end is a cut": (
        cuts,
        "_keeps",
        "if ended.rows else False",
        "if ended.rows else True",
        "comments",
    ),
    "blank rows before a cut are lost": (
        chunks.Speculation,
        "run",
        "self.walk.flush()",
        "pass",
        "blank rows, last without end",
    ),
    "lines begin at cuts": (
        spans.Lines,
        "after",
        'before == b"\\r"',
        "False",
        "only returns end rows",
    ),
    "walkers are not compared": (
        compose,
        "_is_confirmed",
        "above.within(width) != each.assumed.within(width)",
        "False",
        "sections",
    ),
    "carries are not compared": (
        compose,
        "_is_confirmed",
        "above.carry != each.assumed.carry",
        "False",
        "a region's word is cut",
    ),
    "named rows are forgotten": (
        compose,
        "_is_confirmed",
        " or rows < named",
        "",
        "rows that are named",
    ),
    "the width never matters": (
        compose,
        "_is_confirmed",
        "(each.depends and each.width != width)",
        "False",
        "the width matters",
    ),
    "only the last stratum is known": (
        compose,
        "_intakes",
        "joined([intake.traffic, enters])",
        "enters",
        "sections within sections",
    ),
    "the first death counts": (
        words.WordReader,
        "_die",
        "max(deaths",
        "min(deaths",
        "broken characters",
    ),
    "states of one death only": (
        words.WordReader,
        "_die",
        "NONE.union(*(each.states for each in deaths if order_of(each) == order_of(last)))",
        "last.states",
        "sections",
    ),
    "the first living state only": (
        words.WordReader,
        "region",
        "NONE.union(*alive)",
        "alive[0]",
        "broken characters",
    ),
    "columns: the first living state only": (
        words.WordReader,
        "_column",
        "NONE.union(*alive)",
        "alive[0]",
        "escapes in quotes",
    ),
    "dead columns begin again": (
        words.WordReader,
        "_column",
        "if rule in above and above[rule] is None",
        "if False",
        "sections",
    ),
    "words that begin are forgotten": (
        words.WordReader,
        "_column",
        "[fresh] if word is None",
        "[0] if word is None",
        "broken characters",
    ),
    "uniques are of a chunk": (
        merger.Merger,
        "take",
        "if ix in self.firsts",
        "if False",
        "uniques",
    ),
    "rows count from the chunk": (
        merger.Merger,
        "take",
        "self.rows += result.rows",
        "pass",
        "rows that are named",
    ),
    "lines count from the chunk": (
        merger.Merger,
        "take",
        "self.lines += result.lines",
        "pass",
        "broken characters",
    ),
    "firsts are not listed": (
        chunks,
        "all_hits",
        "intake.firsts",
        "()",
        "uniques",
    ),
    "walks cross one edge only": (
        relations.Stratum,
        "solve",
        "changed.add(at + 1)",
        "pass",
        "up, and down again",
    ),
    "nothing climbs": (
        relations.Stratum,
        "solve",
        "changed.add(at - 1)",
        "pass",
        "a header in the last row",
    ),
    "what enters is not joined": (
        relations.Stratum,
        "_side",
        "for crossing in (*down, *up)",
        "for crossing in down",
        "a header in the last row",
    ),
    "everything is local": (
        sculpt.automata.strata.Strata,
        "_stays",
        "return False",
        "return True",
        "up, and down again",
    ),
    "groups do not feed each other": (
        sculpt.automata.strata.Strata,
        "_links",
        "fed[source].append(ix)",
        "pass",
        "up, and down again",
    ),
    "lists end with a chunk": (
        listing.Listing,
        "violations",
        "if self._is_last",
        "if True",
        "broken characters",
    ),
    "an empty table lists nothing": (
        listing.Listing,
        "violations",
        "if self._is_last",
        "if self._is_last and self.width",
        "nothing",
    ),
}
"""By name: the owner and name of a function, its old and new text, and the case that shows it."""


def mutate(patch: pytest.MonkeyPatch, owner: Any, name: str, old: str, new: str) -> None:
    """Change the text of a function, in every module that has it by name."""
    real = inspect.getattr_static(owner, name)
    text = textwrap.dedent(inspect.getsource(getattr(owner, name)))
    assert old in text, (name, old)
    module = sys.modules[getattr(owner, name).__module__]
    space: dict[str, Any] = {}
    exec(compile(text.replace(old, new), name, "exec"), module.__dict__, space)
    for place in (owner, chunks, compose, cuts, merger, relations, rows, listing, spans, words):
        if getattr(place, "__dict__", {}).get(name) is real:
            patch.setattr(place, name, space[name])


def disagreements(file: Path, name: str) -> Iterator[str]:
    """What is wrong with the answers on a hostile file, or on hostile rules."""
    rules, data = HOSTILE_RULES.get(name) or HOSTILE[name]
    texts = (
        [TOKENS + rules] if name in HOSTILE_RULES else [f"{rules}\n{r}" for r in (PLAIN, REGION)]
    )
    file.write_bytes(data)
    for number, text in enumerate(texts):
        schema = sculpt.Schema.parse(text)
        expected = facts(schema, file)
        source = random.Random(number)
        with opened(schema, file) as cutter:
            for head in (0, 5, 12, 30):
                bases = bases_of(len(data), source) if head else [0, *range(1, len(data))]
                try:
                    with sizes(head, source.choice([2, 100]), source.choice([8, 100]), 64):
                        outcome = cutter.run(bases)
                        assert isinstance(outcome, Outcome)
                        assert found_by(cutter, outcome) == expected
                        check_lists(schema, file, cutter, outcome)
                except Exception as error:
                    yield f"{text!r} in chunks at {bases}, head {head}: {error!r}"


@pytest.mark.parametrize("mutant", list(MUTANTS))
def test_a_wrong_engine_is_caught(file: Path, monkeypatch: pytest.MonkeyPatch, mutant: str) -> None:
    *change, name = MUTANTS[mutant]
    assert not list(disagreements(file, name))
    mutate(monkeypatch, *change)
    assert any(disagreements(file, name))
