"""The commands together, and one call of them.

In: the arguments of a call. Out: its exit status: what the command gives, 2 where the call or the
schema is wrong.

Invariant: every other exception passes through untouched. Typer's own way to run a program turns
`EOFError` and a closed pipe into status 1, which here means "not valid"; so it is not used.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sculpt import __version__
from sculpt.cli import commands, programs
from sculpt.cli.terminal import remarking, show_errors, write_text, writing
from sculpt.errors import SchemaError

WRONG = 2
"""The exit status of a call or a schema that is wrong."""
WrongCallError: Any = typer.BadParameter.__base__
"""What the option parser raises; it has no public name in some versions of Typer."""


class Command(TyperCommand):
    """A command whose help is written like any result."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Read the options; some of them print something and end the run."""
        with writing():
            return super().make_context(*arguments, **settings)
        raise typer.Exit  # it was printed into a closed pipe, which is not an error


class Group(TyperGroup):
    """The same for `sculpt --help` and `sculpt --version`."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """See `Command`."""
        with writing():
            return super().make_context(*arguments, **settings)
        raise typer.Exit


app = typer.Typer(
    name="sculpt",
    cls=Group,
    help="Validate the regions of messy tables: rules `selector -> content` over CSV-like files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


for command in (
    commands.validate,
    commands.check,
    commands.explain,
    commands.select,
    programs.run,
    programs.extract,
    commands.fmt,
):
    app.command(cls=Command)(command)


def _version(wanted: bool) -> None:
    if wanted:
        write_text(f"sculpt {__version__}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Validate the regions of messy tables: rules `selector -> content` over CSV-like files."""


def run(arguments: list[str]) -> int:
    """Run one call; its exit status."""
    parser = typer.main.get_command(app)
    try:
        with parser.make_context("sculpt", arguments) as context:
            parser.invoke(context)
        return 0
    except typer.Exit as stop:
        return stop.exit_code
    except SchemaError as error:
        show_errors(error)
        return WRONG
    except WrongCallError as error:
        with remarking():
            error.show()
        return WRONG
