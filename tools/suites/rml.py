"""The RML test cases over CSV: mappings, their files, and the data set that must come out.

A case passes if the data set of `output.nq` and that of the run are isomorphic; where the manifest
marks an error, if the mapping or its run is refused.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from sculpt.errors import SculptError
from suites.model import SHARED, Case, Outcome

if TYPE_CHECKING:
    from rdflib import Graph

SUITES = ("rml",)
EXCUSED: dict[str, tuple[str, str]] = {}
ENGINES = ("local", "reference")


def _folder() -> Path:
    return SHARED / "rml"


def cases(suite: str) -> list[Case]:
    """The cases of the manifest; none if it is not there."""
    manifest = _folder() / "manifest.json"
    if not manifest.is_file():
        return []
    listed = json.loads(manifest.read_text(encoding="utf-8"))
    return [Case(suite, name, each["title"]) for name, each in listed.items()]


def judge(case: Case) -> Outcome:
    """Run a mapping on all engines of this machine, and compare what it makes."""
    folder = _folder() / case.name
    listed = json.loads((_folder() / "manifest.json").read_text(encoding="utf-8"))
    is_error = listed[case.name]["error"]
    outputs: set[bytes] = set()
    for engine in ENGINES:
        try:
            outputs.add(run_mapping(folder / "mapping.ttl", engine))
        except SculptError as error:
            if is_error:
                continue
            return Outcome(False, f"{engine}: refused: {error}")
        if is_error:
            return Outcome(False, f"{engine}: expected an error, and there is none")
    if is_error:
        return Outcome(True)
    if len(outputs) > 1:
        return Outcome(False, "the engines differ")
    expected = (folder / "output.nq").read_bytes()
    reason = difference(expected, outputs.pop())
    return Outcome(not reason, reason)


def run_mapping(path: Path, engine: str) -> bytes:
    """The N-Quads of a mapping; raises a `SculptError` if it is refused."""
    from sculpt.checks.joint import local_joint
    from sculpt.engines.options import Options
    from sculpt.interchange.load import load
    from sculpt.policy import Policy
    from sculpt.transform.evaluation.findings import Findings
    from sculpt.transform.outputs import plan, write_outputs
    from sculpt.transform.writers.formats import Format
    from sculpt.verdict import RefusedError

    producer = local_joint(load(path), Policy.REFUSE, engine, Options(threads=2))
    producer.validate()
    findings = Findings()

    def may_end() -> None:
        if findings.count:
            raise RefusedError((), tuple(findings.violations))

    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as stdout:
        out = Path(folder) / "out.nq"
        outputs = plan(producer.program, str(out), Format.NQUADS, None)
        write_outputs(producer, outputs, findings, stdout, may_end)
        return out.read_bytes()


def difference(expected: bytes, found: bytes) -> str:
    """In what two data sets differ; empty if they are isomorphic."""
    from rdflib.compare import isomorphic

    one, other = _graphs(expected), _graphs(found)
    if one.keys() != other.keys():
        return f"graphs {sorted(other)}, expected {sorted(one)}"
    for name, graph in one.items():
        if not isomorphic(graph, other[name]):
            return f"the graph `{name}` has {len(other[name])} triples, expected {len(graph)}"
    return ""


def _graphs(data: bytes) -> dict[str, Graph]:
    """The graphs of N-Quads by name, those without triples left out."""
    import rdflib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib, about its own calls
        found = rdflib.Dataset()
        found.parse(data=data, format="nquads")
        default = found.default_graph.identifier
    graphs = {}
    for graph in found.graphs():
        if len(graph):
            name = "" if graph.identifier == default else str(graph.identifier)
            copy = rdflib.Graph()
            for triple in graph:
                copy.add(triple)
            graphs[name] = copy
    return graphs
