"""Two engines on the same schema and data: what is generated, and how they are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import sculpt
from sculpt.api import read_table
from sculpt.engines import local, reference
from sculpt.engines.options import Options
from sculpt.kernels import choice as backends
from sculpt.syntax.printer import print_content, print_selector
from sculpt.verdict import Verdict
from strategies import TOKENS, contents, selectors

HERE = ["auto", "local", "reference"]
"""The engines that need no Spark; `tests/spark` compares the one that does."""
BACKENDS = {"plain": backends.plain, "ahead": backends.ahead, "jit": backends.jit}
COMPILED = ("ahead", "jit")

FORWARD = ("right", "down", "cell", "row", "col")

clauses = st.sampled_from(["", "", "", " ! warning", ' ! "so"', ' ! warning "so so"'])
_arrows = st.sampled_from(["->", "->", "->", "=>", "|>", ".>[b]"])


def lines(axes: tuple[Any, ...]) -> st.SearchStrategy[str]:
    rules = st.builds(
        lambda selector, arrow, content: (
            f"{print_selector(selector)} {arrow} {print_content(content)}"
        ),
        selectors(axes=axes, types=("T",), depth=2),
        _arrows,
        contents(depth=2),
    )
    statements = st.one_of(
        rules,
        rules,
        rules,
        st.sampled_from(["unique(a)", "unique(T)", "unique-per-row(Null)", "unique-per-row(w)"]),
    )
    return st.builds("{}{}".format, statements, clauses)


def schema_texts(axes: tuple[Any, ...]) -> st.SearchStrategy[str]:
    """Schemas of some rules and constraints, a token type, and settings of rows and padding."""
    return st.builds(
        lambda kind, rows, padding, rules: "\n".join(
            [TOKENS, f"Blank Rows = {rows}", f"Padding = {padding}", f"T <= {kind}", *rules]
        ),
        selectors(axes=axes, depth=2).map(print_selector),
        st.sampled_from(["inner", "keep", "skip"]),
        st.sampled_from(["ragged", "ragged", "strict"]),
        st.lists(lines(axes), min_size=1, max_size=4),
    )


ALL = ("up", "down", "left", "right", "cell", "row", "col")


def parse(text: str) -> sculpt.Schema | None:
    try:
        return sculpt.Schema.parse(text)
    except sculpt.SchemaError:  # a content that no word can match, a loop too large
        return None


def both(schema: sculpt.Schema, file: Path, options: Options) -> tuple[Verdict, Verdict]:
    """The verdicts of the two engines on the rules, which must be equal to the last word."""
    theirs = reference.validate(schema.core, read_table(schema, file), str(file))
    ours = local.validate(schema.core, str(file), options)
    assert ours.engine == "local"
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]
    return replace(ours, engine="reference"), theirs
