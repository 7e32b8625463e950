"""Schemas that are written to files.

In: a path and the text of a schema. Out: the file, as a whole or not at all.
"""

from __future__ import annotations

from pathlib import Path

from sculpt.cli.terminal import remark
from sculpt.report.styled import styled
from sculpt.transform.atomic import placed


def write_schema(path: str, text: str) -> None:
    """Write a schema to a file, and say so."""
    with placed(path) as beside:
        Path(beside).write_text(text, encoding="utf-8", newline="\n")
    remark(styled(f"{path}: written"))
