"""Sessions are silent, end properly and fail in one line. Few tests: real sessions are slow."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sculpt.errors import UsageError
from sculpt.spark.cluster.session import (
    default_parallelism,
    is_on_this_machine,
    open_session,
    parse_conf,
    ui_address,
)
from sculpt.spark.cluster.watch import watching

# Everything that might write to the terminal: the start, a job with a task that fails and is run
# again, a job that fails, a wrong query, Ctrl-C inside a job, a Java process that dies, the exit.
SILENT = """
import os, signal, threading
from pyspark import TaskContext
from sculpt.spark.cluster.session import open_session
from sculpt.spark.cluster.watch import watching

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it

def fails_once(batches):
    context = TaskContext.get()
    for batch in batches:
        if context.partitionId() == 1 and context.attemptNumber() == 0:
            print("the worker prints")
            raise ValueError("the first attempt")
        yield batch

def fails(batches):
    raise ValueError("each attempt")

def waits(batches):
    import time
    time.sleep(60)
    yield from batches

def expect(kind, act):
    try:
        act()
    except kind:
        return
    raise SystemExit(f"no {kind}")

sent = threading.Event()

def interrupt(done, tasks):
    if not sent.is_set():
        sent.set()
        os.kill(os.getpid(), signal.SIGINT)

with open_session(None, {}, verbose=False) as spark:
    numbers = spark.range(0, 8, 1, 4)
    assert numbers.mapInArrow(fails_once, "id long").count() == 8
    expect(Exception, numbers.mapInArrow(fails, "id long").count)
    expect(Exception, numbers.selectExpr("id / 0").collect)
    expect(Exception, lambda: numbers.select("absent"))
    def interrupted():
        with watching(spark, interrupt):
            numbers.mapInArrow(waits, "id long").count()
    expect(KeyboardInterrupt, interrupted)
    assert numbers.count() == 8
with open_session("local[1]", {}, verbose=False) as spark:
    spark.sparkContext._gateway.proc.kill()
    expect(Exception, lambda: spark.range(8).count())
with open_session("local[1]", {}, verbose=False) as spark:
    assert spark.range(8).count() == 8
"""


def test_nothing_is_written() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SILENT], capture_output=True, text=True, timeout=300, check=False
    )
    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    before = signal.signal(signal.SIGINT, _interrupted)
    with open_session("local[2]", {"spark.sql.shuffle.partitions": "3"}, verbose=False) as session:
        yield session
    signal.signal(signal.SIGINT, before)


def _interrupted(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def test_settings_given_and_chosen(spark: SparkSession) -> None:
    conf = spark.sparkContext.getConf()
    assert conf.get("spark.master") == "local[2]"
    assert conf.get("spark.sql.shuffle.partitions") == "3"
    assert conf.get("spark.driver.host") == "127.0.0.1"
    assert spark.sparkContext.pythonExec == sys.executable
    assert default_parallelism(spark) == 2
    assert ui_address(spark) is None


def test_a_running_session_is_joined_and_left_running(spark: SparkSession) -> None:
    with open_session(None, {}, verbose=False) as joined:
        assert joined is spark
    assert spark.range(3).count() == 3
    with pytest.raises(UsageError, match="already running in this process"):
        open_session("local[1]", {}, verbose=False).__enter__()


def test_the_handler_of_interrupts_is_kept(spark: SparkSession) -> None:
    assert signal.getsignal(signal.SIGINT) is _interrupted


def test_tasks_are_counted(spark: SparkSession) -> None:
    spark.range(0, 4, 1, 4).foreach(print)  # tasks that are not watched
    told: list[tuple[int, int]] = []
    with watching(spark, lambda done, tasks: told.append((done, tasks))):
        spark.range(0, 6, 1, 6).foreach(lambda row: None)
    assert told[-1] == (6, 6)
    assert told == sorted(told)
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def test_jobs_that_are_left_are_cancelled(spark: SparkSession) -> None:
    begun = threading.Event()
    groups: list[str] = []
    failures: list[Exception] = []

    def wait(row: object) -> None:
        threading.Event().wait(60)

    def act() -> None:
        spark.sparkContext.setJobGroup(groups[0], "left behind")
        try:
            spark.range(0, 2, 1, 2).foreach(wait)
        except Exception as error:
            failures.append(error)

    other = threading.Thread(target=act)

    def leave() -> None:
        with watching(spark, lambda *_: begun.set()):
            group = spark.sparkContext.getLocalProperty("spark.jobGroup.id")
            assert group is not None
            groups.append(group)
            other.start()
            assert begun.wait(60)
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        leave()
    other.join(30)
    assert "cancelled" in str(failures[0])


# A session of the user, whose workers would use a `python3` without any package.
USERS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
import sculpt, sculpt.spark
from sculpt.spark.cluster.workers import own_python

conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
spark = SparkSession.builder.master("local[2]").config(map=conf).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
prefix = udf(lambda _: __import__("sys").prefix, "string", useArrow=False)

def users(function):
    return [row[0] for row in spark.range(1).select(function("id")).collect()]

assert users(prefix) == [sys.argv[1]], users(prefix)
Path("good.csv").write_text("id,price\\n1,2\\n")
Path("bad.csv").write_text("id,price\\n1,x\\n")
rules = "row(1) -> id, price\\ncol(price) -> Number\\n"
schema = sculpt.Schema.parse(rules)
result = sculpt.spark.validate(spark, schema, "*.csv")
assert [each.valid for each in result.verdict.outcomes] == [False, True]
assert [row.found for row in result.violations.collect()] == ["x"]
sculpt.spark.register(spark)
read = spark.read.format("sculpt").option("schemaText", rules).load("bad.csv")
assert [row.found for row in read.collect()] == ["x"]
frame = spark.createDataFrame([(1, "x"), (2, "3")], "id int, price string")
with sculpt.spark.validate_dataframe(frame, schema, order_by="id") as checked:
    assert [row.id for row in checked.bad_rows().collect()] == [1]

def change(_):
    with own_python(spark):
        assert spark.sparkContext.pythonExec == sys.executable

with ThreadPoolExecutor(4) as pool:
    list(pool.map(change, range(200)))
assert spark.sparkContext.pythonExec == "python3"
assert users(prefix) == [sys.argv[1]]
again = udf(lambda _: __import__("sys").prefix, "string", useArrow=False)
assert users(again) == [sys.argv[1]]

# The user's choice is kept.
with mock.patch.dict("os.environ", PYSPARK_PYTHON="python3"), own_python(spark):
    assert spark.sparkContext.pythonExec == "python3"
spark.sparkContext.pythonExec = "chosen"
with own_python(spark):
    assert spark.sparkContext.pythonExec == "chosen"
print("done")
"""


