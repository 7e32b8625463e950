"""Derived tokens on all engines: formulas, lists, and texts that must be asked about."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cuts import bases_of, check_lists, facts, found_by, opened, sizes
from test_local import RULES

import derived
import sculpt
from agreement import ALL, BACKENDS, FORWARD, both, parse, schema_texts
from derived import a_list, deciding, hidden, parity, with_tokens
from sculpt.core import ir
from sculpt.core.datatypes import reading
from sculpt.engines.chunks.compose import Outcome
from sculpt.engines.messages.text_tokens import TextTokens
from sculpt.engines.options import Options
from sculpt.engines.scan import decided, lanes
from strategies import PIECES, as_csv, cells, directives

Tokens = list[ir.CoreToken]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("derived") / "data"


LISTS = ["aba", "a;a", "ababa", "a;1", "aa;1", "1;aa", "1 a 1"]
more_cells = st.one_of(cells, st.sampled_from([*LISTS, " aa ", '"a\na"', '"a""b"']))
tables = st.lists(st.lists(more_cells, min_size=1, max_size=5), max_size=6)


@settings(max_examples=200)
@given(schema_texts(ALL), derived.tokens(), tables, st.integers(1, 30), st.sampled_from([1, 2]))
def test_any_schema(
    file: Path, text: str, tokens: Tokens, table: list[list[str]], chunk: int, threads: int
) -> None:
    if schema := parse(text):
        schema = with_tokens(schema, tokens)
        file.write_bytes(as_csv(table))
        with deciding():
            ours, theirs = both(schema, file, Options(chunk=chunk, threads=threads))
        assert ours == theirs


@pytest.mark.parametrize("backend", list(BACKENDS))
@settings(max_examples=40)
@given(schema_texts(FORWARD), derived.tokens(), tables, st.integers(1, 60))
def test_kernels(
    file: Path, backend: str, text: str, tokens: Tokens, table: list[list[str]], chunk: int
) -> None:
    if schema := parse(text):
        schema = with_tokens(schema, tokens)
        file.write_bytes(as_csv(table))
        options = Options(chunk=chunk, threads=2, backend=BACKENDS[backend]())
        with deciding():
            ours, theirs = both(schema, file, options)
        assert ours == theirs


@settings(max_examples=150)
@given(
    directives,
    derived.tokens(("e", "blank")),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.binary(max_size=3).filter(lambda some: some[:1] not in b"\x1fB\xfd(P"),
    st.sampled_from([1, 2, 3, 7, 1000]),
)
def test_dialects(
    file: Path, given: list[str], tokens: Tokens, text: str, broken: bytes, chunk: int
) -> None:
    schema = parse("\n".join(given) + RULES)
    if schema is None:
        return
    schema = with_tokens(schema, tokens)
    data = text.encode(schema.core.dialect.encoding or "utf-8", "replace")
    middle = len(data) // 2
    file.write_bytes(data[:middle] + broken + data[middle:])
    with deciding():
        ours, theirs = both(schema, file, Options(chunk=chunk, threads=2))
    assert ours == theirs


@settings(max_examples=80)
@given(
    directives,
    derived.tokens(("e", "blank")),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.integers(0, 1 << 20),
)
def test_cuts(file: Path, given: list[str], tokens: Tokens, text: str, seed: int) -> None:
    schema = parse("\n".join(given) + RULES)
    if schema is None:
        return
    schema = with_tokens(schema, tokens)
    source = random.Random(seed)
    file.write_bytes(text.encode(schema.core.dialect.encoding or "utf-8", "replace"))
    bases = bases_of(file.stat().st_size, source)
    some = sizes(source.choice([0, 5, 1000]), 1, 8, source.choice([1, 4, 1000]))
    with deciding(), opened(schema, file) as cutter, some:
        if not cutter.data.can_be_cut or not cutter.driver.table.scanner.ends:
            return
        outcome = cutter.run(bases)
        assert isinstance(outcome, Outcome)
        assert found_by(cutter, outcome) == facts(schema, file)
        if seed % 3 == 0:
            check_lists(schema, file, cutter, outcome)


# ------------------------------------------------------------- what is asked

ODD = "odd = a\ntrue -> odd*\n"


def odd(directives: str = "", asked: str = ".*") -> sculpt.Schema:
    """A schema whose cells must have an odd number of characters."""
    schema = sculpt.Schema.parse(f"{directives}\n{ODD}")
    part = parity("1 odd", asked)
    return with_tokens(schema, [part, derived.derived("odd", ir.Has("1 odd"))])


def agreed(schema: sculpt.Schema, file: Path, data: bytes, **options: Any) -> list[tuple[int, int]]:
    """The places of the violations, on which the engines agree."""
    file.write_bytes(data)
    with deciding():
        ours, theirs = both(schema, file, Options(**options))
    assert ours == theirs
    return [(v.row or 0, v.column or 0) for v in ours.violations if v.rule is not None]


@pytest.mark.parametrize("backend", list(BACKENDS))
@pytest.mark.parametrize("chunk", [1, 3, 1000])
@pytest.mark.parametrize(
    ("directives", "data", "wrong"),
    [
        ("", b"a,aa,aaa\n aa , a \n", [(1, 2), (2, 1)]),
        ("Trim = none", b"a, a\n", [(1, 2)]),
        ("", b'"a,\n","""","aa"\n', [(1, 3)]),
        ("Escape = !", b'"!"","!!!""\n', [(1, 2)]),
        ("Quote = none\nEscape = !", b"a!,,a!\na\n", [(1, 1)]),
        ("", b'"a"b\n"a"bb\n', [(1, 1)]),
        ("", b'a\n"a\n', [(2, 1)]),
        ("", "é,éé\n".encode(), [(1, 2)]),
        ("Encoding = utf-16", "é,éé\n".encode("utf-16"), [(1, 2)]),
        ("Encoding = cp1252", b"\xe9,\xe9\xe9", [(1, 2)]),
        ("Encoding = cp037", "a,aa,'a a'".encode("cp037"), [(1, 2)]),
        ("Quote = «", "«a«,«aa«\n".encode(), [(1, 2)]),
        ("Col Widths = 2,-1,3", b"aa,aaa\na ,aa \n", [(1, 1), (2, 2)]),
        (r"Col Delim = /\s+/", b"  a aa\n aaa\n", [(1, 2)]),
        ("Comment = #", b"a\n#aa\naaa,aa\n", [(2, 2)]),
        ("Row Delim = ||", b"a||aa||a|a", [(2, 1)]),
        ("", b"a\r\raa\r\naaa\r", [(2, 1), (3, 1)]),
    ],
)
def test_texts_are_those_of_the_dialect(
    file: Path, directives: str, data: bytes, wrong: list[tuple[int, int]], chunk: int, backend: str
) -> None:
    options = {"chunk": chunk, "threads": 1, "backend": BACKENDS[backend]()}
    assert agreed(odd(directives), file, data, **options) == wrong


