"""A Spark session to work in: started, or joined where one runs already; silent unless asked.

In: a master's address or none, settings, whether Spark may talk. Out: a `SparkSession` for the
time of a `with` block; how far a Spark action has come; plain facts about the session.

Invariant: a session that was joined is left running; one that was started here is stopped. What
the user has set (arguments, environment, `spark-defaults.conf`) beats what is set here. Whatever
keeps Spark from starting is a `UsageError` of one line.

Silence: Java, Spark's logs and the Python workers all write to the streams of the Java process,
so these go to a temporary file, whose reason is told if the start fails. No log4j file could do
that: the virtual machine and the workers write without log4j. A Java process outlives its session
and serves the next one of this Python process, so `verbose` counts when it is started.

Cost: some seconds for the first session, less for the next ones. pyspark is imported by the
first call, not with this module.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from sculpt.errors import UsageError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

EMBEDDED = "local[*,4]"  # all cores; a task may fail three times before the job does
OLDEST_JAVA = 17
REACH_SECONDS = 5.0

_MASTER = re.compile(
    r"local | local\[ (\*|[1-9]\d*) (,[1-9]\d*)? \] | local-cluster\[ \d+,\d+,\d+ \]"
    r"| yarn | k8s://\S+ | spark://[^\s/]+:\d+ | sc://[^\s/]+ (/\S*)?",
    re.VERBOSE,
)
_SUBMITTED = "PYSPARK_GATEWAY_PORT"  # set by spark-submit, which has chosen the master
_LOCAL = re.compile(r"local(-cluster)?(\[|$)")
_INSTALL_JAVA = (
    f"install Java {OLDEST_JAVA} or newer (`apt-get install openjdk-17-jre-headless`) "
    "or set JAVA_HOME to one"
)

# The Java process does little, so the compiler that starts quickly is the better one. Spark's own
# defaults suit the rest: 1 GB for the driver, workers that are used again, Arrow.
_LAPTOP = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
    "spark.ui.port": "0",  # any free one: no search that is told line by line
}
_EVERYWHERE = {
    "spark.app.name": "sculpt",
    "spark.ui.showConsoleProgress": "false",
    "spark.hadoop.yarn.resourcemanager.connect.max-wait.ms": "30000",  # not a quarter of an hour
}


def parse_conf(items: Iterable[str]) -> dict[str, str]:
    """The settings that `--conf key=value` gives; the last one of a key counts."""
    settings = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip().startswith("spark."):
            raise UsageError(
                f"`--conf {item}` is not a setting of Spark; "
                "write key=value, such as `--conf spark.executor.memory=4g`"
            )
        settings[key.strip()] = value.strip()
    return settings


@contextlib.contextmanager
def open_session(
    master: str | None, conf: Mapping[str, str], verbose: bool
) -> Iterator[SparkSession]:
    """The session that runs already or, where there is none, one for the time of the block."""
    _check_installed()
    if master is not None:
        _check_master(master)
    with contextlib.nullcontext() if verbose else _quiet_loggers():
        running = running_session()
        if running is not None:
            if master is not None or conf:
                raise UsageError(
                    "a Spark session runs in this process already: stop it, "
                    "or leave the master and the settings out to use it"
                )
            yield running
            return
        spark = _start(master, conf, verbose)
        try:
            yield spark
        finally:
            _stop(spark)


@contextlib.contextmanager
def joined_session(spark: SparkSession | None) -> Iterator[SparkSession]:
    """The session that is given, else the one that runs, else one for the time of the block."""
    if spark is not None:
        yield spark
        return
    with open_session(None, {}, verbose=False) as opened:
        yield opened


def ui_address(spark: SparkSession) -> str | None:
    """Where Spark shows its jobs; `None` on Spark Connect and where the page is off."""
    context = context_of(spark)
    return None if context is None else context.uiWebUrl


def default_parallelism(spark: SparkSession) -> int:
    """How many tasks can run at once, as far as the session tells."""
    context = context_of(spark)
    if context is not None:
        return context.defaultParallelism
    for key in ("spark.sql.leafNodeDefaultParallelism", "spark.default.parallelism"):
        told = spark.conf.get(key, None)
        if told is not None and told.isdecimal():
            return int(told)
    return os.cpu_count() or 1


# Starting and stopping


def _check_installed() -> None:
    needed = ("pyspark", "pyarrow", "pandas")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"Spark needs {' and '.join(missing)}: run `pip install 'sculpt-schema[spark]'`"
        )


def running_session() -> SparkSession | None:
    """The session that runs in this process, if any."""
    from pyspark import SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        if SparkContext._active_spark_context is None:
            return None
        return SparkSession.builder.getOrCreate()


def _start(master: str | None, conf: Mapping[str, str], verbose: bool) -> SparkSession:
    configured = _configured()
    url = master or ("" if _SUBMITTED in os.environ else _chosen_master(conf, configured))
    if url:
        _check_master(url)
        _check_reachable(url)
    if url.startswith("sc://"):
        return _connect(url, conf)
    settings = _settings(url, conf, configured, verbose)
    with _environment(_variables(url, settings)), _kept_interrupt(), _output(verbose) as output:
        try:
            return _start_classic(settings, output)
        except Exception as error:  # Spark raises what Java, py4j and its own code raise
            raise UsageError(_why_not_started(url, error, output)) from None


def _chosen_master(conf: Mapping[str, str], configured: Mapping[str, str]) -> str:
    """The master that the user has chosen somewhere, else this machine."""
    return (
        conf.get("spark.remote")
        or conf.get("spark.master")
        or os.environ.get("SPARK_REMOTE")
        or configured.get("spark.master")
        or os.environ.get("MASTER")
        or EMBEDDED
    )


def _settings(
    url: str, conf: Mapping[str, str], configured: Mapping[str, str], verbose: bool
) -> dict[str, str]:
    ours = dict(_EVERYWHERE)
    if is_on_this_machine(url):
        ours |= _LAPTOP | {"spark.ui.enabled": str(verbose).lower()}
    return {**ours, **configured, **conf, **({"spark.master": url} if url else {})}


def _configured() -> dict[str, str]:
    """What the user has set in `spark-defaults.conf` and PYSPARK_SUBMIT_ARGS."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (home and f"{home}/conf")
    settings = {}
    if folder:
        with contextlib.suppress(OSError):
            text = Path(folder, "spark-defaults.conf").read_text("utf-8", "replace")
            for line in text.splitlines():
                key, *value = re.split(r"\s*=\s*|\s+", line.strip(), maxsplit=1)
                if value and not key.startswith("#"):
                    settings[key] = value[0]
    words = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    for option, word in itertools.pairwise(words):
        if option == "--master":
            settings["spark.master"] = word
        elif option == "--conf":
            key, _, settings[key] = word.partition("=")
    return settings