def test_workers_on_this_machine_have_the_package(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], timeout=120, check=True)
    environment = {**os.environ, "PATH": f"{bare}/bin:{os.environ['PATH']}"}
    environment.pop("PYSPARK_PYTHON", None)
    run = subprocess.run(
        [sys.executable, "-c", USERS, str(bare)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.stdout, run.returncode) == ("done\n", 0), run.stderr


@pytest.mark.parametrize(
    ("master", "is_here"),
    [
        ("local", True),
        ("local[2]", True),
        ("local[*,4]", True),
        ("local-cluster[2,1,1024]", True),
        ("localhost", False),
        ("spark://127.0.0.1:7077", False),
        ("yarn", False),
        ("k8s://https://host:443", False),
        ("", False),
    ],
)
def test_which_masters_are_this_machine(master: str, is_here: bool) -> None:
    assert is_on_this_machine(master) is is_here


# Errors. Tests that would start Java run in separate processes.


def failure(
    master: str | None, conf: dict[str, str] | None = None, **environment: str | None
) -> str:
    code = (
        "import sys\n"
        "from sculpt.errors import UsageError\n"
        "from sculpt.spark.cluster.session import open_session\n"
        "try:\n"
        f"    with open_session({master!r}, {conf or {}!r}, False): pass\n"
        "except UsageError as error: print(error)\n"
    )
    wanted = {**os.environ, **environment}
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={name: value for name, value in wanted.items() if value is not None},
    )
    assert run.stderr == ""
    assert run.stdout.count("\n") == 1, run.stdout
    return run.stdout


def test_no_java(tmp_path: Path) -> None:
    told = failure(None, JAVA_HOME=str(tmp_path))
    assert f"JAVA_HOME is {tmp_path}, which has no bin/java" in told
    assert "apt-get install openjdk-17-jre-headless" in told
    for tool in ("bash", "dirname", "ps"):
        (tmp_path / tool).symlink_to(f"/bin/{tool}")
    told = failure(None, JAVA_HOME=None, PATH=str(tmp_path))
    assert "Spark needs Java, but none was found" in told


def test_old_java(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\nexit 1\n")
    java.chmod(0o755)
    assert f"needs Java 17, but {java} is Java 11" in failure(None, JAVA_HOME=str(tmp_path))


def test_a_setting_that_java_refuses() -> None:
    told = failure(None, {"spark.driver.memory": "banana"})
    assert "Invalid maximum heap size: -Xmxbanana" in told


def test_spark_refuses() -> None:
    told = failure("yarn", HADOOP_CONF_DIR=None, YARN_CONF_DIR=None)
    assert "could not start on yarn: When running with master 'yarn' either HADOOP" in told


@pytest.mark.parametrize(
    "master", ["lokal", "local[x]", "local[0]", "foo://host:1", "spark://host", "", "local[2] "]
)
def test_a_master_that_is_none(master: str) -> None:
    with (
        pytest.raises(UsageError, match=r"is not a Spark master; write local\[\*\]"),
        open_session(master, {}, verbose=False),
    ):
        pass


def test_a_master_out_of_reach() -> None:
    with socket.socket() as taken:  # bound but not listening: refuses
        taken.bind(("127.0.0.1", 0))
        url = f"spark://127.0.0.1:{taken.getsockname()[1]}"
        told = failure(url)
    assert f"{url}: cannot reach the Spark master: connection refused" in told


def test_spark_connect_without_its_packages() -> None:
    if importlib.util.find_spec("grpc") is not None:
        pytest.skip("they are installed")
    assert 'run `pip install "pyspark[connect]"`' in failure("sc://127.0.0.1")


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with (
        pytest.raises(UsageError, match=r'pip install "sculpt-schema\[spark\]"'),
        open_session(None, {}, verbose=False),
    ):
        pass


def test_settings_of_the_command_line() -> None:
    assert parse_conf(["spark.a=1", "spark.b=x=y", "spark.a=2"]) == {
        "spark.a": "2",
        "spark.b": "x=y",
    }


@pytest.mark.parametrize("item", ["spark.a", "=1", "", "memory=4g"])
def test_settings_that_are_none(item: str) -> None:
    with pytest.raises(UsageError, match=f"`--conf {item}` is not a Spark setting"):
        parse_conf([item])