def test_cells_that_cannot_be_decoded_match_no_derived_token(file: Path) -> None:
    schema = sculpt.Schema.parse("x = a\ntrue -> x*\n")
    formula = ir.Lacks(ir.Has("1 no"))
    schema = with_tokens(schema, [hidden("1 no", "b"), derived.derived("x", formula)])
    assert agreed(schema, file, b"a,\xff,b,aa\n") == [(1, 2)]


@pytest.mark.parametrize("padding", [True, False])
def test_padded_cells_match_by_the_flag(file: Path, padding: bool) -> None:
    schema = sculpt.Schema.parse("x = a\nPadding = strict\ncol(2) and x => Any*, Missing*\n")
    formula = ir.Lacks(ir.Has("1 no"))
    schema = with_tokens(schema, [hidden("1 no", "b"), derived.derived("x", formula, padding)])
    file.write_bytes(b"a,a\na\n")
    with deciding():
        ours, theirs = both(schema, file, Options())
    assert ours == theirs
    assert ours.rules[0].selected == 1 + padding


def test_a_long_cell_is_asked_about_as_a_whole(file: Path) -> None:
    """In the scan, and also where messages read long rows without their middle."""
    schema = with_tokens(
        sculpt.Schema.parse("long = a\ntrue -> x*\n"),
        [parity("1 long", ".*"), derived.derived("long", ir.Has("1 long"))],
    )
    file.write_bytes(b"a,a\n" + b"b" * 300_000 + b",a\n" + b"b" * 300_001 + b",aa\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "holds", lambda _, text: len(text) == 300_001)
        ours, theirs = both(schema, file, Options(chunk=10_000, threads=1))
    assert ours == theirs
    assert [violation.tokens for violation in ours.violations] == [(), (), ("long",)]


def test_what_cannot_be_asked_about_is_not_kept(file: Path) -> None:
    """A quote that never closes: only the part that may be asked about is kept."""
    schema = odd(asked="[a-c]*")
    data = b'a,aa\n"a.' + b"b" * 100_000
    kept: list[int] = []
    run = decided._Decider._unfinished

    def watched(self: Any, *args: Any) -> Any:
        found = run(self, *args)
        kept.append(0 if found is None else found.size)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decided._Decider, "_unfinished", watched)
        assert agreed(schema, file, data, chunk=1000, threads=1)[0] == (1, 2)
    assert len(kept) > 50
    assert max(kept[5:]) == 0


