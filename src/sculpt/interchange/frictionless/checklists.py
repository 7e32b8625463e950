"""Checklists of the framework: checks beyond the standard, and which errors are wanted.

In: a `Checklist`. Out: statements for the checks that the language has, notes about the others. The
framework's `pickErrors` and `skipErrors` decide which statements are written at all.

Invariant: without a checklist everything is written. Cost: linear in the checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sculpt.interchange.builder import Loop, SchemaBuilder, literal
from sculpt.interchange.frictionless.columns.constraints import Column
from sculpt.interchange.frictionless.columns.patterns import exactly
from sculpt.interchange.frictionless.headings import Layout
from sculpt.interchange.frictionless.model import At, Checklist, Resource
from sculpt.interchange.frictionless.reading.shapes import Findings, is_count
from sculpt.origins import Note, Origin

_LABELS = ("blank-label", "duplicate-label", "extra-label", "missing-label", "incorrect-label")
_CELLS = (
    *("type-error", "constraint-error", "unique-error", "missing-cell", "extra-cell"),
    *("ascii-value", "forbidden-value", "sequential-value", "truncated-value", "deviated-cell"),
)
_ROWS = ("blank-row", "primary-key", "foreign-key", "duplicate-row", "row-constraint")
_HEADERS = ("unmatched-header", "blank-header")
_TABLES = ("row-count", "table-dimensions", "required-value", "deviated-value", "field-count")
_TAGS = {
    "#label": _LABELS,
    "#header": (*_LABELS, *_HEADERS),
    "#cell": _CELLS,
    "#row": (*_CELLS, *_ROWS),
    "#content": _CELLS,
    "#table": (*_LABELS, *_HEADERS, *_CELLS, *_ROWS, *_TABLES),
    "#file": ("hash-count", "byte-count"),
}
_ALWAYS = ("source-error", "check-error")
"""Errors that no checklist can turn off."""


class PickingBuilder(SchemaBuilder):
    """A builder that leaves out statements whose kind of error a checklist does not want."""

    def __init__(self, title: str, checklist: Checklist | None) -> None:
        super().__init__(title)
        self._picked = _kinds(checklist.picked) if checklist is not None else frozenset()
        self._skipped = _kinds(checklist.skipped) if checklist is not None else frozenset()

    def wants(self, kind: str) -> bool:
        """Are errors of a kind wanted?"""
        if kind in _ALWAYS:
            return True
        return (not self._picked or kind in self._picked) and kind not in self._skipped

    def rule(
        self,
        selector: str,
        content: str,
        origin: Origin,
        arrow: str = "->",
        severity: str = "error",
        message: str = "",
    ) -> None:
        """A rule, if its errors are wanted."""
        if self.wants(origin.kind):
            super().rule(selector, content, origin, arrow, severity, message)

    def key(
        self,
        parts: Sequence[str],
        origin: Origin,
        across: bool = False,
        severity: str = "error",
    ) -> None:
        """A key, if its errors are wanted."""
        if self.wants(origin.kind):
            super().key(parts, origin, across, severity)

    def reference(
        self,
        left: str,
        right: str,
        origin: Origin,
        several: bool = False,
        severity: str = "error",
        has_key: bool = True,
    ) -> None:
        """A reference, if its errors are wanted."""
        if self.wants(origin.kind):
            super().reference(left, right, origin, several, severity, has_key)

    def require(
        self,
        condition: str,
        origin: Origin,
        severity: str = "error",
        loop: Loop | None = None,
    ) -> None:
        """A condition, if its errors are wanted."""
        if self.wants(origin.kind):
            super().require(condition, origin, severity, loop)


def _kinds(given: tuple[str, ...]) -> frozenset[str]:
    return frozenset(kind for each in given for kind in (_TAGS.get(each, (each,))))


def write_checks(
    resource: Resource,
    columns: dict[str, Column],
    layout: Layout,
    builder: SchemaBuilder,
    findings: Findings,
) -> None:
    """The statements of the checks of a resource."""
    if resource.checklist is None or not resource.checklist.checks:
        return
    builder.gap()
    writer = _Checks(columns, layout, builder, findings)
    for at, check in resource.checklist.checks:
        writer.write(at, check)


class _Checks:
    def __init__(
        self,
        columns: dict[str, Column],
        layout: Layout,
        builder: SchemaBuilder,
        findings: Findings,
    ) -> None:
        self.findings = findings
        self.columns = columns
        self.layout = layout
        self.builder = builder
        self.pad = " | Missing" if layout.is_open else ""

    def write(self, at: At, check: dict[str, Any]) -> None:
        """The statement of a check, or a note."""
        kind = check["type"]
        region = None
        if isinstance(check.get("fieldName"), str):
            region = self.region(at, check["fieldName"])
        match kind:
            case "ascii-value":
                ascii_text = self.builder.token("ascii", r"[\x00-\x7f]*")
                origin = Origin("check ascii-value", at.spot, kind)
                self.builder.rule(self.layout.data, f"({ascii_text}{self.pad})*", origin)
            case "forbidden-value" if region and isinstance(check.get("values"), list):
                tokens = " or ".join(_value(each) for each in check["values"])
                allowed = self.builder.derived(f"{region} allowed", f"not ({tokens})")
                origin = Origin("check forbidden-value", at.spot, kind, None, check["fieldName"])
                self.builder.rule(region, f"{allowed} | Missing", origin)
            case "required-value" if region and isinstance(check.get("values"), list):
                for ix, each in enumerate(check["values"]):
                    token = self.builder.derived(f"{region} required", _value(each))
                    origin = Origin(f"check required-value {each}", at.to("values", ix).spot, kind)
                    rest = f"(Any{self.pad})*"
                    self.builder.rule(region, f"{rest}, {token}, {rest}", origin, "=>")
            case "table-dimensions":
                self.dimensions(at, check)
            case "duplicate-row" if self.columns and not self.layout.is_open:
                parts = [column.region for column in self.columns.values()]
                self.builder.key(parts, Origin("check duplicate-row", at.spot, kind))
            case _:
                if kind in ("deviated-value",) and region:
                    self.numbers(at, check, region)
                message = f"the check `{kind}` has no counterpart"
                self.builder.note(Note(message, at.spot))

    def region(self, at: At, name: str) -> str:
        """The region of a field, which must exist."""
        if name in self.columns:
            return self.columns[name].region
        top = f"row({self.layout.top})"
        rest = f"(Any{self.pad})*"
        origin = Origin(f'there is a field "{name}"', at.to("fieldName").spot, "check-error")
        self.builder.rule(top, f"{rest}, {literal(name)}, {rest}", origin, "=>")
        return self.builder.region(name, f"down+({top} and {literal(name)})")

    def numbers(self, at: At, check: dict[str, Any], region: str) -> None:
        """A check of numbers is about a column of numbers."""
        if check.get("average", "mean") not in ("mean", "median", "mode"):
            message = f"there is no average `{check['average']}`"
            self.findings.wrong(at.to("average"), message, "it is mean, median or mode")
            return
        origin = Origin(f"check {check['type']}: the field has numbers", at.spot, "check-error")
        self.builder.rule(region, f"Number | Null{self.pad}", origin)

    def dimensions(self, at: At, check: dict[str, Any]) -> None:
        """How many rows and columns a table has."""
        data, top = self.layout.data, f"row({self.layout.top})"
        rows = "col(1)" if data == "true" else f"col(1) and {data}"
        signs = {"numRows": "=", "minRows": ">=", "maxRows": "<="}
        counts = {"numFields": "{%d}", "minFields": "{%d,}", "maxFields": "{0,%d}"}
        for key, value in check.items():
            if key not in (*signs, *counts) or not is_count(value):
                continue
            origin = Origin(f"check {key} {value}", at.to(key).spot, "table-dimensions")
            if key in signs:
                self.builder.require(f"Count({rows}) {signs[key]} {value}", origin)
            else:
                end = ", Missing*" if self.pad else ""
                self.builder.rule(top, f"Any{counts[key] % value}{end}", origin, "=>")


def _value(value: Any) -> str:
    """A value of a check, whose type the framework infers, as a token."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"Number = {value}"
    return exactly(str(value))
