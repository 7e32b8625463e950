"""What sniffing found, as the beginning of a schema, as a line for each file, and as JSON.

In: `Sniffed` values, or messages about files that could not be read. Out: lines of text, or values
for JSON. Invariant: the text about one file is a schema, which `sculpt check` accepts: all but the
directives is in comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sculpt.inference.sniff.model import Candidate, Finding, Sniffed
from sculpt.report.styled import Styled, counted, styled, visible

_SHOWN_CANDIDATES = 20
_NO_TEXT = "this does not look like text: it has bytes that no text has"


def schema_lines(found: Sniffed) -> Iterator[Styled]:
    """The directives, each after a comment that says how sure it is."""
    for line in _about(found):
        yield styled((f"% {line}", "dim"))
    for finding in found.findings:
        yield styled()
        yield styled((f"% {_doubt(finding)}", "dim"))
        yield styled(finding.text)


def _about(found: Sniffed) -> Iterator[str]:
    if found.is_empty:
        yield f"{visible(found.path)}: there is no text in this file"
        return
    quote = found.confidences["Quote"]
    quotes = f"quote {found.dialect.quote or 'none'} ({quote:.2f})"
    mark = " with a byte order mark" if found.encoding.has_mark else ""
    encoding = f"{found.encoding.name}{mark} ({found.encoding.confidence:.2f})"
    ends = " and ".join(name for name, _ in found.line_ends) or "none"
    yield f"{visible(found.path)}: {counted(found.columns, 'column')}"
    if not found.is_text:
        yield _NO_TEXT
    yield f"encoding {encoding}, {quotes}, line ends {ends}"
    if len(found.line_ends) > 1:
        yield "line ends are mixed: " + ", ".join(f"{n:,} {name}" for name, n in found.line_ends)
    if not found.is_whole:
        yield f"a sample of {found.sampled:,} bytes was read"


def _doubt(finding: Finding) -> str:
    sure = f"confidence {finding.confidence:.2f}"
    if finding.runner_up is None:
        return sure
    return f"{sure}; next: {finding.runner_up} ({finding.runner_up_confidence:.2f})"


def summary(found: Sniffed) -> str:
    """The directives on one line."""
    if found.is_empty:
        return "there is no text in this file"
    said = ", ".join(f"{each.text} ({each.confidence:.2f})" for each in found.findings)
    return said if found.is_text else f"{said}; {_NO_TEXT}"


def file_lines(files: Sequence[Sniffed]) -> Iterator[Styled]:
    """A line for each of several files, then the groups of files that are written alike."""
    for found in files:
        yield styled((visible(found.path), "bold"), f": {summary(found)}")
    groups = groups_of(files)
    if not groups:
        return
    yield styled()
    yield styled(f"{counted(len(groups), 'dialect')} in {counted(len(files), 'file')}")
    for directives, paths in groups.items():
        listed = ", ".join(map(visible, paths))
        yield styled(f"{', '.join(directives)}: {counted(len(paths), 'file')}: {listed}")


def groups_of(files: Sequence[Sniffed]) -> Mapping[tuple[str, ...], list[str]]:
    """The files of each dialect, the largest group first."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for found in files:
        if not found.is_empty:
            groups.setdefault(found.directives, []).append(found.path)
    return dict(sorted(groups.items(), key=lambda each: -len(each[1])))


def sniffed_json(found: Sniffed) -> dict[str, Any]:
    """Everything about a file."""
    return {
        "path": found.path,
        "empty": found.is_empty,
        "text": found.is_text,
        "confidence": round(found.confidence, 4),
        "columns": found.columns,
        "directives": [_finding_json(each) for each in found.findings],
        "quote": found.dialect.quote,
        "encoding": {
            "name": found.encoding.name,
            "confidence": round(found.encoding.confidence, 4),
            "runner_up": found.encoding.runner_up,
            "runner_up_confidence": round(found.encoding.runner_up_confidence, 4),
            "byte_order_mark": found.encoding.has_mark,
        },
        "line_ends": dict(found.line_ends),
        "sampled_bytes": found.sampled,
        "whole": found.is_whole,
        "candidates": [_candidate_json(each) for each in found.candidates[:_SHOWN_CANDIDATES]],
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "value": finding.value,
        "confidence": round(finding.confidence, 4),
        "runner_up": finding.runner_up,
        "runner_up_confidence": round(finding.runner_up_confidence, 4),
    }


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "directives": {name: value for name, value in candidate.values if value},
        "columns": candidate.columns,
        "score": round(candidate.score, 3),
        "share": round(candidate.share, 4),
        "features": {name: round(value, 3) for name, value in candidate.features},
    }