def test_a_wide_row_is_not_kept_from_its_start(file: Path) -> None:
    data = b"a,aa," * 2_000 + b"a\n"
    sizes: list[int] = []
    run = decided._Decider._unfinished

    def watched(self: Any, *args: Any) -> Any:
        found = run(self, *args)
        sizes.append(0 if found is None else found.size)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decided, "MAX_UNFINISHED", 500)
        patch.setattr(decided._Decider, "_unfinished", watched)
        wrong = agreed(odd(), file, data, chunk=100, threads=1)
    assert wrong == [(1, 2)]
    assert max(sizes) < 1000


@pytest.mark.parametrize("known", [2, 100_000])
def test_each_text_is_asked_about_once_while_there_is_room(file: Path, known: int) -> None:
    file.write_bytes(b"a,aaa,aaaaa\n" * 50)
    with pytest.MonkeyPatch.context() as patch, deciding() as asking:
        patch.setattr(decided, "MAX_KNOWN", known)
        ours, theirs = both(odd(), file, Options(chunk=64, threads=1))
        asking.texts.clear()
        sculpt.engines.local.validate(odd().core, str(file), Options(chunk=64, threads=1))
    assert ours == theirs
    assert ours.valid
    assert (len(asking.texts) == 3) is (known > 3)


def test_nothing_is_asked_if_the_answer_does_not_matter(file: Path) -> None:
    schema = sculpt.Schema.parse("x = a\ntrue -> (x | Any)*\n")
    formula = ir.Both((ir.Has("1 odd"), ir.Has("2 none")))
    parts = [parity("1 odd", ".*"), hidden("2 none", "b"), derived.derived("x", formula)]
    file.write_bytes(b"a,aa\naaa,b\n")
    with deciding() as asking:
        verdict = sculpt.engines.local.validate(
            with_tokens(schema, parts).core, str(file), Options()
        )
    assert verdict.valid
    assert set(asking.texts) == {"b"}


def test_three_lanes(file: Path) -> None:
    source = random.Random(1)
    rows = [",".join("a" * source.choice([1, 3, 5]) for _ in range(5)) for _ in range(9_000)]
    rows[4_000] = 'a,"a\n",aa'
    data = "\n".join(rows).encode()
    assert len(data) > 3 * lanes.THREE_LANES
    for backend in ("ahead", "jit"):
        found = agreed(odd(), file, data, threads=2, backend=BACKENDS[backend]())
        assert found == [(4001, 2)]


# ------------------------------------------------------------- lists


@pytest.mark.parametrize("chunk", [1, 1000])
def test_lists_of_lists_that_ask(file: Path, chunk: int) -> None:
    schema = sculpt.Schema.parse("x = a\ntrue -> x*\n")
    parts = [
        parity("1 odd", "[a-z]*"),
        a_list("2 inner", "1 odd", "+", 1),
        a_list("3 outer", "2 inner", ";", 1),
        derived.derived("x", ir.Has("3 outer")),
    ]
    data = b"a+aaa; a,a+b+aa,a;;a,aa,a ; b + c\n"
    found = agreed(with_tokens(schema, parts), file, data, chunk=chunk)
    assert found == [(1, 2)]


@pytest.mark.parametrize("chunk", [1, 1000])
def test_lists_of_which_some_items_are_asked_about(file: Path, chunk: int) -> None:
    schema = sculpt.Schema.parse("x = a\ntrue |> x*\ntrue .>[;] item*\nitem = a\n")
    parts = [
        parity("1 odd", "[a-z]*"),
        hidden("2 digits", "[0-9]+"),
        derived.derived("item", ir.Either((ir.Has("1 odd"), ir.Has("2 digits")))),
        a_list("3 list", "item", ";", 1),
        derived.derived("x", ir.Has("3 list")),
    ]
    data = b"a;1\naa;1\n1;aa\n1;a;2\n\xff;a\n1;\n2\naa;\xff\na;1;a\n"
    found = agreed(with_tokens(schema, parts), file, data, chunk=chunk)
    wrong = [2, 3, 5, 6, 8]
    assert found == sorted([(2, 1), *((row, 1) for row in wrong)])


def test_lists_that_are_nested_too_deeply_are_refused(file: Path) -> None:
    schema = sculpt.Schema.parse("x = a\ntrue -> x*\n")
    parts = [hidden("0", "a")]
    parts += [a_list(str(number), str(number - 1), ";") for number in range(1, 12)]
    schema = with_tokens(schema, [*parts, derived.derived("x", ir.Has("11"))])
    file.write_bytes(b"a\n")
    with pytest.raises(sculpt.UnsupportedByEngine, match="lists within lists"):
        sculpt.engines.local.validate(schema.core, str(file), Options())
    assert sculpt.validate(schema, file, engine="reference").valid


def test_hidden_names_are_not_seen(file: Path) -> None:
    file.write_bytes(b"aa\n")
    with deciding():
        found = sculpt.validate(odd(), file, engine="local").violations[0]
        assert TextTokens(dict(odd().core.tokens)).of("a") == {"odd"}
    assert found.tokens == ()
    assert found.hint is None
