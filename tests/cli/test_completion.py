"""Shell completion, tried in real shells: bash, and zsh and fish where they are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from executed_docs import run_command

from sculpt.cli.completion.scripts import script
from sculpt.cli.table import COMMANDS, Shell
from terminals import Terminal

COMMAND_NAMES = {command.name for command in COMMANDS}


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    for shell in Shell:
        (tmp_path / f"sculpt.{shell}").write_text(script(shell), encoding="utf-8")
    (tmp_path / "my data.csv").write_text("a\n")
    return tmp_path


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


CASES = [
    ("sculpt ", {*COMMAND_NAMES}),
    ("sculpt sh", {"show"}),
    ("sculpt --comp", {"--completion"}),
    ("sculpt --completion ", {"bash", "zsh", "fish"}),
    ("sculpt show --un", {"--unchecked"}),
    ("sculpt show s.sculpt data.csv --color ", {"auto", "always", "never"}),
    ("sculpt show -f h", {"html"}),
    ("sculpt validate --eng", {"--engine"}),
    ("sculpt extract s d r --format parq", {"parquet"}),
    ("sculpt check --rows", set()),
]


# ------------------------------------------------------------- bash


def in_bash(folder: Path, line: str) -> set[str]:
    """What bash offers, from the function that it would call."""
    program = """
        source ./sculpt.bash
        complete -p sculpt | grep -q -- '-F _sculpt' || exit 1
        read -r -a COMP_WORDS <<< "$1"
        [[ "$1" == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
        _sculpt
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    call = ["bash", "--norc", "-c", program, "bash", line]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    return {*done.stdout.split()}


@needs("bash")
@pytest.mark.parametrize(("line", "offered"), CASES, ids=[line for line, _ in CASES])
def test_bash(scripts: Path, line: str, offered: set[str]) -> None:
    found = in_bash(scripts, line)
    if line == "sculpt ":
        assert found == COMMAND_NAMES | {"--completion", "--version", "--help", "-h"}
    else:
        assert found == offered


@needs("bash")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_bash_offers_every_option(scripts: Path, command: object) -> None:
    name = getattr(command, "name", "")
    options = getattr(command, "options", ())
    names = {each for option in options for each in (option.name, option.short) if each}
    assert in_bash(scripts, f"sculpt {name} -") == names | {"--help", "-h"}
    for option in options:
        if option.choices is not None:
            values = {str(value) for value in option.choices()}
            assert in_bash(scripts, f"sculpt {name} {option.name} ") == values
            assert in_bash(scripts, f"sculpt {name} {option.name} = ") == values


# ------------------------------------------------------------- shells at a terminal


@pytest.fixture
def bash(scripts: Path) -> Iterator[Terminal]:
    shell = Terminal(["bash", "--norc", "--noprofile", "-i"], scripts)
    yield shell
    shell.close()


@needs("bash")
def test_bash_completes_what_is_typed(bash: Terminal) -> None:
    bash.type("source ./sculpt.bash; echo rea''dy\n", "ready")
    bash.type("sculpt sh\t", "sculpt show ")
    bash.type("--unch\t", "--unchecked ")
    bash.type("--color=al\t", "always")
    bash.type(" my\t", "my\\ data.csv")


@pytest.fixture
def zsh(scripts: Path) -> Iterator[Terminal]:
    shell = Terminal(["zsh", "-f", "-i"], scripts)
    yield shell
    shell.close()


@needs("zsh")
def test_zsh_completes_what_is_typed(zsh: Terminal) -> None:
    zsh.type("autoload -U compinit; compinit -u -D; source ./sculpt.zsh; echo rea''dy\n", "ready")
    zsh.type("sculpt sh\t", "sculpt show")
    zsh.type("--unch\t", "--unchecked")
    zsh.type(" --color al\t", "always")
    zsh.type(" my\t", "my\\ data.csv")


@needs("fish")
@pytest.mark.parametrize(("line", "offered"), CASES, ids=[line for line, _ in CASES])
def test_fish(scripts: Path, line: str, offered: set[str]) -> None:
    program = 'source ./sculpt.fish; complete -C "$argv[1]"'
    call = ["fish", "--no-config", "-c", program, line]
    done = subprocess.run(call, cwd=scripts, capture_output=True, text=True, check=True)
    found = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    assert found - {"my data.csv"} >= offered
    assert {each for each in found if not each.startswith("sculpt.")} - {"my data.csv"} == offered


# ------------------------------------------------------------- the option


def test_the_option_prints_the_script() -> None:
    for shell in Shell:
        assert run_command(["--completion", str(shell)], b"").output == script(shell)
        assert run_command([f"--completion={shell}"], b"").output == script(shell)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["--completion"], "`--completion` must be one of `bash`, `zsh`, `fish`"),
        (["--completion", "tcsh"], "must be one of `bash`, `zsh`, `fish`, not `tcsh`"),
        (["--completion="], "`--completion` must be one of `bash`, `zsh`, `fish`"),
        (["show", "--completion", "bash"], "unknown option `--completion`"),
    ],
)
def test_a_wrong_shell(call: list[str], message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sculpt", *call], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
