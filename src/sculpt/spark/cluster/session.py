"""A Spark session: joined if one is already running, otherwise started; quiet unless asked.

In: a master's address or none, settings, whether Spark may write to the terminal. Out: a
`SparkSession` for the duration of a `with` block; plain facts about the session.

Invariant: a session that was joined is left running; one that was started here is stopped. The
user's settings (arguments, environment, `spark-defaults.conf`) override those made here. Whatever
keeps Spark from starting becomes a one-line `UsageError`.

Silence: Java, Spark's logs and the Python workers all write to the streams of the Java process. So
these go to a temporary file, and if the start fails, the error quotes the reason from it. A log4j
configuration could not do that: the virtual machine and the workers write without log4j. A Java
process outlives its session and serves the next one in this Python process, so `verbose` only has
an effect when Java is started.

Cost: a few seconds for the first session, less for later ones. pyspark is imported by the first
call, not with this module.
"""

from __future__ import annotations

import contextlib
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
from sculpt.extras import command, need

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

# The Java process does little, so the compiler that starts quickly is better. Otherwise Spark's
# defaults are fine: 1 GB for the driver, reused workers, Arrow.
_LAPTOP = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
    "spark.ui.port": "0",  # any free port: Spark logs every port that it tries
}
_EVERYWHERE = {
    "spark.app.name": "sculpt",
    "spark.ui.showConsoleProgress": "false",
    "spark.hadoop.yarn.resourcemanager.connect.max-wait.ms": "30000",  # the default is 15 minutes
}


def parse_conf(items: Iterable[str]) -> dict[str, str]:
    """The settings given by `--conf key=value`; the last value of a key wins."""
    settings = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip().startswith("spark."):
            raise UsageError(
                f"`--conf {item}` is not a Spark setting; "
                "write key=value, such as `--conf spark.executor.memory=4g`"
            )
        settings[key.strip()] = value.strip()
    return settings


