"""Why a cell is in a region or not, as JSON. Keys may be added, never removed."""

from __future__ import annotations

from typing import Any

from sculpt.diagnostics import Span
from sculpt.report.json import VERSION, printable
from sculpt.views.why.model import Answer, ContentTrace, Part, Step, Stop, Test, Walk, Why


def why_json(why: Why) -> dict[str, Any]:
    """The answer of `sculpt why`."""
    return {
        "version": VERSION,
        "path": why.path,
        "row": why.row,
        "column": why.column,
        "text": _text(why.text),
        "padded": why.text is None,
        "rows": why.rows,
        "columns": why.columns,
        "regions": [_answer(each) for each in why.answers],
    }


def _text(text: str | None) -> str | None:
    return None if text is None else printable(text)


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "region": answer.region,
        "kind": answer.kind,
        "text": answer.text,
        "line": answer.line,
        "selected": answer.selected,
        "selector": _part(answer.part),
        "content": None if answer.content is None else _content(answer.content),
    }


def _span(span: Span) -> dict[str, Any]:
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": end_line,
        "end_column": end_column,
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "text": part.text,
        "span": _span(part.span),
        "row": part.row,
        "column": part.column,
        "holds": part.holds,
        "reason": printable(part.reason),
        "parts": [_part(each) for each in part.parts],
        "walk": None if part.walk is None else _walk(part.walk),
        "origin": None if part.origin is None else _part(part.origin),
        "stop": None if part.stop is None else _stop(part.stop),
        "gave_up": part.gave_up,
    }


def _walk(walk: Walk) -> dict[str, Any]:
    return {
        "start": list(walk.start),
        "start_text": _text(walk.start_text),
        "end": list(walk.end),
        "length": walk.length,
        "tests": [_test(test) for test in walk.tests],
        "steps": [_step(step) for step in walk.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "direction": step.direction,
        "count": step.count,
        "row": step.row,
        "column": step.column,
        "tests": [_test(test) for test in step.tests],
    }


def _test(test: Test) -> dict[str, Any]:
    return {"text": test.text, "span": _span(test.span)}


def _stop(stop: Stop) -> dict[str, Any]:
    return {
        "kind": stop.kind,
        "row": stop.row,
        "column": stop.column,
        "text": _text(stop.text),
        "direction": stop.direction,
        "walk": None if stop.walk is None else _walk(stop.walk),
        "test": None if stop.test is None else _part(stop.test),
    }


def _content(trace: ContentTrace) -> dict[str, Any]:
    return {
        "text": trace.text,
        "scope": trace.scope,
        "outcome": trace.outcome,
        "expected": list(trace.expected),
        "letters": [
            {
                "row": letter.row,
                "column": letter.column,
                "item": letter.item,
                "text": _text(letter.text),
                "expected": list(letter.expected),
                "read": list(letter.read),
                "skipped": letter.skipped,
            }
            for letter in trace.letters
        ],
        "before": trace.before,
        "more": trace.more,
        "failed_at": None if trace.failed_at is None else list(trace.failed_at),
        "failed_item": trace.failed_item,
        "wanted": list(trace.wanted),
        "ends_early": trace.ends_early,
        "hint": trace.hint,
    }
