"""What an installation takes: megabytes on disk, packages, the first run, with each extra.

    .venv/bin/python benchmarks/install.py            writes the record
    .venv/bin/python benchmarks/install.py --quick    no extras, writes nothing

Wheels are built as users get them and installed into empty environments. Megabytes are those of all
files there, bytecode included, since pip makes it; the size of each package is listed too. Then the
census example is validated there, once to warm up and then in turns: seconds of CPU time, on a pipe
as a script sees them, and on a terminal, where colours need `rich`. Last, what it takes to import
packages that we use, or could use, in seconds of CPU time more than Python itself.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import subprocess
import sys
import tempfile
import time
import venv
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from measure import commit, machine

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).parent / "record" / "install.json"
CENSUS = [str(ROOT / "examples" / "census" / name) for name in ("corrected.sculpt", "census.csv")]
LIMIT = 900.0
ROUNDS = 20
SETS = {
    "no extra": ("library", ""),
    "no extra, pure wheel": ("pure", ""),
    "arrow": ("library", "[arrow]"),
    "jit": ("pure", "[jit]"),
    "spark": ("library", "[spark]"),
    "all": ("library", "[all]"),
}
IMPORTED = ("argparse", "click", "rich.console", "concurrent.futures.thread", "numpy", "pyarrow")
MOST = 40.0
"""Megabytes without extras, which is the bar for an installation without numpy."""

Figures = dict[str, Any]


def pip(*arguments: str, **settings: str) -> None:
    """Run pip of this environment."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    if done.returncode != 0:
        sys.exit(f"error: pip {' '.join(arguments)[:200]}\n{done.stderr[-2000:]}")


def built(folder: Path, kind: str) -> Path:
    """A wheel of a kind."""
    place = folder / f"wheel-{kind}"
    if not place.exists():
        options = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(place))
        pip("wheel", *options, str(ROOT), SCULPT_BUILD=kind)
    (wheel,) = place.glob("*.whl")
    return wheel


def megabytes(folder: Path) -> float:
    """The size of all files in a folder."""
    sizes = (path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return round(sum(sizes) / 1e6, 2)


def packages(site: Path) -> dict[str, float]:
    """The megabytes of each package, largest first."""
    found: dict[str, float] = {}
    for each in distributions(path=[str(site)]):
        files = (Path(str(file.locate())) for file in each.files or ())
        found[each.name] = round(sum(f.stat().st_size for f in files if f.is_file()) / 1e6, 2)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def cpu_of_run(command: list[str], on_terminal: bool) -> float:
    """The seconds of CPU time of one process."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NO_COLOR")}
    read, write = pty.openpty() if on_terminal else os.pipe()
    process = subprocess.Popen(
        command, stdout=write, stderr=write, env={**environment, "TERM": "xterm-256color"}
    )
    os.close(write)
    _, status, usage = os.wait4(process.pid, 0)
    printed = os.read(read, 1 << 16)
    os.close(read)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, printed
    assert b"10 rows" in printed
    assert (b"\x1b[" in printed) == on_terminal
    return usage.ru_utime + usage.ru_stime


def measured(folder: Path, name: str) -> tuple[Figures, list[str]]:
    """The figures of one installation, and the command that starts it."""
    kind, extra = SETS[name]
    wheel = built(folder, kind)
    environment = folder / name.replace(" ", "-")
    venv.create(environment, with_pip=False)
    before = time.perf_counter()
    pip("--python", str(environment / "bin" / "python"), "install", f"{wheel}{extra}")
    seconds = time.perf_counter() - before
    (site,) = environment.glob("lib/python*/site-packages")
    figures = {
        "megabytes": megabytes(site),
        "wheel_megabytes": round(wheel.stat().st_size / 1e6, 2),
        "pip_seconds": round(seconds, 1),
        "packages": packages(site),
    }
    return figures, [str(environment / "bin" / "sculpt"), "validate", *CENSUS]


def imports() -> Figures:
    """What it takes to import each package, here."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name in ("sys", *IMPORTED):
            process = subprocess.Popen([sys.executable, "-c", f"import {name}"])
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0
            best[name] = min(best.get(name, float("inf")), usage.ru_utime + usage.ru_stime)
    return {name: round(best[name] - best["sys"], 4) for name in IMPORTED}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="without extras, no record")
    is_quick = parser.parse_args().quick
    names = [name for name in SETS if not is_quick or name.startswith("no extra")]
    results: Figures = {}
    with tempfile.TemporaryDirectory(prefix="sculpt-install-") as place:
        commands: dict[str, list[str]] = {}
        for name in names:
            results[name], commands[name] = measured(Path(place), name)
        for on_terminal in (False, True):
            best = dict.fromkeys(names, float("inf"))
            for _ in range(ROUNDS + 1):
                for name, command in commands.items():
                    best[name] = min(best[name], cpu_of_run(command, on_terminal))
            for name, seconds in best.items():
                where = "terminal" if on_terminal else "pipe"
                results[name][f"census_cpu_s_{where}"] = round(seconds, 4)
    print(f"{'':<24}{'MB':>9}{'packages':>10}{'pip s':>8}{'CPU s':>9}{'on a terminal':>15}")
    for name, each in results.items():
        print(
            f"{name:<24}{each['megabytes']:>9}{len(each['packages']):>10}{each['pip_seconds']:>8}"
            f"{each['census_cpu_s_pipe']:>9}{each['census_cpu_s_terminal']:>15}"
        )
    taken = imports()
    print("\nimports, CPU s")
    for name, seconds in taken.items():
        print(f"{name:<33}{seconds:>9}")
    value = results["no extra"]["megabytes"]
    target = {
        "what": "installed without extras, MB",
        "target": f"<= {MOST:g}",
        "measured": value,
        "met": value <= MOST,
    }
    print(f"\n{target['what']}: {value}, {'met' if target['met'] else 'NOT met'}: {MOST:g}")
    if is_quick:
        print("\nno record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/install.py",
        "machine": machine(),
        "targets": [target],
        **results,
        "imports_cpu_s": taken,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
