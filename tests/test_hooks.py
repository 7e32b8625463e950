"""The hooks of pre-commit and the action of GitHub, run as far as a machine without GitHub can.

`pre-commit` itself installs the project from a repository and runs the hooks in another one. The
steps of the action are run by `bash`, with the environment that a runner would give them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from executed_docs import run_command

from conftest import ROOT
from sculpt.cli.table import COMMANDS, ReportFormat

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
PACKAGED = ("src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
PATIENCE = 300


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("s.sculpt").write_text("row(1) -> name, age\ncol(age) -> Integer\n")
    Path("untidy.sculpt").write_text("\n\nrow(1)->name , age\n")
    Path("typo.sculpt").write_text("tonnes = [0-9]+\nrow(1) -> tones\n")
    Path("good.csv").write_text("name,age\nAda,36\n")
    Path("bad.csv").write_text("name,age\nAda,x\n")
    return tmp_path


def call(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **environment},
    )


# ------------------------------------------------------------- pre-commit


def test_the_entry_of_each_hook_takes_files() -> None:
    files = {
        "sculpt-check": (["s.sculpt", "untidy.sculpt"], ["s.sculpt", "typo.sculpt"], 1),
        "sculpt-fmt": (["s.sculpt"], ["untidy.sculpt"], 0),
        "sculpt-validate": (["s.sculpt", "good.csv"], ["s.sculpt", "good.csv", "bad.csv"], 1),
    }
    assert [hook["id"] for hook in HOOKS] == list(files)
    for hook in HOOKS:
        program, *entry = shlex.split(hook["entry"])
        assert program == "sculpt"
        passed, failed, status = files[hook["id"]]
        assert all(re.search(hook["files"], name) for name in passed[1:])
        assert run_command([*entry, *passed]).status == 0
        assert run_command([*entry, *failed]).status == status
    assert Path("untidy.sculpt").read_text() == "row(1) -> name, age\n"


def committed(path: Path) -> str:
    """Make a folder a repository with one commit; the name of the commit."""
    git = ("git", "-C", str(path), "-c", "user.name=x", "-c", "user.email=x@example.org")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        done = call(*git, *command)
        assert done.returncode == 0, done.stderr
    return call(*git, "rev-parse", "HEAD").stdout.strip()


def test_pre_commit_installs_and_runs_the_hooks(folder: Path) -> None:
    """Everything is real but the network: dependencies are those of this environment.

    The script of pages, which Node builds, is replaced where it has not been built.
    """
    project = folder / "project"
    project.mkdir()
    for name in PACKAGED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("*.so", "__pycache__")
            shutil.copytree(ROOT / name, project / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, project / name)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", project)
    static = project / "src/sculpt/views/static"
    static.mkdir(exist_ok=True)
    for name in ("page.js", "LICENSES.txt"):
        if not (static / name).exists():
            (static / name).write_text("")
    hooks = [{"id": hook["id"]} for hook in HOOKS]
    hooks[-1] |= {"args": ["s.sculpt"], "files": r"\.csv$"}
    repo = {"repo": str(project), "rev": committed(project), "hooks": hooks}
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [repo]}))
    committed(Path())
    done = call(
        *(sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never"),
        PRE_COMMIT_HOME=str(folder / "home"),
        PYTHONPATH=sysconfig.get_path("purelib"),
        SCULPT_BUILD="pure",
        PIP_NO_INDEX="1",
        PIP_NO_DEPS="1",
        PIP_NO_BUILD_ISOLATION="false",  # pip reads it as the value of `--build-isolation`
    )
    said = re.sub(r"\.{3,}", " ", done.stdout)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "sculpt check Failed" in said
    assert "typo.sculpt:2:11: warning [likely-typo]" in said
    assert "sculpt fmt Failed\n- hook id: sculpt-fmt\n- files were modified by this hook" in said
    assert "sculpt validate Failed" in said
    assert "bad.csv: not valid" in said
    assert "good.csv: valid" in said
    assert Path("untidy.sculpt").read_text() == "row(1) -> name, age\n"


# ------------------------------------------------------------- the action


class Runner:
    """Runs the steps of the action, as a runner of GitHub does, without installing anything."""

    def __init__(self, temp: Path) -> None:
        self.temp = temp
        (temp / "sculpt" / "bin").mkdir(parents=True)
        command = temp / "sculpt" / "bin" / "sculpt"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sculpt "$@"\n')
        command.chmod(0o755)
        for name in ("output", "summary"):
            (temp / name).touch()

    def run(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the step that checks."""
        step = next(each for each in ACTION["runs"]["steps"] if each.get("id") == "run")
        assert step["shell"] == "bash"
        return call(
            *("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]),
            **{name: self.value(text, inputs) for name, text in step["env"].items()},
            RUNNER_TEMP=str(self.temp),
            GITHUB_OUTPUT=str(self.temp / "output"),
            GITHUB_STEP_SUMMARY=str(self.temp / "summary"),
            GITHUB_WORKSPACE=os.getcwd(),
            PYTHONPATH=os.environ.get("PYTHONPATH", ""),
        )

    @staticmethod
    def value(text: str, inputs: dict[str, str]) -> str:
        """What an expression stands for: only inputs occur."""
        found = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text)
        assert found is not None, text
        return inputs.get(found[1], str(ACTION["inputs"][found[1]].get("default", "")))

    @property
    def outputs(self) -> dict[str, str]:
        lines = (self.temp / "output").read_text().splitlines()
        return dict(line.partition("=")[::2] for line in lines)


