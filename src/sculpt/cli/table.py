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


class Picture(StrEnum):
    """How a table is shown."""

    TEXT = "text"
    HTML = "html"
    JSON = "json"


class Color(StrEnum):
    """When text has colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Shell(StrEnum):
    """A shell that can complete calls."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


class ReportFormat(StrEnum):
    """How the verdicts on data are written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    FRICTIONLESS = "frictionless"
    HTML = "html"


class CheckFormat(StrEnum):
    """How the diagnostics of a schema are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


class Kind(StrEnum):
    """A system whose schemas can be read."""

    CSVW = "csvw"
    FRICTIONLESS = "frictionless"
    CSV_SCHEMA = "csv-schema"
    DSPL = "dspl"
    XSD = "xsd"
    RML = "rml"


class Exported(StrEnum):
    """A system that schemas can be written for."""

    FRICTIONLESS = "frictionless"
    CSVW = "csvw"
    CSV_SCHEMA = "csv-schema"


class Converted(StrEnum):
    """What CSVW makes of tables."""

    JSON = "json"
    NTRIPLES = "ntriples"
    TURTLE = "turtle"


class Strictness(StrEnum):
    """How tight a proposed schema is."""

    LOOSE = "loose"
    NORMAL = "normal"
    TIGHT = "tight"


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
    """One that is not gets a word only if there are more than the required ones need."""


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
    read: Callable[[str], Any] | None = None
    """Reads a value of any other kind; `None` if it cannot be one, see `expected`."""
    expected: str = ""
    """What `read` takes, for the message if it is something else."""
    is_list: bool = False
    """May it be repeated?"""
    default: Any = None
    is_file: bool = False
    """Is its value the name of a file or directory?"""


class Command(NamedTuple):
    """A command: its name, the function that runs it, its arguments and options."""

    name: str
    module: str
    """Where its function is, which returns the exit status."""
    help: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    details: str = ""
    function: str = ""
    """The name of its function, if that is not the name of the command."""


_SCHEMA = Argument(
    "SCHEMA",
    "schema",
    "The schema file, of Sculpt or of another system (see `sculpt import`), or - for standard"
    " input.",
)
_SCHEMAS = Argument("SCHEMA", "schemas", "Schema files, or - for standard input.", is_list=True)
_FOREIGN = Argument(
    "FILE",
    "sources",
    "Schemas of other systems: CSVW metadata, Data Packages and Table Schemas, CSV Schema, DSPL,"
    " XML Schema, RML and R2RML. Their content says which.",
    is_list=True,
)
_FILE = Argument("DATA", "data", "A file, or - for standard input.")
_FILES = Argument(
    "DATA", "data", "Files, directories, globs, or - for standard input.", is_list=True
)
_SNIFFED = Argument(
    "FILE", "data", "Files, directories, globs, or - for standard input.", is_list=True
)
_ASKED = Argument(
    "DATA",
    "data",
    "Show which engine would run on this data, and why.",
    is_list=True,
    is_required=False,
)
_OPTIONAL_FILES = Argument(
    "DATA",
    "data",
    "Files, directories, globs, or - for standard input; none for a schema of other tables only.",
    is_list=True,
    is_required=False,
)
_RUN_FILES = Argument(
    "DATA",
    "data",
    "Files, directories, globs, or - for standard input; none if only the tables that the schema"
    " brings in have programs.",
    is_list=True,
    is_required=False,
)
_SELECTOR = Argument("SELECTOR", "selector", "May use the schema's tokens and token types.")
_PLACE = Argument("ROW,COLUMN", "place", "The cell, such as 5,3 or 5,C; both are counted from 1.")
_ASKED_REGION = Argument(
    "REGION",
    "region",
    "rule:3, type:Names or any selector; every rule if unset.",
    is_required=False,
)
_REGION = Argument("REGION", "region", "A token type of the schema, or any selector.")
_SHOWN_SCHEMA = Argument(
    "SCHEMA",
    "schema",
    "The schema file; without one, the plain table.",
    is_required=False,
)
_SELECTORS = Argument(
    "SELECTOR",
    "selectors",
    "More regions to show. May use the schema's tokens and token types.",
    is_list=True,
    is_required=False,
)

