"""What a notebook shows: HTML without scripts, small; and a `repr` that fits on a line or two."""

from __future__ import annotations

import html
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import sculpt
from conftest import ROOT
from pages import DRAFT, HOSTILE, STATEMENT, hostile_view, made_up_view, view_of
from sculpt.verdict import Verdicts

LIMIT = 200_000
CENSUS = ROOT / "examples" / "census"


def schema_error(text: str) -> sculpt.SchemaError:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(text)
    return caught.value


def results() -> Any:
    return sculpt.run(sculpt.Schema.load(CENSUS / "tidy.sculpt"), CENSUS / "census.csv")


def values() -> dict[str, Any]:
    view = view_of(DRAFT, STATEMENT)
    return {
        "schema": view.schema,
        "verdict": view.verdict,
        "view": view,
        "window": view.window(),
        "error": schema_error("row(1 -> x\nfoo bar\n"),
        "results": results(),
    }


VALUES = values()


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("schema", ["10 rules, 1 token type", "rule 9", "right{4}(Entry) -> amount"]),
        ("verdict", ["3 of 10 rules are violated", "5 of 9 rows fail", "-950.00"]),
        ("view", ["3 of 10 rules are violated", "Closing balance", "What the colours mean"]),
        ("window", ["Closing balance", "rule 9", "type Entry"]),
        ("error", ["The schema has 2 errors", "the expression ends too early", "^"]),
        ("results", ["census.csv: valid", "Obs", "England", "38881374"]),
    ],
)
def test_displays(name: str, parts: list[str]) -> None:
    shown = VALUES[name]._repr_html_()
    words = html.unescape(
        re.sub(r"<[^>]*>", "", re.sub(r"<style>.*?</style>", "", shown, flags=re.S))
    )
    for part in parts:
        assert part in words
    assert "<script" not in shown
    assert len(shown.encode()) <= LIMIT


def test_the_style_changes_nothing_outside() -> None:
    """Every rule of the style is about `.sculpt`, or nested in such a rule."""
    (style,) = re.findall(r"<style>(.*?)</style>", VALUES["schema"]._repr_html_(), re.DOTALL)
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    depth, start, outer = 0, 0, []
    for at, char in enumerate(style):
        if char == "{":
            if depth == 0:
                outer.append(style[start:at].strip())
            depth += 1
        elif char == "}":
            depth -= 1
            start = at + 1
    assert depth == 0
    assert set(outer) <= {".sculpt", "@media (prefers-color-scheme: dark)", "@media print"}
    nested = re.findall(r"@media[^{]*\{\s*([^{]*?)\s*\{", style.partition(".sculpt{")[0])
    assert nested
    assert set(nested) == {".sculpt"}


def test_large_values(tmp_path: Path) -> None:
    large, _ = made_up_view(1_000_000, 60)
    wide = view_of("col(1) -> Date", ",".join(["x" * 300] * 400) + "\n", tmp_path)
    many = sculpt.Schema.parse(
        "".join(f"% {'word ' * 40}\ncol({n}) -> Date\n" for n in range(1, 3_000))
    )
    broken = schema_error("x y z\n" * 5_000)
    for value in (
        large, large.verdict, large.window(1, 5_000, 1, 60), wide, wide.window(1, 9, 1, 400), many,
        broken,
    ):  # fmt: skip
        assert len(value._repr_html_().encode()) <= LIMIT
        assert len(repr(value)) <= 300
    assert "5,000 errors" in broken._repr_html_()
    assert "text 9" in large.window(1, 5_000, 1, 60)._repr_html_()
    assert "too large" not in large._repr_html_()


def test_hostile_values(tmp_path: Path) -> None:
    view = hostile_view(tmp_path)
    for value in (view, view.verdict, view.schema, view.window()):
        shown = value._repr_html_()
        shown.encode()
        assert "<script" not in shown
        assert "<img" not in shown
        assert not any(each in shown for each in HOSTILE[:3])


def test_short_reprs() -> None:
    view, _ = made_up_view(200_000, 5)
    verdict = view.verdict
    assert repr(verdict) == ("<Verdict made-up.csv: 200,000 violations, 200,000 × 5, engine local>")
    assert repr(view) == "<View made-up.csv: 200,000 × 5, 200,000 violations, 1 region>"
    assert repr(view.window(3, 4, 1, 2)) == (
        "<Window: rows 3 to 6 of 200,000, columns 1 to 2 of 5>"
    )
    assert repr(view.window(300_000)) == "<Window: empty>"
    assert repr(view.schema) == "<Schema <schema>: 1 rule>"
    assert repr(Verdicts("local", (verdict,))) == "<Verdicts: 0 of 1 valid, engine local>"
    assert repr(verdict.coverage) == "<Coverage: 200,000 of 1,000,000 cells with text>"
    assert repr(verdict.heat) == "<Heat: 196 buckets of 1,024 × 1 with violations>"
    assert repr(results()) == "<Results: Obs>"
    assert repr(schema_error("x y\nrow(")) == (
        "<SchemaError not-a-statement: this line is not a statement, and 1 more>"
    )
    refused = sculpt.RefusedError((verdict,) * 50)
    assert len(repr(refused)) < 300
    assert len(repr(sculpt.read_table(VALUES["schema"], STATEMENT))) < 300


def test_values_are_still_values() -> None:
    verdict = VALUES["verdict"]
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    error = pickle.loads(pickle.dumps(VALUES["error"]))
    assert error.diagnostics == VALUES["error"].diagnostics


def test_no_other_value_has_a_display() -> None:
    from sculpt.display import html_of

    with pytest.raises(TypeError, match="int has no display"):
        html_of(3)
