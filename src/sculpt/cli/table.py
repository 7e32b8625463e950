"""The commands and their options, each declared once: for parsing a call and for the help.

Out: `COMMANDS`. Invariant: this imports nothing else of Sculpt. Where an option depends on other
modules, such as for the output formats, it has a function that is called when the option is read or
shown; the function of a command is imported when it runs. So `sculpt --help` needs only this table.

The values are named tuples: a data class takes 0.4 ms to make, which every start would pay.
"""

# Annotations are evaluated here: those of a named tuple would be compiled one by one (1 ms).
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple


class Format(StrEnum):
    """How results are written."""

    TEXT = "text"
    JSON = "json"


class Engine(StrEnum):
    """What runs the schema."""

    AUTO = "auto"
    LOCAL = "local"
    SPARK = "spark"
    REFERENCE = "reference"


def _file_formats() -> type[StrEnum]:
    from sculpt.transform.writers import formats as writers

    return writers.Format


class Argument(NamedTuple):
    """A positional argument: a schema, or data."""

    name: str
    """As the help shows it."""
    parameter: str
    """The parameter of the command's function that gets it."""
    help: str
    is_list: bool = False
    """Does it take all remaining words? Only the last argument can."""
    is_required: bool = True


class Option(NamedTuple):
    """A named argument, anywhere in a call."""

    name: str
    """With its dashes: `--format`."""
    parameter: str
    """The parameter of the command's function that gets it."""
    help: str
    short: str = ""
    """Another name, with its dash: `-f`."""
    value: str = ""
    """What the help calls its value; an option without one is a flag."""
    choices: Callable[[], type[StrEnum]] | None = None
    """Returns its possible values, if they are few."""
    least: int | None = None
    """If set, the value is a whole number, this one or more."""
    is_list: bool = False
    """May it be repeated?"""
    default: Any = None


class Command(NamedTuple):
    """A command: its name, the function that runs it, its arguments and options."""

    name: str
    module: str
    """Where the function of the same name is; it returns the exit status."""
    help: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    details: str = ""


_SCHEMA = Argument("SCHEMA", "schema", "The schema file, or - for standard input.")
_SCHEMAS = Argument("SCHEMA", "schemas", "Schema files, or - for standard input.", is_list=True)
_FILE = Argument("DATA", "data", "A file, or - for standard input.")
_FILES = Argument(
    "DATA", "data", "Files, directories, globs, or - for standard input.", is_list=True
)
_ASKED = Argument(
    "DATA",
    "data",
    "Show which engine would run on this data, and why.",
    is_list=True,
    is_required=False,
)
_SELECTOR = Argument("SELECTOR", "selector", "May use the schema's tokens and token types.")
_PLACE = Argument("ROW,COLUMN", "place", "The cell, such as 5,3; both are counted from 1.")
_ASKED_REGION = Argument(
    "REGION",
    "region",
    "rule:3, type:Names or any selector; every rule if unset.",
    is_required=False,
)
_REGION = Argument("REGION", "region", "A token type of the schema, or any selector.")

_FORMAT = Option(
    "--format",
    "output",
    "How the results are written.",
    short="-f",
    value="FORMAT",
    choices=lambda: Format,
    default=Format.TEXT,
)
_ENGINE = Option(
    "--engine",
    "engine",
    "What runs the schema.",
    value="ENGINE",
    choices=lambda: Engine,
    default=Engine.AUTO,
)
_MAX_VIOLATIONS = Option(
    "--max-violations",
    "max_violations",
    "Show at most this many violations per file; all are counted.",
    value="N",
    least=0,
    default=1_000,  # the same as in `sculpt.verdict`
)
_STRICT = Option("--strict", "strict", "Fail on warnings too.")
_THREADS = Option(
    "--threads",
    "threads",
    "The number of threads; one per core if unset.",
    value="N",
    least=1,
)
_MASTER = Option(
    "--master", "master", "The Spark master, such as local[4] or spark://host:7077.", value="URL"
)
_CONF = Option(
    "--conf", "conf", "A Spark setting. May be repeated.", value="KEY=VALUE", is_list=True
)
_VIOLATIONS_TO = Option(
    "--violations-to",
    "violations_to",
    "On Spark: write all violations as a Parquet table to this new directory.",
    value="DIR",
)
_VERBOSE = Option("--verbose", "verbose", "Show Spark's log and the address of its web page.")
_SET = Option(
    "--set",
    "settings",
    "Override a directive of the schema, such as 'Col Delim=;'. May be repeated.",
    value="DIRECTIVE=VALUE",
    is_list=True,
)
_OUT = Option(
    "--out", "out", "A file, or a directory for several outputs.", short="-o", value="OUT"
)
_FILE_FORMAT = Option(
    "--format",
    "file_format",
    "The format, if the file name does not imply it.",
    short="-f",
    value="FORMAT",
    choices=_file_formats,
)
_ONLY = Option(
    "--only", "only", "Write only this output: `text`, `annotations` or a target.", value="NAME"
)
_FORCE = Option("--force", "force", "Run even if the data violates the schema.")
_GOOD_ROWS = Option(
    "--only-good-rows", "only_good_rows", "Leave out the rows that have violations."
)
_WRITE = Option("--write", "write", "Rewrite the files.", short="-w")
_CHECK = Option("--check", "check_only", "Change nothing; exit with 1 if a file would change.")

