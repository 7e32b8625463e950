"""How fast a mapping of RML becomes RDF, beside morph-kgc.

    .venv/bin/python benchmarks/rml.py               200 MB, writes the record
    .venv/bin/python benchmarks/rml.py --size 20     20 MB, writes nothing

A mapping with five triples maps: four over a table of people (IRIs from templates, classes, typed
literals, literals with a language, a join) and one over a small table of companies. Both write
N-Triples to a file; both are whole commands, started anew, so imports count. The lines must be the
same set: morph-kgc leaves out triples that it has written before, and we do not. morph-kgc pins
older releases, so it gets an environment of its own, which is made once below the temporary
directory, or where `--peer` names one. Contestants take turns; each keeps its best round.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import venv
from hashlib import sha256
from pathlib import Path
from typing import Any

from measure import WrongAnswerError, commit, machine

RECORD = Path(__file__).parent / "record" / "rml.json"
PEER = "morph-kgc"
ROUNDS = 3
BLOCK = 50_000
"""The number of different rows; their identifiers are different in the whole file."""
LIMIT = 3_600.0

MAPPING = """\
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix rml: <http://semweb.mmlab.be/ns/rml#> .
@prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/terms#> .
@base <http://example.org/> .

<#Person> rml:logicalSource [ rml:source "people.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:template "http://example.org/person/{id}"; rr:class ex:Person ];
  rr:predicateObjectMap [ rr:predicate ex:name; rr:objectMap [ rml:reference "name" ] ];
  rr:predicateObjectMap [ rr:predicate ex:born;
    rr:objectMap [ rml:reference "born"; rr:datatype xsd:date ] ];
  rr:predicateObjectMap [ rr:predicate ex:livesIn;
    rr:objectMap [ rr:template "http://example.org/city/{country}/{city}" ] ].

<#City> rml:logicalSource [ rml:source "people.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:template "http://example.org/city/{country}/{city}" ];
  rr:predicateObjectMap [ rr:predicate ex:label;
    rr:objectMap [ rml:reference "city"; rr:language "en" ] ].

<#Account> rml:logicalSource [ rml:source "people.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:template "http://example.org/account/{account}"; rr:class ex:Account ];
  rr:predicateObjectMap [ rr:predicate ex:owner;
    rr:objectMap [ rr:template "http://example.org/person/{id}" ] ];
  rr:predicateObjectMap [ rr:predicate ex:balance;
    rr:objectMap [ rml:reference "balance"; rr:datatype xsd:decimal ] ].

<#Job> rml:logicalSource [ rml:source "people.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:template "http://example.org/person/{id}" ];
  rr:predicateObjectMap [ rr:predicate ex:worksFor;
    rr:objectMap [ rr:parentTriplesMap <#Company>;
      rr:joinCondition [ rr:child "employer"; rr:parent "code" ] ] ].

<#Company> rml:logicalSource [ rml:source "companies.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:template "http://example.org/company/{code}/{name}"; rr:class ex:Company ];
  rr:predicateObjectMap [ rr:predicate ex:name; rr:objectMap [ rml:reference "name" ] ].
"""

CONFIG = """\
[CONFIGURATION]
output_file = {out}
output_format = N-TRIPLES
logging_level = ERROR
number_of_processes = {processes}

