"""A judge of made-up cases: one passes, the others fail in each way that a case can fail."""

from __future__ import annotations

import os
import time

from suites.model import Case, Outcome

SUITES = ("made-up", "none")
UNIT = 2
EXCUSED = {"wrong": ("a", "section 4"), "odd": ("b", "never needed")}
NAMES = ("right", "wrong", "odd", "raises", "dies", "after", "hangs", "also after")


def cases(suite: str) -> list[Case]:
    return [Case(suite, name, f"the {name} one") for name in NAMES if suite == "made-up"]


def judge(case: Case) -> Outcome:
    match case.name:
        case "right" | "odd":
            return Outcome(True, places=True)
        case "wrong":
            return Outcome(False, "found 1 | 2", places=False)
        case "raises":
            raise ValueError("no such thing")
        case "dies":
            os._exit(3)
        case "hangs":
            time.sleep(600)
    return Outcome(True)