VERSION = Option("--version", "version", "Show the version and exit.")
HELP = Option("--help", "help", "Show this message and exit.", short="-h")

COMMANDS = (
    Command(
        "validate",
        "sculpt.cli.commands",
        "Check data files against a schema.",
        (_SCHEMA, _FILES),
        (
            _FORMAT,
            _ENGINE,
            _MAX_VIOLATIONS,
            _STRICT,
            _THREADS,
            _MASTER,
            _CONF,
            _VIOLATIONS_TO,
            _VERBOSE,
            _SET,
        ),
        "Exit status: 0 all valid, 1 some not valid, 2 the call or the schema is wrong, 3 some"
        " data could not be read.",
    ),
    Command(
        "check",
        "sculpt.cli.commands",
        "Check a schema without data: errors, and likely mistakes.",
        (_SCHEMA,),
        (_FORMAT, _STRICT, _SET),
        "Exit status: 0 usable, 1 warnings with --strict, 2 the schema is wrong.",
    ),
    Command(
        "explain",
        "sculpt.cli.commands",
        "Show how each rule is evaluated: core form, streamability and what limits it.",
        (_SCHEMA, _ASKED),
        (_FORMAT, _SET),
    ),
    Command(
        "select",
        "sculpt.cli.commands",
        "List the cells that a selector selects.",
        (_SCHEMA, _FILE, _SELECTOR),
        (_FORMAT, _ENGINE, _SET),
    ),
    Command(
        "why",
        "sculpt.cli.views",
        "Say why a cell is selected or not, and what was expected there.",
        (_SCHEMA, _FILE, _PLACE, _ASKED_REGION),
        (_FORMAT, _ENGINE, _SET),
        "For every rule, or for one region: each part of the selector with yes or no, the walk that"
        " leads to the cell or where it stops, and how the content expression reads the cell.",
    ),
    Command(
        "run",
        "sculpt.cli.programs",
        "Run the programs of a schema: print, annotate, and turn regions into records.",
        (_SCHEMA, _FILES),
        (
            _OUT,
            _FILE_FORMAT,
            _ONLY,
            _FORCE,
            _GOOD_ROWS,
            _ENGINE,
            _THREADS,
            _MASTER,
            _CONF,
            _VERBOSE,
            _SET,
        ),
        "The data is validated first. Exit status: 0 done, 1 the data violates the schema or a"
        " value could not be computed, 2 the call or the schema is wrong, 3 something could not be"
        " read or written.",
    ),
    Command(
        "extract",
        "sculpt.cli.programs",
        "Export a region: its raw text, with the rows and columns that occur in it.",
        (_SCHEMA, _FILE, _REGION),
        (_OUT, _FILE_FORMAT, _ENGINE, _SET),
        "The data need not be valid. CSV and TSV have no header; in other formats `c2` is the"
        " second column.",
    ),
    Command(
        "fmt",
        "sculpt.cli.commands",
        "Print a schema in its canonical form; comments are kept.",
        (_SCHEMAS,),
        (_WRITE, _CHECK),
    ),
)