_MODELS = Argument(
    "FILE",
    "files",
    "Files of one kind, to make a schema for; directories, globs, or - for standard input.",
    is_list=True,
)

_FORMAT = Option(
    "--format",
    "output",
    "How the results are written.",
    short="-f",
    value="FORMAT",
    choices=lambda: Format,
    default=Format.TEXT,
)
_REPORT_FORMAT = Option(
    "--format",
    "output",
    "How the results are written; if unset, as the name of the output implies, or as text.",
    short="-f",
    value="FORMAT",
    choices=lambda: ReportFormat,
)
_CHECK_FORMAT = Option(
    "--format",
    "output",
    "How the results are written; if unset, as the name of the output implies, or as text.",
    short="-f",
    value="FORMAT",
    choices=lambda: CheckFormat,
)
_REPORT_OUT = Option(
    "--out",
    "out",
    "Write the results to this file instead of standard output.",
    short="-o",
    value="FILE",
)
_NO_DATA = Option("--no-data", "no_data", "In HTML: places and counts only, no text of any cell.")
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
    "Put at most this many errors and as many warnings of a file into words; all are counted.",
    value="N",
    least=0,
    default=1_000,  # the same as in `sculpt.verdict`
)
ALL = "all"


def _read_count(text: str) -> int | str | None:
    if text == ALL:
        return ALL
    return int(text) if text.isascii() and text.isdigit() else None


def _read_percent(text: str) -> float | None:
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None


