"""The spec that a command is about: its argument, its target, and what the stages make of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fourleaf.cli.word import Word
from fourleaf.emit import EMITTERS

if TYPE_CHECKING:
    from fourleaf.pipeline import Compilation

Command = TypeVar("Command", bound=Callable[..., Any])

STDIN = "-"


def spec_argument(command: Command) -> Command:
    return click.argument("spec", type=click.Path(allow_dash=True, readable=False))(command)


def specs_argument(command: Command) -> Command:
    """One spec or several: a pattern of the shell may stand for them."""
    path = click.Path(allow_dash=True, readable=False)
    return click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=path, callback=_once)(command)


def _once(context: click.Context, parameter: click.Parameter, specs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the specs without those that were named before: `a.yaml` and `./a.yaml` are one."""
    named: dict[str | Path, str] = {}
    for spec in specs:
        named.setdefault(spec if spec in ("", STDIN) else Path(spec), spec)
    return tuple(named.values())


def target_option(command: Command) -> Command:
    return click.option("--target", type=Word("target", EMITTERS), help="Instead of the spec's; kustomize where it says none.")(command)


def shown(spec: str) -> str:
    """Return the name of a spec as diagnostics give it."""
    return "<stdin>" if spec == STDIN else spec


def compiled(spec: str, target: str | None, past: frozenset[str] = frozenset()) -> Compilation:
    """Take a spec through every stage.

    Args:
        spec: its path, or "-" for standard input; paths in it are then relative to the working folder.
        past: codes of errors that close no barrier.
    """
    from fourleaf import reading

    if not spec:
        raise click.UsageError("SPEC is empty: name a file")
    if spec == STDIN:
        stream = sys.stdin.buffer if sys.stdin is not None else None
        return reading.from_stream(stream, shown(spec), Path.cwd(), target, past)
    return reading.compiled(spec, target=target, past=past)
