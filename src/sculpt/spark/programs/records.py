"""Records on Spark, for users: `sculpt.spark.records`, `sculpt.spark.write_records`, `sculpt.run`.

In: a session, a schema with programs, paths. Out: a distributed, typed data frame, or Parquet
files. Data that violates the schema raises `RefusedError`, unless `force` or
`only_good_rows` is set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from sculpt.checks.joint import JointProducer, table_programs
from sculpt.checks.model import Request, request_of
from sculpt.errors import UsageError
from sculpt.extras import need
from sculpt.policy import Policy, policy_of
from sculpt.schema import Schema
from sculpt.spark.cluster.session import running_session
from sculpt.spark.programs.producer import SparkProducer
from sculpt.spark.rounds import Paths
from sculpt.spark.units import OnProgress
from sculpt.tabular.stores import is_uri
from sculpt.transform.atomic import Place, placed_directory
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.guard import check_outputs
from sculpt.transform.results import Results, target_stream
from sculpt.verdict import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sculpt.checks.model import Request


def records(
    spark: SparkSession,
    schema: Schema,
    paths: Paths,
    target: str | None = None,
    force: bool = False,
    only_good_rows: bool = False,
    unit: int | None = None,
    tables: Mapping[str, str | os.PathLike[str]] | None = None,
) -> DataFrame:
    """The records that a schema's programs emit, as a typed data frame.

    A value that cannot be computed fails the job that needs it, and the message names the cell.
    `tables` has, by name, the paths of tables that the schema brings in.
    """
    need("spark", "`sculpt.spark`")
    policy = policy_of(force, only_good_rows)
    producer = SparkProducer(spark, schema, paths, policy, unit, request=request_of(tables))
    stream = target_stream(producer.program, target)
    producer.validate()
    return producer.frame(stream)


def write_records(
    spark: SparkSession,
    schema: Schema,
    paths: Paths,
    directory: str | os.PathLike[str],
    target: str | None = None,
    force: bool = False,
    only_good_rows: bool = False,
    unit: int | None = None,
    tables: Mapping[str, str | os.PathLike[str]] | None = None,
) -> int | None:
    """Write the records that a schema's programs emit as Parquet; return how many there are.

    The tasks write the files themselves, several times faster than Spark writes a data frame. The
    directory must be new or empty; on a cluster, all machines must share it. It appears only when
    it is complete. Output to a store (`s3a://…`) is written by Spark and not counted. A value that
    cannot be computed raises `RefusedError`; with `force` it is null.
    """
    need("spark", "`sculpt.spark`")
    policy = policy_of(force, only_good_rows)
    producer = SparkProducer(spark, schema, paths, policy, unit, request=request_of(tables))
    stream = target_stream(producer.program, target)
    name = os.fspath(directory)
    with nullcontext(name) if is_uri(name) else placed_directory(name) as temporary:
        producer.validate()
        findings = Findings()
        counts = producer.write_tables({stream: Place(temporary, name)}, findings)
        if findings.count and not producer.force:
            found = tuple(findings.violations)
            raise RefusedError(tuple(producer.verdicts), found, tuple(findings.paths))
    return counts[stream]


def spark_results(
    schema: Schema,
    paths: Sequence[str],
    policy: Policy,
    spark: SparkSession | None,
    request: Request | None = None,
) -> Results:
    """The results of a run on Spark, for `sculpt.run`; they need the session to stay open."""
    session = spark or running_session()
    if session is None:
        raise UsageError(
            "a run on Spark needs a session that stays open while you use the results:"
            " `sculpt.run(…, spark=spark)`"
        )
    producer: SparkProducer | JointProducer
    if paths:
        producer = SparkProducer(session, schema, paths, policy, request=request)
    else:
        producer = spark_joint(session, schema, policy, request)
    producer.validate()
    return Results(producer, partial(check_outputs, schema, paths))


def spark_joint(
    spark: SparkSession,
    schema: Schema,
    policy: Policy,
    request: Request | None = None,
    on_progress: OnProgress | None = None,
) -> JointProducer:
    """The programs of the tables of a schema without one, on Spark."""
    return JointProducer(
        [
            (
                each,
                SparkProducer(
                    spark, each.schema, [each.data], policy, on_progress=on_progress,
                    request=each.request,
                ),
            )
            for each in table_programs(schema, request)
        ]
    )  # fmt: skip
