"""Files in which there is no table, and small ones in which there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

import sculpt

SHELL = """#!/bin/sh
# Copies what is new.
set -e
from=$1
to=$2
for each in "$from"/*; do
    if [ -f "$each" ]; then
        cp "$each" "$to"
    fi
done
echo "done: $to"
"""
MAKE = """CC = cc
FLAGS := -O2 -Wall
OBJECTS = main.o read.o

all: program

program: $(OBJECTS)
\t$(CC) $(FLAGS) -o program $(OBJECTS)

%.o: %.c head.h
\t$(CC) $(FLAGS) -c $<

clean:
\trm -f program $(OBJECTS)
"""
TOML = """[project]
name = "landings"
version = "1.2"
dependencies = [
    "numpy>=2",
    "rich",
]

[tool.lint]
line-length = 100
select = ["E", "F", "I"]
"""
FORM = "Application\n\nName: ____\nAddress: ____\nDate: ____\n\nSignature\n"
SCRIPT = '''"""Sizes of files, largest first."""

import os
import sys
from collections import Counter

LIMIT = 10


def sizes(folder: str) -> Counter[str]:
    """The size of each file."""
    found = Counter()
    for name in os.listdir(folder):
        found[name] = os.path.getsize(os.path.join(folder, name))
    return found


for name, size in sizes(sys.argv[1]).most_common(LIMIT):
    print(f"{size:,} {name}")
'''


@pytest.mark.parametrize("text", [SHELL, MAKE, TOML, FORM, SCRIPT])
def test_forms_and_programs_have_no_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "given.txt"
    path.write_text(text)
    assert not sculpt.propose(path).found


@pytest.mark.parametrize(
    "text",
    [
        "Remark (of the day)\n12\n(none):\n7\n",
        "from,to,for\nA,B,x = 1\nB,C,y = 2\nC,A,z = 3\n",
        "# made by hand\nif;then;else\na();b();c()\nd();e();f()\n",
        "Ward:,,\n(a) Beds,,12\n(b) Chairs,,7\nTotal:,,19\n",
    ],
)
def test_tables_about_programs_are_tables(tmp_path: Path, text: str) -> None:
    path = tmp_path / "given.csv"
    path.write_text(text)
    assert sculpt.propose(path).found


@pytest.mark.parametrize("text", ["id,name,born,city\n", "a;b;c", "1,2,3\n"])
def test_one_row_is_a_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "given.csv"
    path.write_text(text)
    found = sculpt.propose(path)
    assert sculpt.validate(sculpt.Schema.parse(found.schema), path).valid
    if not text[0].isdigit():
        assert "row(1) -> " in found.schema