@contextlib.contextmanager
def open_session(
    master: str | None, conf: Mapping[str, str], verbose: bool
) -> Iterator[SparkSession]:
    """The session that is already running; otherwise a new one for the duration of the block."""
    need("spark", "Spark")
    if master is not None:
        _check_master(master)
    with contextlib.nullcontext() if verbose else _quiet_loggers():
        running = running_session()
        if running is not None:
            if master is not None or conf:
                raise UsageError(
                    "a Spark session is already running in this process: stop it, "
                    "or give no master and no settings, to use it"
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
    """The given session, or the running one, or a new one for the duration of the block."""
    if spark is not None:
        yield spark
        return
    with open_session(None, {}, verbose=False) as opened:
        yield opened


def ui_address(spark: SparkSession) -> str | None:
    """The address of Spark's web page; `None` on Spark Connect, or if the page is disabled."""
    context = context_of(spark)
    return None if context is None else context.uiWebUrl


def default_parallelism(spark: SparkSession) -> int:
    """How many tasks can run at once, as far as the session knows."""
    context = context_of(spark)
    if context is not None:
        return context.defaultParallelism
    for key in ("spark.sql.leafNodeDefaultParallelism", "spark.default.parallelism"):
        value = spark.conf.get(key, None)
        if value is not None and value.isdecimal():
            return int(value)
    return os.cpu_count() or 1


# Starting and stopping


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
        except Exception as error:  # errors of Java, py4j or Spark: there is no common class
            raise UsageError(_why_not_started(url, error, output)) from None


def _chosen_master(conf: Mapping[str, str], configured: Mapping[str, str]) -> str:
    """The master that the user has configured somewhere, else this machine."""
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
    """The user's settings in `spark-defaults.conf` and PYSPARK_SUBMIT_ARGS."""
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
    """Environment variables for Java and the workers; those that the user has set are kept."""
    wanted = {}
    if "spark.pyspark.python" in settings:
        wanted["PYSPARK_PYTHON"] = settings["spark.pyspark.python"]
    elif is_on_this_machine(url):
        wanted["PYSPARK_PYTHON"] = sys.executable
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"  # avoids looking up this machine's name
    return {name: value for name, value in wanted.items() if name not in os.environ}


def _start_classic(settings: Mapping[str, str], output: IO[bytes] | int) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    java = SparkContext._gateway  # of an earlier session in this process
    if java is not None and not insist(lambda: SparkContext.getSystemProperty("java.home")):
        java = SparkContext._gateway = SparkContext._jvm = None  # it has died
    # Java may keep settings of an earlier session: load defaults only under spark-submit.
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
    """A Spark Connect session, with a short timeout: the client would retry for ten minutes."""
    from pyspark.sql import SparkSession

    try:
        import grpc
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError:
        raise UsageError(
            f"Spark Connect needs more packages: run `{command('pyspark[connect]')}`"
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
    """Stop a session; if its Java process has died, there is nothing left to stop."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = context_of(spark)
    if context is not None:
        insist(lambda: context.getLocalProperty("spark.jobGroup.id"))  # `stop` has no second try
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown", RuntimeWarning)
        spark.stop()
    if context is None:
        os.environ.pop(
            "SPARK_CONNECT_MODE_ENABLED", None
        )  # otherwise no classic session can be started
    else:  # pyspark resets these only if its Java process is alive
        SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None


def insist(call: Callable[[], object]) -> bool:
    """Call Java, with retries; did it answer? The call must be safe to repeat.

    Ctrl-C breaks the connection on which a call waits for Java, and the next call may fail too:
    twelve of forty cancellations needed the second attempt.
    """
    for _attempt in range(3):
        with contextlib.suppress(Exception):
            call()
            return True
    return False


def is_on_this_machine(master: str) -> bool:
    """Do the workers of a master run on this machine?"""
    return _LOCAL.match(master) is not None


def context_of(spark: SparkSession) -> SparkContext | None:
    """The context of a session; `None` on Spark Connect."""
    return getattr(spark, "sparkContext", None)


# What keeps Spark from starting


def _check_master(url: str) -> None:
    if not _MASTER.fullmatch(url):
        raise UsageError(
            f"`{url}` is not a Spark master; write local[*], local[4], spark://host:7077, "
            "sc://host:15002, k8s://https://host:443 or yarn"
        )


def _check_reachable(url: str) -> None:
    """Try to connect to a standalone master: Spark itself would retry for more than a minute."""
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
        f"{url}: cannot reach the Spark master: {reason}; check its address and that it is running"
    )


def _why_not_started(url: str, error: Exception, output: IO[bytes] | int) -> str:
    logged = _reason_in(output)
    problem = _java_problem() if "JAVA_GATEWAY_EXITED" in str(error) else ""
    if problem:
        return problem
    reason = logged if "JAVA_GATEWAY_EXITED" in str(error) and logged else first_line(error)
    if "stopped SparkContext" in reason:
        reason = "the master did not accept the application"
    where = f" on {url}" if url else ""
    return f"Spark could not start{where}: {reason.rstrip('.')}; run with --verbose to see its log"


def _java_problem() -> str:
    """What is wrong with the Java that Spark would use; empty if it is new enough."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(f"{home}/bin/java" if home else "java")
    if java is None:
        found = f"JAVA_HOME is {home}, which has no bin/java" if home else "none was found"
        return f"Spark needs Java, but {found}: {_INSTALL_JAVA}"
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', output)
    if version is not None and int(version[1]) < OLDEST_JAVA:
        return f"Spark needs Java {OLDEST_JAVA}, but {java} is Java {version[1]}: {_INSTALL_JAVA}"
    return ""


def _reason_in(output: IO[bytes] | int) -> str:
    """The reason for a failure in Java's output: an exception or, failing that, the first error."""
    if isinstance(output, int):
        return ""
    output.seek(0)
    text = output.read().decode(errors="replace")
    thrown = re.findall(r"^Exception in thread .*?: (.*)", text, re.MULTILINE)
    errors = re.findall(r"^(?:Error: )?(.*(?:Error|Invalid|invalid|failed).*)", text, re.MULTILINE)
    return str((thrown or errors or [""])[0])


def first_line(error: Exception) -> str:
    """The message of a Spark error, without the Java class and the stack trace."""
    thrown = re.search(r"^: (?:[\w.$]+(?:Exception|Error): )?(.*)", str(error), re.MULTILINE)
    return thrown[1] if thrown else (str(error).splitlines() or [type(error).__name__])[0]


# Silence


@contextlib.contextmanager
def _output(verbose: bool) -> Iterator[IO[bytes] | int]:
    """Where Java writes: standard error, or an unnamed file that lives as long as Java has it open.

    Never standard output, which is for results.
    """
    if verbose:
        yield 2
        return
    with tempfile.TemporaryFile() as file:
        yield file


@contextlib.contextmanager
def _quiet_loggers() -> Iterator[None]:
    """Silence pyspark and py4j: errors reach the caller as exceptions."""
    from pyspark.logger import PySparkLogger

    loggers: list[logging.Logger] = [logging.getLogger("py4j")]
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        loggers.append(PySparkLogger.getLogger(name))  # a plain logger would break pyspark's calls
    levels = [logger.level for logger in loggers]
    root = logging.getLogger()
    # py4j logs an interrupt on the root logger, which would permanently get a handler.
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
    """Keep the handler of Ctrl-C: Spark's calls Java inside a call to Java, which breaks both."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