_SHOW = Option(
    "--show",
    "show",
    "Show this many places of each rule in full, or `all`.",
    value="N",
    read=_read_count,
    expected="a whole number, or `all`",
    default=3,  # the same as in `sculpt.report.text`
)
_MIN_COVERAGE = Option(
    "--min-coverage",
    "min_coverage",
    "Fail if rules check fewer of the cells with text than this.",
    value="PERCENT",
    read=_read_percent,
    expected="a number from 0 to 100",
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
    "Write all violations to this file: Parquet, CSV or JSON lines, by its name (.parquet, .csv,"
    " .jsonl). On Spark, any other name is a new directory for a Parquet table.",
    value="FILE",
    is_file=True,
)
_GOOD_TO = Option(
    "--good-to",
    "good_to",
    "Write the rows that no error names to this file, byte for byte; those of several inputs"
    " to a new directory.",
    value="FILE",
    is_file=True,
)
_BAD_TO = Option(
    "--bad-to",
    "bad_to",
    "The same for the rows that an error names; all rows, if an error names none.",
    value="FILE",
    is_file=True,
)
_TABLE = Option(
    "--table",
    "tables",
    "The data of another table of the schema: a file, a directory or a glob. May be repeated.",
    value="NAME=PATH",
    is_list=True,
)
_FILES_IN = Option(
    "--files",
    "files",
    "The directory below which conditions look for files.",
    value="DIR",
    is_file=True,
)
_SKIP_FILES = Option("--skip-files", "skip_files", "Take conditions about files as met.")
_MEMORY = Option(
    "--memory",
    "memory",
    "How much memory entries of keys and references may take, such as 64MB or 1GB; beyond it they"
    " go to the temporary directory. 256MB if unset.",
    value="SIZE",
)
_CHECKS = (_TABLE, _FILES_IN, _SKIP_FILES, _MEMORY)
_VERBOSE = Option("--verbose", "verbose", "Show Spark's log and the address of its web page.")
_SET = Option(
    "--set",
    "settings",
    "Override a directive of the schema, such as 'Col Delim=;'. May be repeated.",
    value="DIRECTIVE=VALUE",
    is_list=True,
)
_OUT = Option(
    "--out",
    "out",
    "A file, or a directory for several outputs.",
    short="-o",
    value="OUT",
    is_file=True,
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
_GOOD_ROWS = Option("--only-good-rows", "only_good_rows", "Leave out the rows that have errors.")
_WRITE = Option("--write", "write", "Rewrite the files.", short="-w")
_CHECK = Option("--check", "check_only", "Change nothing; exit with 1 if a file would change.")

_PICTURE = Option(
    "--format",
    "output",
    "How the table is shown.",
    short="-f",
    value="FORMAT",
    choices=lambda: Picture,
    default=Picture.TEXT,
)
_PICTURE_TO = Option("--out", "out", "Write to this file.", short="-o", value="FILE", is_file=True)
_ROWS = Option("--rows", "rows", "Only these rows, such as 1-40, 7 or 100-.", value="FIRST-LAST")
_COLUMNS = Option(
    "--columns", "columns", "Only these columns, such as 2-5 or B-E.", value="FIRST-LAST"
)
_AROUND = Option("--around", "around", "The rows and columns around a cell.", value="ROW,COLUMN")
_UNCHECKED = Option("--unchecked", "unchecked", "The rows around the first unchecked cells.")
_ONLY_REGIONS = Option(
    "--only",
    "only",
    "Show only this region, such as rule:3, type:Names or selector:1. May be repeated.",
    value="REGION",
    is_list=True,
)
_COLOR = Option(
    "--color",
    "color",
    "When the text has colours; auto: if a terminal shows it.",
    value="WHEN",
    choices=lambda: Color,
    default=Color.AUTO,
)

_ALLOW_HTTP = Option(
    "--allow-http",
    "allow_http",
    "Fetch a schema of another system, and what it refers to, over http and https.",
)
_ALLOW_OUTSIDE = Option(
    "--allow-outside",
    "allow_outside",
    "Read what a schema of another system refers to outside its folder.",
)
_ACCESS = (_ALLOW_HTTP, _ALLOW_OUTSIDE)
_FROM = Option(
    "--from",
    "kind",
    "The system of the files, if their content should not decide.",
    value="KIND",
    choices=lambda: Kind,
)
_DISCOVER = Option(
    "--discover",
    "discover",
    "Name only data: its schema is the CSVW metadata that the standard finds for it.",
)
_METADATA = Option(
    "--metadata",
    "metadata",
    "CSVW metadata to use instead of what would be found.",
    value="FILE",
    is_file=True,
)
_CONVERT_TO = Option(
    "--to",
    "to",
    "What to make of the tables.",
    value="FORMAT",
    choices=lambda: Converted,
)
_MINIMAL = Option("--minimal", "minimal", "Only what rows describe, nothing about the tables.")
_PROVENANCE = Option("--provenance", "provenance", "Say also how and from what it was made.")
_SOURCE = Argument(
    "SOURCE", "source", "A table or CSVW metadata: a file, or a URL with --allow-http."
)
_EXPORT_TO = Option(
    "--to",
    "to",
    "The system to write for.",
    value="KIND",
    choices=lambda: Exported,
)
_EXPORT_OUT = Option(
    "--out",
    "out",
    "A new file, or a directory if there are several; standard output if unset.",
    short="-o",
    value="OUT",
    is_file=True,
)
_EXPORT_STRICT = Option("--strict", "strict", "Fail if something has no counterpart.")
_IMPORT_TO = Option(
    "--out",
    "out",
    "A new file, or a directory if there are several schemas; standard output if unset.",
    short="-o",
    value="OUT",
    is_file=True,
)
_IMPORT_STRICT = Option("--strict", "strict", "Fail if something cannot be taken over.")

_SISTER = Option(
    "--sister",
    "sisters",
    "Another file of the same kind, or a glob. May be repeated.",
    value="FILE",
    is_list=True,
)
_STRICTNESS = Option(
    "--strictness",
    "strictness",
    "How sure the schema must be before it refuses what it has not seen.",
    value="HOW",
    choices=lambda: Strictness,
    default=Strictness.NORMAL,
)
_EXPLAIN = Option("--explain", "explain", "After the schema, list the cells of each rule.")
_TIDY = Option("--tidy", "tidy", "Add a program that makes records of the table.")
_UPDATE = Option(
    "--update",
    "update",
    "Change this schema as far as the files need it, and show the difference.",
    value="SCHEMA",
    is_file=True,
)
_UPDATE_CHECK = Option(
    "--check", "check_only", "With --update: write nothing; exit with 1 if a change is needed."
)
_INIT_TO = Option(
    "--out",
    "out",
    "A new file; standard output if unset.",
    short="-o",
    value="FILE",
    is_file=True,
)
_REPLACE = Option("--force", "force", "Replace the output if it is there already.")
_SNIFF_STRICT = Option("--strict", "strict", "Fail if a confidence is below 0.5.")

COMPLETION = Option(
    "--completion",
    "shell",
    "Print a script that completes calls in a shell.",
    value="SHELL",
    choices=lambda: Shell,
)
VERSION = Option("--version", "version", "Show the version and exit.")
HELP = Option("--help", "help", "Show this message and exit.", short="-h")

COMMANDS = (
    Command(
        "validate",
        "sculpt.cli.commands",
        "Check data files against a schema.",
        (_SCHEMA, _OPTIONAL_FILES),
        (
            _REPORT_FORMAT,
            _REPORT_OUT,
            _NO_DATA,
            _ENGINE,
            _SHOW,
            _MAX_VIOLATIONS,
            _MIN_COVERAGE,
            _STRICT,
            _VIOLATIONS_TO,
            _GOOD_TO,
            _BAD_TO,
            *_CHECKS,
            _THREADS,
            _MASTER,
            _CONF,
            _VERBOSE,
            _DISCOVER,
            _METADATA,
            *_ACCESS,
            _SET,
        ),
        "Exit status: 0 all valid, 1 some not valid, 2 the call or the schema is wrong, 3 some"
        " data could not be read.",
    ),
    Command(
        "check",
        "sculpt.cli.commands",
        "Check schemas without data: errors, and likely mistakes.",
        (_SCHEMAS,),
        (_CHECK_FORMAT, _REPORT_OUT, _STRICT, *_ACCESS, _SET),
        "Exit status: 0 usable, 1 warnings with --strict, 2 a schema is wrong.",
    ),
    Command(
        "explain",
        "sculpt.cli.commands",
        "Show how each rule is evaluated: core form, streamability and what limits it.",
        (_SCHEMA, _ASKED),
        (_FORMAT, *_ACCESS, _SET),
    ),
    Command(
        "select",
        "sculpt.cli.views.select",
        "List the cells that a selector selects.",
        (_SCHEMA, _FILE, _SELECTOR),
        (_FORMAT, _ENGINE, *_ACCESS, _SET),
    ),
    Command(
        "show",
        "sculpt.cli.views.show",
        "Draw a table with the regions of a schema in colour, and what it misses and rejects.",
        (_SHOWN_SCHEMA, _FILE, _SELECTORS),
        (
            _ROWS,
            _COLUMNS,
            _AROUND,
            _UNCHECKED,
            _ONLY_REGIONS,
            _COLOR,
            _PICTURE,
            _PICTURE_TO,
            *_CHECKS,
            _ENGINE,
            *_ACCESS,
            _SET,
        ),
        "Without options: the head, the rows around the first violation of each rule, and the end."
        " Exit status: 0 shown, whatever the verdict, 2 the call or the schema is wrong, 3 the data"
        " could not be read or the output not be written.",
    ),
    Command(
        "why",
        "sculpt.cli.views.why",
        "Say why a cell is selected or not, and what was expected there.",
        (_SCHEMA, _FILE, _PLACE, _ASKED_REGION),
        (_FORMAT, _ENGINE, *_ACCESS, _SET),
        "For every rule, or for one region: each part of the selector with yes or no, the walk that"
        " leads to the cell or where it stops, and how the content expression reads the cell.",
    ),
    Command(
        "run",
        "sculpt.cli.programs",
        "Run the programs of a schema: print, annotate, and turn regions into records.",
        (_SCHEMA, _RUN_FILES),
        (
            _OUT,
            _FILE_FORMAT,
            _ONLY,
            _FORCE,
            _GOOD_ROWS,
            _STRICT,
            *_CHECKS,
            _ENGINE,
            _THREADS,
            _MASTER,
            _CONF,
            _VERBOSE,
            *_ACCESS,
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
        (_OUT, _FILE_FORMAT, _ENGINE, *_ACCESS, _SET),
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
    Command(
        "init",
        "sculpt.cli.inference.proposals",
        "Propose a schema for files.",
        (_MODELS,),
        (
            _SISTER,
            _STRICTNESS,
            _TIDY,
            _UPDATE,
            _UPDATE_CHECK,
            _EXPLAIN,
            _FORMAT,
            _INIT_TO,
            _REPLACE,
            _ENGINE,
            _MASTER,
            _CONF,
            _VERBOSE,
        ),
        "The schema accepts the files that it is made from. It is a draft: read it, and change what"
        " you know better. Files of another kind are named and left out. Of large files, and of"
        " more than 48, some rows are read and all are counted: here, or on Spark with --engine"
        " spark, --master or --conf. With --update, a schema is widened until it accepts the files,"
        " and all else of it stays as it is. Exit status: 0 done, 1 no table found, a file that no"
        " change makes acceptable, or a change needed with --check, 2 the call or the schema is"
        " wrong, 3 something could not be read or written.",
    ),
    Command(
        "sniff",
        "sculpt.cli.inference.sniffing",
        "Say how files are written: delimiter, quotes, encoding, comments, with confidences.",
        (_SNIFFED,),
        (_FORMAT, _SNIFF_STRICT),
        "For one file, the text is the beginning of a schema. Only a sample of a file is read. Exit"
        " status: 0 done, 1 a confidence is below 0.5 with --strict, 2 the call is wrong, 3 some"
        " files could not be read.",
    ),
    Command(
        "import",
        "sculpt.cli.exchange.schemas",
        "Turn schemas of other systems into Sculpt.",
        (_FOREIGN,),
        (_IMPORT_TO, _FROM, _IMPORT_STRICT, *_ACCESS),
        "One file for each table, and one that ties them together. What cannot be taken over is a"
        " comment in the schema and a warning. Exit status: 0 done, 2 a source is wrong or cannot"
        " be read, or, with --strict, not be taken over as a whole, 3 a file that it refers to"
        " could not be read, or an output not be written.",
        function="import_schemas",
    ),
    Command(
        "export",
        "sculpt.cli.exchange.schemas",
        "Write a schema about the columns of a table for other systems.",
        (_SCHEMA,),
        (_EXPORT_TO, _EXPORT_OUT, _EXPORT_STRICT, *_ACCESS, _SET),
        "What has no counterpart there is named, rule by rule, and left out. Exit status: 0 done, 2"
        " the schema is wrong, or has no counterpart as a whole with --strict, 3 something could"
        " not be read or written.",
    ),
    Command(
        "convert",
        "sculpt.cli.exchange.conversion",
        "Convert tables with CSVW metadata to JSON or RDF, as the standard says.",
        (_SOURCE,),
        (
            _CONVERT_TO,
            _MINIMAL,
            _METADATA,
            _PROVENANCE,
            _REPORT_OUT,
            _ENGINE,
            _THREADS,
            _MASTER,
            _CONF,
            _VERBOSE,
            *_ACCESS,
        ),
        "Metadata is found by the rules of the standard, or given. On Spark the tables become JSON"
        " Lines or N-Triples in a directory. Exit status: 0 done, perhaps with warnings about"
        " cells, 2 the call or the metadata is wrong, 3 something could not be read or written.",
    ),
)
