"""The group of commands. A command's module is imported only when it runs, so that `--help` costs nothing."""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from fourleaf import __version__
from fourleaf.cli.stream import LackingError, hush, prepare

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("fourleaf.cli.init", "Write a commented spec to start from."),
    "check": ("fourleaf.cli.check", "Tell what is wrong with a spec, and how to mend it."),
    "explain": ("fourleaf.cli.explain", "Tell which leaf a cluster sits on and why, or why an object is there."),
    "compile": ("fourleaf.cli.compile", "Write the manifests of a spec into a folder."),
    "rehearse": ("fourleaf.cli.rehearse", "Try the set on a throwaway control plane with simulated nodes."),
    "list": ("fourleaf.cli.list", "List cards, hosts, distributions, charts or rules."),
    "rule": ("fourleaf.cli.rule", "Print what a diagnostic code means."),
    "schema": ("fourleaf.cli.schema", "Print the JSON Schema of a spec, or of the diagnostics."),
    "completion": ("fourleaf.cli.completion", "Print the completion script of a shell."),
}

EPILOG = """Exit codes: 0 fine (warnings included, but for --strict), 1 errors of the spec, the input or the output folder,
2 wrong usage, 3 something is missing on this machine, 70 a defect of fourleaf."""

NAME, COMPLETE = "fourleaf", "_FOURLEAF_COMPLETE"

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

LACKING, DEFECT, INTERRUPTED = 3, 70, 130


class Commands(click.Group):
    """The commands, in the order in which people meet them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[name][0])
        command: click.Command = module.command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from fourleaf.diag import nearest

            close = nearest(args[0], COMMANDS)
            ctx.fail(f"no command {args[0]}." + (f" Did you mean {' or '.join(close)}?" if close else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.command(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="fourleaf %(version)s")
def group() -> None:
    """One cluster spec in, the consistent set of Kubernetes manifests for GPU scheduling out."""


def main() -> NoReturn:
    """Run the command line, and end the process. A defect of ours ends it with code 70 and what to report, never with a traceback."""
    gc.disable()  # one compile, then the process ends: collecting costs a fifth of it, and more the larger the spec
    prepare()
    code = _run()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError):
            stream.flush()
    os._exit(code)  # tearing the interpreter down costs a sixth of a check, and frees what the end of the process frees anyway


def _run() -> int:
    """Return the exit code."""
    try:
        if COMPLETE in os.environ:
            from click.shell_completion import shell_complete

            return shell_complete(group, {}, NAME, COMPLETE, os.environ[COMPLETE])
        with group.make_context(NAME, sys.argv[1:]) as context:
            group.invoke(context)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except BrokenPipeError:  # click's own help, into a pipe whose reader has gone
        hush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except LackingError as error:
        return _lacks(str(error))
    except MemoryError:
        return _lacks("this machine has too little memory")
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and error.errno in _FULL:  # click's own help, onto a full disk
            hush()
            return _lacks(f"standard output cannot be written: {(error.strerror or str(error)).lower()}")
        if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("fourleaf"):
            return _lacks(f"the Python package {error.name} is missing: install fourleaf with its dependencies")
        from fourleaf.cli.defect import report

        report(error)
        return DEFECT
    return 0


def _lacks(what: str) -> int:
    click.echo(f"fourleaf: {what}", err=True)
    return LACKING
