"""Sniffing: a table written in a dialect gives that dialect, and nothing raises."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sculpt
from sculpt.core.dialect import Dialect
from sculpt.errors import DataError
from sculpt.inference.sniff import sample as samples
from sculpt.inference.sniff.model import Sniffed, written
from sculpt.tabular.document import decode
from sculpt.tabular.inputs import Input
from sculpt.tabular.packing import packing_of

WORDS = ("Oak, old", "Lime; small", "Elm | tall", "Ash\ttab", 'the "big" one', "it's", "plain")
DELIMITERS = (",", ";", "\t", "|", "~", "^")
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be")


def write_table(delimiter: str, quote: str, end: str, rows: int, seed: int) -> str:
    """A table with numbers, dates and words, every text in quotes."""

    def text(value: str) -> str:
        return quote + value.replace(quote, quote * 2) + quote

    lines = [delimiter.join(map(text, ("Tree", "Height", "Planted", "Note")))]
    for row in range(rows):
        note = WORDS[(row + seed) % len(WORDS)]
        cells = (
            text(f"tree é {row}"),
            f"{row * 7 % 50}.{row % 10}",
            f"20{row % 90 + 10}-0{row % 9 + 1}-1{row % 10}",
            text(note),
        )
        lines.append(delimiter.join(cells))
    return end.join(lines) + end


def sniff_bytes(folder: Path, data: bytes) -> Sniffed:
    path = folder / "data.csv"
    path.write_bytes(data)
    return sculpt.sniff(path)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sniffed")


@given(
    delimiter=st.sampled_from(DELIMITERS),
    quote=st.sampled_from("\"'"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(ENCODINGS),
    rows=st.integers(8, 40),
    seed=st.integers(0, 6),
)
def test_a_table_gives_the_dialect_it_was_written_in(
    scratch: Path, delimiter: str, quote: str, end: str, encoding: str, rows: int, seed: int
) -> None:
    text = write_table(delimiter, quote, end, rows, seed)
    data = text.encode(encoding)
    found = sniff_bytes(scratch, data)
    assert (found.dialect.col_delim.text, found.dialect.quote) == (delimiter, quote)
    assert decode(data, found.encoding.directive).text == text
    assert [name for name, _ in found.line_ends] == [{"\n": "LF", "\r": "CR"}.get(end, "CRLF")]
    assert found.dialect.row_delim is None
    assert found.columns == 4
    read = sculpt.Schema.parse("\n".join(found.directives))
    assert read.core.dialect == found.dialect
    assert abs(sum(each.share for each in found.candidates) - 1) < 1e-6


@given(data=st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode()))
def test_no_content_is_an_error(scratch: Path, data: bytes) -> None:
    assume(packing_of(data) is None)  # what seems to be packed may be broken
    found = sniff_bytes(scratch, data)
    assert all(0 <= each <= 1 for each in found.confidences.values())
    schema = sculpt.Schema.parse("\n".join(found.directives))
    assert schema.core.dialect == found.dialect
    sculpt.validate(schema, scratch / "data.csv", engine="reference")


@given(text=st.text(alphabet="\\\"',;\t|#% 1ab\n\r/", max_size=120))
def test_no_marks_are_an_error(scratch: Path, text: str) -> None:
    found = sniff_bytes(scratch, text.encode())
    assert sculpt.Schema.parse("\n".join(found.directives)).core.dialect == found.dialect


def dialect_of(folder: Path, text: str) -> Dialect:
    return sniff_bytes(folder, text.encode()).dialect


def test_one_column(tmp_path: Path) -> None:
    prose = "It was a fine day, and nobody\nthought of rain; the quay, though,\nwas empty. So,\n"
    for text in (prose * 4, "1\n2\n3\n4\n", "2019-01-01 10:00:00\n2019-01-02 11:30:00\n" * 3):
        found = sniff_bytes(tmp_path, text.encode())
        assert found.columns == 1
    assert sniff_bytes(tmp_path, (prose * 4).encode()).directives == ("Col Widths = *",)
    assert sniff_bytes(tmp_path, b"1\n2\n3\n").directives == ("Col Delim = ,",)


def test_blanks_and_widths(tmp_path: Path) -> None:
    rows = [f"{ix * 3.5:>8.2f}{ix * 7:>7}{'x' * (ix % 3 + 1):>6}" for ix in range(12)]
    found = dialect_of(tmp_path, "\n".join(rows) + "\n")
    assert found.col_delim.text == r"\s+" or found.layouts
    names = ("North quay", "Pier", "Old mill", "The lock")
    rows = [
        f"{names[ix % 4]:<14}{ix * 7:<8}{'wet day' * (ix % 3 != 1):<12}{ix}" for ix in range(12)
    ]
    widths = dialect_of(tmp_path, "\n".join(rows) + "\n").layouts
    assert [layout.widths for layout in widths] == [(14, 8, 12, None)]


def test_escapes(tmp_path: Path) -> None:
    rows = [f'"a \\"{ix}\\", b",{ix},"c"' for ix in range(10)]
    found = dialect_of(tmp_path, "\n".join(rows))
    assert (found.col_delim.text, found.quote, found.escape) == (",", '"', "\\")
    rows = [f"a\\;{ix};{ix}.5;c" for ix in range(10)]
    found = dialect_of(tmp_path, "\n".join(rows))
    assert (found.col_delim.text, found.quote, found.escape) == (";", None, "\\")


def test_stray_quotes(tmp_path: Path) -> None:
    rows = [f'"a "{ix}" b",{ix},"c, d"' for ix in range(10)]
    found = sniff_bytes(tmp_path, "\n".join(rows).encode())
    assert found.directives == ("Col Delim = ,", "Stray Quotes = text")
    assert found.columns == 3


def test_comments(tmp_path: Path) -> None:
    rows = "".join(f"{ix},{ix * 3}.5,x{ix}\n" for ix in range(10))
    for mark in ("#", "//", "%"):
        found = sniff_bytes(tmp_path, f"{mark} made by hand\n{mark} twice\n{rows}".encode())
        assert found.dialect.comment == mark
        assert found.directives[-1] == f"Comment = {mark}"
    assert dialect_of(tmp_path, f"#a,b,c\n{rows}").comment is None


def test_line_ends(tmp_path: Path) -> None:
    rows = [f"{ix};{ix}.5;a{ix}" for ix in range(9)]
    found = sniff_bytes(tmp_path, ("\r\n".join(rows) + "\n" + "\n".join(rows)).encode())
    assert found.line_ends == (("LF", 9), ("CRLF", 8))
    assert found.dialect.row_delim is None
    assert "mixed" not in " ".join(found.directives)


def test_control_characters_are_delimiters(tmp_path: Path) -> None:
    rows = [f"{ix}\x01b{ix}, c\x01{ix}.5" for ix in range(9)]
    found = sniff_bytes(tmp_path, "\n".join(rows).encode())
    assert found.directives == (r"Col Delim = \u0001",)


CODE_PAGES = {
    "cp1252": "Müller, Straße, Genève, São Paulo, £5, 20 °C, café, naïve, Łódź"[:-6],
    "cp1251": "Москва, улица Ленина, дом, Санкт-Петербург, река, озеро, область",
    "koi8-r": "Москва, улица Ленина, дом, Санкт-Петербург, река, озеро, область",
    "cp1250": "Łódź, Kraków, Wrocław, Gdańsk, źródło, żółty, święto, piątek, środa",
    "cp1253": "Αθήνα, Θεσσαλονίκη, θάλασσα, ποταμός, δρόμος, πόλη, νησί",
    "cp1254": "İstanbul, Beşiktaş, ağaç, kırmızı, güneş, Eskişehir, Muğla",
    "cp850": "Müller, Straße, Genève, café, élève, hôtel, forêt, Zürich, Köln",
    "mac-roman": "Müller, Straße, Genève, café, élève, hôtel, forêt, Zürich, Köln",
    "shift_jis": "東京都の人口、大阪のデータです。ひらがなとカタカナ、日本の市",
    "euc-jp": "東京都の人口、大阪のデータです。ひらがなとカタカナ、日本の市",
    "gb18030": "中国的人口和地区，上海是一个大城市，我们在这里生活，有很多人",
    "big5": "臺灣的人口和地區，台北是一個大城市，我們在這裡生活，有很多人",
    "euc-kr": "서울은 대한민국의 수도이다. 부산은 두번째로 큰 도시이다",
}


@pytest.mark.parametrize("codec", CODE_PAGES)
def test_code_pages(codec: str, tmp_path: Path) -> None:
    text = "".join(f"{ix};{CODE_PAGES[codec]};{ix}\n" for ix in range(5))
    data = text.encode(codec)
    found = sniff_bytes(tmp_path, data)
    assert decode(data, found.encoding.directive).text == text, found.encoding


def test_long_runs_take_no_longer(tmp_path: Path) -> None:
    for run in (b"x", b" ", b'"', b",", b"\\", b"\xe9"):
        for end in (b"\xff,1\n", b",'a\n"):
            assert sniff_bytes(tmp_path, run * 1_000_000 + end).encoding.name


def test_a_few_high_bytes_are_western(tmp_path: Path) -> None:
    for data in (b"a;\xa35\nb;\xa36\n", b"a;10\x9620\nb;20\x9630\n", b"a\xa0b;1\nc;2\n"):
        assert sniff_bytes(tmp_path, data).encoding.name == "cp1252"
    assert sniff_bytes(tmp_path, b"a;caf\xe9 \x81\nb;2\n").encoding.name == "latin-1"


def test_a_character_at_the_edge_of_a_piece_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "_HEAD", 1001)
    monkeypatch.setattr(samples, "_BLOCK", 101)
    data = ("日本;1\n" * 2000).encode()
    for start in range(4):
        found = sniff_bytes(tmp_path, b"x" * start + data)
        assert found.encoding.name == "utf-8"
        assert found.encoding.confidence > 0.9


def test_a_sample_of_a_large_file_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.write("".join(f"{ix};{ix}.5;a\n" for ix in range(100_000)).encode())
        file.truncate(10 << 30)
        file.seek(0, 2)
        file.write(b"\n1;2.5;b\n")
    read: list[tuple[int, int]] = []
    raw = Input._raw

    def counted(self: Input, start: int, end: int) -> bytes:
        found = raw(self, start, end)
        read.append((start, len(found)))
        return found

    monkeypatch.setattr(Input, "_raw", counted)
    found = sculpt.sniff(path)
    assert sum(size for _, size in read) <= samples.LIMIT
    assert max(start for start, _ in read) > 9 << 30
    assert found.directives == ("Col Delim = ;",)
    assert not found.is_whole
    assert found.encoding.name == "utf-8"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    data = write_table(";", "'", "\n", 20, 0).encode()
    found = sniff_bytes(tmp_path, pack(data))
    assert (found.dialect.col_delim.text, found.dialect.quote) == (";", "'")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(DataError):
            sculpt.sniff(path)
    with pytest.raises(DataError):
        sniff_bytes(tmp_path, b"\x1f\x8b\x08\x00broken gzip")


def test_nothing_to_see(tmp_path: Path) -> None:
    for data in (b"", b"\n\n", b"\xef\xbb\xbf", b"   \r\n", b"\0" * 100):
        found = sniff_bytes(tmp_path, data)
        assert found.is_empty
        assert found.directives == ()
        assert found.confidence == 0


def test_a_result_is_a_value(tmp_path: Path) -> None:
    found = sniff_bytes(tmp_path, b"a;b\n1;2\n3;4\n")
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.columns = 3  # type: ignore[misc]
    assert isinstance(found, sculpt.Sniffed)
    assert found.confidences["Col Delim"] == found.findings[0].confidence
    assert written("\t \\;\x01") == r"\t\s\\;\u0001"


@pytest.mark.parametrize("mark", ["¬", "\x01", "\x1f", "→", "¤"])
def test_any_mark_that_most_lines_have(tmp_path: Path, mark: str) -> None:
    rows = [["id", "name", "place", "fee"], ["17", "Ana", "Mill Lane", "2.5"]]
    rows += [[str(ix), "Bo", "Quay Street", "1.5"] for ix in range(3)]
    found = sniff_bytes(tmp_path, "\n".join(map(mark.join, rows)).encode())
    assert found.columns == 4
    assert found.dialect.col_delim.text == mark
    assert found.confidence > 0.5


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 8, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2" * 9]
)
def test_bytes_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    found = sniff_bytes(tmp_path, data)
    assert not found.is_text
    assert found.confidence < 0.5
    assert sniff_bytes(tmp_path, b"a,b\n1,2\n").is_text
