"""`python -m fuzz`: run the targets for some minutes, or check kept failures again.

Each target runs in its own process, a few at a time. A failure is reduced, written to
`fuzz/found/` and printed; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed

from fuzz import harness


def main() -> int:
    """Run what the call asks for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="time for all targets together")
    parser.add_argument("--target", action="append", choices=harness.TARGETS, help="only this one")
    parser.add_argument("--seed", type=int, help="the first seed; by default a new one each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--replay", action="store_true", help="check the failures that were kept")
    call = parser.parse_args()
    return replay_all() if call.replay else run_all(call)


def run_all(call: argparse.Namespace) -> int:
    """Share the time among the targets."""
    names = call.target or list(harness.TARGETS)
    jobs = min(call.jobs, len(names))
    seconds = 60 * call.minutes * jobs / len(names)
    first = random.SystemRandom().randrange(1 << 32) if call.seed is None else call.seed
    print(f"seed {first}, {seconds:.0f} s for each target", flush=True)
    tried, found = 0, 0
    with ProcessPoolExecutor(jobs, max_tasks_per_child=1) as pool:
        runs = [pool.submit(harness.run_named, name, first, seconds) for name in names]
        for done in as_completed(runs):
            report = done.result()
            tried, found = tried + report.tried, found + len(report.failures)
            print(
                f"{report.target}: {report.tried:,} inputs in {report.seconds:.0f} s,"
                f" {len(report.failures)} failures",
                flush=True,
            )
            for failure in report.failures:
                path = harness.keep(failure)
                print(
                    f"  {path.name}: {failure.cause}\n  {json.dumps(failure.case)[:2000]}",
                    flush=True,
                )
    print(f"{tried:,} inputs tried, {found} failures")
    return 1 if found else 0


def replay_all() -> int:
    """Check each failure that was kept."""
    failed = 0
    for name, failure in harness.kept():
        try:
            harness.replay(failure)
        except Exception as error:
            failed += 1
            print(f"{name}: {harness.cause_of(error)}: {error}")
    print(f"{len(list(harness.kept()))} kept cases, {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
