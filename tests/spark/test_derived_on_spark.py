"""Derived tokens on Spark: tasks evaluate formulas, read lists and ask about texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sculpt
from derived import a_list, derived, hidden, pattern, with_tokens
from sculpt.core import ir
from sculpt.core.datatypes.model import Base, Condition
from sculpt.syntax.regular import Nothing
from sessions import as_row, assert_same, in_chunks, listed

pytestmark = pytest.mark.xdist_group("spark")

SCHEMA = with_tokens(
    sculpt.Schema.parse("short = a\ntags = a\ntrue -> short, tags\nunique-per-row(tags)\n"),
    [
        ir.CoreToken(
            "1 short",
            Nothing(),
            hidden=True,
            condition=Condition(Base("Text"), "length", "<=", "4"),
            ask=pattern("(.|\\n)+"),
        ),
        hidden("2 digits", "[0-9]+"),
        derived("short", ir.Both((ir.Has("1 short"), ir.Lacks(ir.Has("2 digits"))))),
        a_list("3 tags", "short", ";", 1),
        derived("tags", ir.Has("3 tags")),
    ],
)


def test_verdicts_and_violations(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    rows = [f'{"ab" * (1 + ix % 2)},"a;b{ix % 7}\n"' for ix in range(300)]
    rows[40], rows[150], rows[299] = "abcde,a", "12,a;1", '"a""b",a;bcdef'
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    theirs = sculpt.validate(SCHEMA, path, engine="reference", max_violations=1000)
    assert theirs.violation_count > 2
    ours, result = in_chunks(spark, SCHEMA, path, 5)
    assert_same(ours, theirs)
    assert listed(result.violations) == [as_row(str(path), each) for each in theirs.violations]
