"""CSV and TSV: what is quoted, and how null differs from the empty text."""

from __future__ import annotations

import io
from decimal import Decimal

import pyarrow as pa
import pyarrow.csv
from hypothesis import given
from hypothesis import strategies as st

from sculpt.transform.writers.delimited import DelimitedWriter


def written(batch: pa.RecordBatch, separator: str = ",", *, header: bool = True) -> str:
    stream = io.BytesIO()
    with DelimitedWriter(stream, batch.schema, separator, header=header) as writer:
        writer.write(batch)
    return stream.getvalue().decode()


BATCH = pa.RecordBatch.from_pydict(
    {
        "area": ["north", "a,b", 'c"d', "", None, "tab\t", "two\nlines", "cr\r", " space "],
        "value, net": pa.array([Decimal(n) / 4 for n in range(9)], pa.decimal128(10, 2)),
    }
)


def test_csv_quotes_only_where_it_has_to() -> None:
    assert written(BATCH) == (
        'area,"value, net"\n'
        "north,0\n"
        '"a,b",0.25\n'
        '"c""d",0.5\n'
        '"",0.75\n'
        ",1\n"
        "tab\t,1.25\n"
        '"two\nlines",1.5\n'
        '"cr\r",1.75\n'
        " space ,2\n"
    )


def test_tsv_quotes_tabs_and_not_commas() -> None:
    lines = written(BATCH, "\t")
    assert lines.startswith("area\tvalue, net\nnorth\t0\na,b\t0.25\n")
    assert '"tab\t"\t1.25\n' in lines


def test_header_can_be_left_out() -> None:
    assert written(BATCH.slice(0, 1), header=False) == "north,0\n"
    assert written(BATCH.slice(0, 0), header=False) == ""


@given(st.lists(st.none() | st.text(), min_size=1))
def test_null_is_not_an_empty_text(values: list[str | None]) -> None:
    batch = pa.RecordBatch.from_pydict(
        {"n": list(range(len(values))), "text": pa.array(values, pa.string())}
    )
    read = pyarrow.csv.read_csv(
        io.BytesIO(written(batch).encode()),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={"text": pa.string()},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    assert read.column("text").to_pylist() == values
