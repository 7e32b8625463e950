"""Which targets are met: the table of DESIGN.md section 6, as far as `validate.py` measures it.

In: the results of the parts that ran. Out: each target, what was measured, and whether it is met.
"""

from __future__ import annotations

from typing import Any

from peers import DUCKDB, OURS, POLARS, THREADS, spelt

Figures = dict[str, Any]


def targets(results: Figures) -> list[Figures]:
    """The table of DESIGN.md section 6, as far as this file measures it."""
    found: list[Figures] = []

    def add(what: str, target: str, value: float, met: bool) -> None:
        found.append({"what": what, "target": target, "measured": round(value, 2), "met": met})

    def at_least(file: str, peer: str, bound: float) -> None:
        if file in results:
            value = results[file]["contestants"][peer]["peer_over_ours"]
            add(f"{file}: {peer} over ours", f">= {bound:g}", value, value >= bound)

    at_least("numeric", DUCKDB, 8)
    at_least("numeric", POLARS, 5)
    at_least("quoted", DUCKDB, 4)
    at_least("quoted", POLARS, 4)
    for file in ("numeric", "quoted", "wide"):
        at_least(file, "DuckDB typed parse", 1)
        at_least(file, "Polars typed parse", 1)
    if "rows" in results:
        growth = results["rows"][spelt(THREADS)]["time_for_10x"]
        add("time for 10x rows", "8.5 to 11.5", growth, 8.5 <= growth <= 11.5)
    if "rules" in results:
        for few, many in ((10, 100), (100, 1_000)):
            one, ten = (results["rules"][f"{OURS}, {n} rules"]["mb_per_s"] for n in (few, many))
            add(f"time for {many} rules over {few}", "<= 1.5", one / ten, one / ten <= 1.5)
    if "violations" in results:
        times = results["violations"]["100 %"]["times_clean"]
        add("time when every row violates", "<= 4", times, times <= 4)
    if "memory" in results:
        most = max(results["memory"].values(), key=lambda figures: figures["over_baseline_mb"])
        peak = most["over_baseline_mb"]
        add("memory in MB, the most of any run", "< 300", peak, peak < 300)
        short, long = (
            figures["over_baseline_mb"]
            for name, figures in results["memory"].items()
            if name.startswith("one row") and name.endswith(spelt(THREADS))
        )
        add("memory for 10x cells in one row", "<= 1.25", long / short, long / short <= 1.25)
    return found