def _variables(url: str, settings: Mapping[str, str]) -> dict[str, str]:
    """What Java and the workers find in their environment; what the user has set there stays."""
    wanted = {}
    if "spark.pyspark.python" in settings:
        wanted["PYSPARK_PYTHON"] = settings["spark.pyspark.python"]
    elif is_on_this_machine(url):
        wanted["PYSPARK_PYTHON"] = sys.executable
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"  # else the name of this machine is looked up
    return {name: value for name, value in wanted.items() if name not in os.environ}


def _start_classic(settings: Mapping[str, str], output: IO[bytes] | int) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    java = SparkContext._gateway  # of an earlier session in this process
    if java is not None and not insist(lambda: SparkContext.getSystemProperty("java.home")):
        java = SparkContext._gateway = SparkContext._jvm = None  # it has died
    # What Java keeps from an earlier session is no default; what spark-submit has set is.
    conf = SparkConf(loadDefaults=_SUBMITTED in os.environ)
    for key, value in settings.items():
        conf.set(key, value)
    streams = {"stdout": output, "stderr": output}
    context = SparkContext(conf=conf, gateway=java or launch_gateway(conf, streams))
    try:
        return SparkSession(context)
    except BaseException:
        context.stop()
        raise


def _connect(url: str, conf: Mapping[str, str]) -> SparkSession:
    """A session of Spark Connect; the client itself would try for ten minutes to reach it."""
    from pyspark.sql import SparkSession

    try:
        import grpc
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError:
        raise UsageError(
            "Spark Connect needs more packages: run `pip install 'pyspark[connect]'`"
        ) from None
    try:
        with DefaultChannelBuilder(url).toChannel() as channel:
            grpc.channel_ready_future(channel).result(timeout=REACH_SECONDS)
        builder = SparkSession.builder.remote(url)
        for key, value in conf.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()
    except grpc.FutureTimeoutError:
        reason = f"no answer in {REACH_SECONDS:.0f} seconds"
        raise UsageError(_out_of_reach(url, reason)) from None
    except Exception as error:
        raise UsageError(f"Spark could not start on {url}: {first_line(error)}") from None


