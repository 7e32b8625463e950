"""A small data set of many messy files: the readings of weather stations, some with mistakes.

    python examples/stations/generate.py DIRECTORY

The files are the same every time: 24 stations with 12 months each. A few have a reading that is not
a number, missing days, or an unknown flag.
"""

from __future__ import annotations

import calendar
import random
import sys
from pathlib import Path

NAMES = ["ARUA", "ENTEBBE", "GULU", "JINJA", "KABALE", "KASESE"]
NAMES += ["KITGUM", "LIRA", "MASINDI", "MBARARA", "MOROTO", "SOROTI"]
MISTAKES = {5: "no number", 77: "a day is missing", 130: "unknown flag", 201: "comma as point"}


def station_file(
    name: str, code: str, month: int, mistake: str | None, chance: random.Random
) -> str:
    """The text of one file."""
    rows = ["Daily readings", f"Station,{name},Code,{code}", "", "Day,Max,Min,Rain,Flag"]
    total = 0.0
    days = calendar.monthrange(2025, month)[1]
    for day in range(1, days + 1):
        if mistake == "a day is missing" and day > 25:
            break
        high, low = chance.uniform(24, 34), chance.uniform(12, 20)
        rain = max(0.0, chance.gauss(0, 9))
        total += rain
        flag = chance.choice(["", "", "", "", "E", "Q"])
        if mistake == "unknown flag" and day == 17:
            flag = "?"
        cells = [str(day), f"{high:.1f}", f"{low:.1f}", f"{rain:.1f}", flag]
        if mistake == "no number" and day == 9:
            cells[1] = "n/a"
        if mistake == "comma as point" and day == 3:
            cells[3] = f'"{cells[3].replace(".", ",")}"'
        rows.append(",".join(cells).rstrip(","))
    rows += ["", f"Total,,,{total:.1f}"]
    if month % 5 == 0:
        rows.append("* gauge replaced this month")
    return "\n".join(rows) + "\n"


def main(directory: str) -> None:
    """Write all files."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    number = 0
    for ix in range(2 * len(NAMES)):
        name = NAMES[ix % len(NAMES)] + (" AIR" if ix >= len(NAMES) else "")
        code = f"{name[:3]}{ix:02d}"
        for month in range(1, 13):
            text = station_file(name, code, month, MISTAKES.get(number), chance)
            (folder / f"{code.lower()}-{month:02d}.csv").write_text(text, encoding="utf-8")
            number += 1
    print(f"{number} files in {directory}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/stations/generate.py DIRECTORY")
    main(sys.argv[1])
