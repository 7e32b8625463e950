"""Runs all suites: `make suites`. Prints a table, and writes the page and the report about CSVW.

    python -m suites [JUDGE …] [--processes N] [--check]

With names of judges (`dspl`, `xsd`, …) only these run, and nothing is written. `--check` runs all
of them, and says whether the page is current instead of writing it. The exit status is 1 if a bar
is missed or, with `--check`, the page is not current. Suites whose data is not here are left out;
then nothing is written either.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from suites import earl, page
from suites.bars import FAMILIES, Result, missed
from suites.model import ROOT, SHARED
from suites.running import collected, judge_module, progress_line, run

PAGE = ROOT / "docs" / "conformance.md"
REPORT = ROOT / "docs" / "earl-csvw.ttl"
JUDGES = {judge.rpartition(".")[2]: judge for judges in FAMILIES.values() for judge in judges}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suites; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m suites", description="Run the suites.")
    parser.add_argument("judges", nargs="*", metavar="JUDGE", help=f"of {', '.join(JUDGES)}")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="write nothing, compare the page")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.judges) - JUDGES.keys())
    if unknown:
        parser.error(f"there is no judge {', '.join(unknown)}: choose of {', '.join(JUDGES)}")
    wanted = options.judges or JUDGES
    units = collected([module for name, module in JUDGES.items() if name in wanted])
    results = run(units, options.processes, progress=progress_line(len(units)))
    print(page.table(results), end="")
    for result in results:
        if result.standing == "failed":
            case = result.case
            print(f"failed: {case.suite}, {case.name}: {page.shortened(result.outcome.reason)}")
    sentences = missed(results)
    if not SHARED.is_dir():
        print(f"nothing is written: the data of the suites is not in {SHARED}")
    else:
        sentences += _absent(wanted, results)
    if SHARED.is_dir() and not options.judges:
        sentences += _stale(results) if options.check else _written(results)
    for sentence in sentences:
        print(f"missed: {sentence}")
    return 1 if sentences else 0


def _absent(wanted: Iterable[str], results: Sequence[Result]) -> list[str]:
    """A sentence for each suite that has no cases."""
    suites = [suite for name in wanted for suite in judge_module(JUDGES[name]).SUITES]
    found = {result.case.suite for result in results}
    return [f"{suite}: there are no cases" for suite in suites if suite not in found]


def _written(results: Sequence[Result]) -> list[str]:
    PAGE.write_text(page.renewed(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
    earlier = REPORT.read_text(encoding="utf-8") if REPORT.is_file() else None
    REPORT.write_text(earl.renewed(earlier, results), encoding="utf-8")
    return []


def _stale(results: Sequence[Result]) -> list[str]:
    """A sentence for each file that these results would change."""
    now = PAGE.read_text(encoding="utf-8")
    earlier = REPORT.read_text(encoding="utf-8") if REPORT.is_file() else None
    wanted = {
        PAGE: (now, page.renewed(now, results)),
        REPORT: (earlier, earl.renewed(earlier, results)),
    }
    return [
        f"{path.relative_to(ROOT)} is not current: run `make suites`"
        for path, (old, new) in wanted.items()
        if old != new
    ]


if __name__ == "__main__":
    sys.exit(main())