@pytest.fixture
def runner(folder: Path) -> Runner:
    return Runner(folder / "runner temp")


def test_the_action_is_composite_and_no_input_becomes_code() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert ACTION["inputs"]["format"]["default"] in list(ReportFormat)
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        done = subprocess.run(["bash", "-n"], input=step["run"], text=True, check=False)
        assert done.returncode == 0
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.run.outputs.{name} }}}}"


def test_the_action_annotates(runner: Runner) -> None:
    done = runner.run(schema="s.sculpt", data="good.csv\n\nb*.csv\n", arguments="--engine=local")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("::error file=bad.csv,line=2,col=5,title=sculpt row-content%3A ")
    assert runner.outputs == {"status": "1", "report": ""}
    assert (runner.temp / "summary").read_text().startswith("### Sculpt: 2 files, 1 valid\n")


def test_the_action_writes_a_report(runner: Runner) -> None:
    more = {"format": "", "output": "out file.sarif", "strict": "true"}
    done = runner.run(schema="s.sculpt", data="good.csv", arguments="--max-violations=5\n", **more)
    assert (done.returncode, done.stdout) == (0, "")
    assert runner.outputs == {"status": "0", "report": "out file.sarif"}
    assert '"version": "2.1.0"' in Path("out file.sarif").read_text()


def test_the_action_checks_a_schema(runner: Runner) -> None:
    done = runner.run(schema="typo.sculpt", strict="true")
    assert done.returncode == 1
    assert "::warning file=typo.sculpt,line=2,col=11,title=sculpt likely-typo::" in done.stdout


def test_hostile_inputs_are_values(runner: Runner) -> None:
    evil = "$(touch owned) `touch owned`; touch owned"
    done = runner.run(schema=evil, data=f"{evil}\n--help\n-x", format="json")
    assert done.returncode == 2
    assert evil in done.stderr
    assert not list(Path().glob("owned*"))


def test_the_action_installs_the_project(runner: Runner) -> None:
    """The step installs into an environment of its own; here pip is asked what it would do."""
    step = ACTION["runs"]["steps"][0]
    script = step["run"].replace("pip install", "pip install --dry-run --no-deps --no-index")
    assert script != step["run"]
    shutil.rmtree(runner.temp / "sculpt")
    names = dict.fromkeys(step["env"], "")
    done = call(
        *("bash", "-e", "-o", "pipefail", "-c", script),
        **{**names, "PACKAGE": "sculpt-schema"},
        RUNNER_TEMP=str(runner.temp),
    )
    assert "No matching distribution found for sculpt-schema" in done.stderr
    assert (runner.temp / "sculpt" / "bin" / "python").exists()


def test_the_page_names_hooks_and_inputs() -> None:
    page = (ROOT / "docs/machines.md").read_text(encoding="utf-8")
    for hook in HOOKS:
        assert f"| `{hook['id']}` |" in page
        assert shlex.split(hook["entry"])[1] in {command.name for command in COMMANDS}
    for name in (*ACTION["inputs"], *ACTION["outputs"]):
        assert re.search(rf"`{name}`|\b{name}: ", page), name