def _stop(spark: SparkSession) -> None:
    """Stop a session; one whose Java process has died is gone already."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = context_of(spark)
    if context is not None:
        insist(lambda: context.getLocalProperty("spark.jobGroup.id"))  # stopping is tried once
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown", RuntimeWarning)
        spark.stop()
    if context is None:
        os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)  # else no other kind can be started
    else:  # what pyspark forgets too, if its Java process lives
        SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None


def insist(call: Callable[[], object]) -> bool:
    """Make a call of Java that may be repeated; whether it was answered.

    Ctrl-C breaks the connection to Java that waits for an answer, and the next call may fail as
    well: twelve of forty cancellations needed the second attempt.
    """
    for _attempt in range(3):
        with contextlib.suppress(Exception):
            call()
            return True
    return False


def is_on_this_machine(master: str) -> bool:
    """Are the workers of a master processes of this machine?"""
    return _LOCAL.match(master) is not None


def context_of(spark: SparkSession) -> SparkContext | None:
    """What Spark Connect does not have."""
    return getattr(spark, "sparkContext", None)


# What keeps Spark from starting


def _check_master(url: str) -> None:
    if not _MASTER.fullmatch(url):
        raise UsageError(
            f"`{url}` is not a Spark master; write local[*], local[4], spark://host:7077, "
            "sc://host:15002, k8s://https://host:443 or yarn"
        )


def _check_reachable(url: str) -> None:
    """Ask a standalone master for a connection: Spark itself would try for more than a minute."""
    scheme, _, places = url.partition("://")
    if scheme != "spark":
        return
    reasons = [_why_unreachable(place) for place in places.split(",")]
    if all(reasons):
        raise UsageError(_out_of_reach(url, reasons[0]))


def _why_unreachable(place: str) -> str:
    try:
        parts = urlsplit(f"//{place}")
        with socket.create_connection((parts.hostname, parts.port), timeout=REACH_SECONDS):
            return ""
    except TimeoutError:
        return f"no answer in {REACH_SECONDS:.0f} seconds"
    except (OSError, ValueError) as error:
        return (getattr(error, "strerror", None) or str(error)).lower()


def _out_of_reach(url: str, reason: str) -> str:
    return (
        f"{url}: the Spark master cannot be reached: {reason}; check the address and that it runs"
    )


def _why_not_started(url: str, error: Exception, output: IO[bytes] | int) -> str:
    said = _said(output)
    problem = _java_problem() if "JAVA_GATEWAY_EXITED" in str(error) else ""
    if problem:
        return problem
    reason = said if "JAVA_GATEWAY_EXITED" in str(error) and said else first_line(error)
    if "stopped SparkContext" in reason:
        reason = "the master did not accept the application"
    where = f" on {url}" if url else ""
    return f"Spark could not start{where}: {reason.rstrip('.')}; run with --verbose to see its log"


def _java_problem() -> str:
    """What is wrong with the Java that Spark would take; nothing if it is new enough."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(f"{home}/bin/java" if home else "java")
    if java is None:
        found = f"JAVA_HOME is {home}, which has no bin/java" if home else "no Java was found"
        return f"Spark needs Java and {found}: {_INSTALL_JAVA}"
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', told)
    if version is not None and int(version[1]) < OLDEST_JAVA:
        return f"Spark needs Java {OLDEST_JAVA} and {java} is Java {version[1]}: {_INSTALL_JAVA}"
    return ""


def _said(output: IO[bytes] | int) -> str:
    """The reason in what Java has written: an exception or, failing that, the first error."""
    if isinstance(output, int):
        return ""
    output.seek(0)
    text = output.read().decode(errors="replace")
    thrown = re.findall(r"^Exception in thread .*?: (.*)", text, re.MULTILINE)
    errors = re.findall(r"^(?:Error: )?(.*(?:Error|Invalid|invalid|failed).*)", text, re.MULTILINE)
    return str((thrown or errors or [""])[0])


def first_line(error: Exception) -> str:
    """What a Spark error says, without the class of Java and its trace."""
    thrown = re.search(r"^: (?:[\w.$]+(?:Exception|Error): )?(.*)", str(error), re.MULTILINE)
    return thrown[1] if thrown else (str(error).splitlines() or [type(error).__name__])[0]


# Silence


@contextlib.contextmanager
def _output(verbose: bool) -> Iterator[IO[bytes] | int]:
    """Where Java writes: standard error or a file without a name, kept as long as Java has it.

    Never standard output, which belongs to the results.
    """
    if verbose:
        yield 2
        return
    with tempfile.TemporaryFile() as file:
        yield file


@contextlib.contextmanager
def _quiet_loggers() -> Iterator[None]:
    """Errors reach the caller as exceptions: pyspark and py4j need not log them as well."""
    from pyspark.logger import PySparkLogger

    loggers: list[logging.Logger] = [logging.getLogger("py4j")]
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        loggers.append(PySparkLogger.getLogger(name))  # a plain logger would break pyspark's calls
    levels = [logger.level for logger in loggers]
    root = logging.getLogger()
    # py4j logs an interrupt on the root logger, which would get a handler that stays.
    last = logging.lastResort if not root.handlers else None
    root.addFilter(_not_from_py4j)
    if last is not None:
        root.addHandler(last)
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if last is not None:
            root.removeHandler(last)
        root.removeFilter(_not_from_py4j)


def _not_from_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)


@contextlib.contextmanager
def _kept_interrupt() -> Iterator[None]:
    """Keep the handler of Ctrl-C: Spark's calls Java inside a call of Java, which breaks both."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