[people]
mappings = {mapping}
"""


def write_data(folder: Path, megabytes: float) -> int:
    """The two tables; the number of people."""
    chance = random.Random(18)
    companies = [f"C{number:05}" for number in range(5_000)]
    with (folder / "companies.csv").open("w", encoding="utf-8") as file:
        file.write("code,name\n")
        for code in companies:
            file.write(f"{code},{chance.choice('ABCDEFGH')}{chance.randrange(10**6)} Works\n")
    names = [f"{first} {last}" for first in ("Ada", "Bo", "Cy", "Di", "Eva") for last in LASTS]
    cities = [f"{one}{two}" for one in ("North ", "Old ", "New ", "") for two in TOWNS]
    rows = [
        f"{chance.choice(names)},{chance.choice(cities)},{chance.choice(COUNTRIES)},"
        f"19{chance.randrange(40, 99)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02},"
        f"{chance.randrange(10**6)}.{chance.randrange(10, 100)},{chance.choice(companies)}"
        for _ in range(BLOCK)
    ]
    wanted, written, number = megabytes * 1e6, 0, 0
    with (folder / "people.csv").open("w", encoding="utf-8") as file:
        file.write("id,account,name,city,country,born,balance,employer\n")
        while written < wanted:
            block = "".join(
                f"{number + at},A{(number + at) * 7:09},{row}\n" for at, row in enumerate(rows)
            )
            file.write(block)
            written += len(block)
            number += BLOCK
    return number


LASTS = ("Archer", "Baker", "Carter", "Dyer", "Fisher", "Mason", "Potter", "Smith", "Weaver")
TOWNS = ("Ashford", "Bexley", "Castle Cary", "Dover", "Epping", "Frome", "Hove", "Kendal")
COUNTRIES = ("GB", "IE", "US", "CA", "NZ", "AU")


def peer_python(folder: Path) -> Path:
    """The interpreter of an environment with morph-kgc, which is made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"making an environment with {PEER} in {folder}", flush=True)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def timed(command: list[str], folder: Path) -> float:
    """The seconds of a command."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr[-2000:]}")
    return seconds


def peak_memory(command: list[str], folder: Path) -> float:
    """The peak memory of a command in megabytes, measured by a process that runs nothing else."""
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, capture_output=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    unit = 1024 if sys.platform != "darwin" else 1
    return int(done.stdout) * unit / 1e6


def lines_of(path: Path, folder: Path) -> tuple[str, int]:
    """A sum of the different lines of a file, whatever their order, and how many there are."""
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    sort = subprocess.Popen(["sort", "-u", path], stdout=subprocess.PIPE, env=environment)
    total, count = sha256(), 0
    assert sort.stdout is not None
    for line in sort.stdout:
        total.update(line)
        count += 1
    if sort.wait():
        sys.exit(f"error: {path} could not be sorted")
    return total.hexdigest(), count


def measured(megabytes: float, folder: Path, peer: Path, rounds: int) -> dict[str, Any]:
    """The seconds of both, and our memory; raises an error if they do not say the same."""
    people = write_data(folder, megabytes)
    (folder / "mapping.ttl").write_text(MAPPING, encoding="utf-8")
    processes = os.cpu_count() or 1
    config = CONFIG.format(out="theirs.nt", mapping="mapping.ttl", processes=processes)
    (folder / "config.ini").write_text(config, encoding="utf-8")
    sculpt = str(Path(sys.executable).with_name("sculpt"))
    ours = [sculpt, "run", "mapping.ttl", "-o", "ours.nt"]
    theirs = [str(peer), "-m", "morph_kgc", "config.ini"]
    seconds: dict[str, list[float]] = {"sculpt": [], PEER: []}
    for _ in range(rounds):
        for name, command in (("sculpt", ours), (PEER, theirs)):
            seconds[name].append(timed(command, folder))
            print(f"  {name}: {seconds[name][-1]:.1f} s", flush=True)
    found, expected = (lines_of(folder / f"{name}.nt", folder) for name in ("ours", "theirs"))
    if found != expected:
        raise WrongAnswerError(f"{found[1]:,} different triples, expected {expected[1]:,}")
    return {
        "people": people,
        "megabytes": round((folder / "people.csv").stat().st_size / 1e6, 1),
        "different_triples": found[1],
        "seconds": {name: round(min(each), 2) for name, each in seconds.items()},
        "peak_memory_megabytes": round(peak_memory(ours, folder)),
    }


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help="MB of the large table (200)")
    parser.add_argument("--peer", type=Path, help=f"an environment with {PEER}")
    chosen = parser.parse_args()
    peer = peer_python(chosen.peer or Path(tempfile.gettempdir()) / "sculpt-morph-kgc")
    rounds = ROUNDS if chosen.size is None else 1
    with tempfile.TemporaryDirectory(prefix="sculpt-rml-") as folder:
        facts = measured(chosen.size or 200.0, Path(folder), peer, rounds)
    print(facts)
    ratio = round(facts["seconds"][PEER] / facts["seconds"]["sculpt"], 2)
    memory = facts["peak_memory_megabytes"]
    targets = [
        {"what": f"{PEER} over ours", "target": ">= 5", "measured": ratio, "met": ratio >= 5},
        {"what": "our memory, MB", "target": "< 500", "measured": memory, "met": memory < 500},
    ]
    for each in targets:
        print(each)
    if chosen.size is not None:
        print("no record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/rml.py",
        "machine": machine(),
        "targets": targets,
        "results": facts,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
